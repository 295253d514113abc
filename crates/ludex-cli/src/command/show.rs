//! `ludex show`: what a rulesheet consists of.

mod in_time;

use std::io::Write;

use ludex::analysis::rule_graph::{DrawingStep, RuleGraph};
use ludex::game::with_passing_time;
use ludex::gdl::{Checked, GameProgram, Notation};
use ludex::logic::dependency::Dependencies;
use ludex::logic::{Program, RelationId, escape};
use ludex::propnet::passes::PassSet;
use ludex::{Engine, EngineChoice, Game};
use serde_json::{Value, json};

use crate::Context;
use crate::command::ground_rules::{List, Listing};
use crate::command::state_graph::{StateFormat, StateGraph};
use crate::command::{domains, ground_rules};
use crate::console::{Console, table};
use crate::diagnostics::counts;
use crate::engine_arguments::EngineArguments;
use crate::failure::Failure;
use crate::incomplete;
use crate::limits::grouped;
use crate::moves_text::{play_all, text_or_file};
use crate::picture::Picture;
use crate::rulesheet::{ReadArguments, is_part, read_checked, run_checked, with_rules};

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex show tic-tac-toe
  ludex show tic-tac-toe --dot | dot -Tsvg > relations.svg
  ludex show problem-2-1 --states 50               all states with facts, goals and moves
  ludex show problem-2-1 --states 50 --dot | dot -Tsvg > states.svg
  ludex show buttons-and-lights --ground           the rules without variables
  ludex show prisoners-dilemma --actions           who can do what
  ludex show prisoners-dilemma --propositions      what can be true
  ludex show buttons-and-lights --rule-graph --dot | dot -Tsvg > rules.svg
  ludex show tic-tac-toe --domains                 what can stand where (--dot draws it)
  ludex show reversi --svg > board.svg             the initial state; --moves goes further
  ludex show timed-tic-tac-toe --svg --moves 'xplayer does mark(1,1)' > board.svg

A part of a game, such as one without roles, is shown as far as nothing has to be run:
--states and --svg need a whole game. KIND says what a relation depends on: nothing that
changes (fixed), the state, or the moves. Games in real time have no state graph and no
ground rules: any time may be left of a lifetime. In --domains, --propositions and
--actions lifetimes are those that the rules write.
--json: an object with game, dialect, notation, roles, clauses, rules, propositions,
moves, listed, strata, initial_facts, initial_moves, engine (what --engine auto
chooses), engine_reason, in real time initial_lifetimes, relations (each with name,
arity, kind, stratum, recursive, clauses, uses, denies). With --domains: an object with
game, functions and relations, each with name, arity, arguments (what can stand in
each), allowed, and of relations left and derivable. With --states: game, states (each
with number, facts, terminal, goals by role, and arcs with moves and to), left_out (arcs
to states beyond the limit). With --ground: game, atoms, literals, rules (each with head,
body and the line of its clause). With --propositions or --actions: game, source
(declared or found) and the list, of actions by role.")]
pub struct ShowArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// Print a graph in the DOT language: of the relations, or with --states, --rule-graph,
    /// --domains another
    #[arg(long)]
    dot: bool,

    /// The rule graph: what the clauses are when names do not matter
    #[arg(long, requires = "dot", conflicts_with = "states")]
    rule_graph: bool,

    /// How far to draw the rule graph: 1 occurrences, 2 arguments, 3 symbols, 4 colours
    #[arg(long, value_name = "STEP", requires = "rule_graph", default_value_t = 4,
          value_parser = clap::value_parser!(u8).range(1..=4))]
    step: u8,

    /// What can stand in each argument, and how many instances are left when more is asked (14.2, 14.3)
    #[arg(long, conflicts_with_all = ["states", "rule_graph", "svg"])]
    domains: bool,

    /// The state graph of a small game with the goal values of each state: at most N states
    #[arg(long, value_name = "N")]
    states: Option<usize>,

    /// The rules without variables: an instance for each way that a clause can ever apply, without the
    /// conditions that hold in every state (14.1 to 14.4)
    #[arg(long, group = "list", conflicts_with_all = ["states", "rule_graph", "svg", "domains", "dot"])]
    ground: bool,

    /// What can be true: what `base` lists, or else what is found out by grounding the rules
    #[arg(long, group = "list", conflicts_with_all = ["states", "rule_graph", "svg", "domains", "dot"])]
    propositions: bool,

    /// What each role can do: what `input` lists, or else what is found out by grounding the rules
    #[arg(long, group = "list", conflicts_with_all = ["states", "rule_graph", "svg", "domains", "dot"])]
    actions: bool,

    /// Print lists to their end, not only the first 200 lines
    #[arg(long, requires = "list")]
    all: bool,

    /// Draw a state as an SVG picture
    #[arg(long, conflicts_with_all = ["dot", "json"])]
    svg: bool,

    /// Draw the state after these joint moves: "mark(1,1) noop; noop mark(2,2)", or @FILE
    #[arg(long, value_name = "MOVES", requires = "svg")]
    moves: Option<String>,

    /// Make only these passes over the net when looking for an engine
    #[arg(long, value_name = "LIST", default_value = "all", allow_hyphen_values = true)]
    passes: PassSet,

    #[command(flatten)]
    read: ReadArguments,

    /// Print JSON
    #[arg(long, conflicts_with = "dot")]
    json: bool,
}

