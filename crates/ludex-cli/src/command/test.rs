//! `ludex test`: the cases of a rulesheet.

mod coverage;
mod mutants;
mod report;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ludex::analysis::cases::{Case, CaseFile, CaseOptions, CaseReport, blessed, run_case};
use ludex::analysis::property::PropertyOptions;
use ludex::analysis::well_formed::WellFormedOptions;
use ludex::gdl::Source;
use ludex::{Game, Playable, library};

use crate::Context;
use crate::diagnostics::draw;
use crate::failure::{Failure, say};
use crate::input::read_text;
use crate::output::write_file;
use crate::rulesheet::LoadArguments;
use coverage::CoverageOf;

/// Arguments of `test`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex test my-game.kif                       the cases in my-game.cases
  ludex test my-game.kif --filter castling
  ludex test my-game.kif --bless
  ludex test tic-tac-toe --coverage            what random games never use
  ludex test tic-tac-toe --coverage=cases
  ludex test tic-tac-toe --mutate              what no case notices

A file of cases has lines under names; a comment is a line of its own:
  # The game after some moves.
  case a row of crosses wins
    moves mark(1,1) noop; noop mark(2,1)
    legal white mark(3,3), mark(2,2)
    not legal white mark(1,1)
    all legal black noop
    wins white mark(1,2); mark(2,2); mark(1,3)
  case what is always so
    never true(cell(M,N,x)) & true(cell(M,N,o))
    after does(R,mark(M,N)) : ~true(cell(M,N,b))

The lines: `moves`, `facts` and `does` lead to a position and a move; `legal`, `true`,
`next` and `sees`, each after `not` or `all` as well, `terminal`, `goal`, `perft` and
`wins` say what is so there; `always`, `never` and `after` what is so from there on,
`ends` and `playable` what is so of the game. What is so from there on is proved where it
can be, else tried in random games, and it is said which. `?` stands for a value that
--bless is to fill in.

--coverage lists the rules, alternatives of disjunctions and moves that are never used: in
random games, in the positions of the cases (=cases), or in a record or trace (=FILE).
--mutate leaves out one literal, alternative or rule after the other and lists those
without which every case is still as expected: a case is missing, or the part is of no
use.

--json: one object per game, each on its line: file, cases (a list of objects with name,
line, ok, and lines: each with line, column, text, ok, expected, found, message, hint,
note), with --coverage coverage (positions, parts: kind, used, line, column, start, end;
moves: role, move, legal, made), with --mutate mutants (dropped, line, column, start,
end, fate, case).
Exit code 1 if anything is not as expected.")]
pub struct TestArguments {
    /// Rulesheets or names of bundled games
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,

    /// The file of cases; otherwise that beside the rulesheet, ending in `.cases`
    #[arg(long, value_name = "FILE")]
    cases: Option<String>,

    /// Run the cases only whose names have this in them
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,

    /// Put what is found into the file in place of what is expected
    #[arg(long)]
    bless: bool,

    /// List what is never used: in random games, in the cases, or in a record or trace
    #[arg(long, value_name = "games|cases|FILE", num_args = 0..=1, require_equals = true,
          default_missing_value = "games")]
    coverage: Option<String>,

    /// List what can be left out of the rules without any case noticing
    #[arg(long)]
    mutate: bool,

    /// The seed of random games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How many random games are played
    #[arg(long, value_name = "N", default_value_t = PropertyOptions::default().games)]
    games: u32,

    #[command(flatten)]
    load: LoadArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The time for the properties of one case where no limit is given.
const PROOF_TIME: Duration = Duration::from_secs(60);

/// Runs cases.
pub fn run(arguments: &TestArguments, context: &mut Context) -> Result<(), Failure> {
    if arguments.cases.is_some() && arguments.files.len() > 1 {
        return Err(Failure::Usage("`--cases` is for one game".into()));
    }
    let mut bad = false;
    for file in &arguments.files {
        match run_file(file, arguments, context) {
            Ok(passed) => bad |= !passed,
            // The other games are tested all the same.
            Err(failure @ (Failure::Input { .. } | Failure::Reported)) if arguments.files.len() > 1 => {
                context.console.flush()?;
                failure.report(context.console.error_color);
                bad = true;
            }
            Err(other) => return Err(other),
        }
    }
    if bad { Err(Failure::Reported) } else { Ok(()) }
}

/// Runs the cases of one game; whether all is as expected.
fn run_file(file: &str, arguments: &TestArguments, context: &mut Context) -> Result<bool, Failure> {
    // A rulesheet that is missing or wrong is said before its cases are looked for.
    let game = playable(file, arguments, context)?;
    let of = arguments.coverage.as_deref().map(CoverageOf::named);
    // What random games or records use is nothing that cases are needed for.
    let needs_cases = arguments.mutate || of.as_ref().is_none_or(|of| *of == CoverageOf::Cases);
    let place = match CasePlace::of(file, arguments) {
        Ok(place) => Some(place),
        Err(failure) if needs_cases => return Err(failure),
        Err(_) => None,
    };
    let mut cases = place.as_ref().map(|place| read_cases(place, context)).transpose()?;
    let mut tested =
        cases.as_ref().map_or_else(Vec::new, |cases| run_cases(&game, cases, arguments, context));
    if let (true, Some(place), Some(written)) = (arguments.bless, &place, &cases)
        && bless(place, written, &tested)?
    {
        let corrected = read_cases(place, context)?;
        tested = run_cases(&game, &corrected, arguments, context);
        cases = Some(corrected);
    }
    let passed = tested.iter().flatten().all(CaseReport::passed);
    let covered = of.map(|of| coverage::coverage(&of, &game, &tested, arguments, context)).transpose()?;
    let to_mutate = cases.as_ref().filter(|_| arguments.mutate && passed);
    if arguments.json {
        let mut object = report::json(file, cases.as_ref(), &tested);
        if let Some(covered) = &covered {
            object["coverage"] = coverage::json(&game, covered);
        }
        if let Some(cases) = to_mutate {
            object["mutants"] = mutants::json(&game, &mutants::mutants(&game, cases, arguments, context)?);
        }
        writeln!(context.console, "{object}")?;
        return Ok(passed);
    }
    if let Some(cases) = &cases {
        report::text(cases, &tested, arguments.filter.is_some(), &mut context.console)?;
    }
    if let Some(covered) = &covered {
        coverage::text(&game, covered, &mut context.console)?;
    }
    if let Some(cases) = to_mutate {
        let mutants = mutants::mutants(&game, cases, arguments, context)?;
        mutants::text(&game, &mutants, &mut context.console)?;
    } else if arguments.mutate {
        say("note: rules are not changed as long as a case fails: it would notice anything");
    }
    Ok(passed)
}

