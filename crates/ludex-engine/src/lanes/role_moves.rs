//! The moves of a role in the order in which lanes look at them.

use crate::stream::{Output, Slot, Stream};

/// Moves that are counted together.
pub(super) const GROUP: usize = 16;

/// Up to sixteen moves. Places past `length` are legal in no lane and write where nothing reads.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// Slots of the legal masks; the all-zero slot where there is no move.
    pub legal: [u32; GROUP],
    /// Which of them hold complements, one bit per place.
    pub complemented: u16,
    /// Slots of the inputs.
    pub inputs: [u32; GROUP],
    /// Positions of the moves among the moves of the role.
    pub moves: [u32; GROUP],
    /// Moves in the group.
    pub length: usize,
}

/// The moves of one role in groups, in canonical order: one seed then gives one game however the
/// stream stores the masks.
#[derive(Clone, Debug, Default)]
pub(super) struct RoleMoves {
    pub groups: Vec<Group>,
    /// Binary digits of the number of moves.
    pub digits: usize,
}

impl RoleMoves {
    /// Moves with these masks and inputs; inputs that nothing reads are written to `unread`.
    pub fn new(legal: &[Output], inputs: &[Option<Slot>], unread: u32) -> Self {
        Self::of(&(0..legal.len()).collect::<Vec<_>>(), legal, inputs, unread)
    }

    /// The same without the moves that are never legal. It chooses the same moves.
    pub fn possible(legal: &[Output], inputs: &[Option<Slot>], unread: u32) -> Self {
        let never = Output { slot: Stream::ZERO, complemented: false };
        let possible: Vec<usize> = (0..legal.len()).filter(|&number| legal[number] != never).collect();
        Self::of(&possible, legal, inputs, unread)
    }

    /// Some of the moves, in order.
    fn of(moves: &[usize], legal: &[Output], inputs: &[Option<Slot>], unread: u32) -> Self {
        let group = |moves: &[usize]| {
            let mut group = Group {
                legal: [Stream::ZERO.0; GROUP],
                complemented: 0,
                inputs: [unread; GROUP],
                moves: [0; GROUP],
                length: moves.len(),
            };
            for (at, &m) in moves.iter().enumerate() {
                group.legal[at] = legal[m].slot.0;
                group.complemented |= u16::from(legal[m].complemented) << at;
                group.inputs[at] = inputs.get(m).copied().flatten().map_or(unread, |slot| slot.0);
                group.moves[at] = m as u32;
            }
            group
        };
        let groups = moves.chunks(GROUP).map(group).collect();
        Self { groups, digits: (usize::BITS - moves.len().leading_zeros()) as usize }
    }
}
