//! Standard output, and whether it takes colours.

use std::io::{self, BufWriter, IsTerminal, Write};

/// When to use colours. The variants have no documentation of their own: it would stretch every
/// `--help` to three times its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    Auto,
    Always,
    Never,
}

/// Standard output.
pub struct Console {
    out: BufWriter<io::Stdout>,
    /// Whether standard output takes colours.
    pub color: bool,
    /// Whether standard error takes colours.
    pub error_color: bool,
}

impl Console {
    /// Standard output with this choice of colours.
    pub fn new(choice: ColorChoice) -> Self {
        let wanted = |terminal: bool| match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                terminal
                    && std::env::var_os("NO_COLOR").is_none()
                    && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
            }
        };
        Self {
            out: BufWriter::new(io::stdout()),
            color: wanted(io::stdout().is_terminal()),
            error_color: wanted(io::stderr().is_terminal()),
        }
    }

    /// The columns of the terminal; 80 where there is none.
    pub fn width(&self) -> usize {
        if !io::stdout().is_terminal() {
            return 80;
        }
        crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns).clamp(40, 200))
    }

    /// Text in a style, such as `1` for bold, where colours are wanted.
    pub fn styled(&self, style: &str, text: &str) -> String {
        if self.color { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A heading.
    pub fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }

    /// Something that matters less.
    pub fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }

    /// Items side by side as far as they fit, each line after `indent` blanks.
    pub fn columns(&self, indent: usize, items: &[String]) -> String {
        let longest = items.iter().map(|i| i.chars().count()).max().unwrap_or(0);
        let room = self.width().saturating_sub(indent);
        let count = ((room + 2) / (longest + 2)).max(1);
        let mut out = String::new();
        for row in items.chunks(count) {
            out.push_str(&" ".repeat(indent));
            let cells: Vec<String> = row
                .iter()
                .map(|item| format!("{item}{}", " ".repeat(longest - item.chars().count())))
                .collect();
            out.push_str(cells.join("  ").trim_end());
            out.push('\n');
        }
        out
    }
}

impl Write for Console {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Rows of cells as a table: the first row is the heading, `right` says which columns hold numbers.
pub fn table(console: &Console, rows: &[Vec<String>], right: &[bool]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let gap = " ".repeat(widths[column].saturating_sub(cell.chars().count()));
            let separator = if column > 0 { "  " } else { "" };
            if right.get(column).copied().unwrap_or(false) {
                line.push_str(&format!("{separator}{gap}{cell}"));
            } else {
                line.push_str(&format!("{separator}{cell}{gap}"));
            }
        }
        let line = line.trim_end();
        out.push_str(&if number == 0 { console.dim(line) } else { line.to_owned() });
        out.push('\n');
    }
    out
}

/// Words in lines of at most `width` columns, those after the first behind `indent` blanks. The first
/// line begins where the caller has already written `indent` columns. A line is never broken at a
/// no-break space ([`unbroken`]). Ends in a line break.
pub fn wrapped(text: &str, width: usize, indent: usize) -> String {
    let room = width.saturating_sub(indent).max(20);
    let mut out = String::new();
    let mut column = 0;
    for word in text.split([' ', '\n']).filter(|word| !word.is_empty()) {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > room {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = 0;
        }
        if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word.replace(NO_BREAK_SPACE, " "));
        column += length;
    }
    out.push('\n');
    out
}

/// A blank at which [`wrapped`] does not break lines.
pub const NO_BREAK_SPACE: char = '\u{a0}';

/// A text that [`wrapped`] keeps on one line.
pub fn unbroken(text: &str) -> String {
    text.replace(' ', "\u{a0}")
}

/// Rows of cells as a table whose last column is prose, wrapped to the width of the terminal.
pub fn prose_table(console: &Console, rows: &[Vec<String>]) -> String {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count.saturating_sub(1)).map(width).collect();
    let indent = widths.iter().map(|width| width + 2).sum();
    let mut out = String::new();
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell}{}", " ".repeat(width + 2 - cell.chars().count())));
        }
        line.push_str(&wrapped(row.get(widths.len()).map_or("", String::as_str), console.width(), indent));
        let line = line.trim_end();
        out.push_str(&if number == 0 { console.dim(line) } else { line.to_owned() });
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_between_words() {
        assert_eq!(wrapped("one two three", 80, 2), "one two three\n");
        let text = wrapped("a sentence that does not fit into one line", 30, 8);
        assert_eq!(text, "a sentence that does\n        not fit into one line\n");
        let long = "x".repeat(100);
        assert_eq!(wrapped(&long, 30, 8), format!("{long}\n"), "a word stays whole");
        assert_eq!(wrapped("", 30, 8), "\n");
        let held = format!("a sentence {}", unbroken("with a move"));
        assert_eq!(wrapped(&held, 28, 8), "a sentence\n        with a move\n");
    }
}