/// One line about a relation.
struct RelationLine {
    name: String,
    arity: usize,
    kind: &'static str,
    stratum: usize,
    recursive: bool,
    clauses: usize,
    uses: Vec<String>,
    denies: Vec<String>,
}

impl ShowArguments {
    /// Whether it is about what a game that runs has, and not about the sentences of one in IGDL.
    fn looks_into_the_game(&self) -> bool {
        let is_list = self.ground || self.propositions || self.actions || self.domains;
        is_list || self.dot || self.states.is_some() || self.svg
    }
}

/// Shows.
pub fn run(arguments: &ShowArguments, context: &mut Context) -> Result<(), Failure> {
    let checked = read_checked(&arguments.file, &arguments.read, context)?;
    if !arguments.looks_into_the_game()
        && let Some(sentences) = incomplete::sentences_of(&checked, context)?
    {
        return incomplete::show(&sentences, arguments.json, context);
    }
    let checked = with_rules(checked, context)?;
    let is_timed = checked.dialect.is_timed();
    if is_timed {
        in_time::refuse(arguments)?;
    }
    let needs_game = arguments.svg || arguments.states.is_some();
    let is_part = is_part(&checked);
    let list = match (arguments.ground, arguments.propositions, arguments.actions) {
        (true, ..) => Some(ground_rules::rules as List),
        (_, true, _) => Some(ground_rules::propositions as List),
        (.., true) => Some(ground_rules::actions as List),
        _ => None,
    };
    let shown = checked.game.as_ref().filter(|_| is_part || !checked.has_errors());
    if let (Some(list), Some(program)) = (list, shown) {
        let ShowArguments { json, all, .. } = *arguments;
        let notation = checked.rulesheet.notation;
        return list(&Listing { game: &with_passing_time(program), notation, json, all }, context);
    }
    match shown {
        Some(program) if arguments.rule_graph => {
            let graph = RuleGraph::new(program, &mut context.limits.budget().meter())?;
            let dot = graph.dot(DrawingStep::ALL[usize::from(arguments.step) - 1]);
            return Ok(context.console.write_all(dot.as_bytes())?);
        }
        Some(program) if arguments.domains => {
            return domains::run(&with_passing_time(program), arguments.dot, arguments.json, context);
        }
        Some(program) if arguments.dot && !needs_game => {
            let dot = relation_graph(program, &Dependencies::new(&program.program));
            return Ok(context.console.write_all(dot.as_bytes())?);
        }
        Some(program) if is_part && !needs_game => {
            let lines = relation_lines(program, &Dependencies::new(&program.program));
            return show_part(&checked, program, &lines, arguments.json, context);
        }
        _ => {}
    }
    if is_timed {
        return in_time::run(checked, arguments, context);
    }
    let load = arguments.read.options()?;
    let game = run_checked(checked, load.clone(), &Engine::Rules.into(), true, context)?;
    if arguments.svg {
        let mut position = game.start();
        if let Some(moves) = &arguments.moves {
            play_all(&mut position, &text_or_file(moves, &context.limits)?)?;
        }
        let svg = Picture::new(game.rules(), context).svg(game.rules(), position.state());
        return Ok(context.console.write_all(svg.as_bytes())?);
    }
    if let Some(limit) = arguments.states {
        let format = match (arguments.dot, arguments.json) {
            (true, _) => StateFormat::Dot,
            (_, true) => StateFormat::Json,
            _ => StateFormat::Text,
        };
        return StateGraph::new(&game, limit, context)?.show(format, context);
    }
    let lines = relation_lines(game.program(), &Dependencies::new(&game.program().program));
    let mut engine = EngineArguments::from(Engine::Auto);
    engine.net.passes = arguments.passes;
    let choice = game.auto_choice(&engine.options(load, true, context));
    if arguments.json {
        return json_output(&game, &lines, &choice, context);
    }
    text_output(&game, &lines, &choice, context)
}

