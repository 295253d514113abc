//! Who may do what: one table, plain data. Whoever lets somebody do something asks it, and nothing else decides.

use serde::{Deserialize, Serialize};

/// What somebody is on a server. Each may do whatever those before it may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Somebody who is not signed in.
    #[default]
    Visitor,
    /// Makes matches and plays.
    Player,
    /// Brings games and programs that play.
    Author,
    /// Holds tournaments, and looks after what others have brought.
    Organiser,
    /// Looks after accounts.
    Administrator,
}

impl Role {
    /// All roles, from the one that may do least.
    pub const ALL: [Self; 5] =
        [Self::Visitor, Self::Player, Self::Author, Self::Organiser, Self::Administrator];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Visitor => "visitor",
            Self::Player => "player",
            Self::Author => "author",
            Self::Organiser => "organiser",
            Self::Administrator => "administrator",
        }
    }

    /// The role of an account of this name. Nobody has an account in order to be a visitor.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().filter(|role| *role != Self::Visitor).find(|role| role.name() == name)
    }
}

/// What a token is for. Whoever shows one may do only what both the role of its account and its scopes allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Look, also at what only its account sees.
    Read,
    /// Make matches and play.
    Play,
    /// Bring games and programs.
    Upload,
    /// Hold tournaments, and look after what others have brought.
    Organise,
    /// Change the account itself, and look after others.
    Administer,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 5] = [Self::Read, Self::Play, Self::Upload, Self::Organise, Self::Administer];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Play => "play",
            Self::Upload => "upload",
            Self::Organise => "organise",
            Self::Administer => "administer",
        }
    }

    /// The scope of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// What somebody can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Look at what everybody may see.
    Look,
    /// Sign in or out, or make an account.
    SignIn,
    /// Do what the key of a seat opens: sit down, move, say something.
    UseSeatKey,
    /// Take a seat against one opponent at once.
    StartQuickMatch,
    /// Make a match.
    MakeMatch,
    /// End a match, or give its seats other keys.
    ChangeMatch,
    /// Have rules checked and explored that are not kept.
    CheckRules,
    /// Bring a game, or another version of one.
    UploadGame,
    /// Change what is said of a game.
    ChangeGame,
    /// Register a player.
    RegisterPlayer,
    /// Change, ask or retire a player.
    ChangePlayer,
    /// Make and change tournaments.
    HoldTournament,
    /// See one's own account with all its data.
    SeeAccount,
    /// Change or delete one's own account.
    ChangeAccount,
    /// See and change what is hidden, and who has what.
    Moderate,
    /// Look after accounts, and read what moderators did.
    Administer,
}

/// What it takes to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Right {
    /// What is done.
    pub action: Action,
    /// The least role that may do it with what is new, its own or nobody's business.
    pub own: Role,
    /// The least role that may do it with what belongs to others, or to the organiser.
    pub others: Role,
    /// The scope that a token needs for it.
    pub scope: Scope,
}

const fn right(action: Action, own: Role, others: Role, scope: Scope) -> Right {
    Right { action, own, others, scope }
}

/// Who may do what.
pub const RIGHTS: [Right; 16] = [
    right(Action::Look, Role::Visitor, Role::Visitor, Scope::Read),
    right(Action::SignIn, Role::Visitor, Role::Visitor, Scope::Administer),
    right(Action::UseSeatKey, Role::Visitor, Role::Visitor, Scope::Play),
    right(Action::StartQuickMatch, Role::Player, Role::Player, Scope::Play),
    right(Action::MakeMatch, Role::Player, Role::Player, Scope::Play),
    right(Action::ChangeMatch, Role::Player, Role::Organiser, Scope::Play),
    right(Action::CheckRules, Role::Player, Role::Player, Scope::Upload),
    right(Action::UploadGame, Role::Author, Role::Organiser, Scope::Upload),
    right(Action::ChangeGame, Role::Author, Role::Organiser, Scope::Upload),
    right(Action::RegisterPlayer, Role::Author, Role::Organiser, Scope::Upload),
    right(Action::ChangePlayer, Role::Author, Role::Organiser, Scope::Upload),
    right(Action::HoldTournament, Role::Organiser, Role::Organiser, Scope::Organise),
    right(Action::SeeAccount, Role::Player, Role::Administrator, Scope::Read),
    right(Action::ChangeAccount, Role::Player, Role::Administrator, Scope::Administer),
    right(Action::Moderate, Role::Organiser, Role::Organiser, Scope::Organise),
    right(Action::Administer, Role::Administrator, Role::Administrator, Scope::Administer),
];

