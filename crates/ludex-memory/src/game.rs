//! The game of a seat among those that are remembered: the same rules under whatever names.

use std::sync::Arc;

use ludex::analysis::rule_graph::Names;
use ludex::analysis::sameness::{Sameness, compare_clauses};
use ludex::game::{read_term, sha256};
use ludex::gdl::{Dialect, GameProgram, LoadOptions, Source, load};
use ludex::logic::{Budget, TermId};

/// A game that is remembered, and how its words are those of a seat.
#[derive(Clone, Debug)]
pub struct KnownGame {
    /// Its number; `None` until something is remembered of it.
    pub(crate) id: Option<i64>,
    /// The rules of the seat.
    program: Arc<GameProgram>,
    /// The rules that the game was first met by, where its words are others.
    first: Option<Words>,
    /// Which role of the memory each role of the seat's game is.
    roles: Vec<usize>,
}

/// That there was no time to compare rules.
#[derive(Debug)]
pub(crate) struct NoTime;

/// The words of the rulesheet that a game was first met by.
#[derive(Clone, Debug)]
struct Words {
    program: Arc<GameProgram>,
    there: Names,
    back: Names,
}

impl KnownGame {
    /// A game that is remembered in the words of the seat, or will be.
    pub(crate) fn same(id: Option<i64>, program: &Arc<GameProgram>) -> Self {
        let roles = (0..program.roles.len()).collect();
        Self { id, program: Arc::clone(program), first: None, roles }
    }

    /// A game that is remembered by another rulesheet, if that is the same game by its clauses.
    ///
    /// # Errors
    /// There was no time to find out.
    pub(crate) fn under_other_names(
        id: i64,
        program: &Arc<GameProgram>,
        (language, rulesheet): (&str, &str),
        budget: &Budget,
    ) -> Result<Option<Self>, NoTime> {
        budget.meter().check().map_err(|_| NoTime)?;
        let Some(first) = program_of(language, rulesheet).map(Arc::new) else { return Ok(None) };
        let there = match compare_clauses(program, &first, budget) {
            Sameness::Rules(there) => there,
            Sameness::Undecided { .. } => return Err(NoTime),
            Sameness::Ground(_) | Sameness::Different(_) => return Ok(None),
        };
        // Where the rules are the same in several ways, there and back have to be one of them.
        let back = there.inverse();
        let (terms, others) = (&program.program.terms, &first.program.terms);
        let place = |role: &TermId| {
            let other = there.term(terms, *role, others);
            first.roles.iter().position(|&known| known == other)
        };
        let Some(roles) = program.roles.iter().map(place).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let words = Words { program: first, there, back };
        Ok(Some(Self { id: Some(id), program: Arc::clone(program), first: Some(words), roles }))
    }

    /// The rules of the seat.
    pub(crate) fn program(&self) -> &GameProgram {
        &self.program
    }

    /// Which role of the memory a role of the seat's game is.
    pub(crate) fn role_there(&self, role: usize) -> usize {
        self.roles.get(role).copied().unwrap_or(role)
    }

    /// How many roles there are.
    pub(crate) fn role_count(&self) -> usize {
        self.roles.len()
    }

    /// A term of the seat in the words of the memory.
    pub(crate) fn text_there(&self, term: TermId) -> String {
        let terms = &self.program.program.terms;
        match &self.first {
            None => terms.prefix(term),
            Some(Words { program, there, .. }) => {
                let others = &program.program.terms;
                others.prefix(there.term(terms, term, others))
            }
        }
    }

    /// A text of the memory in the words of the seat; `None` where it is no term.
    pub(crate) fn text_here(&self, text: &str) -> Option<String> {
        let Some(Words { program, back, .. }) = &self.first else { return Some(text.to_owned()) };
        let (terms, others) = (&self.program.program.terms, &program.program.terms);
        let term = read_term(others, text).ok()?;
        Some(terms.prefix(back.term(others, term, terms)))
    }

    /// A joint move of the seat's game as texts of the memory, role by role there.
    pub(crate) fn joint_there(&self, joint: &[TermId]) -> Vec<String> {
        let mut texts = vec![String::new(); joint.len().max(self.roles.len())];
        for (role, &action) in joint.iter().enumerate() {
            texts[self.role_there(role)] = self.text_there(action);
        }
        texts
    }

    /// What stands for each role of the memory, role by role of the seat's game.
    pub(crate) fn roles_here<T: Clone>(&self, there: &[T]) -> Option<Vec<T>> {
        self.roles.iter().map(|&role| there.get(role).cloned()).collect()
    }
}

/// What a game is called: its rulesheet without folder and ending, or where that says nothing, by a hash of the rules.
pub(crate) fn name(program: &GameProgram) -> String {
    let source = &program.source;
    let file = source.name().rsplit(['/', '\\']).next().unwrap_or_default();
    let short = file.rsplit_once('.').map_or(file, |(short, _)| short);
    if short.is_empty() || short == NAMELESS {
        let hash = sha256(source.text());
        return format!("rules-{}", &hash[..hash.len().min(8)]);
    }
    short.to_owned()
}

/// What rules are called that come over the network.
const NAMELESS: &str = "rules";

/// What of a game does not depend on names and order.
pub(crate) fn shape(program: &GameProgram) -> String {
    let clauses = program.program.clauses.len();
    format!("{} {} roles, {clauses} clauses", program.dialect, program.roles.len())
}

fn program_of(language: &str, rulesheet: &str) -> Option<GameProgram> {
    let dialect = Dialect::named(language)?;
    let options = LoadOptions { dialect: Some(dialect), ..LoadOptions::default() };
    load(Arc::new(Source::new("remembered", rulesheet)), &options).game
}
