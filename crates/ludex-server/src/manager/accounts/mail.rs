//! Letters to people, and what sends them.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::clock::{now, unix_milliseconds};
use crate::private;

/// A letter. Its address was checked, and nothing of it ends a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// The address that it goes to.
    pub to: String,
    /// What it is about: ASCII on one line.
    pub subject: String,
    /// What it says: plain text.
    pub text: String,
}

impl Letter {
    /// The letter as mail has it (RFC 5322), for programs that read the address in it.
    pub fn written(&self) -> String {
        let line = |text: &str| text.chars().filter(|c| !c.is_control()).collect::<String>();
        format!(
            "To: {}\nSubject: {}\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n\
             Content-Transfer-Encoding: 8bit\nAuto-Submitted: auto-generated\n\n{}\n",
            line(&self.to),
            line(&self.subject),
            self.text.replace('\r', "")
        )
    }
}

/// What sends letters. It may block for a while.
pub trait Mail: Send + Sync + 'static {
    /// Sends a letter.
    ///
    /// # Errors
    /// What went wrong.
    fn send(&self, letter: &Letter) -> io::Result<()>;
}

/// Puts letters into a folder, each in a file of its own that nobody else may read: for tests, and for whoever sends them
/// by other means.
#[derive(Clone, Debug)]
pub struct FolderMail {
    /// The folder; it is made if need be.
    pub folder: PathBuf,
}

impl Mail for FolderMail {
    fn send(&self, letter: &Letter) -> io::Result<()> {
        private::make_folder(&self.folder)?;
        let number = getrandom::u32().map_err(io::Error::from)?;
        let name = format!("{}-{number:08x}.eml", unix_milliseconds());
        let mut options = OpenOptions::new();
        let mut file = private::open(&self.folder.join(name), options.write(true).create_new(true))?;
        file.write_all(letter.written().as_bytes())
    }
}

/// Gives each letter to a program on its standard input, such as `sendmail -t`.
#[derive(Clone, Debug)]
pub struct CommandMail {
    /// The program and its arguments. No shell reads them.
    pub command: Vec<String>,
    /// How long it may take.
    pub patience: Duration,
}

/// How often it is looked whether a program has ended.
const LOOK: Duration = Duration::from_millis(20);

impl Mail for CommandMail {
    fn send(&self, letter: &Letter) -> io::Result<()> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no command to send mail"));
        };
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let begun = now();
        // A letter has less than a pipe holds, so nobody waits here for a program that does not read.
        let written =
            child.stdin.take().map_or(Ok(()), |mut input| input.write_all(letter.written().as_bytes()));
        loop {
            match child.try_wait()? {
                Some(status) if status.success() => return written,
                Some(status) => return Err(io::Error::other(format!("`{program}` ended with {status}"))),
                None if begun.elapsed() >= self.patience => {
                    child.kill()?;
                    child.wait()?;
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        format!("`{program}` took too long"),
                    ));
                }
                None => std::thread::sleep(LOOK),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letter() -> Letter {
        Letter { to: "ada@example.org".into(), subject: "Sign in".into(), text: "https://x\r\nBcc: y".into() }
    }

    #[test]
    fn a_letter_has_its_own_headers_only() {
        let mut odd = letter();
        odd.subject = "Sign in\r\nBcc: eve@example.org".into();
        let text = odd.written();
        let (head, body) = text.split_once("\n\n").unwrap();
        assert_eq!(head.lines().count(), 6, "{head}");
        assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
        assert!(body.contains("https://x") && !text.contains('\r'));
    }

    #[test]
    fn letters_come_into_the_folder_or_to_the_program() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("mail");
        FolderMail { folder: folder.clone() }.send(&letter()).unwrap();
        let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), letter().written());
        #[cfg(unix)]
        {
            let out = outer.path().join("out");
            let command = |words: &[&str], patience| CommandMail {
                command: words.iter().map(|word| (*word).to_owned()).collect(),
                patience,
            };
            let long = Duration::from_secs(20);
            command(&["tee", out.to_str().unwrap()], long).send(&letter()).unwrap();
            assert_eq!(std::fs::read_to_string(&out).unwrap(), letter().written());
            assert!(command(&["false"], long).send(&letter()).is_err());
            assert!(command(&[], long).send(&letter()).is_err());
            let late = command(&["sleep", "60"], Duration::ZERO).send(&letter()).unwrap_err();
            assert_eq!(late.kind(), io::ErrorKind::TimedOut);
        }
    }
}