impl Action {
    /// What it takes.
    pub fn right(self) -> Right {
        // A test finds every action in the table.
        let found = RIGHTS.iter().find(|right| right.action == self).copied();
        found.unwrap_or(right(self, Role::Administrator, Role::Administrator, Scope::Administer))
    }
}

/// Who does something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actor {
    /// The name of the account; none for visitors, and for the organiser of a server without accounts.
    pub account: Option<String>,
    /// What it is.
    pub role: Role,
    /// What the token that was shown is for; none where somebody is there without one.
    pub scopes: Option<Vec<Scope>>,
}

impl Actor {
    /// Somebody who is not signed in.
    pub fn visitor() -> Self {
        Self::default()
    }

    /// The organiser of a server without accounts, who may do everything.
    pub fn organiser() -> Self {
        Self { role: Role::Administrator, ..Self::default() }
    }

    /// Whether somebody may do something: with what is new or their own, or with what others have.
    pub fn may(&self, action: Action, owns: bool) -> bool {
        let right = action.right();
        let least = if owns { right.own } else { right.others };
        self.role >= least && self.has_scope(right.scope)
    }

    /// Whether nothing that was shown limits it to other things.
    pub fn has_scope(&self, scope: Scope) -> bool {
        self.scopes.as_ref().is_none_or(|scopes| scopes.contains(&scope))
    }

    /// Whether an account is this one.
    pub fn is(&self, account: Option<&str>) -> bool {
        match (&self.account, account) {
            (Some(own), Some(other)) => own.eq_ignore_ascii_case(other),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole table: for each action, what each role may do with its own and with that of others.
    #[test]
    fn each_role_may_do_what_stands_here() {
        let table = [
            (Action::Look, "v+ p+ a+ o+ A+"),
            (Action::SignIn, "v+ p+ a+ o+ A+"),
            (Action::UseSeatKey, "v+ p+ a+ o+ A+"),
            (Action::StartQuickMatch, "v- p+ a+ o+ A+"),
            (Action::MakeMatch, "v- p+ a+ o+ A+"),
            (Action::ChangeMatch, "v- p= a= o+ A+"),
            (Action::CheckRules, "v- p+ a+ o+ A+"),
            (Action::UploadGame, "v- p- a= o+ A+"),
            (Action::ChangeGame, "v- p- a= o+ A+"),
            (Action::RegisterPlayer, "v- p- a= o+ A+"),
            (Action::ChangePlayer, "v- p- a= o+ A+"),
            (Action::HoldTournament, "v- p- a- o+ A+"),
            (Action::SeeAccount, "v- p= a= o= A+"),
            (Action::ChangeAccount, "v- p= a= o= A+"),
            (Action::Moderate, "v- p- a- o+ A+"),
            (Action::Administer, "v- p- a- o- A+"),
        ];
        assert_eq!(table.map(|(action, _)| action), RIGHTS.map(|right| right.action));
        for (action, wanted) in table {
            let found = Role::ALL.map(|role| {
                let actor = Actor { role, ..Actor::default() };
                let sign = match (actor.may(action, true), actor.may(action, false)) {
                    (true, true) => '+',
                    (true, false) => '=',
                    (false, false) => '-',
                    (false, true) => '!',
                };
                format!("{}{sign}", if role == Role::Administrator { "A" } else { &role.name()[..1] })
            });
            assert_eq!(found.join(" "), wanted, "{action:?}");
        }
    }

    #[test]
    fn a_token_does_what_its_scopes_say_and_no_more_than_its_role() {
        for right in RIGHTS {
            for scope in Scope::ALL {
                let actor =
                    Actor { role: Role::Administrator, scopes: Some(vec![scope]), ..Actor::default() };
                assert_eq!(actor.may(right.action, false), scope == right.scope, "{right:?} {scope:?}");
            }
            let actor = Actor { scopes: Some(Scope::ALL.to_vec()), ..Actor::default() };
            assert_eq!(actor.may(right.action, true), right.own == Role::Visitor, "{right:?}");
        }
    }

    #[test]
    fn roles_and_scopes_are_called_what_they_are_written_as() {
        for role in Role::ALL {
            assert_eq!(serde_json::to_value(role).unwrap(), role.name());
            assert_eq!(Role::named(role.name()), (role != Role::Visitor).then_some(role));
        }
        for scope in Scope::ALL {
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.name());
            assert_eq!(Scope::named(scope.name()), Some(scope));
        }
        let somebody = Actor { account: Some("Ada".to_owned()), ..Actor::default() };
        assert!(somebody.is(Some("ada")) && !somebody.is(Some("adb")) && !somebody.is(None));
        assert!(!Actor::visitor().is(None), "nobody owns what nobody has");
    }
}
