//! `ludex rules`: libraries of rules, listed, printed, and put into a rulesheet.

use std::io::Write;

use ludex::gdl::{Notation, Source};
use ludex::rule_library::{self, Library, RuleLibraryError, Selection, insert};
use serde_json::{Value, json};

use crate::Context;
use crate::console::{prose_table, wrapped};
use crate::failure::{Failure, say};
use crate::input::read_text;
use crate::output::write_file;
use crate::rulesheet::{nearest, notation};

/// Arguments of `rules`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex rules                                       list the libraries
  ludex rules board --about                         what is in one of them
  ludex rules numbers --set max=20
  ludex rules lines --set width=7 --set height=6 --set length=4 --notation infix
  ludex rules board --only adjacent,distance        with what they build on
  ludex rules numbers --only less --set max=9 --into my-game.kif

GDL cannot include files, so the rules of a library are written into the rulesheet,
between two comments. Libraries on which others build are written, too. --into writes in
the notation of the file and leaves all else as it is; a library that is there is written
anew, with the parts that it has and those that are named, and with the values that it
has unless others are set.

--json: a list of objects with name, title, explanation, needs, parameters (name,
meaning, usual, expected) and parts (name, idea, builds_on, relations and asks: name,
arity, text, meaning); with --into an object with file, added and replaced.")]
pub struct RulesArguments {
    /// Libraries
    #[arg(value_name = "NAME")]
    names: Vec<String>,

    /// Set a parameter of the libraries that have it
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,

    /// Take these parts or relations only, and what they build on
    #[arg(long, value_name = "PART,PART", value_delimiter = ',')]
    only: Vec<String>,

    /// Write them in this notation: prefix or infix
    #[arg(long, value_name = "NOTATION", value_parser = notation, conflicts_with = "into")]
    notation: Option<Notation>,

    /// Put them into this rulesheet
    #[arg(long, value_name = "FILE", conflicts_with = "about")]
    into: Option<String>,

    /// Say what is in them instead of printing the rules
    #[arg(long)]
    about: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lists, prints or writes rules.
pub fn run(arguments: &RulesArguments, context: &mut Context) -> Result<(), Failure> {
    let libraries = named(&arguments.names)?;
    if libraries.is_empty() {
        if arguments.into.is_some() || !arguments.only.is_empty() || !arguments.set.is_empty() {
            return Err(Failure::Usage("which library? `ludex rules` lists them".into()));
        }
        return list(arguments.json, context);
    }
    if arguments.about || (arguments.json && arguments.into.is_none()) {
        return about(&libraries, arguments.json, context);
    }
    let selection = selection(arguments, &libraries)?;
    match &arguments.into {
        Some(file) => into(file, &selection, arguments.json, context),
        None => {
            let text = selection.text(arguments.notation.unwrap_or(Notation::Prefix)).map_err(wrong)?;
            context.console.write_all(text.as_bytes())?;
            Ok(())
        }
    }
}

fn named(names: &[String]) -> Result<Vec<&'static Library>, Failure> {
    let find = |name: &String| {
        rule_library::find(name).ok_or_else(|| {
            let failure = Failure::input(format!("there is no library `{name}`"));
            match nearest(name, rule_library::all().iter().map(|library| library.name)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure.hint("`ludex rules` lists them"),
            }
        })
    };
    names.iter().map(find).collect()
}

