//! How far the boards of some rulesheets can be played on: `cargo run -p ludex-analysis --example boards --
//! FOLDER RULESHEET...` prints a line for each of them and writes pictures of two states into the folder.
//!
//! A line says what boards there are, which share of the moves of a few random games can be clicked (moves
//! that a role has no choice about do not count), which share is left over when equal clicks are told
//! apart, and what letters are on the pictures.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_analysis::{NamedSpots, Structure};
use ludex_game::{Machine, Rng, RuleMachine, RuleMachineOptions, State};
use ludex_logic::{Budget, Clock, TermId};
use ludex_testkit::program_of;

/// Random games to look at, and the steps of each.
const GAMES: u64 = 3;
const STEPS: usize = 24;
/// The step of the first game that is drawn, beside the first state.
const DRAWN: usize = 14;

/// The clock of the machine.
struct Watch(Instant);

impl Clock for Watch {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

fn budget(seconds: u64) -> Budget {
    #[expect(clippy::disallowed_methods, reason = "a tool may look at the clock")]
    let watch = Arc::new(Watch(Instant::now()));
    Budget::unlimited().with_time(watch, Duration::from_secs(seconds))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("boards FOLDER RULESHEET...")?;
    fs::create_dir_all(&folder)?;
    println!("{:<32} {:>5} {:>6}  {:<40} letters", "game", "click", "unique", "boards");
    for path in arguments {
        let path = Path::new(&path);
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match look(path, &name, Path::new(&folder)) {
            Ok(line) => println!("{line}"),
            Err(error) => println!("{name:<32} {error}"),
        }
    }
    Ok(())
}

/// The line of a rulesheet; its pictures go into the folder.
fn look(path: &Path, name: &str, folder: &Path) -> Result<String, Box<dyn Error>> {
    let game = program_of(path)?;
    let options = RuleMachineOptions { budget: budget(20), tune: false, ..RuleMachineOptions::default() };
    let machine = RuleMachine::new(&game, &options)?;
    let structure = Structure::find(&game, &machine, &budget(5));
    let mut tally = Tally::default();
    for seed in 0..GAMES {
        let states = play(&machine, &structure, seed, &mut tally);
        if seed == 0 {
            for (at, state) in [("0", states.first()), ("1", states.get(DRAWN).or(states.last()))] {
                let drawing = structure.draw_svg(state.map_or(&[], Vec::as_slice));
                tally.read(&drawing);
                fs::write(folder.join(format!("{name}.{at}.svg")), drawing)?;
            }
        }
    }
    let boards: Vec<String> = structure
        .boards()
        .iter()
        .map(|board| format!("{} {:?} {}", board.name(), board.shape(), board.spots()))
        .collect();
    let share = |part: usize| (100 * part).checked_div(tally.moves).map_or("-".to_owned(), |p| p.to_string());
    let letters: Vec<String> = tally.letters.into_iter().take(12).collect();
    let (clickable, unique) = (share(tally.named), share(tally.unique));
    Ok(format!("{name:<32} {clickable:>5} {unique:>6}  {:<40} {}", boards.join(", "), letters.join(" ")))
}

/// What was counted.
#[derive(Default)]
struct Tally {
    moves: usize,
    named: usize,
    unique: usize,
    letters: BTreeSet<String>,
}

impl Tally {
    fn count(&mut self, structure: &Structure, facts: &[TermId], role: TermId, moves: &[TermId]) {
        let named: Vec<NamedSpots> =
            moves.iter().map(|&action| structure.spots_in(facts, Some(role), action)).collect();
        let mut alike: BTreeMap<Vec<String>, usize> = BTreeMap::new();
        let key = |named: &NamedSpots| named.spots.iter().map(ToString::to_string).collect::<Vec<_>>();
        for named in &named {
            *alike.entry(key(named)).or_default() += 1;
        }
        self.moves += moves.len();
        for named in named.iter().filter(|named| !named.spots.is_empty()) {
            self.named += 1;
            self.unique += usize::from(alike[&key(named)] == 1);
        }
    }

    /// The letters of the pieces of a drawing.
    fn read(&mut self, drawing: &str) {
        for text in drawing.split("font-weight=\"bold\"").skip(1) {
            let text = text.split_once('>').map_or("", |(_, rest)| rest);
            let text = text.split_once('<').map_or("", |(text, _)| text);
            self.letters.insert(text.to_owned());
        }
    }
}

/// The states of a random game as far as it goes, as facts; their moves are counted.
fn play(machine: &RuleMachine, structure: &Structure, seed: u64, tally: &mut Tally) -> Vec<Vec<TermId>> {
    let budget = budget(4);
    let signature = machine.signature();
    let mut runner = machine.runner(&budget);
    let mut rng = Rng::from_seed(seed);
    let mut state = State::default();
    let mut states = vec![Vec::new()];
    machine.facts(machine.initial(), &mut states[0]);
    if runner.set(machine.initial()).is_err() {
        return states;
    }
    for _ in 0..STEPS {
        if !matches!(runner.terminal(), Ok(false)) {
            break;
        }
        let mut joint = Vec::new();
        for role in signature.role_ids() {
            let Ok(moves) = runner.legal(role) else { return states };
            let terms: Vec<TermId> = moves.iter().map(|&action| signature.action(action)).collect();
            if terms.len() > 1 {
                let facts = states.last().map_or(&[][..], Vec::as_slice);
                tally.count(structure, facts, signature.roles()[role.index()], &terms);
            }
            joint.extend(rng.pick(moves).copied());
        }
        if joint.len() != signature.roles().len() || runner.step_legal(&joint).is_err() {
            break;
        }
        runner.save(&mut state);
        let mut facts = Vec::new();
        machine.facts(&state, &mut facts);
        states.push(facts);
    }
    states
}
