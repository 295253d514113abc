//! `ludex propnet`: a game as a propositional net.

use std::collections::HashSet;
use std::io::Write;

use ludex::engines::{NetSetup, Stream};
use ludex::logic::ground::{GroundError, GroundOptions, ground};
use ludex::logic::{Budget, GroundAtom};
use ludex::propnet::passes::{Pass, PassSet};
use ludex::propnet::{
    Circuit, DRAWING_LIMIT, InvariantStatistics, Marking, NetStatistics, NodeId, Propagation, Propnet,
    Simulator,
};
use ludex::{Engine, Game};
use serde_json::{Value, json};

use crate::Context;
use crate::console::table;
use crate::engine_arguments::{EngineArguments, NetArguments};
use crate::failure::Failure;
use crate::limits::grouped;
use crate::output::write_file;
use crate::reasoning::StateArguments;
use crate::rulesheet::{ReadArguments, load_game};

/// Arguments of `propnet`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex propnet tic-tac-toe
  ludex propnet buttons-and-lights --svg --output net.svg
  ludex propnet nim --dot | dot -Tsvg > net.svg
  ludex propnet buttons-and-lights --svg --moves 'a;b' --does c > marked.svg
  ludex propnet figure-9-3 --allow L045 --svg --facts s --does a > figure-9-4.svg
  ludex propnet connect-four --passes -common_pairs

Without a format: how large the net is, with one ground rule for each instance of a
clause (faithful) and with rules split and simplified (optimised), and what the passes
save when the circuit is made of it. Pictures and --json show the faithful net, or with
--optimised the other.
With --marking they show what is true: in the initial state, or in the one that --moves
or --facts names, and while the joint move of --does is made (without it, no input is
true). In pictures what is true is filled.
The passes are constants, hash_consing, flatten, absorption, one_move, legal_moves,
waiting_moves, exclusive, equal_bases, factors, spare_bases, common_pairs, dead_cones.
--json: an object with game, grounding, atoms, rules, literals, statistics (by name),
and net (roles, nodes (with marked, where a marking is shown), edges, inputs, legals,
legal_inputs, rewards, percepts, bases, latches, terminal).")]
pub struct PropnetArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// Print the net in the DOT language
    #[arg(long, group = "format")]
    dot: bool,

    /// Draw the net as an SVG picture
    #[arg(long, group = "format")]
    svg: bool,

    /// Print the net as JSON
    #[arg(long, group = "format")]
    json: bool,

    /// Ground each clause as it stands: what --dot, --svg and --json do anyway
    #[arg(long, conflicts_with = "optimised")]
    faithful: bool,

    /// Split and simplify rules, as it is done for running the game
    #[arg(long)]
    optimised: bool,

    /// Make only these passes over the circuit: all, none, names, or -NAME to leave one out
    #[arg(long, value_name = "LIST", default_value = "all", allow_hyphen_values = true)]
    passes: PassSet,

    /// Mark what is true; --moves, --facts and --does imply it
    #[arg(long, requires = "format")]
    marking: bool,

    #[command(flatten)]
    state: StateArguments,

    /// Write to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,

    #[command(flatten)]
    read: ReadArguments,
}

/// A net with the size of the ground rules it was made of.
struct Grounded {
    net: Propnet,
    atoms: usize,
    rules: usize,
    literals: usize,
}

/// Shows.
pub fn run(arguments: &PropnetArguments, context: &mut Context) -> Result<(), Failure> {
    let engine = EngineArguments::from(Engine::Rules);
    let game = load_game(&arguments.file, &arguments.read, &engine, true, context)?;
    let budget = context.limits.budget().clone();
    let is_marked = arguments.marking || arguments.state.say_something();
    let given = is_marked.then(|| arguments.state.given(game.rules(), &context.limits)).transpose()?;
    let is_picture = arguments.dot || arguments.svg || arguments.json;
    if is_marked && !is_picture {
        return Err(Failure::Usage("a marking is shown by --dot, --svg or --json".into()));
    }
    let text = if is_picture {
        let (options, grounding) = if arguments.optimised {
            (GroundOptions::optimised(), "optimised")
        } else {
            (GroundOptions::faithful(), "faithful")
        };
        picture(arguments, &game, &make(&game, options, &budget)?, grounding, given.as_deref())?
    } else {
        statistics(arguments, &game, context)?
    };
    match &arguments.output {
        Some(file) => write_file(file, &text),
        None => Ok(context.console.write_all(text.as_bytes())?),
    }
}

