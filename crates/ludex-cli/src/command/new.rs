//! `ludex new`: a rulesheet and its cases from a few answers.

use std::io::Write;
use std::path::Path;

use ludex::GameOptions;
use ludex::gdl::Notation;
use ludex::new_game::{AnswerError, Answers, CasesError, Question, questions};
use ludex::rule_library::RuleLibraryError;
use serde_json::json;

use crate::Context;
use crate::console::{prose_table, wrapped};
use crate::failure::Failure;
use crate::output::write_file;
use crate::prompt::Prompt;

/// Arguments of `new`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex new                                         asks for everything
  ludex new my-game                                 asks for all but the name
  ludex new my-game --board 5x5 --win line:4
  ludex new my-game --pieces move --win reach --notation infix
  ludex new my-game --shape hex --win reach --hidden moves --roles red,blue
  ludex new my-game --shape none --win score:30 --turns simultaneous
  ludex new my-game --yes                           the usual game
  ludex new --list                                  what can be answered

Writes my-game.kif (or .gdl, in infix notation), a rulesheet with an explanation of each
rule, and my-game.cases, which `ludex test` runs. The game can be played at once, and is
there to be changed. Whatever is answered, it has no findings and it ends. With any of
the options that answer something, and with --yes or --json, nothing is asked.

--list --json: a list of objects with name, question, answers (answer, meaning).
--json: an object with rules and cases, the two files, and answers, by name.")]
pub struct NewArguments {
    /// What the game is called, and its files
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// What it is played on: square, hex, none
    #[arg(long, value_name = "SHAPE")]
    shape: Option<String>,

    /// How many columns and rows there are, each from 3 to 12
    #[arg(long, value_name = "WxH")]
    board: Option<String>,

    /// What is done with pieces: place, move
    #[arg(long, value_name = "HOW")]
    pieces: Option<String>,

    /// Who moves when: alternating, simultaneous, single
    #[arg(long, value_name = "HOW")]
    turns: Option<String>,

    /// How one wins: line:K, reach, capture:N, score:T
    #[arg(long, value_name = "HOW")]
    win: Option<String>,

    /// What is not seen: none, moves, dice
    #[arg(long, value_name = "WHAT")]
    hidden: Option<String>,

    /// What the players are called
    #[arg(long, value_name = "NAME,NAME")]
    roles: Option<String>,

    /// How the rules are written: prefix, infix
    #[arg(long, value_name = "NOTATION")]
    notation: Option<String>,

    /// Ask nothing: what is not said is as usual
    #[arg(long, short)]
    yes: bool,

    /// Write over files that are there
    #[arg(long)]
    force: bool,