/// Rules that are no whole game: what there is to say without running them.
fn show_part(
    checked: &Checked,
    program: &GameProgram,
    lines: &[RelationLine],
    json: bool,
    context: &mut Context,
) -> Result<(), Failure> {
    let name = program.source.short_name();
    let terms = &program.program.terms;
    let roles: Vec<String> = program.roles.iter().map(|&role| terms.prefix(role)).collect();
    let notation = notation_name(checked.rulesheet.notation);
    let [errors, ..] = counts(&checked.diagnostics);
    let plural = if errors == 1 { "an error" } else { "errors" };
    let console = &mut context.console;
    let reason = format!("it has {plural}, so it cannot be run");
    if json {
        let mut object = description(program, notation, &roles, lines);
        object["engine_reason"] = reason.into();
        writeln!(console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    let rows = vec![
        ("language", format!("{}, {notation} notation", checked.dialect)),
        ("roles", if roles.is_empty() { "none".to_owned() } else { roles.join(", ") }),
        ("clauses", clauses_text(&program.program)),
        ("strata", strata_count(lines).to_string()),
        ("engine", format!("none: it has {plural}, which `ludex check` lists, so it cannot be run")),
    ];
    write_rows(name, &rows, lines, console)
}

fn relation_lines(game: &GameProgram, dependencies: &Dependencies) -> Vec<RelationLine> {
    let program = &game.program;
    let strata = dependencies.strata();
    let kinds = Kinds::new(game, dependencies);
    let by_head = program.clauses_by_head();
    let mut lines = Vec::new();
    for (id, relation) in program.relations.entries() {
        let name = program.terms.name(relation.name).to_owned();
        if name.starts_with('\u{1}') || (by_head[id].is_empty() && !is_used(dependencies, id)) {
            continue;
        }
        let names = |negative: bool| {
            let mut names: Vec<String> = dependencies
                .uses(id)
                .iter()
                .filter(|e| e.negative == negative)
                .map(|e| program.relation_name(e.body).to_owned())
                .collect();
            names.sort();
            names.dedup();
            names
        };
        lines.push(RelationLine {
            name,
            arity: relation.arity,
            kind: kinds.of(id),
            stratum: strata[id],
            recursive: dependencies.is_recursive(id),
            clauses: by_head[id].len(),
            uses: names(false),
            denies: names(true),
        });
    }
    lines
}

fn is_used(dependencies: &Dependencies, relation: RelationId) -> bool {
    dependencies.edges().iter().any(|e| e.body == relation)
}

/// What relations depend on.
struct Kinds {
    on_state: Vec<bool>,
    on_moves: Vec<bool>,
}

impl Kinds {
    fn new(game: &GameProgram, dependencies: &Dependencies) -> Self {
        let vocabulary = &game.vocabulary;
        let reach = |relations: Vec<_>| dependencies.dependents(relations).iter().copied().collect();
        // In real time the state says what expired at the update that made it, too.
        let state = [Some(vocabulary.truth), vocabulary.expired].into_iter().flatten();
        Self { on_state: reach(state.collect()), on_moves: reach(vec![vocabulary.does]) }
    }

    fn of(&self, relation: RelationId) -> &'static str {
        use ludex::logic::Id;
        match (self.on_moves[relation.index()], self.on_state[relation.index()]) {
            (true, _) => "moves",
            (false, true) => "state",
            (false, false) => "fixed",
        }
    }
}

fn notation_name(notation: Notation) -> &'static str {
    match notation {
        Notation::Prefix => "prefix",
        Notation::Infix => "infix",
    }
}

