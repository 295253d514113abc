//! What stands on the boards, how many of it there are, and whose moves bring it there.

use ludex_game::RoleId;
use ludex_logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::order::MoveOrder;
use super::sample::{Moment, Samples};
use super::{Certainty, Proofs, kept};
use crate::finding::{Finding, Reason};
use crate::sat::Literal;
use crate::structure::{Row, Structure};
use crate::subject::Subject;

/// Whose a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The role: when the piece comes to a spot by a move that somebody chose, it is this role's.
    pub role: RoleId,
    /// Whether that is proved.
    pub certainty: Certainty,
}

/// One kind of content of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The name of the board.
    pub board: String,
    /// The piece as the rules call it.
    pub name: String,
    /// Whose it is, where it comes by the moves of one role alone.
    pub owner: Option<Owned>,
    /// How many there are in the initial state.
    pub at_first: usize,
    /// The fewest and the most that were seen in a state of random games.
    pub seen: (usize, usize),
}

/// A board and what stands there, by position and name.
type Key = (usize, String);

pub(super) fn find(
    subject: &Subject,
    structure: &Structure,
    samples: &Samples,
    proofs: Option<&mut Proofs<'_>>,
    order: &MoveOrder,
    reasons: &mut Vec<Reason>,
) -> Vec<Piece> {
    let terms = subject.signature().terms();
    let mut row = Row::new();
    let mut content = |fact: TermId| -> Option<Key> {
        let kind = structure.kinds.row(terms, fact, &mut row)?;
        structure.boards.iter().enumerate().find_map(|(number, board)| {
            let sign = board.content_of(kind, &row).filter(|sign| !sign.glyph.is_empty())?;
            Some((number, sign.name.clone()))
        })
    };
    let mut pieces: FxHashMap<TermId, Option<Key>> = FxHashMap::default();
    let mut piece = |fact: TermId| pieces.entry(fact).or_insert_with(|| content(fact)).clone();
    let Some(first) = samples.moments.first() else { return Vec::new() };
    let mut found: Vec<(Key, Piece)> = Vec::new();
    for (number, moment) in samples.moments.iter().enumerate() {
        let mut counts: FxHashMap<Key, usize> = FxHashMap::default();
        for &fact in &moment.facts {
            if let Some(key) = piece(fact) {
                *counts.entry(key).or_insert(0) += 1;
            }
        }
        let mut new: Vec<&Key> = counts.keys().filter(|key| !found.iter().any(|(k, _)| k == *key)).collect();
        new.sort();
        for key in new {
            let board = structure.boards[key.0].name().to_owned();
            // What comes later was missing in the states before.
            let least = if number == 0 { usize::MAX } else { 0 };
            let made = Piece { board, name: key.1.clone(), owner: None, at_first: 0, seen: (least, 0) };
            found.push((key.clone(), made));
        }
        for (key, piece) in &mut found {
            let count = counts.get(key).copied().unwrap_or(0);
            piece.seen = (piece.seen.0.min(count), piece.seen.1.max(count));
            if std::ptr::eq(moment, first) {
                piece.at_first = count;
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let takes_turns = !order.one_at_a_time.is_refuted() && order.choosers.len() > 1;
    if takes_turns {
        let owners = owners(samples, &mut piece);
        for (key, piece) in &mut found {
            let Some(&Some(role)) = owners.get(key) else { continue };
            piece.owner = Some(Owned { role, certainty: Certainty::Seen });
        }
        if let (Some(proofs), Finding::Proved(())) = (proofs, &order.one_at_a_time) {
            let mut known: FxHashMap<Key, Vec<u32>> = FxHashMap::default();
            for (&fact, &base) in &proofs.numbers {
                if let Some(key) = piece(fact) {
                    known.entry(key).or_default().push(base);
                }
            }
            for (key, piece) in &mut found {
                let Some(owned) = &mut piece.owner else { continue };
                let bases = known.get_mut(key).map(std::mem::take).unwrap_or_default();
                if kept(comes_by(proofs, owned.role, bases), reasons) == Some(true) {
                    owned.certainty = Certainty::Proved;
                }
            }
        }
    }
    found.into_iter().map(|(_, piece)| piece).collect()
}

/// Per piece the one role that had the choice whenever it came to a spot; none where there were several.
fn owners(
    samples: &Samples,
    piece: &mut impl FnMut(TermId) -> Option<Key>,
) -> FxHashMap<Key, Option<RoleId>> {
    let mut owners: FxHashMap<Key, Option<RoleId>> = FxHashMap::default();
    let came = |before: &Moment, after: &Moment| -> Vec<TermId> {
        let known: FxHashSet<TermId> = before.facts.iter().copied().collect();
        after.facts.iter().copied().filter(|fact| !known.contains(fact)).collect()
    };
    for (before, after) in samples.steps() {
        // A role without a choice may have had to bring it.
        let [role] = before.choosers[..] else { continue };
        for fact in came(before, after) {
            if let Some(key) = piece(fact) {
                let owner = owners.entry(key).or_insert(Some(role));
                if *owner != Some(role) {
                    *owner = None;
                }
            }
        }
    }
    owners
}

/// Whether no step from a state in which another role alone has a choice brings the piece. States in which
/// nobody has one do not count.
fn comes_by(proofs: &mut Proofs<'_>, role: RoleId, mut bases: Vec<u32>) -> Result<bool, Reason> {
    bases.sort_unstable();
    let roles = proofs.faithful.circuit.moves.len();
    let mut idle: Vec<Literal> = Vec::new();
    for other in (0..roles).filter(|&other| other != role.index()) {
        idle.push(!proofs.generator.unrolling().has_choice(0, other)?);
    }
    // Some other role has a choice.
    let others = !proofs.generator.all(&idle)?;
    let mut comes = Vec::with_capacity(bases.len());
    for base in bases {
        let rises = [proofs.generator.base(0, base, false)?, proofs.generator.base(1, base, true)?];
        comes.push(((), proofs.generator.all(&rises)?));
    }
    let count = comes.len();
    Ok(proofs.generator.impossible(&[others], comes)?.proved.len() == count)
}
