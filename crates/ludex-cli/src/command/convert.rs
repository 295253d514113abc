//! `ludex convert`: another notation, another language, other names.

use std::io::Write;

use ludex::gdl::{
    Dialect, FromEpilogError, GameTime, Notation, Renaming, Rulesheet, ToEpilogError, ToIgdlError,
    WithoutStepsError, convert, from_epilog, scramble, to_epilog, to_gdl_ii, to_igdl, to_rtgdl, unscramble,
    with_steps, without_steps, without_time,
};
use serde_json::{Map, Value, json};

use crate::Context;
use crate::command::fmt::read_rulesheet;
use crate::failure::{Failure, say};
use crate::input::read_text;
use crate::output::write_file;
use crate::rulesheet::notation;

/// Arguments of `convert`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex convert tic-tac-toe --to infix
  ludex convert my-game.gdl --to prefix -o my-game.kif
  ludex convert connect-four --to gdl-ii           everybody sees all moves
  ludex convert connect-four --to rtgdl --move-time 2.5
  ludex convert timed-tic-tac-toe --to gdl         as if nobody were ever late
  ludex convert connect-four --to sdl --steps 43
  ludex convert tic-tac-toe-history --to gdl       states remember what rules look back to
  ludex convert hexapawn --to gdl                  next and does in place of operations
  ludex convert tic-tac-toe --to epilog            moves without roles, for Gamemaster
  ludex convert buttons-and-lights --to igdl       sentences in place of rules
  ludex convert buttons-and-lights --to igdl --forget 'init(p)' --forget 'init(q)'
  ludex convert nim --scramble 7 --names names.json > scrambled.kif
  ludex convert scrambled.kif --unscramble names.json

Comments and the order of the rules are kept; scrambling drops the comments.")]
pub struct ConvertArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// The notation or language to convert to
    #[arg(long, value_name = "TARGET", required_unless_present_any = ["scramble", "unscramble"])]
    to: Option<Target>,

    /// With `--to rtgdl`: how many units of game time each step may take
    #[arg(long, value_name = "TIME", value_parser = move_time, default_value = "1")]
    move_time: GameTime,

    /// With `--to sdl`: how many steps there are, the last one included
    #[arg(long, value_name = "N", default_value = "100")]
    steps: u32,

    /// With `--to igdl`: leave open what holds of this relation (`init`) or of these atoms
    /// (`init(p)`, `next(cell(X,1,Y))`); may be given more than once
    #[arg(long, value_name = "WHAT")]
    forget: Vec<String>,

    /// Give everything that is not a keyword or a number another name
    #[arg(long, value_name = "SEED")]
    scramble: Option<u64>,

    /// Write the old and new names to this file, for --unscramble
    #[arg(long, value_name = "NAMES", requires = "scramble")]
    names: Option<String>,

    /// Give back the old names that --names wrote
    #[arg(long, value_name = "NAMES", conflicts_with = "scramble")]
    unscramble: Option<String>,

    /// Write here instead of to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,

    /// Read FILE in this notation instead of detecting it: prefix or infix
    #[arg(long, value_name = "NOTATION", value_parser = notation)]
    notation: Option<Notation>,
}

/// What to convert to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Target {
    /// KIF: (<= (p ?x) (q ?x))
    Prefix,
    /// The book's notation: p(X) :- q(X)
    Infix,
    /// GDL-II in the same notation, where every role sees all moves
    GdlIi,
    /// rtGDL in the same notation, where each step has a time limit and whoever is late loses
    Rtgdl,
    /// GDL in the same notation: a game in real time where no time passes, a game of SDL whose
    /// states remember what its rules look back to, or a game of Epilog without operations
    Gdl,
    /// SDL in the same notation: all that changes says on which step it is so
    Sdl,
    /// IGDL in the same notation: sentences that say all that the rules of GDL or GDL-II say, and
    /// that nothing else is so
    Igdl,
    /// Epilog in the same notation: a game in which one role after the other moves, or of one
    /// role, with operations in place of `next` and `does`
    Epilog,
}

fn move_time(text: &str) -> Result<GameTime, String> {
    match GameTime::parse(text) {
        Ok(GameTime::ZERO) => Err("a step must have some time".into()),
        Ok(time) => Ok(time),
        Err(error) => Err(format!("it {error}")),
    }
}

