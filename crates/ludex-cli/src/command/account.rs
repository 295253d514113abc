//! `ludex account`: the accounts that a Game Manager keeps.

use std::io::{BufRead, Write};

use ludex_server::manager::{AccountOptions, Accounts, ManagerError};
use ludex_server::model::{AccountSummary, Actor, PageRequest, Role, all_pages};
use serde_json::{Value, json};

use super::store::{store_failure, store_place};
use crate::Context;
use crate::console::table;
use crate::failure::Failure;

/// Arguments of `account`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex account add ludex-data ada --role administrator
  ludex account list ludex-data
  ludex account role postgres://ludex@localhost/ludex bob author
  ludex account password ludex-data ada --password-stdin
  ludex account export ludex-data bob > bob.json

STORE is what `ludex serve` keeps: a folder (--data), or the address of a PostgreSQL
database (--store). No server may use it meanwhile; a running server has pages for its
administrators. The first administrator is made here, before `ludex serve --accounts`.
A new password is drawn and told once, unless it comes on standard input. What is done
to others stands in the log of the server as done by the command line.
--json: add and password print an object with account and password (null where it came
on standard input or there is none), list an object with accounts, a list of objects
with name, role, mail, has_password, created, seen, banned and why, export all that is
kept of the account, and the others an object with account.")]
pub struct AccountArguments {
    #[command(subcommand)]
    action: Action,
}

/// Which account.
#[derive(Debug, clap::Args)]
struct Which {
    /// A folder, or postgres://USER@HOST/DATABASE
    #[arg(value_name = "STORE")]
    store: String,

