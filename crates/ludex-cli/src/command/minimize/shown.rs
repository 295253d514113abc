//! What is to stay when a rulesheet becomes smaller.

use std::fmt;
use std::io::Write;
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use ludex::analysis::cases::{CaseFile, CaseOptions, CaseReport, Verdict, run_case};
use ludex::analysis::difference::{Aspect, Behaviour, DifferenceOptions, compare_play, differs_after};
use ludex::analysis::property::PropertyOptions;
use ludex::gdl::{self, Check, Checked, Code, LoadOptions, Rulesheet, Severity, Source, Span};
use ludex::logic::Budget;
use ludex::{Engine, Game, GameOptions};

use super::MinimizeArguments;
use crate::Context;
use crate::command::check::deepened;
use crate::engine_arguments::EngineArguments;
use crate::failure::Failure;
use crate::input::read_text;
use crate::rulesheet::load_game;

/// Steps of inference for one question about one rulesheet.
const WORK: u64 = 20_000_000;
/// The time for one question about one rulesheet.
const TIME: Duration = Duration::from_secs(20);

/// Two engines.
#[derive(Clone, Copy, Debug)]
pub struct Pair(Engine, Engine);

impl FromStr for Pair {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "two engines are needed, such as rules,net".to_owned();
        let (one, other) = text.split_once(',').ok_or_else(wrong)?;
        let engine = |name: &str| name.parse::<Engine>().map_err(|error| error.to_string());
        let pair = Self(engine(one)?, engine(other)?);
        if pair.0 == pair.1 { Err(wrong()) } else { Ok(pair) }
    }
}

/// Something that a rulesheet shows.
pub struct Shown {
    kind: Kind,
    /// The name of the rulesheet, which may tell its notation.
    name: String,
    load: LoadOptions,
    /// The finding that may be an error, where no other may.
    only: Option<Code>,
    is_playable: bool,
    difference: DifferenceOptions,
}

enum Kind {
    Finding(&'static Check),
    Engines(Pair),
    UnlikeGame(Box<Unlike>),
    Case { file: CaseFile, case: usize, line: Span, is_refused: bool },
    Command(String),
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Finding(check) => write!(f, "{} ({})", check.code, check.name),
            Kind::Engines(Pair(one, other)) => write!(f, "{one} and {other} differ"),
            Kind::UnlikeGame(other) => write!(f, "unlike {}", other.game.short_name()),
            Kind::Case { file, case, line, .. } => {
                let place = file.source.position(line.start as usize);
                write!(f, "case {}, {}:{place}", file.cases[*case].name, file.source.name())
            }
            Kind::Command(command) => f.write_str(command),
        }
    }
}

/// Another game, with how the first rulesheet differs from it.
struct Unlike {
    game: Game,
    /// The joint moves after which they differ.
    moves: Vec<Vec<String>>,
    /// What differs then.
    aspects: Vec<String>,
}

/// What differs, in texts of the two games.
fn aspect_texts(aspects: &[Aspect], one: &Game, other: &Game) -> Vec<String> {
    let texts =
        |here: &[_], there: &[_]| format!("{:?} {:?}", one.rules().texts(here), other.rules().texts(there));
    let text = |aspect: &Aspect| match aspect {
        Aspect::Roles => "roles".to_owned(),
        Aspect::Terminal { first } => format!("terminal {first}"),
        Aspect::Legal { role, first, second } => format!("legal {role:?} {}", texts(first, second)),
        Aspect::Sees { role, first, second } => format!("sees {role:?} {}", texts(first, second)),
        Aspect::Facts { first, second } => format!("facts {}", texts(first, second)),
        Aspect::Goal { role, first, second } => format!("goal {role:?} {first:?} {second:?}"),
    };
    aspects.iter().map(text).collect()
}

/// The budget of one question.
fn budget(context: &Context) -> Budget {
    let whole = context.limits.budget();
    let budget = whole.clone().with_work(WORK.min(whole.work())).without_progress();
    budget.with_time_each(context.limits.clock.clone(), TIME)
}

fn game_options(engine: Engine, load: &LoadOptions, context: &Context) -> GameOptions {
    let budget = budget(context);
    let options = EngineArguments::from(engine).options(load.clone(), true, context);
    GameOptions { question_budget: budget.clone(), net_budget: Some(budget.clone()), budget, ..options }
}