/// Converts.
pub fn run(arguments: &ConvertArguments, context: &mut Context) -> Result<(), Failure> {
    let mut rulesheet = read_rulesheet(&arguments.file, arguments.notation, context)?;
    if let Some(file) = &arguments.unscramble {
        rulesheet = unscramble(&rulesheet, &read_names(file, context)?);
    }
    if !arguments.forget.is_empty() && arguments.to != Some(Target::Igdl) {
        return Err(Failure::Usage(
            "`--forget` goes with `--to igdl`: only sentences can leave things open".into(),
        ));
    }
    let mut text = match arguments.to {
        Some(Target::Prefix) => convert(&rulesheet, Notation::Prefix),
        Some(Target::Infix) => convert(&rulesheet, Notation::Infix),
        Some(Target::GdlIi) => embed(&rulesheet)?,
        Some(Target::Rtgdl) => {
            to_rtgdl(&rulesheet, arguments.move_time).map_err(|error| Failure::input(error.to_string()))?
        }
        Some(Target::Gdl) => to_gdl(&rulesheet)?,
        Some(Target::Epilog) => epilog(&rulesheet)?,
        Some(Target::Sdl) => {
            with_steps(&rulesheet, arguments.steps).map_err(|error| Failure::input(error.to_string()))?
        }
        Some(Target::Igdl) => to_sentences(&rulesheet, &arguments.forget)?,
        None => rulesheet,
    };
    if let Some(seed) = arguments.scramble {
        let (scrambled, renaming) = scramble(&text, seed);
        if let Some(file) = &arguments.names {
            write_file(file, &names_text(&renaming))?;
        }
        text = scrambled;
    }
    match &arguments.output {
        Some(file) => write_file(file, text.source.text()),
        None => Ok(context.console.write_all(text.source.text().as_bytes())?),
    }
}

/// A rulesheet of another language as one of GDL.
fn to_gdl(rulesheet: &Rulesheet) -> Result<Rulesheet, Failure> {
    match ludex::gdl::detect(rulesheet).0 {
        dialect if dialect.has_steps() => without_steps(rulesheet).map_err(|error| match error {
            WithoutStepsError::Wrong { findings } => {
                let text = ludex::gdl::report::plain(&rulesheet.source, &findings);
                Failure::input(format!("the rules have no meaning without steps\n{}", text.trim_end()))
            }
            other => Failure::input(other.to_string()),
        }),
        Dialect::Epilog => from_epilog(rulesheet).map_err(|error| match error {
            FromEpilogError::Wrong { findings } => {
                let text = ludex::gdl::report::plain(&rulesheet.source, &findings);
                Failure::input(format!("the rules have no meaning in GDL\n{}", text.trim_end()))
            }
            other => Failure::input(other.to_string()),
        }),
        _ => Ok(without_time(rulesheet).map_err(|error| Failure::input(error.to_string()))?.rulesheet),
    }
}

/// A rulesheet of GDL as one of Epilog.
fn epilog(rulesheet: &Rulesheet) -> Result<Rulesheet, Failure> {
    to_epilog(rulesheet).map_err(|error| match error {
        ToEpilogError::NotExpressible { finding } => {
            let text = ludex::gdl::report::plain(&rulesheet.source, &[*finding]);
            Failure::input(format!("Epilog has no words for this\n{}", text.trim_end()))
        }
        other => Failure::input(other.to_string()),
    })
}

/// A rulesheet of GDL or GDL-II as sentences; says where they may say less than the rules.
fn to_sentences(rulesheet: &Rulesheet, forget: &[String]) -> Result<Rulesheet, Failure> {
    let completion = to_igdl(rulesheet, forget).map_err(|error| match error {
        ToIgdlError::Wrong { findings } => {
            let text = ludex::gdl::report::plain(&rulesheet.source, &findings);
            Failure::input(format!("the rules have errors\n{}", text.trim_end()))
        }
        other => Failure::input(other.to_string()),
    })?;
    for relation in &completion.recursive {
        say(&format!(
            "note: the definition of `{relation}` uses itself: the sentences may leave more open than the rules"
        ));
    }
    Ok(completion.rulesheet)
}

fn embed(rulesheet: &Rulesheet) -> Result<Rulesheet, Failure> {
    match ludex::gdl::detect(rulesheet).0 {
        Dialect::Gdl => Ok(to_gdl_ii(rulesheet)),
        other => Err(Failure::input(format!("only GDL can be embedded in GDL-II; this is {other}"))),
    }
}

fn names_text(renaming: &Renaming) -> String {
    let object = |pairs: Vec<(&str, &str)>| {
        pairs.into_iter().map(|(old, new)| (old.to_owned(), Value::from(new))).collect::<Map<_, _>>()
    };
    let names = json!({"constants": object(renaming.constants()), "variables": object(renaming.variables())});
    format!("{names:#}\n")
}

fn read_names(file: &str, context: &Context) -> Result<Renaming, Failure> {
    let wrong = || Failure::input(format!("`{file}` is not a file of names that `--names` wrote"));
    let value: Value = serde_json::from_str(&read_text(file, &context.limits)?).map_err(|_| wrong())?;
    let pairs = |key: &str| -> Option<Vec<(String, String)>> {
        let object = value.get(key)?.as_object()?;
        object.iter().map(|(old, new)| Some((old.clone(), new.as_str()?.to_owned()))).collect()
    };
    let constants = pairs("constants").ok_or_else(wrong)?;
    let variables = pairs("variables").ok_or_else(wrong)?;
    Ok(Renaming::from_pairs(
        constants.iter().map(|(o, n)| (o.as_str(), n.as_str())),
        variables.iter().map(|(o, n)| (o.as_str(), n.as_str())),
    ))
}