impl TestArguments {
    fn wants(&self, case: &Case) -> bool {
        self.filter.as_ref().is_none_or(|part| case.name.contains(part))
    }
}

/// Writes what was found into a file of cases; whether that changed anything.
fn bless(place: &CasePlace, cases: &CaseFile, tested: &[Option<CaseReport>]) -> Result<bool, Failure> {
    let reports: Vec<CaseReport> = tested.iter().flatten().cloned().collect();
    let count = reports.iter().filter(|report| report.has_corrections()).count();
    if count == 0 {
        return Ok(false);
    }
    let CasePlace::File(name) = place else {
        return Err(Failure::input("the cases of bundled games are not written to")
            .hint("`--cases FILE` names a file of one's own"));
    };
    write_file(name, &blessed(cases, &reports))?;
    say(&format!("{name}: {count} case{} blessed", if count == 1 { "" } else { "s" }));
    Ok(true)
}

/// A game that cases can be about.
fn playable(file: &str, arguments: &TestArguments, context: &Context) -> Result<Game, Failure> {
    if file.ends_with(".cases") {
        return Err(Failure::input(format!("`{file}` is a file of cases, and a rulesheet is needed here"))
            .hint("cases are looked for beside their rulesheet; `--cases FILE` names others"));
    }
    match arguments.load.playable(file, false, context)? {
        Playable::InSteps(game) => Ok(game),
        Playable::InTime(_) => {
            Err(Failure::input(format!("`{file}` is in real time, and cases are about games in steps"))
                .hint("`ludex step`, `why` and `perft --grid` look at games in real time"))
        }
    }
}

/// Where cases are written.
enum CasePlace {
    File(String),
    Bundled(&'static str, &'static str),
}

impl CasePlace {
    fn of(file: &str, arguments: &TestArguments) -> Result<Self, Failure> {
        if let Some(cases) = &arguments.cases {
            return Ok(Self::File(cases.clone()));
        }
        if !Path::new(file).exists() {
            let name = file.rsplit('/').next().unwrap_or(file);
            let name =
                [".kif", ".gdl", ".hrf"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
            if let Some((name, text)) = library::cases(name) {
                return Ok(Self::Bundled(name, text));
            }
            if library::find(name).is_some() {
                return Err(Failure::input(format!("the bundled game `{name}` has no cases"))
                    .hint("`--cases FILE` names a file of one's own"));
            }
        }
        let beside = Path::new(file).with_extension("cases").to_string_lossy().into_owned();
        if file == "-" || (Path::new(file).exists() && !Path::new(&beside).exists()) {
            let message = format!("there are no cases of `{file}`");
            return Err(Failure::input(message)
                .hint(format!("they are looked for in `{beside}`, or in the file of `--cases`")));
        }
        Ok(Self::File(beside))
    }
}

/// Reads cases. Errors in them are drawn on standard error.
fn read_cases(place: &CasePlace, context: &Context) -> Result<CaseFile, Failure> {
    let source = match place {
        CasePlace::File(file) => Source::new(file.as_str(), read_text(file, &context.limits)?),
        CasePlace::Bundled(file, text) => Source::new(file.rsplit('/').next().unwrap_or(file), *text),
    };
    let source = Arc::new(source);
    CaseFile::read(Arc::clone(&source)).map_err(|errors| {
        say(draw(&source, &errors, context.console.error_color).trim_end());
        Failure::Reported
    })
}

/// Runs the cases whose names fit; one place for each case, empty where it was not run.
fn run_cases(
    game: &Game,
    cases: &CaseFile,
    arguments: &TestArguments,
    context: &Context,
) -> Vec<Option<CaseReport>> {
    let budget = context.limits.budget();
    let total = cases.cases.len() as u64;
    let run = |(number, case): (u64, &Case)| {
        budget.report("cases", number, Some(total));
        arguments
            .wants(case)
            .then(|| run_case(cases, case, game.rules(), &case_options(arguments, context), budget))
    };
    (0..).zip(&cases.cases).map(run).collect()
}

fn case_options(arguments: &TestArguments, context: &Context) -> CaseOptions {
    let property =
        PropertyOptions { seed: arguments.seed, games: arguments.games, ..PropertyOptions::default() };
    CaseOptions {
        property,
        well_formed: WellFormedOptions { seed: arguments.seed, ..WellFormedOptions::default() },
        proof_budget: context.limits.analysis_budget(PROOF_TIME).without_progress(),
        stops_early: false,
    }
}
