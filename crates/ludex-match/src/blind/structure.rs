//! What there is to do and to perceive in a game.

use std::collections::BTreeMap;

use ludex_game::{RoleId, Rules, read_terms};
use ludex_logic::ground::{GroundError, GroundOptions, Grounding, ground};
use ludex_logic::{Budget, RelationId, TermId, TermView, Terms};

use super::renamed_percept;

use crate::message::term_text;

/// The most terms of a structure: who plays without rules can do nothing with more.
const MOST_TERMS: usize = 100_000;

/// What a player without rules is told of a game. All terms are in prefix notation, as messages [spell them](term_text).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Structure {
    /// The roles, `random` included.
    pub roles: Vec<String>,
    /// For each role, what it may do in some state, in canonical order.
    pub actions: Vec<Vec<String>>,
    /// What the player may perceive beside what everybody does, in canonical order: `(true F)`, or `(sees P)` in GDL-II.
    pub percepts: Vec<String>,
}

/// Why a game has no structure to be told, or a text is none.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StructureError {
    /// What could be done and perceived cannot be listed.
    #[error("what can be done and seen in the game cannot be listed: {0}")]
    Ground(#[from] GroundError),
    /// It is too much.
    #[error("{0} things can be done and seen in the game, more than {MOST_TERMS}")]
    Large(usize),
    /// A text is no list of roles, actions and percepts.
    #[error("`{0}` is none of (role R), (action R A) and (percept P)")]
    Text(String),
}

impl Structure {
    /// What a role is told: all that may be done and perceived by the rules with negation of what changes left out, which
    /// is never too little.
    ///
    /// # Errors
    /// [`StructureError`].
    pub fn of(rules: &Rules, role: RoleId, budget: &Budget) -> Result<Self, StructureError> {
        let program = rules.program();
        let words = &program.vocabulary;
        let grounding = ground(&program.program, &GroundOptions::faithful().with_budget(budget.clone()))?;
        let roles = rules.signature().roles();
        let mut actions = vec![Vec::new(); roles.len()];
        for arguments in arguments(&grounding, words.legal) {
            let [of, action] = arguments[..] else { continue };
            if let Some(of) = roles.iter().position(|&role| role == of) {
                actions[of].push(action);
            }
        }
        let mut percepts = Vec::new();
        let keyword = if program.dialect.has_percepts() {
            for arguments in arguments(&grounding, words.sees) {
                if let [of, percept] = arguments[..]
                    && roles.get(role.index()) == Some(&of)
                {
                    percepts.push(percept);
                }
            }
            "sees"
        } else {
            let facts = [words.init, words.next].map(|keyword| arguments(&grounding, keyword));
            percepts.extend(facts.into_iter().flatten().filter_map(|arguments| arguments.first().copied()));
            "true"
        };
        let size = percepts.len() + actions.iter().map(Vec::len).sum::<usize>();
        if size > MOST_TERMS {
            return Err(StructureError::Large(size));
        }
        let terms = grounding.terms();
        let percepts = in_order(terms, percepts).into_iter().map(|text| format!("({keyword} {text})"));
        Ok(Self {
            roles: roles.iter().map(|&role| term_text(terms, role)).collect(),
            actions: actions.into_iter().map(|actions| in_order(terms, actions)).collect(),
            percepts: percepts.collect(),
        })
    }

    /// As it stands in a message: `(role R)` for each role in order, `(action R A)`, `(percept P)`.
    pub fn text(&self) -> String {
        let mut lines: Vec<String> = self.roles.iter().map(|role| format!("(role {role})")).collect();
        for (role, actions) in self.roles.iter().zip(&self.actions) {
            lines.extend(actions.iter().map(|action| format!("(action {role} {action})")));
        }
        lines.extend(self.percepts.iter().map(|percept| format!("(percept {percept})")));
        lines.join("\n")
    }

    /// The same in other words, as `words` has them for a term.
    pub(crate) fn renamed(&self, words: &dyn Fn(&str) -> String) -> Self {
        let sorted = |mut terms: Vec<String>| {
            // The order tells nothing of the words before.
            terms.sort_unstable();
            terms
        };
        let all = |terms: &[String]| terms.iter().map(|term| words(term)).collect::<Vec<_>>();
        let percepts = self.percepts.iter().map(|percept| renamed_percept(percept, words));
        Self {
            roles: all(&self.roles),
            actions: self.actions.iter().map(|actions| sorted(all(actions))).collect(),
            percepts: sorted(percepts.collect()),
        }
    }

    /// Reads what [`text`](Self::text) wrote.
    ///
    /// # Errors
    /// [`StructureError::Text`], [`StructureError::Large`].
    pub fn read(text: &str) -> Result<Self, StructureError> {
        let terms = Terms::new();
        let wrong = |text: &str| StructureError::Text(text.chars().take(80).collect());
        let all = read_terms(&terms, &format!("({text})")).map_err(|_| wrong(text))?;
        let mut read = Self::default();
        let parts = |term: TermId| -> Option<(String, Vec<String>)> {
            let TermView::Compound(name, arguments) = terms.view(term) else { return None };
            let arguments = arguments.iter().map(|&argument| terms.prefix(argument)).collect();
            Some((terms.name(name).to_lowercase(), arguments))
        };
        let whole: Vec<_> = all
            .iter()
            .map(|&term| parts(term).ok_or_else(|| wrong(&terms.prefix(term))))
            .collect::<Result<_, _>>()?;
        if whole.len() > MOST_TERMS {
            return Err(StructureError::Large(whole.len()));
        }
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, arguments) in &whole {
            if let ("role", [role]) = (name.as_str(), &arguments[..]) {
                numbers.entry(role).or_insert(read.roles.len());
                read.roles.push(role.clone());
                read.actions.push(Vec::new());
            }
        }
        for ((name, arguments), &term) in whole.iter().zip(&all) {
            match (name.as_str(), &arguments[..]) {
                ("role", [_]) => {}
                ("percept", [percept]) => read.percepts.push(percept.clone()),
                ("action", [role, action]) => {
                    let of = numbers.get(role.as_str()).copied();
                    read.actions[of.ok_or_else(|| wrong(&terms.prefix(term)))?].push(action.clone());
                }
                _ => return Err(wrong(&terms.prefix(term))),
            }
        }
        Ok(read)
    }
}

/// The arguments of all atoms of a relation.
fn arguments(grounding: &Grounding, relation: RelationId) -> Vec<Vec<TermId>> {
    let atoms = grounding.atoms_of(relation);
    atoms.into_iter().filter_map(|atom| Some(grounding.atom(atom)?.args.to_vec())).collect()
}

fn in_order(terms: &Terms, mut all: Vec<TermId>) -> Vec<String> {
    all.sort_by(|&a, &b| terms.compare(a, b));
    all.dedup();
    all.into_iter().map(|term| term_text(terms, term)).collect()
}