/// The first line of a case that is not as expected, and whether it says nothing of the game.
fn failing(report: &CaseReport) -> Option<(Span, bool)> {
    let found = report.outcomes.iter().find(|outcome| outcome.verdict != Verdict::Passed)?;
    Some((found.span, matches!(found.verdict, Verdict::Refused(_))))
}

fn case_options(arguments: &DifferenceOptions, budget: &Budget) -> CaseOptions {
    // What is asked of each of thousands of rulesheets is no proof.
    let property = PropertyOptions {
        seed: arguments.seed,
        games: arguments.games,
        most_states: 1_000,
        most_moves: 5_000,
        most_steps: 0,
    };
    CaseOptions { property, proof_budget: budget.clone(), stops_early: true, ..CaseOptions::default() }
}

impl Shown {
    /// What the options ask for.
    ///
    /// # Errors
    /// Something cannot be read; there is nothing that could stay.
    pub fn of(
        arguments: &MinimizeArguments,
        rulesheet: &Rulesheet,
        load: LoadOptions,
        context: &Context,
    ) -> Result<Self, Failure> {
        let difference = DifferenceOptions {
            seed: arguments.seed,
            games: arguments.games,
            most_states: 500,
            most_moves: 5_000,
            ..DifferenceOptions::default()
        };
        let mut shown = Self {
            kind: Kind::Command(String::new()),
            name: rulesheet.source.name().to_owned(),
            load,
            only: None,
            is_playable: arguments.playable,
            difference,
        };
        shown.kind = if let Some(pair) = arguments.differs {
            shown.difference.facts = true;
            Kind::Engines(pair)
        } else if let Some(other) = &arguments.differs_from {
            let game = load_game(other, &arguments.read, &Engine::Rules.into(), true, context)?;
            Kind::UnlikeGame(Box::new(shown.unlike(game, rulesheet, context)?))
        } else if let Some(file) = &arguments.test {
            shown.failing_case(file, arguments.case.as_deref(), rulesheet, context)?
        } else if let Some(command) = &arguments.command {
            Kind::Command(command.clone())
        } else {
            let check = shown.finding(arguments.finding.as_deref(), rulesheet)?;
            shown.only = Some(check.code);
            Kind::Finding(check)
        };
        Ok(shown)
    }