fn rule_count(program: &Program) -> usize {
    program.clauses.iter().filter(|c| !c.is_fact()).count()
}

fn clauses_text(program: &Program) -> String {
    let (all, rules) = (program.clauses.len(), rule_count(program));
    format!("{all}: {rules} rules, {} facts", all - rules)
}

fn json_output(
    game: &Game,
    lines: &[RelationLine],
    choice: &EngineChoice,
    context: &mut Context,
) -> Result<(), Failure> {
    let start = game.start();
    let mut moves = serde_json::Map::new();
    for role in game.roles() {
        moves.insert(game.role_name(role), Value::from(start.legal_texts(role)?));
    }
    let notation = notation_name(game.notation());
    let mut object = description(game.program(), notation, &game.role_names(), lines);
    object["propositions"] = game.signature().known_propositions().into();
    object["moves"] = game.signature().known_actions().into();
    object["initial_facts"] = start.fact_texts().into();
    object["initial_moves"] = moves.into();
    object["engine"] = choice.engine.to_string().into();
    object["engine_reason"] = choice.reason.clone().into();
    writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
    Ok(())
}

/// What there is to say for programs without running anything; null stands for the rest.
fn description(game: &GameProgram, notation: &str, roles: &[String], lines: &[RelationLine]) -> Value {
    json!({
        "game": game.source.short_name(),
        "dialect": game.dialect.to_string(),
        "notation": notation,
        "roles": roles,
        "clauses": game.program.clauses.len(),
        "rules": rule_count(&game.program),
        "propositions": null,
        "moves": null,
        "listed": is_listed(game),
        "strata": strata_count(lines),
        "initial_facts": null,
        "initial_moves": null,
        "engine": null,
        "engine_reason": null,
        "relations": relations_json(lines),
    })
}

fn relations_json(lines: &[RelationLine]) -> Vec<Value> {
    lines
        .iter()
        .map(|l| {
            json!({
                "name": l.name, "arity": l.arity, "kind": l.kind, "stratum": l.stratum,
                "recursive": l.recursive, "clauses": l.clauses, "uses": l.uses, "denies": l.denies,
            })
        })
        .collect()
}

/// Whether the rulesheet itself lists its propositions and moves.
fn is_listed(game: &GameProgram) -> bool {
    let by_head = game.program.clauses_by_head();
    let vocabulary = &game.vocabulary;
    !by_head[vocabulary.base].is_empty() && !by_head[vocabulary.input].is_empty()
}

fn strata_count(lines: &[RelationLine]) -> usize {
    lines.iter().map(|l| l.stratum + 1).max().unwrap_or(1)
}

fn text_output(
    game: &Game,
    lines: &[RelationLine],
    choice: &EngineChoice,
    context: &mut Context,
) -> Result<(), Failure> {
    let program = &game.program().program;
    let start = game.start();
    let mut legal = Vec::new();
    for role in game.roles() {
        legal.push(format!("{} {}", game.role_name(role), start.legal(role)?.len()));
    }
    let random = if game.random_role().is_some() { " (random moves by chance)" } else { "" };
    let source = if is_listed(game.program()) { "from base and input" } else { "found by domain analysis" };
    let rows = vec![
        ("language", format!("{}, {} notation", game.dialect(), notation_name(game.notation()))),
        ("roles", format!("{}{random}", game.role_names().join(", "))),
        ("clauses", clauses_text(program)),
        ("propositions", format!("{} ({source})", grouped(game.signature().known_propositions() as u128))),
        ("moves", grouped(game.signature().known_actions() as u128)),
        ("at the start", format!("{} facts; legal moves: {}", start.facts().len(), legal.join(", "))),
        ("strata", strata_count(lines).to_string()),
        ("engine", engine_text(choice)),
    ];
    write_rows(game.short_name(), &rows, lines, &mut context.console)
}

