//! What `ludex serve` is told of accounts.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ludex_server::manager::{AccountOptions, CommandMail, FolderMail, Mail, Quotas};
use ludex_server::model::Role;

use crate::limits::duration;

/// Options of `serve` on accounts.
#[derive(Debug, clap::Args)]
pub struct AccountArguments {
    /// Have accounts in place of a token; an administrator is made by `ludex account add` first
    #[arg(long, conflicts_with = "token")]
    pub accounts: bool,

    /// What those become who make an account themselves: player, author, or off where nobody may
    #[arg(long, value_name = "ROLE", default_value = "player", requires = "accounts")]
    sign_up: SignUp,

    /// Let people play without an account, too
    #[arg(long, requires = "accounts")]
    guest_matches: bool,

    /// Where people find the server, for links in mails; its own address where it is not given
    #[arg(long, value_name = "URL", requires = "accounts", value_parser = address)]
    public_address: Option<String>,

    /// Put mails into this folder, each in a file, for something else to send
    #[arg(long, value_name = "FOLDER", requires = "accounts", conflicts_with = "mail_command")]
    mail_folder: Option<PathBuf>,

    /// Give each mail to this program on its standard input, such as 'sendmail -t'
    #[arg(long, value_name = "COMMAND", requires = "accounts")]
    mail_command: Option<String>,

    /// How many versions of games an account may bring in a day
    #[arg(long, value_name = "N", default_value_t = 20, requires = "accounts")]
    account_uploads: u32,

    /// How many matches of an account may wait or run at once
    #[arg(long, value_name = "N", default_value_t = 20, requires = "accounts")]
    account_matches: u32,

    /// How long rules of an account may be worked on in a day, from question to answer
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = duration, requires = "accounts")]
    account_work: Duration,
}

/// What those become who sign up. The variants have no documentation of their own: it would stretch `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum SignUp {
    Player,
    Author,
    Off,
}

/// How long a program may take to send a mail.
const PATIENCE: Duration = Duration::from_secs(30);

fn address(text: &str) -> Result<String, String> {
    let text = text.trim().trim_end_matches('/');
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |c: char| c.is_ascii_graphic() && !"<>\"'".contains(c);
    match host {
        Some(host) if !host.is_empty() && text.chars().all(plain) => Ok(text.to_owned()),
        _ => Err("an address begins with https:// or http://, such as https://ludex.example".to_owned()),
    }
}

impl AccountArguments {
    /// How accounts are kept by a server that listens here; none without accounts.
    pub fn options(&self, listens: &str) -> Option<AccountOptions> {
        if !self.accounts {
            return None;
        }
        let folder = self.mail_folder.clone().map(|folder| Arc::new(FolderMail { folder }) as Arc<dyn Mail>);
        let command = self.mail_command.as_ref().map(|command| {
            let command = command.split_whitespace().map(str::to_owned).collect();
            Arc::new(CommandMail { command, patience: PATIENCE }) as Arc<dyn Mail>
        });
        let usual = AccountOptions::default();
        Some(AccountOptions {
            sign_up: match self.sign_up {
                SignUp::Player => Some(Role::Player),
                SignUp::Author => Some(Role::Author),
                SignUp::Off => None,
            },
            visitors_play: self.guest_matches,
            address: self.public_address.clone().unwrap_or_else(|| listens.to_owned()),
            mail: folder.or(command),
            quotas: Quotas {
                uploads: self.account_uploads.into(),
                matches: self.account_matches.into(),
                work: self.account_work,
                ..usual.quotas
            },
            ..usual
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_of_the_web_and_have_no_end_that_doubles() {
        assert_eq!(address("https://ludex.example/").unwrap(), "https://ludex.example");
        assert_eq!(address(" http://127.0.0.1:8080 ").unwrap(), "http://127.0.0.1:8080");
        for wrong in
            ["ludex.example", "https://", "javascript:x", "https://a b", "https://x\r\ny", "https://<x>"]
        {
            assert!(address(wrong).is_err(), "{wrong:?}");
        }
    }
}