fn make(game: &Game, options: GroundOptions, budget: &Budget) -> Result<Grounded, Failure> {
    let grounding = ground(&game.program().program, &options.with_budget(budget.clone()));
    let grounding = grounding.map_err(ground_failure)?;
    budget.report("making the net", 0, None);
    let net = Propnet::new(game.program(), &grounding).map_err(|e| Failure::input(e.to_string()))?;
    Ok(Grounded {
        net,
        atoms: grounding.atom_count(),
        rules: grounding.rule_count(),
        literals: grounding.literal_count(),
    })
}

/// What it means that rules cannot be grounded.
pub fn ground_failure(error: GroundError) -> Failure {
    Failure::input(format!("cannot ground the rules: {error}"))
        .hint("`--max-memory` and `--max-time` allow more, if there are not infinitely many ground rules")
}

fn picture(
    arguments: &PropnetArguments,
    game: &Game,
    grounded: &Grounded,
    grounding: &str,
    given: Option<&[GroundAtom]>,
) -> Result<String, Failure> {
    let (net, notation) = (&grounded.net, game.notation());
    let marking = given.map(|given| marking(net, given));
    let marking = marking.as_ref();
    if arguments.dot {
        return Ok(net.draw_dot(notation, marking));
    }
    if arguments.svg {
        let drawn = net.draw_svg(notation, DRAWING_LIMIT, marking);
        return drawn.map_err(|e| Failure::input(e.to_string()));
    }
    let statistics: serde_json::Map<String, Value> = rows_of(&net.statistics())
        .into_iter()
        .map(|(_, name, number)| (name.to_owned(), Value::from(number)))
        .collect();
    let object = json!({
        "game": game.short_name(),
        "grounding": grounding,
        "atoms": grounded.atoms,
        "rules": grounded.rules,
        "literals": grounded.literals,
        "statistics": statistics,
        "net": net.to_json(notation, marking),
    });
    Ok(format!("{}\n", serde_json::to_string(&object)?))
}

/// What is true where these atoms of `true` and `does` hold.
fn marking(net: &Propnet, given: &[GroundAtom]) -> Marking {
    let given: HashSet<&GroundAtom> = given.iter().collect();
    let is_given = |node: NodeId| net.name(node).is_some_and(|name| given.contains(name));
    let bases: Vec<bool> = net.game_bases().iter().map(|&base| is_given(base)).collect();
    let inputs: Vec<NodeId> = net.inputs().iter().flatten().copied().filter(|&n| is_given(n)).collect();
    let mut simulator = Simulator::new(net, Propagation::Forward);
    simulator.mark_bases(&bases);
    simulator.mark_actions(&inputs);
    simulator.marking()
}

/// What is counted of a net: for people, for programs, and the number.
fn rows_of(found: &NetStatistics) -> Vec<(&'static str, &'static str, usize)> {
    vec![
        ("nodes", "nodes", found.nodes),
        ("arcs", "arcs", found.arcs),
        ("inputs", "inputs", found.inputs),
        ("bases", "bases", found.bases),
        ("always true", "latches", found.latches),
        ("views", "views", found.views),
        ("and-gates", "conjunctions", found.conjunctions),
        ("or-gates", "disjunctions", found.disjunctions),
        ("inverters", "negations", found.negations),
        ("transitions", "transitions", found.transitions),
        ("depth", "depth", found.depth),
        ("largest fan-in", "largest_fan_in", found.largest_fan_in),
        ("largest fan-out", "largest_fan_out", found.largest_fan_out),
        ("loops", "loops", found.recursive_components),
        ("nodes in loops", "loop_nodes", found.recursive_nodes),
    ]
}

