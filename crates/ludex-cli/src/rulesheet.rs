//! Rulesheets by file name or by the name of a bundled game.

use std::path::Path;
use std::sync::Arc;

use ludex::game::TimedRules;
use ludex::gdl::{self, Checked, Dialect, Level, LoadOptions, Notation, Source};
use ludex::library::{self, BundledGame};
use ludex::{Game, LoadError, Playable, TimedLoadError};

use crate::Context;
use crate::diagnostics;
use crate::engine_arguments::EngineArguments;
use crate::failure::{Failure, say};
use crate::input::read_rules as read_rules_text;

/// How a rulesheet is read.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ReadArguments {
    /// Read FILE as this language instead of detecting it
    #[arg(long, value_name = "DIALECT", value_parser = dialect)]
    pub dialect: Option<Dialect>,

    /// Read FILE in this notation instead of detecting it: prefix or infix
    #[arg(long, value_name = "NOTATION", value_parser = notation)]
    pub notation: Option<Notation>,

    /// Leave out findings of this kind (a code such as L051, or its name)
    #[arg(long, value_name = "CODE")]
    pub allow: Vec<String>,

    /// Make findings of this kind warnings
    #[arg(long, value_name = "CODE")]
    pub warn: Vec<String>,

    /// Make findings of this kind errors
    #[arg(long, value_name = "CODE")]
    pub deny: Vec<String>,
}

fn dialect(name: &str) -> Result<Dialect, String> {
    Dialect::named(name).ok_or_else(|| {
        let names: Vec<&str> = Dialect::NAMES.iter().map(|(known, _)| *known).collect();
        format!("the dialects are {}", names.join(", "))
    })
}

/// Reads the name of a notation.
pub fn notation(name: &str) -> Result<Notation, String> {
    match name {
        "prefix" | "kif" => Ok(Notation::Prefix),
        "infix" | "book" => Ok(Notation::Infix),
        _ => Err("the notations are prefix and infix".into()),
    }
}

impl ReadArguments {
    /// As options of the library.
    ///
    /// # Errors
    /// An unknown code.
    pub fn options(&self) -> Result<LoadOptions, Failure> {
        let mut options = LoadOptions { notation: self.notation, dialect: self.dialect, levels: Vec::new() };
        let all = [(Level::Allow, &self.allow), (Level::Warn, &self.warn), (Level::Deny, &self.deny)];
        for (level, codes) in all {
            for code in codes.iter().flat_map(|c| c.split(',')) {
                options.set_level(code, level).map_err(|e| {
                    let names = gdl::CHECKS.iter().map(|c| c.name);
                    let near = nearest(code, names).map(|n| format!("; did you mean `{n}`?"));
                    Failure::Usage(format!("{e}{}", near.unwrap_or_default()))
                })?;
            }
        }
        Ok(options)
    }
}

/// How a rulesheet is read, and what runs the game.
#[derive(Clone, Debug, clap::Args)]
pub struct LoadArguments {
    #[command(flatten)]
    pub read: ReadArguments,

    #[command(flatten)]
    pub engine: EngineArguments,
}

impl LoadArguments {
    /// As [`load_game`].
    ///
    /// # Errors
    /// Those of [`load_game`].
    pub fn game(&self, file: &str, hasty: bool, context: &Context) -> Result<Game, Failure> {
        load_game(file, &self.read, &self.engine, hasty, context)
    }

    /// A game of either kind that can be played.
    ///
    /// # Errors
    /// Those of [`load_game`].
    pub fn playable(&self, file: &str, hasty: bool, context: &Context) -> Result<Playable, Failure> {
        let (source, load) = read_source(file, &self.read, context)?;
        let checked = gdl::load(Arc::new(source), &load);
        if checked.dialect.is_timed() {
            return Ok(Playable::InTime(timed_rules(checked, &self.engine, context)?));
        }
        Ok(Playable::InSteps(run_checked(checked, load, &self.engine, hasty, context)?))
    }
}

/// A game in real time that was checked, ready to run. Errors in its rules are drawn on standard error.
///
/// # Errors
/// It has errors, the engine cannot run it, or it cannot be prepared within the limits.
pub fn timed_rules(
    checked: Checked,
    engine: &EngineArguments,
    context: &Context,
) -> Result<TimedRules, Failure> {
    let budget = context.limits.budget();
    let net_budget = context.limits.auto_budget(budget);
    ludex::timed_rules(checked, engine.engine, budget, &net_budget).map_err(|error| match error {
        TimedLoadError::Rejected(checked) => {
            show_errors(&checked, context);
            Failure::Reported
        }
        TimedLoadError::Machine(error) => error.into(),
        other => Failure::input(other.to_string()),
    })
}

/// Reads FILE: a file, `-`, or the name of a bundled game.
///
/// # Errors
/// What cannot be read, with the nearest name offered.
pub fn read_source(
    file: &str,
    read: &ReadArguments,
    context: &Context,
) -> Result<(Source, LoadOptions), Failure> {
    let mut options = read.options()?;
    if file == "-" {
        let (name, text) = read_rules_text(file, &context.limits)?;
        let name = if name == "-" { "standard input" } else { &name };
        return Ok((Source::new(name, text), options));
    }
    if !Path::new(file).exists() {
        if let Some(game) = bundled(file, read.notation) {
            options.notation = Some(game.notation);
            return Ok((Source::new(bundled_file_name(game), game.text), options));
        }
        // Names of bundled games have neither folders nor endings.
        if !file.contains(['/', '\\', '.', '#']) {
            return Err(unknown_game(file));
        }
    }
    let (name, text) = read_rules_text(file, &context.limits)?;
    Ok((Source::new(name, text), options))
}