fn selection(arguments: &RulesArguments, libraries: &[&'static Library]) -> Result<Selection, Failure> {
    let mut selection = Selection::new();
    for set in &arguments.set {
        let Some((name, value)) = set.split_once('=') else {
            return Err(Failure::Usage(format!("`--set {set}` is not NAME=VALUE")));
        };
        selection.set(name, value).map_err(wrong)?;
    }
    if arguments.only.is_empty() {
        for library in libraries {
            selection.add(library.name, &[]).map_err(wrong)?;
        }
        return Ok(selection);
    }
    for part in &arguments.only {
        // A part belongs to the first of the libraries that has it.
        let added = libraries.iter().any(|library| selection.add(library.name, &[part]).is_ok());
        if !added {
            let library = libraries.first().map_or("", |library| library.name);
            selection.add(library, &[part]).map_err(wrong)?;
        }
    }
    Ok(selection)
}

fn into(file: &str, selection: &Selection, as_json: bool, context: &mut Context) -> Result<(), Failure> {
    if file == "-" {
        return Err(Failure::Usage("`--into` needs a file that can be written".into()));
    }
    let text = read_text(file, &context.limits)?;
    let inserted = insert(&Source::new(file, text.as_str()), selection).map_err(|error| match error {
        RuleLibraryError::Defined { .. } => Failure::input(format!("{file}: {error}"))
            .hint("`--only` takes some parts of a library; or leave out the rules of your own"),
        RuleLibraryError::Syntax { .. } | RuleLibraryError::Section { .. } => {
            Failure::input(format!("{file}: {error}"))
        }
        other => wrong(other),
    })?;
    if inserted.text != text {
        write_file(file, &inserted.text)?;
    }
    if as_json {
        let object = json!({ "file": file, "added": inserted.added, "replaced": inserted.replaced });
        writeln!(context.console, "{object}")?;
        return Ok(());
    }
    for (what, names) in [("added", &inserted.added), ("replaced", &inserted.replaced)] {
        if !names.is_empty() {
            say(&format!("{file}: {what} {}", names.join(", ")));
        }
    }
    if inserted.text == text {
        say(&format!("{file}: nothing to change"));
    }
    Ok(())
}

fn list(as_json: bool, context: &mut Context) -> Result<(), Failure> {
    let all: Vec<&'static Library> = rule_library::all().iter().collect();
    let console = &mut context.console;
    if as_json {
        let list: Vec<Value> = all.iter().map(|library| object(library)).collect();
        writeln!(console, "{}", serde_json::to_string_pretty(&list)?)?;
        return Ok(());
    }
    let mut rows = vec![["NAME", "WHAT IT IS ABOUT", "RELATIONS"].map(str::to_owned).to_vec()];
    for library in all {
        let relations = library.parts.iter().flat_map(|part| part.relations);
        let relations: Vec<String> =
            relations.map(|relation| format!("{}/{}", relation.name, relation.arity())).collect();
        rows.push(vec![library.name.into(), library.title.into(), relations.join(" ")]);
    }
    let text = prose_table(console, &rows);
    console.write_all(text.as_bytes())?;
    Ok(())
}

fn about(libraries: &[&'static Library], as_json: bool, context: &mut Context) -> Result<(), Failure> {
    let console = &mut context.console;
    if as_json {
        let list: Vec<Value> = libraries.iter().map(|library| object(library)).collect();
        writeln!(console, "{}", serde_json::to_string_pretty(&list)?)?;
        return Ok(());
    }
    for (number, library) in libraries.iter().enumerate() {
        if number > 0 {
            writeln!(console)?;
        }
        let text = wrapped(&format!("{}. {}", library.title, library.explanation), console.width(), 0);
        writeln!(console, "{}", text.trim_end())?;
        let mut rows = Vec::new();
        for parameter in library.parameters {
            let usual = parameter.usual();
            let meaning = format!("{}: {}; usually {usual}", parameter.meaning, parameter.expected());
            rows.push(vec![format!("  --set {}=", parameter.name), meaning]);
        }
        for part in library.parts {
            if part.relations.is_empty() {
                rows.push(vec![format!("  {}", part.name), part.idea.to_owned()]);
            }
            for relation in part.relations {
                rows.push(vec![format!("  {}", relation.text(Notation::Infix)), relation.meaning.to_owned()]);
            }
            for relation in part.asks {
                let meaning = format!("for you to define: {}", relation.meaning);
                rows.push(vec![format!("  {}", relation.text(Notation::Infix)), meaning]);
            }
        }
        let text = prose_table(console, &rows);
        console.write_all(text.as_bytes())?;
    }
    Ok(())
}

fn object(library: &'static Library) -> Value {
    let relation = |relation: &rule_library::Relation| {
        json!({
            "name": relation.name,
            "arity": relation.arity(),
            "text": relation.text(Notation::Prefix),
            "meaning": relation.meaning,
        })
    };
    let parameters: Vec<Value> = library
        .parameters
        .iter()
        .map(|parameter| {
            json!({
                "name": parameter.name,
                "meaning": parameter.meaning,
                "usual": parameter.usual().to_string(),
                "expected": parameter.expected(),
            })
        })
        .collect();
    let parts: Vec<Value> = library
        .parts
        .iter()
        .map(|part| {
            json!({
                "name": part.name,
                "idea": part.idea,
                "builds_on": part.builds_on,
                "relations": part.relations.iter().map(relation).collect::<Vec<_>>(),
                "asks": part.asks.iter().map(relation).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "name": library.name,
        "title": library.title,
        "explanation": library.explanation,
        "needs": library.values([]).map(|values| library.needs(&values)).unwrap_or_default(),
        "parameters": parameters,
        "parts": parts,
    })
}

/// What is set wrongly is a wrong command line.
fn wrong(error: RuleLibraryError) -> Failure {
    Failure::Usage(error.to_string())
}
