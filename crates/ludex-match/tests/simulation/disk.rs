//! The disk of a manager: what is written becomes durable later, in order, file by file.

use std::collections::{BTreeMap, VecDeque};

use super::dice::Dice;

/// A file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum File {
    /// The events of the competition.
    RunningTournament,
    /// The journal of a match.
    Journal(usize),
}

#[derive(Default)]
struct Content {
    /// What is there after a power cut.
    durable: Vec<u8>,
    /// What may be there, line by line.
    pending: VecDeque<String>,
    /// How many lines are durable.
    lines: u64,
}

/// The disk of a manager.
pub(crate) struct Disk {
    files: BTreeMap<File, Content>,
    /// A planted fault: what it says is durable is not.
    lies: bool,
}

impl Disk {
    pub(crate) fn new(lies: bool) -> Self {
        Self { files: BTreeMap::new(), lies }
    }

    /// Writes a line, and says which one it is.
    pub(crate) fn append(&mut self, file: File, line: String) -> u64 {
        let content = self.files.entry(file).or_default();
        content.pending.push_back(line);
        content.lines + content.pending.len() as u64 - 1
    }

    /// Makes lines durable up to one of them, and says what they are.
    pub(crate) fn flush(&mut self, file: File, upto: u64) -> Vec<(u64, String)> {
        let content = self.files.entry(file).or_default();
        let mut flushed = Vec::new();
        while content.lines <= upto
            && let Some(line) = content.pending.pop_front()
        {
            content.durable.extend(line.as_bytes());
            content.durable.push(b'\n');
            flushed.push((content.lines, line));
            content.lines += 1;
        }
        flushed
    }

    /// A power cut: of what was not durable some bytes are there, perhaps, and the last line may be torn.
    pub(crate) fn crash(&mut self, dice: &mut Dice) {
        for content in self.files.values_mut() {
            let pending: Vec<u8> =
                content.pending.drain(..).flat_map(|line| (line + "\n").into_bytes()).collect();
            let kept = match dice.below(3) {
                0 => 0,
                1 => pending.len(),
                _ => dice.below(pending.len() + 1),
            };
            content.durable.extend(&pending[..kept]);
            if self.lies {
                let lost = content.durable.len().min(150);
                content.durable.truncate(content.durable.len() - lost);
            }
        }
    }

    /// Reads a file after a power cut: its whole lines. A torn one is cut off.
    pub(crate) fn read(&mut self, file: File) -> Vec<String> {
        let content = self.files.entry(file).or_default();
        let whole = content.durable.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        content.durable.truncate(whole);
        let text = String::from_utf8_lossy(&content.durable);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        content.lines = lines.len() as u64;
        lines
    }

    /// The durable lines of a file.
    pub(crate) fn lines(&self, file: File) -> Vec<String> {
        let durable = self.files.get(&file).map_or(&[][..], |content| &content.durable);
        String::from_utf8_lossy(durable).lines().map(str::to_owned).collect()
    }
}