    fn finding(&self, wanted: Option<&str>, rulesheet: &Rulesheet) -> Result<&'static Check, Failure> {
        if let Some(wanted) = wanted {
            return Check::find(wanted)
                .ok_or_else(|| Failure::Usage(format!("there is no check `{wanted}`")));
        }
        let checked = self.checked(rulesheet.source.text());
        let worst = checked.diagnostics.iter().min_by_key(|found| match found.severity {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Note => 2,
        });
        worst.and_then(|found| Check::of(found.code)).ok_or_else(|| {
            Failure::input(format!("{} has no findings", self.name))
                .hint("`--finding`, `--differs`, `--test` or `--command` say what is to stay")
        })
    }

    fn failing_case(
        &self,
        file: &str,
        name: Option<&str>,
        rulesheet: &Rulesheet,
        context: &Context,
    ) -> Result<Kind, Failure> {
        let source = Arc::new(Source::new(file, read_text(file, &context.limits)?));
        let cases = CaseFile::read(Arc::clone(&source)).map_err(|errors| {
            crate::failure::say(
                crate::diagnostics::draw(&source, &errors, context.console.error_color).trim_end(),
            );
            Failure::Reported
        })?;
        let game = self.game(rulesheet.source.text(), Engine::Rules, context);
        let game = game.ok_or_else(|| Failure::input(format!("{} cannot be run", self.name)))?;
        let budget = budget(context);
        let options = case_options(&self.difference, &budget);
        let wanted = |at: &usize| name.is_none_or(|name| cases.cases[*at].name == name);
        let found = (0..cases.cases.len()).filter(wanted).find_map(|at| {
            failing(&run_case(&cases, &cases.cases[at], game.rules(), &options, &budget))
                .map(|line| (at, line))
        });
        let (case, (line, is_refused)) = found.ok_or_else(|| match name {
            Some(name) if !cases.cases.iter().any(|case| case.name == name) => {
                Failure::input(format!("{file} has no case `{name}`"))
            }
            _ => Failure::input(format!("all is as expected in {file}")),
        })?;
        Ok(Kind::Case { file: cases, case, line, is_refused })
    }

    fn checked(&self, text: &str) -> Checked {
        gdl::load(Arc::new(Source::new(self.name.as_str(), text)), &self.load)
    }

    fn game(&self, text: &str, engine: Engine, context: &Context) -> Option<Game> {
        let checked = self.checked(text);
        if checked.dialect.is_timed() {
            return None;
        }
        Game::from_checked(checked, &game_options(engine, &self.load, context)).ok()
    }

    /// Whether a rulesheet shows it.
    pub fn question<'s>(&'s self, context: &'s Context) -> Box<dyn FnMut(&str) -> bool + 's> {
        let budget = budget(context);
        Box::new(move |text| {
            if self.is_playable && !self.is_in_order(text) {
                return false;
            }
            match &self.kind {
                Kind::Finding(check) => self.has_finding(text, check, &budget, context),
                Kind::Engines(Pair(one, other)) => {
                    let games = (self.game(text, *one, context), self.game(text, *other, context));
                    let (Some(one), Some(other)) = games else { return false };
                    self.differ(&one, &other, &budget)
                }
                Kind::UnlikeGame(other) => self
                    .game(text, Engine::Rules, context)
                    .is_some_and(|game| self.is_unlike(&game, other, &budget)),
                Kind::Case { file, case, line, is_refused } => {
                    let Some(game) = self.game(text, Engine::Rules, context) else { return false };
                    let options = case_options(&self.difference, &budget);
                    let report = run_case(file, &file.cases[*case], game.rules(), &options, &budget);
                    failing(&report) == Some((*line, *is_refused))
                }
                Kind::Command(command) => succeeds(command, text, &self.name).unwrap_or(false),
            }
        })
    }

    /// How the rulesheet differs from another game.
    fn unlike(&self, other: Game, rulesheet: &Rulesheet, context: &Context) -> Result<Unlike, Failure> {
        let game = self.game(rulesheet.source.text(), Engine::Rules, context);
        let game = game.ok_or_else(|| Failure::input(format!("{} cannot be run", self.name)))?;
        let options = DifferenceOptions { games: 100, ..DifferenceOptions::default() };
        let found = compare_play(game.rules(), other.rules(), &options, context.limits.budget())?;
        let Behaviour::Differs(found) = found else {
            return Err(Failure::input(format!("no difference from {} was found", other.short_name()))
                .hint("`ludex diff` looks further, with more games and states"));
        };
        let moves = found.first.iter().map(|joint| game.rules().texts(joint)).collect();
        let aspects = aspect_texts(&found.aspects, &game, &other);
        Ok(Unlike { game: other, moves, aspects })
    }

    /// Whether a game differs from the other one as the first one did, after the same moves.
    fn is_unlike(&self, game: &Game, other: &Unlike, budget: &Budget) -> bool {
        let mut position = game.rules().start();
        for joint in &other.moves {
            // Moves are terms once they are legal.
            if position.play(joint).is_err() {
                return false;
            }
        }
        let found =
            differs_after(game.rules(), other.game.rules(), &position.joints(), &self.difference, budget);
        let Ok(Some(found)) = found else { return false };
        let found = aspect_texts(&found, game, &other.game);
        other.aspects.iter().all(|aspect| found.contains(aspect))
    }

    /// Whether nothing is an error but what is looked for.
    fn is_in_order(&self, text: &str) -> bool {
        let diagnostics = self.checked(text).diagnostics;
        diagnostics.iter().all(|found| found.severity != Severity::Error || Some(found.code) == self.only)
    }

    fn has_finding(&self, text: &str, check: &Check, budget: &Budget, context: &Context) -> bool {
        let mut checked = self.checked(text);
        if check.needs_states() && !checked.dialect.is_timed() {
            let Ok(deeper) = deepened(checked, self.load.clone(), budget, context) else { return false };
            checked = deeper;
        }
        checked.diagnostics.iter().any(|found| found.code == check.code)
    }

    fn differ(&self, one: &Game, other: &Game, budget: &Budget) -> bool {
        let found = compare_play(one.rules(), other.rules(), &self.difference, budget);
        matches!(found, Ok(Behaviour::Differs(_)))
    }
}

/// Whether a command succeeds with a file of this text.
fn succeeds(command: &str, text: &str, name: &str) -> std::io::Result<bool> {
    let ending = if name.ends_with(".gdl") { ".gdl" } else { ".kif" };
    let mut file = tempfile::Builder::new().suffix(ending).tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    let path = file.path().to_string_lossy();
    let (shell, option) = if cfg!(windows) { ("cmd", "/C") } else { ("sh", "-c") };
    let status = Command::new(shell)
        .arg(option)
        .arg(command.replace("{}", &path))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok(status.success())
}
