//! Whether anybody can play a game: what there is to do in its first state, and whether it ends.
//!
//! All of it is counted, and drawn from one seed, so that a game is accepted or not whatever else the machine does.

use std::fmt;

use ludex::Game;
use ludex::game::{
    GameError, PlayoutStart, Rng, RoleId, TimedAnswer, TimedError, TimedPlayoutOptions, TimedRules,
};
use ludex::logic::Budget;

use super::late::is_out_of_time;

/// So many random games are played, until one of them ends.
const GAMES: u64 = 32;
/// So many steps of a random game are made at most.
const STEPS: u32 = 2_000;
/// Steps of inference for all random games together: where they are not enough, it is not known whether games end.
const WORK: u64 = 40_000_000;
/// So many roles are named.
const NAMED: usize = 5;

/// Why nobody can play a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unplayable {
    /// These roles have no legal move in the first state; and so many more.
    NoMove { roles: Vec<String>, more: usize },
    /// The first state is terminal.
    OverAtOnce,
    /// No random game came to an end.
    NeverEnds { games: u64, steps: u32 },
    /// No random game came to an end, and in one this role had no legal move.
    Stuck { role: String },
    /// Nothing happens any more, and the game is not over.
    NothingHappens,
}

impl fmt::Display for Unplayable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoMove { roles, more } => {
                let (who, have) =
                    if roles.len() + more == 1 { ("The role", "has") } else { ("The roles", "have") };
                write!(f, "{who} {}", roles.join(", "))?;
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                write!(f, " {have} no legal move in the first state.")
            }
            Self::OverAtOnce => f.write_str("The game is over at once: its first state is terminal."),
            Self::NeverEnds { games, steps } => {
                write!(f, "The game does not end: none of {games} random games was over after {steps} steps.")
            }
            Self::Stuck { role } => write!(
                f,
                "No random game came to an end, and in one the role {role} was left without a legal move."
            ),
            Self::NothingHappens => {
                f.write_str("In random games nothing happens any more in the end, and the game is not over.")
            }
        }
    }
}

/// The limits of all random games together.
fn games_budget(budget: &Budget) -> Budget {
    budget.clone().with_work(budget.work().min(WORK)).with_total_work(WORK)
}

/// Why nobody can play a game that goes step by step; what could not be found out within the limits is no reason.
///
/// # Errors
/// What the machine says of the first state.
pub(super) fn of_game(game: &Game) -> Result<Option<Unplayable>, GameError> {
    let initial = game.initial();
    if game.terminal(initial)? {
        return Ok(Some(Unplayable::OverAtOnce));
    }
    let mut without: Vec<String> = Vec::new();
    for role in game.roles() {
        if game.legal(initial, role)?.is_empty() {
            without.push(game.role_name(role));
        }
    }
    if !without.is_empty() {
        let more = without.len().saturating_sub(NAMED);
        without.truncate(NAMED);
        return Ok(Some(Unplayable::NoMove { roles: without, more }));
    }
    endless(game)
}