fn bundled_file_name(game: &BundledGame) -> &'static str {
    game.file.rsplit('/').next().unwrap_or(game.file)
}

/// The bundled game of a name such as `tic-tac-toe`, or of its file name `tic-tac-toe.gdl`.
fn bundled(name: &str, notation: Option<Notation>) -> Option<&'static BundledGame> {
    let found = match notation {
        Some(notation) => library::find_in(name, notation),
        None => library::find(name),
    };
    found.or_else(|| library::all().iter().find(|game| bundled_file_name(game) == name))
}

/// What is neither a file nor a bundled game, with the nearest name.
fn unknown_game(name: &str) -> Failure {
    let failure = Failure::input(format!("there is no file and no bundled game `{name}`"));
    match nearest(name, library::all().iter().map(|g| g.name)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`ludex games` lists the bundled games"),
    }
}

/// What the system says, without its error number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|c| c.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// The name that differs least from what was typed, if any is close.
pub fn nearest<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let plain = |text: &str| text.replace(['-', '_', ' '], "");
    let distance = |name: &str| {
        let name = name.to_lowercase();
        if plain(&name) == plain(&typed) { 0 } else { strsim::damerau_levenshtein(&typed, &name) }
    };
    let close = (typed.chars().count() / 3).max(1);
    names.map(|name| (distance(name), name)).filter(|(d, _)| *d <= close).min().map(|(_, name)| name)
}

/// Reads and checks a rulesheet, whatever is wrong with it.
///
/// # Errors
/// It cannot be read at all.
pub fn read_checked(file: &str, read: &ReadArguments, context: &Context) -> Result<Checked, Failure> {
    let (source, options) = read_source(file, read, context)?;
    Ok(gdl::load(Arc::new(source), &options))
}

/// Reads rules of which nothing is run: a part of a game will do, as long as each of its clauses can be
/// understood. The result has a program, and may have errors.
///
/// # Errors
/// It cannot be read, or some clause has no meaning.
pub fn read_rules(file: &str, read: &ReadArguments, context: &Context) -> Result<Checked, Failure> {
    with_rules(read_checked(file, read, context)?, context)
}

/// As [`read_rules`], of a rulesheet that was read.
///
/// # Errors
/// Some clause has no meaning, or sentences leave something open.
pub fn with_rules(mut checked: Checked, context: &Context) -> Result<Checked, Failure> {
    if checked.game.is_none() {
        checked.diagnostics.extend(checked.not_runnable.take());
        show_errors(&checked, context);
        return Err(Failure::Reported);
    }
    Ok(checked)
}

/// Whether nothing is wrong with rules but that they are no whole game: `role` or the like is missing.
pub fn is_part(checked: &Checked) -> bool {
    let missing = gdl::Check::find("missing-keyword").map(|check| check.code);
    let mut errors = checked.diagnostics.iter().filter(|d| d.severity == gdl::Severity::Error);
    checked.has_errors() && errors.all(|d| Some(d.code) == missing)
}

/// Shows the errors of a rulesheet on standard error.
pub fn show_errors(checked: &Checked, context: &Context) {
    let mut errors = checked.diagnostics.clone();
    errors.retain(|d| d.severity == gdl::Severity::Error);
    let color = context.console.error_color;
    say(diagnostics::draw(&checked.rulesheet.source, &errors, color).trim_end());
}

/// Reads a game that can be run. Errors in its rules are drawn on standard error.
///
/// # Errors
/// It cannot be read, has errors, or cannot be prepared within the limits.
pub fn load_game(
    file: &str,
    read: &ReadArguments,
    engine: &EngineArguments,
    hasty: bool,
    context: &Context,
) -> Result<Game, Failure> {
    let (source, load) = read_source(file, read, context)?;
    load_source(source, load, engine, hasty, context)
}

/// Makes a game that can be run of a rulesheet that is at hand. Errors in its rules are drawn on standard
/// error.
///
/// # Errors
/// It has errors, or cannot be prepared within the limits.
pub fn load_source(
    source: Source,
    load: LoadOptions,
    engine: &EngineArguments,
    hasty: bool,
    context: &Context,
) -> Result<Game, Failure> {
    run_checked(gdl::load(Arc::new(source), &load), load, engine, hasty, context)
}

/// Makes a game that can be run of a rulesheet that was checked. Errors in its rules are drawn on standard
/// error.
///
/// # Errors
/// As [`load_source`].
pub fn run_checked(
    checked: Checked,
    load: LoadOptions,
    engine: &EngineArguments,
    hasty: bool,
    context: &Context,
) -> Result<Game, Failure> {
    let options = engine.options(load, hasty, context);
    Game::from_checked(checked, &options).map_err(|error| match error {
        LoadError::Rejected(checked) => {
            show_errors(&checked, context);
            let name = checked.rulesheet.source.name();
            let [errors, ..] = diagnostics::counts(&checked.diagnostics);
            let plural = if errors == 1 { "an error" } else { "errors" };
            Failure::input(format!("{name} has {plural}, so it cannot be run"))
        }
        LoadError::Machine { cause, .. } => cause.into(),
        LoadError::Net { cause, .. } => (*cause).into(),
        other => Failure::input(other.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_offered() {
        let names = || ["tic-tac-toe", "connect-four", "nim"].into_iter();
        assert_eq!(nearest("tictactoe", names()), Some("tic-tac-toe"));
        assert_eq!(nearest("conect-four", names()), Some("connect-four"));
        assert_eq!(nearest("chess", names()), None);
    }
}
