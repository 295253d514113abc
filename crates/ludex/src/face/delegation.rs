//! What a game answers by its rules.

use std::sync::Arc;

use ludex_game::{
    ActionId, Answer, Goal, Machine, MoveError, PerftRow, Playout, Position, RoleId, Runner, Signature,
    State, Successor, TextError, Trace, VerifyReport,
};
use ludex_gdl::{Diagnostic, Dialect, GameProgram, Notation, Rulesheet, Source};
use ludex_logic::derive::{Derivations, DeriveError};
use ludex_logic::{Budget, GroundAtom, TermId};

use super::Game;

/// Methods of [`Rules`](ludex_game::Rules) that a game has, too.
macro_rules! delegate {
    ($($name:ident($($argument:ident: $type:ty),*) -> $result:ty;)*) => {
        impl Game {
            $(
                #[doc = concat!("As [`Rules::", stringify!($name), "`](ludex_game::Rules::", stringify!($name), ").")]
                pub fn $name(&self, $($argument: $type),*) -> $result {
                    self.rules().$name($($argument),*)
                }
            )*
        }
    };
}

delegate! {
    name() -> &str;
    short_name() -> &str;
    rulesheet() -> &Rulesheet;
    source() -> &Arc<Source>;
    sha256() -> &str;
    notation() -> Notation;
    dialect() -> Dialect;
    has_perfect_information() -> bool;
    diagnostics() -> &[Diagnostic];
    program() -> &Arc<GameProgram>;
    machine() -> &Arc<dyn Machine>;
    engine_name() -> &str;
    signature() -> &Arc<Signature>;
    question_budget() -> &Budget;
    roles() -> impl ExactSizeIterator<Item = RoleId> + use<>;
    role_name(role: RoleId) -> String;
    role_names() -> Vec<String>;
    random_role() -> Option<RoleId>;
    seats() -> Vec<RoleId>;
    text(term: TermId) -> String;
    texts(terms: &[TermId]) -> Vec<String>;
    start() -> Position;
    runner() -> Box<dyn Runner + '_>;
    runner_in(state: &State) -> Answer<Box<dyn Runner + '_>>;
    initial() -> &State;
    facts(state: &State) -> Vec<TermId>;
    fact_texts(state: &State) -> Vec<String>;
    state_of(facts: &[TermId]) -> Answer<State>;
    terminal(state: &State) -> Answer<bool>;
    legal(state: &State, role: RoleId) -> Answer<Vec<TermId>>;
    legal_in(runner: &mut dyn Runner, role: RoleId) -> Answer<Vec<TermId>>;
    legal_texts(state: &State, role: RoleId) -> Answer<Vec<String>>;
    goals(state: &State) -> Answer<Vec<Option<Goal>>>;
    successor(state: &State, joint: &[TermId]) -> Answer<Successor>;
    action_ids(joint: &[TermId]) -> Answer<Vec<ActionId>>;
    random_playout(state: &State, seed: u64, limit: u32) -> Answer<Playout>;
    perft(depth: u32, budget: &Budget) -> Answer<Vec<PerftRow>>;
    record_playouts(playouts: u32, seed: u64, limit: u32) -> Answer<Trace>;
    verify(trace: &Trace) -> VerifyReport;
    given(state: &State, joint: Option<&[TermId]>) -> Vec<GroundAtom>;
    derivations(state: &State, joint: Option<&[TermId]>) -> Result<Derivations<'_>, DeriveError>;
    find_term(text: &str) -> Result<Option<TermId>, TextError>;
    read_term(text: &str) -> Result<TermId, TextError>;
    read_state(text: &str) -> Result<State, TextError>;
    find_role(name: &str) -> Option<RoleId>;
    find_legal(state: &State, role: RoleId, text: &str) -> Answer<Result<TermId, MoveError>>;
    find_among(legal: &[TermId], role: RoleId, text: &str) -> Result<TermId, MoveError>;
}
