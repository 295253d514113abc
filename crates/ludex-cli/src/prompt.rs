//! Lines from whoever sits at the keyboard, or from a script on standard input.

use std::io::{self, BufRead, IsTerminal, Write};

use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::failure::Failure;

/// Asks for lines.
pub enum Prompt {
    /// A terminal, with editing and history.
    Editor(Box<DefaultEditor>),
    /// Anything else: what is read is repeated, so that the output reads like a session.
    Script(io::Stdin),
}

impl Prompt {
    /// A prompt on standard input.
    pub fn new() -> Self {
        if io::stdin().is_terminal()
            && io::stdout().is_terminal()
            && let Ok(editor) = DefaultEditor::new()
        {
            return Self::Editor(Box::new(editor));
        }
        Self::Script(io::stdin())
    }

    /// The next line; `None` at the end of the input, or when the user wants to stop.
    ///
    /// # Errors
    /// Standard input or output fails.
    pub fn ask(&mut self, question: &str) -> Result<Option<String>, Failure> {
        match self {
            Self::Editor(editor) => match editor.readline(question) {
                Ok(line) => {
                    // A line that cannot be remembered can still be obeyed.
                    let _ = editor.add_history_entry(line.as_str());
                    Ok(Some(line))
                }
                Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
                Err(error) => Err(Failure::input(format!("cannot read from the terminal: {error}"))),
            },
            Self::Script(stdin) => {
                let mut bytes = Vec::new();
                let read = stdin.lock().read_until(b'\n', &mut bytes);
                read.map_err(|e| Failure::input(format!("cannot read standard input: {e}")))?;
                if bytes.is_empty() {
                    return Ok(None);
                }
                let line = String::from_utf8_lossy(&bytes).trim_end().to_owned();
                let mut out = io::stdout();
                writeln!(out, "{question}{line}")?;
                Ok(Some(line))
            }
        }
    }
}
