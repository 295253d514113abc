//! The playouts that have not begun, by the turn of the round at which they begin.

use ludex_game::Start;

/// Starts with the playouts that are left.
pub(super) struct Queue {
    lines: Vec<Line>,
}

/// The starts at one turn.
#[derive(Clone, Default)]
struct Line {
    /// Numbers of starts with how many playouts each has left, the next one last.
    starts: Vec<(usize, u32)>,
}

impl Queue {
    /// All playouts of the starts, each of which is at one of so many turns.
    pub fn new(from: &[Start], turns: usize, turn_of: impl Fn(usize) -> usize) -> Self {
        let mut lines = vec![Line::default(); turns];
        for (number, start) in from.iter().enumerate().rev() {
            if start.playouts > 0 {
                lines[turn_of(number)].starts.push((number, start.playouts));
            }
        }
        Self { lines }
    }

    /// Whether there are playouts at this turn.
    pub fn has(&self, turn: usize) -> bool {
        !self.lines[turn].starts.is_empty()
    }

    /// The first turn with playouts from this one on.
    pub fn next_turn(&self, turn: usize) -> Option<usize> {
        let turns = self.lines.len();
        (turn..turn + turns).map(|turn| turn % turns).find(|&turn| self.has(turn))
    }

    /// Begins the next playout at this turn: the number of its start.
    pub fn next(&mut self, turn: usize) -> Option<usize> {
        let starts = &mut self.lines[turn].starts;
        let (start, left) = starts.last_mut()?;
        let start = *start;
        *left -= 1;
        if *left == 0 {
            starts.pop();
        }
        Some(start)
    }

    /// Begins so many playouts of the start at hand, if it has as many left.
    pub fn take(&mut self, turn: usize, playouts: u32) -> bool {
        let starts = &mut self.lines[turn].starts;
        let Some((_, left)) = starts.last_mut().filter(|(_, left)| *left >= playouts) else { return false };
        *left -= playouts;
        if *left == 0 {
            starts.pop();
        }
        true
    }
}