/// What there is to say of the whole, and the table of the relations.
fn write_rows(
    name: &str,
    rows: &[(&str, String)],
    lines: &[RelationLine],
    console: &mut Console,
) -> Result<(), Failure> {
    writeln!(console, "{}", console.bold(name))?;
    for (name, value) in rows {
        writeln!(console, "  {name:<13} {value}")?;
    }
    writeln!(console)?;
    let mut cells =
        vec![["RELATION", "KIND", "STRATUM", "CLAUSES", "DEPENDS ON"].map(str::to_owned).to_vec()];
    let width = console.width();
    let longest = lines.iter().map(|l| l.name.chars().count() + 4).max().unwrap_or(8);
    let room = width.saturating_sub(longest + 2 + 5 + 2 + 7 + 2 + 7 + 2).max(20);
    for line in lines {
        let denied = line.denies.iter().map(|name| format!("~{name}"));
        let mut uses: Vec<String> = line.uses.iter().cloned().chain(denied).collect();
        if line.recursive {
            uses.push("(recursive)".into());
        }
        let mut wrapped = wrap(&uses, room).into_iter();
        cells.push(vec![
            format!("{}/{}", line.name, line.arity),
            line.kind.into(),
            line.stratum.to_string(),
            line.clauses.to_string(),
            wrapped.next().unwrap_or_default(),
        ]);
        for more in wrapped {
            cells.push(vec![String::new(), String::new(), String::new(), String::new(), more]);
        }
    }
    let text = table(console, &cells, &[false, false, true, true, false]);
    console.write_all(text.as_bytes())?;
    Ok(())
}

/// Which engine runs the game if many questions come, and why.
fn engine_text(choice: &EngineChoice) -> String {
    let size = choice.setup.as_ref().map(|setup| {
        let [atoms, rules] = [setup.atoms, setup.rules].map(|number| grouped(number as u128));
        format!(" ({atoms} atoms, {rules} ground rules)")
    });
    format!("{choice}{}", size.unwrap_or_default())
}

/// Words in lines of at most so many columns.
fn wrap(words: &[String], room: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.clone()),
        }
    }
    lines
}

/// Relations as nodes, an arrow from each to what it depends on; dashed through a negation.
fn relation_graph(game: &GameProgram, dependencies: &Dependencies) -> String {
    let program = &game.program;
    let kinds = Kinds::new(game, dependencies);
    let mut out =
        String::from("digraph relations {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n");
    let by_head = program.clauses_by_head();
    let node = |id: RelationId| format!("{}/{}", program.relation_name(id), program.relations[id].arity);
    for (id, clauses) in by_head.entries() {
        if program.relation_name(id).starts_with('\u{1}')
            || (clauses.is_empty() && !is_used(dependencies, id))
        {
            continue;
        }
        let style = match kinds.of(id) {
            "moves" => ", style=filled, fillcolor=\"#fde0c8\"",
            "state" => ", style=filled, fillcolor=\"#d8e8f8\"",
            _ => "",
        };
        out.push_str(&format!("  {} [label={}{style}];\n", quoted(&node(id)), quoted(&node(id))));
    }
    for edge in dependencies.edges() {
        let style = if edge.negative { " [style=dashed, label=\"not\"]" } else { "" };
        out.push_str(&format!("  {} -> {}{style};\n", quoted(&node(edge.head)), quoted(&node(edge.body))));
    }
    out.push_str("}\n");
    out
}

/// A string of the DOT language.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", escape::dot(text))
}