fn statistics(arguments: &PropnetArguments, game: &Game, context: &Context) -> Result<String, Failure> {
    // The faithful net of a large game is a curiosity: it may take what the automatic choice may.
    let limited = context.limits.auto_budget(context.limits.budget());
    let faithful = if arguments.optimised {
        None
    } else {
        match make(game, GroundOptions::faithful(), &limited) {
            Ok(grounded) => Some(summary(&grounded)),
            Err(failure) if arguments.faithful => return Err(failure),
            Err(_) => None,
        }
    };
    let mut engine = EngineArguments::from(Engine::Net);
    engine.net = NetArguments { passes: arguments.passes, ..NetArguments::default() };
    let options = engine.options(arguments.read.options()?, true, context);
    let machine = game.net_machine(&options)?;
    let setup = machine.setup();
    let mut optimised =
        vec![("atoms", setup.atoms), ("ground rules", setup.rules), ("literals", setup.literals)];
    optimised.extend(setup.net.iter().flat_map(rows_of).map(|(name, _, number)| (name, number)));
    let mut cells = vec![vec![String::new(), "FAITHFUL".into(), "OPTIMISED".into()]];
    for (at, &(name, number)) in optimised.iter().enumerate() {
        let other = faithful.as_ref().map_or_else(|| "-".into(), |rows| grouped(rows[at] as u128));
        cells.push(vec![name.to_owned(), other, grouped(number as u128)]);
    }
    if arguments.faithful {
        cells.iter_mut().for_each(|row| row.truncate(2));
    }
    let console = &context.console;
    let mut out = format!("{}\n", console.bold(game.short_name()));
    out.push_str(&table(console, &cells, &[false, true, true]));
    if faithful.is_none() && !arguments.optimised {
        out.push_str("The faithful net is too large to be made within ten seconds and 1 GiB.\n");
    }
    if !arguments.faithful {
        out.push_str(&passes(arguments, setup, machine.lane_circuit(), context)?);
        out.push_str(&running(setup, machine.stream()));
    }
    Ok(out)
}

fn summary(grounded: &Grounded) -> Vec<usize> {
    let mut rows = vec![grounded.atoms, grounded.rules, grounded.literals];
    rows.extend(rows_of(&grounded.net.statistics()).into_iter().map(|(.., number)| number));
    rows
}

/// What each pass took away, rounds together.
fn passes(
    arguments: &PropnetArguments,
    setup: &NetSetup,
    lane_circuit: &Circuit,
    context: &Context,
) -> Result<String, Failure> {
    let report = &setup.passes;
    let mut cells = vec![["PASS", "OPERATIONS", "GATES", "BASES"].map(str::to_owned).to_vec()];
    let sizes = |name: &str, operations: i64, gates: i64, bases: i64, signed: bool| {
        let text = |number: i64| match (signed, number) {
            (true, 0) => "0".to_owned(),
            (true, n) if n > 0 => format!("-{}", grouped(n.unsigned_abs().into())),
            (true, n) => format!("+{}", grouped(n.unsigned_abs().into())),
            (false, n) => grouped(n.unsigned_abs().into()),
        };
        vec![name.to_owned(), text(operations), text(gates), text(bases)]
    };
    let before = &report.before;
    cells.push(sizes("circuit", before.operations as i64, before.gates as i64, before.bases as i64, false));
    for pass in Pass::ALL {
        let mut runs = report.runs.iter().filter(|run| run.pass == pass).peekable();
        if runs.peek().is_none() {
            continue;
        }
        let saved = runs.fold((0, 0, 0), |sum, run| {
            (
                sum.0 + run.before.operations as i64 - run.after.operations as i64,
                sum.1 + run.before.gates as i64 - run.after.gates as i64,
                sum.2 + run.before.bases as i64 - run.after.bases as i64,
            )
        });
        cells.push(sizes(&format!("  {pass}"), saved.0, saved.1, saved.2, true));
    }
    let after = &report.after;
    cells.push(sizes("one state", after.operations as i64, after.gates as i64, after.bases as i64, false));
    let lanes = |circuit: &Circuit| {
        (circuit.operation_count() as i64, circuit.gate_count() as i64, circuit.bases.len() as i64)
    };
    let (operations, gates, bases) = lanes(lane_circuit);
    cells.push(sizes("lanes", operations, gates, bases, false));
    let mut out = String::from("\n");
    out.push_str(&table(&context.console, &cells, &[false, true, true, true]));
    if arguments.passes != PassSet::all() {
        out.push_str(&format!("passes made     {}\n", arguments.passes));
    }
    if let Some(found) = &setup.invariants {
        out.push_str(&invariants(found));
    }
    Ok(out)
}

fn invariants(found: &InvariantStatistics) -> String {
    format!(
        "invariants      {} proved of {} guessed from {} states\n",
        grouped(found.proved.into()),
        grouped(found.candidates.into()),
        grouped(found.sampled_states.into()),
    )
}

fn running(setup: &NetSetup, stream: &Stream) -> String {
    let found = stream.statistics();
    format!(
        "one state       {} counters and bits, {} KiB\nlanes           {} operations to decide, {} to advance, \
         {} to assess, {} slots\n",
        grouped(setup.slots as u128),
        grouped(setup.bytes.div_ceil(1024) as u128),
        grouped(found.decide as u128),
        grouped(found.advance as u128),
        grouped(found.assess as u128),
        grouped(found.slots as u128),
    )
}
