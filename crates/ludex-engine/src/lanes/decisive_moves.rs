//! What lanes need to see one move ahead: a second program over the same bases that tells, for each move
//! of a role, whether it wins or loses at once ([`Circuit::decisive_moves`]).

use ludex_game::{Answer, DecisiveMoves};
use ludex_logic::Budget;
use ludex_propnet::Circuit;

use super::executor::Backend;
use super::program::{LaneOptions, LaneProgram};
use super::role_moves::RoleMoves;
use crate::stream::{Output, Stream};

/// A game ready to be played with the decisive moves of one policy.
#[derive(Debug)]
pub(super) struct DecisiveProgram {
    /// Tells of each move whether it wins and whether it loses.
    pub ahead: LaneProgram,
    /// The moves of all roles, with candidates in the place of legal moves where a role sees.
    pub roles: Vec<RoleMoves>,
    /// The roles that see.
    pub seeing: Vec<SeeingRole>,
    /// Slots of the lanes with those of candidates.
    pub slots: usize,
    /// How often a move is taken back in one state.
    pub retries: u32,
    /// Operations of a look ahead.
    pub cost: u64,
    /// Whether a move of anybody can win at once.
    pub wins: bool,
}

/// A role that sees.
#[derive(Debug)]
pub(super) struct SeeingRole {
    /// Its number.
    pub role: usize,
    pub moves: Vec<SeenMove>,
}

/// A move with its slots.
#[derive(Debug)]
pub(super) struct SeenMove {
    pub legal: Output,
    /// In the slots of the program ahead, as the next one.
    pub wins: Output,
    pub loses: Output,
    /// Where to say that it may be chosen.
    pub candidate: u32,
    /// Where it says that it was made.
    pub made: u32,
}

impl DecisiveProgram {
    /// Nothing where a look ahead cannot be written down ([`Circuit::decisive_moves`]), or where no role sees.
    pub fn new(
        program: &LaneProgram,
        circuit: &Circuit,
        decisive_moves: &DecisiveMoves,
        budget: &Budget,
    ) -> Answer<Option<Self>> {
        let Some(ahead) = circuit.decisive_moves(decisive_moves, budget)? else { return Ok(None) };
        let backend = if program.is_native() { Backend::Auto } else { program.backend() };
        let options = LaneOptions { width: Some(program.width()), backend };
        let no_moves = (vec![Vec::new(); ahead.moves.len()], &program.signature);
        let ahead = LaneProgram::laid_out(&ahead, None, no_moves, options);
        let stream = &program.stream;
        let mut next = stream.slots + 1;
        let mut slot = || {
            next += 1;
            next - 1
        };
        let mut roles = program.roles.clone();
        let mut seeing = Vec::new();
        for (role, outcomes) in ahead.stream.legal.iter().enumerate() {
            let legal = &stream.legal[role];
            if outcomes.is_empty() {
                continue;
            }
            let (wins, loses) = outcomes.split_at(legal.len());
            let mut moves = Vec::new();
            for (number, &legal) in legal.iter().enumerate() {
                let made = stream.inputs[role].get(number).copied().flatten();
                moves.push(SeenMove {
                    legal,
                    wins: wins[number],
                    loses: loses[number],
                    candidate: slot(),
                    made: made.map_or_else(&mut slot, |slot| slot.0),
                });
            }
            for group in &mut roles[role].groups {
                group.complemented = 0;
                for at in 0..group.length {
                    let seen = &moves[group.moves[at] as usize];
                    group.legal[at] = seen.candidate;
                    group.inputs[at] = seen.made;
                }
            }
            seeing.push(SeeingRole { role, moves });
        }
        let moves: usize = seeing.iter().map(|seeing| seeing.moves.len()).sum();
        let cost = ahead.costs.decide + 4 * stream.bases.len() as u64 + 8 * moves as u64;
        let never = Output { slot: Stream::ZERO, complemented: false };
        let wins = seeing.iter().flat_map(|role: &SeeingRole| &role.moves).any(|seen| seen.wins != never);
        let sees = !seeing.is_empty();
        let found =
            Self { ahead, roles, seeing, slots: next as usize, retries: decisive_moves.retries, cost, wins };
        Ok(sees.then_some(found))
    }
}
