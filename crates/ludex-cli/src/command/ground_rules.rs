//! `ludex show --ground`: the rules without variables (book 14.1 to 14.4), and `--propositions` and
//! `--actions`: what can be true and what can be done.

use std::collections::BTreeMap;
use std::io::Write;

use ludex::gdl::{GameProgram, Notation};
use ludex::logic::derive::{Derivations, Query, Style};
use ludex::logic::ground::{GroundOptions, GroundRule, Grounding, ground};
use ludex::logic::{Atom, Formula, Id, IdVec, Pattern, RelationId, TermId};
use serde_json::{Value, json};

use crate::Context;
use crate::command::propnet::ground_failure;
use crate::failure::{Failure, say};
use crate::limits::grouped;
use crate::reasoning::style_of;

/// What is listed, and how.
pub struct Listing<'a> {
    /// A game or a part of one.
    pub game: &'a GameProgram,
    /// How its terms are written.
    pub notation: Notation,
    /// Whether to print JSON, which is always whole.
    pub json: bool,
    /// Whether to print more than people read.
    pub all: bool,
}

impl Listing<'_> {
    fn text(&self, term: TermId) -> String {
        self.game.program.terms.written(term, self.notation)
    }
}

/// What prints a list.
pub type List = fn(&Listing<'_>, &mut Context) -> Result<(), Failure>;

/// People see so many rules or terms unless they ask for all.
const MOST_SHOWN: usize = 200;

/// Prints the ground rules, those of a relation together and their heads in order.
///
/// # Errors
/// The rules cannot be grounded within the limits.
pub fn rules(listing: &Listing<'_>, context: &mut Context) -> Result<(), Failure> {
    let Listing { game, notation, .. } = *listing;
    let grounding = faithful(game, context)?;
    let style = style_of(&game.program, notation);
    let rules = sorted(game, &grounding);
    let console = &mut context.console;
    if listing.json {
        let object = |rule: &GroundRule<'_>| {
            let [head, body] = parts(&grounding, rule, &style);
            let span = rule.origin.and_then(|clause| game.spans.get(clause).copied());
            let line = span.map(|span| game.source.position(span.start as usize).line);
            json!({"head": head[0], "body": body, "line": line})
        };
        let object = json!({
            "game": game.source.short_name(),
            "atoms": grounding.atom_count(),
            "literals": grounding.literal_count(),
            "rules": rules.iter().map(object).collect::<Vec<_>>(),
        });
        writeln!(console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    if rules.is_empty() {
        say(
            "note: no clause has an instance that leads to a keyword, such as `legal` or `next`; only those are shown",
        );
    }
    let shown = if listing.all { rules.len() } else { rules.len().min(MOST_SHOWN) };
    for rule in &rules[..shown] {
        let [head, body] = parts(&grounding, rule, &style);
        writeln!(console, "{}", style.rule(&head[0], &body))?;
    }
    console.flush()?;
    say_more(rules.len() - shown, "rules");
    Ok(())
}

fn say_more(left_out: usize, what: &str) {
    if left_out > 0 {
        say(&format!("... and {} more {what} (`--all` prints them)", grouped(left_out as u128)));
    }
}

/// One ground rule for each instance of a clause.
fn faithful(game: &GameProgram, context: &Context) -> Result<Grounding, Failure> {
    let budget = context.limits.budget().clone();
    let options = GroundOptions::faithful().with_budget(budget);
    ground(&game.program, &options).map_err(ground_failure)
}

/// The rules by relation and head. Roles stay in their order, which is that of joint moves.
fn sorted<'g>(game: &GameProgram, grounding: &'g Grounding) -> Vec<GroundRule<'g>> {
    let mut by_relation: BTreeMap<usize, RelationId> = BTreeMap::new();
    for atom in grounding.atoms().filter_map(|id| grounding.atom(id)) {
        by_relation.insert(atom.relation.index(), atom.relation);
    }
    let heads = by_relation.into_values().flat_map(|relation| {
        let mut heads = grounding.atoms_of(relation);
        if relation == game.vocabulary.role {
            let place = |term: &TermId| game.roles.iter().position(|role| role == term);
            heads.sort_by_key(|&head| grounding.atom(head).and_then(|atom| atom.args.first()).map(place));
        }
        heads
    });
    heads.flat_map(|head| grounding.rules_of(head)).collect()
}

/// The head, alone in its list, and the body of a rule as texts.
fn parts(grounding: &Grounding, rule: &GroundRule<'_>, style: &Style<'_>) -> [Vec<String>; 2] {
    // In a faithful grounding no atom stands for a part of a rule, so all have names.
    let atom = |id| grounding.atom(id).map_or_else(String::new, |atom| style.ground_atom(atom));
    let literal = |literal: &ludex::logic::ground::GroundLiteral| {
        let text = atom(literal.atom());
        if literal.is_negated() { style.negated(&text) } else { text }
    };
    [vec![atom(rule.head)], rule.body.iter().map(literal).collect()]
}

