//! `ludex show --domains`: what can stand in each argument (book tables 14.1 to 14.3), and how many
//! instances of each relation are left by elimination and by forward instantiation.

use std::io::Write;

use ludex::gdl::GameProgram;
use ludex::logic::domain::{Arguments, Domain, DomainGraph, DomainValue, Edges, Vertex};
use ludex::logic::ground::derivable;
use ludex::logic::{Program, RelationId};
use serde_json::{Value, json};

use crate::Context;
use crate::console::prose_table;
use crate::failure::Failure;
use crate::limits::grouped;

/// Of more constants than this, people see the first and the last ones.
const MOST_CONSTANTS: usize = 12;

/// A relation or a function with its domains.
struct Line {
    name: String,
    arguments: Vec<Domain>,
    /// How many instances the domains allow; none where there is no bound.
    allowed: Option<u128>,
    /// How many of a relation elimination leaves, and how many can be derived.
    left: Option<u64>,
    derivable: Option<u64>,
}

/// Shows.
pub fn run(game: &GameProgram, dot: bool, json: bool, context: &mut Context) -> Result<(), Failure> {
    let program = &game.program;
    let budget = context.limits.budget();
    let graph = DomainGraph::new(program, Edges::Extended, Arguments::Shared, &mut budget.meter())?;
    if dot {
        return Ok(context.console.write_all(graph.dot(program).as_bytes())?);
    }
    let mut refused = Vec::new();
    let reduction = match graph.reduce(program, budget) {
        Ok(reduction) => Some(reduction),
        Err(error) => {
            refused.push(format!("LEFT is not known: {error}."));
            // The time is over for everything; other limits are this question's alone.
            budget.meter().check()?;
            None
        }
    };
    let forward = match derivable(program, budget) {
        Ok(forward) => Some(forward),
        Err(error) => {
            refused.push(format!("DERIVABLE is not known: {error}."));
            budget.meter().check()?;
            None
        }
    };
    let functions = functions(program, &graph);
    let used = |&relation: &RelationId| {
        let name = program.relation_name(relation);
        !name.starts_with('\u{1}') && graph.instance_count(program, relation) != Some(0)
    };
    let relations = program.relations.entries().map(|(relation, _)| relation).filter(used);
    let relations: Vec<Line> = relations
        .map(|relation| Line {
            name: program.relation_name(relation).to_owned(),
            arguments: (0..program.relations[relation].arity)
                .filter_map(|index| graph.domain(relation, index))
                .collect(),
            allowed: graph.instance_count(program, relation),
            left: reduction.as_ref().map(|reduction| reduction.count(relation)),
            derivable: forward.as_ref().map(|forward| forward[relation]),
        })
        .collect();
    if json {
        let objects = |lines: &[Line]| lines.iter().map(|line| object(line, program)).collect::<Vec<_>>();
        let object = json!({
            "game": game.source.short_name(),
            "functions": objects(&functions),
            "relations": objects(&relations),
        });
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    text(program, &functions, &relations, &refused, context)
}

fn functions(program: &Program, graph: &DomainGraph) -> Vec<Line> {
    let mut found = Vec::new();
    for (_, vertex) in graph.vertices() {
        let Vertex::Function(function, arity) = vertex else { continue };
        let places = |index| graph.find(Vertex::FunctionArgument { function, arity, index, within: None });
        let Some(places) = (0..arity).map(places).collect::<Option<Vec<_>>>() else { continue };
        let sizes =
            places.iter().try_fold(1u128, |product, &place| Some(product.saturating_mul(graph.size(place)?)));
        found.push(Line {
            name: program.terms.name(function).to_owned(),
            arguments: places.iter().map(|&place| graph.domain_of(place)).collect(),
            allowed: sizes,
            left: None,
            derivable: None,
        });
    }
    found
}

fn text(
    program: &Program,
    functions: &[Line],
    relations: &[Line],
    refused: &[String],
    context: &mut Context,
) -> Result<(), Failure> {
    let console = &mut context.console;
    let number = |number: Option<u128>| number.map_or_else(|| "-".to_owned(), grouped);
    let domains = |line: &Line| -> String {
        let texts: Vec<String> = line.arguments.iter().map(|domain| shown(domain, program)).collect();
        texts.join(" × ")
    };
    if !functions.is_empty() {
        let mut rows = vec![["FUNCTION", "TERMS", "DOMAIN"].map(str::to_owned).to_vec()];
        rows.extend(functions.iter().map(|line| {
            vec![format!("{}/{}", line.name, line.arguments.len()), number(line.allowed), domains(line)]
        }));
        let text = prose_table(console, &rows);
        writeln!(console, "{text}")?;
    }
    let mut rows = vec![["RELATION", "ALLOWED", "LEFT", "DERIVABLE", "DOMAIN"].map(str::to_owned).to_vec()];
    rows.extend(relations.iter().map(|line| {
        vec![
            format!("{}/{}", line.name, line.arguments.len()),
            number(line.allowed),
            number(line.left.map(u128::from)),
            number(line.derivable.map(u128::from)),
            domains(line),
        ]
    }));
    let text = prose_table(console, &rows);
    console.write_all(text.as_bytes())?;
    for line in refused {
        writeln!(console, "{line}")?;
    }
    Ok(())
}

/// A domain for people: as in the book's tables, long lists cut short.
fn shown(domain: &Domain, program: &Program) -> String {
    let (constants, others): (Vec<&DomainValue>, Vec<&DomainValue>) =
        domain.values.iter().partition(|value| matches!(value, DomainValue::Constant(_)));
    let mut texts: Vec<String> = constants.iter().map(|value| value_text(value, program)).collect();
    let count = texts.len();
    if count > MOST_CONSTANTS {
        texts.drain(3..count - 1);
        texts.insert(3, "...".to_owned());
        texts[4].push_str(&format!(" ({count} in all)"));
    }
    texts.extend(others.iter().map(|value| value_text(value, program)));
    format!("{{{}}}", texts.join(", "))
}

fn value_text(value: &DomainValue, program: &Program) -> String {
    match value {
        DomainValue::Constant(symbol) => program.terms.name(*symbol).to_owned(),
        DomainValue::Unbounded(symbol) => format!("{}(...)", program.terms.name(*symbol)),
        DomainValue::Function(symbol, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(|domain| shown(domain, program)).collect();
            format!("{}({})", program.terms.name(*symbol), arguments.join(" × "))
        }
    }
}

fn object(line: &Line, program: &Program) -> Value {
    let whole = |value: &DomainValue| {
        let text = Domain { values: vec![value.clone()] }.text(program);
        text[1..text.len() - 1].to_owned()
    };
    let arguments: Vec<Vec<String>> =
        line.arguments.iter().map(|domain| domain.values.iter().map(whole).collect()).collect();
    // What is beyond 64 bits is no number for most readers.
    let allowed = line.allowed.and_then(|allowed| u64::try_from(allowed).ok());
    json!({
        "name": line.name,
        "arity": line.arguments.len(),
        "arguments": arguments,
        "allowed": allowed,
        "left": line.left,
        "derivable": line.derivable,
    })
}
