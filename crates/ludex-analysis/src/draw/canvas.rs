//! A rectangle of coloured characters.

/// Lines of characters that grow as they are written to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Canvas {
    lines: Vec<Vec<(char, Option<&'static str>)>>,
}

impl Canvas {
    /// Writes text from a place to the right, over what is there.
    pub fn put(&mut self, x: usize, y: usize, text: &str, colour: Option<&'static str>) {
        if self.lines.len() <= y {
            self.lines.resize(y + 1, Vec::new());
        }
        let line = &mut self.lines[y];
        let end = x + text.chars().count();
        if line.len() < end {
            line.resize(end, (' ', None));
        }
        for (place, c) in line[x..end].iter_mut().zip(text.chars()) {
            *place = (c, colour);
        }
    }

    /// Writes text so that it ends before a place.
    pub fn put_right(&mut self, end: usize, y: usize, text: &str, colour: Option<&'static str>) {
        self.put(end.saturating_sub(text.chars().count()), y, text, colour);
    }

    /// Copies another canvas to a place.
    pub fn draw(&mut self, x: usize, y: usize, other: &Canvas) {
        for (down, line) in other.lines.iter().enumerate() {
            for (across, &(c, colour)) in line.iter().enumerate() {
                let mut buffer = [0; 4];
                self.put(x + across, y + down, c.encode_utf8(&mut buffer), colour);
            }
        }
    }

    /// The number of lines.
    pub fn height(&self) -> usize {
        self.lines.len()
    }

    /// The length of the longest line.
    pub fn width(&self) -> usize {
        self.lines.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The lines as text, without blanks at their ends; colours as ANSI escape sequences if wanted.
    pub fn text(&self, colours: bool) -> String {
        let mut out = String::new();
        for line in &self.lines {
            let end = line.iter().rposition(|(c, _)| *c != ' ').map_or(0, |at| at + 1);
            let mut current = None;
            for &(c, colour) in &line[..end] {
                if colours && colour != current {
                    out.push_str(colour.map_or("\u{1b}[0m", |c| c));
                    current = colour;
                }
                out.push(c);
            }
            if current.is_some() {
                out.push_str("\u{1b}[0m");
            }
            out.push('\n');
        }
        out
    }
}

/// The escape sequence for a colour.
pub(crate) fn ansi(colour: &str) -> &'static str {
    match colour {
        "white" => "\u{1b}[1;97m",
        "black" => "\u{1b}[1;90m",
        "red" => "\u{1b}[1;31m",
        "blue" => "\u{1b}[1;34m",
        "green" => "\u{1b}[1;32m",
        "yellow" => "\u{1b}[1;33m",
        "orange" => "\u{1b}[0;33m",
        "teal" => "\u{1b}[1;36m",
        "pink" | "magenta" => "\u{1b}[1;35m",
        "purple" => "\u{1b}[0;35m",
        _ => "\u{1b}[1m",
    }
}

/// Faint, for axes and empty cells.
pub(crate) const FAINT: &str = "\u{1b}[2m";