/// Terms of one kind, and whether the rulesheet itself lists them.
struct Listed {
    /// With the role, for moves.
    rows: Vec<Box<[TermId]>>,
    is_declared: bool,
}

impl Listed {
    fn source(&self, relation: &str) -> String {
        if self.is_declared {
            format!("declared by {relation}")
        } else {
            "found out by grounding the rules".into()
        }
    }

    fn json_source(&self) -> &'static str {
        if self.is_declared { "declared" } else { "found" }
    }
}

/// Prints what can be true.
///
/// # Errors
/// As [`rules`].
pub fn propositions(listing: &Listing<'_>, context: &mut Context) -> Result<(), Failure> {
    let Listing { game, .. } = *listing;
    let vocabulary = &game.vocabulary;
    let text = |&term: &TermId| listing.text(term);
    let found = listed(game, vocabulary.base, vocabulary.truth, context)?;
    // In real time a lifetime stands before the fact.
    let mut facts: Vec<TermId> = found.rows.iter().filter_map(|row| row.last().copied()).collect();
    facts.sort_by(|&a, &b| game.program.terms.compare(a, b));
    facts.dedup();
    let texts: Vec<String> = facts.iter().map(text).collect();
    if listing.json {
        let object = json!({
            "game": game.source.short_name(), "source": found.json_source(), "propositions": texts,
        });
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    let heading = format!("{} propositions, {}", grouped(texts.len() as u128), found.source("base"));
    print_list(&heading, &texts, listing.all, "propositions", context)
}

/// Prints what each role can do.
///
/// # Errors
/// As [`rules`].
pub fn actions(listing: &Listing<'_>, context: &mut Context) -> Result<(), Failure> {
    let Listing { game, .. } = *listing;
    let vocabulary = &game.vocabulary;
    let text = |&term: &TermId| listing.text(term);
    let found = listed(game, vocabulary.input, vocabulary.does, context)?;
    let of = |role: TermId| -> Vec<String> {
        let own = found.rows.iter().filter(|row| row.first() == Some(&role));
        own.filter_map(|row| row.get(1)).map(text).collect()
    };
    let per_role: Vec<(String, Vec<String>)> =
        game.roles.iter().map(|&role| (text(&role), of(role))).collect();
    if listing.json {
        let actions: serde_json::Map<String, Value> =
            per_role.into_iter().map(|(role, actions)| (role, actions.into())).collect();
        let object = json!({
            "game": game.source.short_name(), "source": found.json_source(), "actions": actions,
        });
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    for (role, texts) in per_role {
        let heading = format!("{role}: {} actions, {}", grouped(texts.len() as u128), found.source("input"));
        print_list(&heading, &texts, listing.all, "actions", context)?;
    }
    Ok(())
}

fn print_list(
    heading: &str,
    texts: &[String],
    all: bool,
    what: &str,
    context: &mut Context,
) -> Result<(), Failure> {
    let console = &mut context.console;
    let shown = if all { texts.len() } else { texts.len().min(MOST_SHOWN) };
    writeln!(console, "{heading}")?;
    let text = console.columns(2, &texts[..shown]);
    console.write_all(text.as_bytes())?;
    console.flush()?;
    say_more(texts.len() - shown, what);
    Ok(())
}

/// What a relation lists in every state; where the rulesheet has no such relation, all atoms of what
/// is given that the relaxed model admits.
fn listed(
    game: &GameProgram,
    declaring: RelationId,
    given: RelationId,
    context: &Context,
) -> Result<Listed, Failure> {
    let program = &game.program;
    let is_declared = !program.clauses_by_head()[declaring].is_empty();
    let mut rows: Vec<Box<[TermId]>> = if is_declared {
        let mut variables = IdVec::new();
        let arity = program.relations[declaring].arity;
        let mut argument = |at: usize| {
            Pattern::Variable(variables.push(program.terms.symbol(["first", "second"][at.min(1)])))
        };
        let args = (0..arity).map(&mut argument).collect();
        let formula = Formula::Atom(Atom { relation: declaring, args });
        let query = Query { formula, variables };
        // The variables stand in the order of the arguments, and so do their values.
        let mut derivations = Derivations::new(program, &[])?;
        derivations.answers(&query, &mut context.limits.budget().meter())?.rows
    } else {
        let grounding = faithful(game, context)?;
        let atoms = grounding.atoms_of(given).into_iter().filter_map(|id| grounding.atom(id));
        atoms.map(|atom| atom.args.clone()).collect()
    };
    let terms = &program.terms;
    rows.sort_by(|a, b| terms.compare_lists(a, b));
    rows.dedup();
    Ok(Listed { rows, is_declared })
}