    /// The name of the account
    #[arg(value_name = "NAME")]
    name: String,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What to do.
#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make an account
    Add {
        #[command(flatten)]
        which: Which,

        /// What it may do: player, author, organiser or administrator
        #[arg(long, value_name = "ROLE", default_value = "player", value_parser = role)]
        role: Role,

        /// Where mail goes
        #[arg(long, value_name = "ADDRESS", default_value = "")]
        mail: String,

        /// Read its password from the first line of standard input
        #[arg(long)]
        password_stdin: bool,

        /// No password: it is signed in to by links that come by mail
        #[arg(long, requires = "mail", conflicts_with = "password_stdin")]
        no_password: bool,
    },
    /// List the accounts
    List {
        /// A folder, or postgres://USER@HOST/DATABASE
        #[arg(value_name = "STORE")]
        store: String,

        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Give an account another role
    Role {
        #[command(flatten)]
        which: Which,

        /// What it may do: player, author, organiser or administrator
        #[arg(value_name = "ROLE", value_parser = role)]
        role: Role,
    },
    /// Ban an account: its sessions and tokens end
    Ban {
        #[command(flatten)]
        which: Which,

        /// Why, as its owner is told
        #[arg(long, value_name = "TEXT", default_value = "")]
        why: String,
    },
    /// Let a banned account in again
    Unban {
        #[command(flatten)]
        which: Which,
    },
    /// Delete an account with what is kept of it
    Delete {
        #[command(flatten)]
        which: Which,
    },
    /// Print all that is kept of an account, as JSON
    Export {
        #[command(flatten)]
        which: Which,
    },
    /// Give an account another password; its sessions end
    Password {
        #[command(flatten)]
        which: Which,

        /// Read it from the first line of standard input
        #[arg(long)]
        password_stdin: bool,
    },
}

fn role(text: &str) -> Result<Role, String> {
    Role::named(text).ok_or_else(|| "a role is player, author, organiser or administrator".to_owned())
}

fn failure(error: ManagerError) -> Failure {
    match error {
        ManagerError::Store(error) => store_failure(&error),
        error => Failure::input(error.to_string()),
    }
}

fn open(store: &str) -> Result<Accounts, Failure> {
    let store = store_place(store)?.open().map_err(|error| store_failure(&error))?;
    Ok(Accounts::new(store, AccountOptions::default()))
}

/// The password that standard input has, or a drawn one.
fn password(from_input: bool) -> Result<(String, bool), Failure> {
    if !from_input {
        return Ok((Accounts::drawn_password().map_err(failure)?, true));
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok((line.trim_end_matches(['\r', '\n']).to_owned(), false))
}

/// Does it.
pub fn run(arguments: &AccountArguments, context: &mut Context) -> Result<(), Failure> {
    let by = Actor::organiser();
    match &arguments.action {
        Action::Add { which, role, mail, password_stdin, no_password } => {
            let accounts = open(&which.store)?;
            let given = if *no_password { None } else { Some(password(*password_stdin)?) };
            let text = given.as_ref().map(|(text, _)| text.as_str());
            let account = accounts.add(&which.name, mail, text, *role).map_err(failure)?;
            let drawn = given.filter(|(_, drawn)| *drawn).map(|(text, _)| text);
            let said = format!("{} is {}", account.name, with_article(*role));
            told(context, which, &account.name, &said, drawn)
        }
        Action::List { store, json } => list(&open(store)?, *json, context),
        Action::Role { which, role } => {
            open(&which.store)?.set_role(&by, &which.name, *role).map_err(failure)?;
            let said = format!("{} is {}", which.name, with_article(*role));
            done(context, which, &said)
        }
        Action::Ban { which, why } => {
            open(&which.store)?.ban(&by, &which.name, why).map_err(failure)?;
            done(context, which, &format!("{} is banned", which.name))
        }
        Action::Unban { which } => {
            open(&which.store)?.unban(&by, &which.name).map_err(failure)?;
            done(context, which, &format!("{} is let in again", which.name))
        }
        Action::Delete { which } => {
            open(&which.store)?.delete(&by, &which.name).map_err(failure)?;
            done(context, which, &format!("{} is deleted", which.name))
        }
        Action::Export { which } => {
            let data = open(&which.store)?.data(&which.name).map_err(failure)?;
            writeln!(context.console, "{}", serde_json::to_string_pretty(&data)?)?;
            Ok(())
        }
        Action::Password { which, password_stdin } => {
            let accounts = open(&which.store)?;
            let (text, drawn) = password(*password_stdin)?;
            accounts.reset_password(&which.name, &text).map_err(failure)?;
            let said = format!("{} has another password", which.name);
            told(context, which, &which.name, &said, Some(text).filter(|_| drawn))
        }
    }
}

/// Says what was done, and the password that was drawn.
fn told(
    context: &mut Context,
    which: &Which,
    name: &str,
    said: &str,
    drawn: Option<String>,
) -> Result<(), Failure> {
    if which.json {
        return print(context, &json!({ "account": name, "password": drawn }));
    }
    writeln!(context.console, "{said}")?;
    if let Some(drawn) = drawn {
        writeln!(context.console, "password: {drawn}")?;
    }
    Ok(())
}

fn done(context: &mut Context, which: &Which, said: &str) -> Result<(), Failure> {
    if which.json {
        return print(context, &json!({ "account": which.name }));
    }
    writeln!(context.console, "{said}")?;
    Ok(())
}

fn print(context: &mut Context, object: &Value) -> Result<(), Failure> {
    writeln!(context.console, "{}", serde_json::to_string_pretty(object)?)?;
    Ok(())
}

fn with_article(role: Role) -> String {
    let article = if role.name().starts_with(['a', 'o']) { "an" } else { "a" };
    format!("{article} {}", role.name())
}

fn list(accounts: &Accounts, json: bool, context: &mut Context) -> Result<(), Failure> {
    let all: Vec<AccountSummary> =
        all_pages(|page: PageRequest| accounts.list("", &page)).map_err(failure)?;
    if json {
        return print(context, &json!({ "accounts": all }));
    }
    let mut rows = vec![["NAME", "ROLE", "MAIL", ""].map(str::to_owned).to_vec()];
    for account in all {
        let banned = if account.banned.is_some() { "banned" } else { "" };
        let mail = account.mail.unwrap_or_default();
        rows.push(vec![account.name, account.role.name().to_owned(), mail, banned.to_owned()]);
    }
    let text = table(&context.console, &rows, &[false; 4]);
    context.console.write_all(text.as_bytes())?;
    Ok(())
}