/// Plays random games until one ends.
fn endless(game: &Game) -> Result<Option<Unplayable>, GameError> {
    let rules = game.rules().within(games_budget(game.question_budget()));
    let mut stuck = None;
    for seed in 0..GAMES {
        match rules.random_playout(rules.initial(), seed, STEPS) {
            Ok(playout) if playout.terminal => return Ok(None),
            Ok(_) => {}
            Err(GameError::NoLegalMove { role }) => stuck = Some(role),
            // What the clock ends is no answer.
            Err(error) if is_out_of_time(&error) => return Err(error),
            // It is too much work, and nobody knows.
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(match stuck {
        Some(role) => Unplayable::Stuck { role },
        None => Unplayable::NeverEnds { games: GAMES, steps: STEPS },
    }))
}

/// Why nobody can play a game in real time, where a role need not always have a move.
///
/// # Errors
/// What the machine says of the first state.
pub(super) fn of_timed_game(rules: &TimedRules) -> TimedAnswer<Option<Unplayable>> {
    let machine = rules.machine();
    let budget = games_budget(rules.question_budget());
    let mut runner = machine.runner(&budget);
    if runner.terminal()? {
        return Ok(Some(Unplayable::OverAtOnce));
    }
    let options = TimedPlayoutOptions { events: STEPS, ..TimedPlayoutOptions::default() };
    let mut longest = 0;
    for seed in 0..GAMES {
        let mut rng = Rng::from_seed(seed);
        let played = runner
            .set(machine.initial())
            .and_then(|()| runner.playout(PlayoutStart::default(), &options, &mut rng));
        match played {
            Ok(playout) if playout.terminal => return Ok(None),
            Ok(playout) => longest = longest.max(playout.updates),
            Err(TimedError::Game(error)) if is_out_of_time(&error) => return Err(error.into()),
            Err(_) => return Ok(None),
        }
    }
    let has_moves = |role: u32| runner.legal(RoleId(role)).is_ok_and(|legal| !legal.is_empty());
    let roles = rules.role_terms().len() as u32;
    // Without an update, and without a move that anybody could make, it is no matter of time.
    let nothing = longest == 0 && !(0..roles).any(has_moves);
    Ok(Some(if nothing {
        Unplayable::NothingHappens
    } else {
        Unplayable::NeverEnds { games: GAMES, steps: STEPS }
    }))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use ludex::game::sha256;
    use ludex::library;

    use super::super::answer::Bench;
    use super::super::question::{Question, Reply, Rulesheet, Wish, WorkLimits};
    use crate::model::GameCheck;

    const LONG: Duration = Duration::from_secs(3600);

    /// What is said of a text, by counted work alone.
    fn check(text: &str) -> GameCheck {
        let rules = Rulesheet { name: "game".into(), text: text.into(), sha256: sha256(text) };
        let limits = WorkLimits { memory: 1 << 29, time: LONG, work: 200_000_000, step: LONG };
        match Bench::default().answer(&Question { rules, limits, wish: Wish::Describe }) {
            Reply::Description(description) => description.check,
            other => panic!("{other:?}"),
        }
    }

    fn unplayable(text: &str) -> String {
        let check = check(text);
        assert!(!check.accepted && check.heavy.is_none(), "{check:?}");
        check.unplayable.join("; ")
    }

    #[test]
    fn what_nobody_can_play_is_said() {
        let stuck = "(role a) (role b) (init (p 1)) (legal a go) (<= (legal b go) (true (p 2)))
            (next (p 2)) (<= terminal (true (p 2))) (goal a 0) (goal b 0)";
        assert_eq!(unplayable(stuck), "The role b has no legal move in the first state.");
        let both = stuck.replace("(legal a go)", "(<= (legal a go) (true (p 2)))");
        assert_eq!(unplayable(&both), "The roles a, b have no legal move in the first state.");
        let over = stuck.replace("(<= terminal (true (p 2)))", "(<= terminal (true (p 1)))");
        assert_eq!(unplayable(&over), "The game is over at once: its first state is terminal.");
        let endless = "(role a) (init (p 1)) (legal a go) (next (p 1)) (<= terminal (true (p 2))) (goal a 0)";
        let said = unplayable(endless);
        assert_eq!(said, "The game does not end: none of 32 random games was over after 2000 steps.");
        let later =
            "(role a) (init (p 1)) (<= (legal a go) (true (p 1))) (next (p 2)) (<= terminal (true (p 3)))
            (goal a 0)";
        let said = "No random game came to an end, and in one the role a was left without a legal move.";
        assert_eq!(unplayable(later), said);
        let fine = endless.replace("(next (p 1))", "(next (p 2))");
        assert!(check(&fine).accepted);
    }

    #[test]
    fn games_in_real_time_have_to_end_too() {
        let text = "role(you). init(2.5, bomb). legal(you, defuse) :- true(T, bomb). next(infinity, safe) :- does(you, defuse).
            terminal :- true(T, safe). goal(you, 100) :- true(T, safe). goal(you, 0) :- expired(bomb).";
        let said = unplayable(&text.replace("terminal :- true(T, safe).", "terminal :- true(T, never)."));
        assert!(said.starts_with("The game does not end"), "{said}");
        let fine = text.replace("terminal :-", "terminal :- expired(bomb). terminal :-");
        assert!(check(&fine).accepted, "{:?}", check(&fine));
        assert_eq!(
            unplayable(
                &fine.replace("terminal :- expired", "terminal :- true(T, bomb). terminal :- expired")
            ),
            "The game is over at once: its first state is terminal."
        );
    }

    /// Where there is no time at all, nothing is said of the game: it is neither accepted nor refused.
    #[test]
    fn the_clock_refuses_no_game() {
        let text = library::find("checkers").map(|game| game.text.to_owned()).unwrap_or_default();
        let rules = Rulesheet { name: "game".into(), sha256: sha256(&text), text };
        let limits = WorkLimits { memory: 1 << 29, time: LONG, work: 200_000_000, step: LONG };
        for limits in
            [WorkLimits { time: Duration::ZERO, ..limits }, WorkLimits { step: Duration::ZERO, ..limits }]
        {
            let question = Question { rules: rules.clone(), limits, wish: Wish::Describe };
            assert!(matches!(Bench::default().answer(&question), Reply::Late), "{limits:?}");
        }
    }

    /// The same text is accepted or not, however often it is asked and whatever the clock shows.
    #[test]
    fn bundled_games_can_be_played_and_others_are_known() {
        for game in library::all() {
            let check = check(game.text);
            assert_eq!(check.accepted, game.runs(), "{}: {:?}", game.file, check);
            assert_eq!(check.accepted, check.refusal().is_empty(), "{}", game.file);
        }
    }
}