    /// List what can be answered instead
    #[arg(long)]
    list: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl NewArguments {
    /// What is answered on the command line.
    fn given(&self, question: &str) -> Option<&String> {
        match question {
            "shape" => self.shape.as_ref(),
            "board" => self.board.as_ref(),
            "pieces" => self.pieces.as_ref(),
            "turns" => self.turns.as_ref(),
            "win" => self.win.as_ref(),
            "hidden" => self.hidden.as_ref(),
            "roles" => self.roles.as_ref(),
            _ => self.notation.as_ref(),
        }
    }
}

/// Writes a game, or lists what can be answered.
pub fn run(arguments: &NewArguments, context: &mut Context) -> Result<(), Failure> {
    if arguments.list {
        return list(arguments.json, context);
    }
    let answers = answered(arguments, context)?;
    let ending = if answers.notation() == Notation::Prefix { "kif" } else { "gdl" };
    let files = [format!("{}.{ending}", answers.name()), format!("{}.cases", answers.name())];
    if let Some(there) = files.iter().find(|file| !arguments.force && Path::new(file).exists()) {
        return Err(Failure::input(format!("`{there}` is there already"))
            .hint("`--force` writes over it; or give the game another name"));
    }
    let rules = answers.rules().map_err(wrong_answer)?;
    let options = GameOptions { budget: context.limits.budget().clone(), ..GameOptions::default() };
    let cases = answers.cases(&files[0], &options).map_err(no_cases)?;
    write_file(&files[0], &rules)?;
    write_file(&files[1], &cases)?;
    let console = &mut context.console;
    if arguments.json {
        let chosen = questions().iter().filter(|question| answers.asks(question.name));
        let chosen: serde_json::Map<_, _> =
            chosen.map(|question| (question.name.into(), answers.answer_to(question.name).into())).collect();
        writeln!(console, "{}", json!({ "rules": files[0], "cases": files[1], "answers": chosen }))?;
        return Ok(());
    }
    let file = &files[0];
    writeln!(console, "{file}: the rules, {} lines", rules.lines().count())?;
    writeln!(console, "{}: what is to be so, {} lines", files[1], cases.lines().count())?;
    writeln!(console)?;
    for (command, what) in [
        (format!("ludex play {file}"), "watch a game; `--player ROLE=human` to play"),
        (format!("ludex test {file}"), "run the cases"),
        (format!("ludex check --deep {file}"), "prove that it ends and can be won"),
        (format!("ludex show {file}"), "what it consists of"),
    ] {
        writeln!(console, "  {command:<40}  {what}")?;
    }
    Ok(())
}

/// The answers of the command line, or of whoever sits at the terminal where none are given there.
fn answered(arguments: &NewArguments, context: &mut Context) -> Result<Answers, Failure> {
    let is_said = questions().iter().any(|question| arguments.given(question.name).is_some());
    if is_said || arguments.yes || arguments.json {
        let Some(name) = &arguments.name else {
            return Err(Failure::Usage("the game needs a name".into()));
        };
        let mut answers = Answers::new(name).map_err(wrong_answer)?;
        for question in questions() {
            if let Some(answer) = arguments.given(question.name) {
                answers.answer(question.name, answer).map_err(wrong_answer)?;
            }
        }
        return Ok(answers);
    }
    let mut prompt = Prompt::new();
    let named = arguments.name.as_ref().map(|name| Answers::new(name).map_err(wrong_answer)).transpose()?;
    writeln!(context.console, "An empty line takes what stands in brackets; the end of the input stops.")?;
    let mut answers = match named {
        Some(answers) => answers,
        None => ask_name(&mut prompt, context)?,
    };
    for question in questions() {
        if answers.asks(question.name) {
            ask(question, &mut answers, &mut prompt, context)?;
        }
    }
    writeln!(context.console)?;
    Ok(answers)
}

/// Asks for the name until there is one.
fn ask_name(prompt: &mut Prompt, context: &mut Context) -> Result<Answers, Failure> {
    writeln!(context.console, "\nWhat is the game called? Its files are called so, too.")?;
    loop {
        context.console.flush()?;
        let line = prompt.ask("name [my-game]: ")?.ok_or_else(stopped)?;
        let name = if line.trim().is_empty() { "my-game" } else { line.trim() };
        match Answers::new(name) {
            Ok(answers) => return Ok(answers),
            Err(error) => refused(&error, context)?,
        }
    }
}

/// Says why an answer is none.
fn refused(error: &AnswerError, context: &mut Context) -> Result<(), Failure> {
    let text = wrapped(&error.to_string(), context.console.width(), 0);
    writeln!(context.console, "{}", text.trim_end())?;
    Ok(())
}

/// What is said where the answers end too soon.
fn stopped() -> Failure {
    Failure::input("nothing was written: the questions were not answered to the end")
        .hint("`--yes` answers them as is usual")
}

/// Asks until there is an answer.
fn ask(
    question: &Question,
    answers: &mut Answers,
    prompt: &mut Prompt,
    context: &mut Context,
) -> Result<(), Failure> {
    let console = &mut context.console;
    writeln!(console, "\n{}", question.asks)?;
    let text = prose_table(console, &meanings(question));
    console.write_all(text.as_bytes())?;
    let usual = answers.usual(question.name);
    loop {
        context.console.flush()?;
        let line = prompt.ask(&format!("{} [{usual}]: ", question.name))?.ok_or_else(stopped)?;
        let answer = if line.trim().is_empty() { usual.as_str() } else { line.trim() };
        match answers.answer(question.name, answer) {
            Ok(()) => return Ok(()),
            Err(error) => refused(&error, context)?,
        }
    }
}

fn list(as_json: bool, context: &mut Context) -> Result<(), Failure> {
    let console = &mut context.console;
    if as_json {
        let list: Vec<_> = questions()
            .iter()
            .map(|question| {
                let answers: Vec<_> = question
                    .answers
                    .iter()
                    .map(|(answer, meaning)| json!({ "answer": answer, "meaning": meaning }))
                    .collect();
                json!({ "name": question.name, "question": question.asks, "answers": answers })
            })
            .collect();
        writeln!(console, "{}", serde_json::to_string_pretty(&list)?)?;
        return Ok(());
    }
    for (number, question) in questions().iter().enumerate() {
        if number > 0 {
            writeln!(console)?;
        }
        writeln!(console, "--{}  {}", question.name, question.asks)?;
        let text = prose_table(console, &meanings(question));
        console.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// What can be answered, a row each.
fn meanings(question: &Question) -> Vec<Vec<String>> {
    let row = |(answer, meaning): &(&str, &str)| vec![format!("  {answer}"), (*meaning).to_owned()];
    question.answers.iter().map(row).collect()
}

/// What is answered wrongly is a wrong command line.
fn wrong_answer(error: AnswerError) -> Failure {
    match error {
        AnswerError::Rules(RuleLibraryError::Refused { .. }) => Failure::input(error.to_string()),
        _ => Failure::Usage(error.to_string()),
    }
}

fn no_cases(error: CasesError) -> Failure {
    match error {
        CasesError::Answers(error) => wrong_answer(error),
        CasesError::Load(_) | CasesError::Game(_) | CasesError::Move(_) => Failure::input(error.to_string()),
    }
}
