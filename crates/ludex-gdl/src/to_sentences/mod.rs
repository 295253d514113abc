//! From GDL to IGDL: the rules of a game as sentences that say all that the rules say, and that nothing else is so
//! (book 19.5; the completion of a program, Clark 1978).
//!
//! What is the same at all times is listed. Of a relation that changes, the clauses whose heads have common instances become
//! one equivalence, and a last sentence says that what no head matches does not hold. Where a definition uses itself
//! (connected cells), sentences say less than rules: two cells that are connected by nothing but each other may be so or not.

mod definition;
mod draft;
mod forget;
mod shape;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ludex_logic::dependency::Dependencies;
use ludex_logic::evaluator::{EvaluatorError, model};
use ludex_logic::{
    Budget, Clause, ClauseId, GroundAtom, Id, IdVec, Pattern, ProgramBuilder, RelationId, Terms, VariableId,
};
use rustc_hash::FxHashMap;

use crate::check::check_lowered;
use crate::convert::{free_name, read_back};
use crate::diagnostic::{Diagnostic, Severity};
use crate::dialect::detect;
use crate::game_program::{Dialect, GameProgram};
use crate::lower::{MAX_NESTING, lower_leniently};
use crate::parse::parse;
use crate::print::{print, spell_constant};
use crate::source::Source;
use crate::tree::{Notation, Rulesheet};
use definition::{closure, definition, listed};
use draft::{Draft, Writer};
use forget::{Forgotten, without};
use shape::{Group, Shape, groups};

/// Steps and bytes of finding out what is always so.
const WORK: u64 = 100_000_000;
const MEMORY: usize = 1 << 29;
/// The longest text of sentences, in bytes.
const LONGEST: usize = 16 << 20;
/// Of what rules define, more instances than these are defined by the same rules instead of being listed.
const MOST_LISTED: usize = 32;
/// As many instances of several arguments go into one equivalence.
const MOST_JOINED: usize = 12;
/// Names that mean something in sentences and nothing in rules.
const CONNECTIVES: [&str; 7] = ["=", "=>", "<=>", "forall", "exists", "A:", "E:"];

/// Why a rulesheet does not become one of sentences.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ToIgdlError {
    /// It is neither in GDL nor in GDL-II.
    #[error("only GDL and GDL-II become IGDL; this is {dialect}")]
    NotGdl {
        /// The language.
        dialect: Dialect,
    },
    /// The rules have no meaning.
    #[error("{}", .findings.first().map_or("the rules have errors", |found| &found.message))]
    Wrong {
        /// What is wrong with them.
        findings: Vec<Diagnostic>,
    },
    /// What is always so was not found out.
    #[error("what is the same at all times was not found out: {0}")]
    Static(#[from] EvaluatorError),
    /// There would be too many sentences, or too deep ones.
    #[error("the sentences would be too large")]
    TooLarge,
    /// What is to be left open cannot be read.
    #[error("`{what}` is neither the name of a relation nor an atom such as `init(X)`")]
    NoAtom {
        /// What was given.
        what: String,
    },
    /// What is to be left open is of a relation that no sentence is about.
    #[error("no sentence says what holds of `{what}`: there are {}", .there.join(", "))]
    NoRelation {
        /// What was given.
        what: String,
        /// What there is.
        there: Vec<String>,
    },
    /// What is to be left open can be nothing.
    #[error("`{what}` stands for nothing: argument {argument} can be {}", .there.join(", "))]
    NoInstance {
        /// What was given.
        what: String,
        /// The first argument that is the reason, from 1.
        argument: usize,
        /// What it can be, or some of it.
        there: Vec<String>,
    },
}

/// A game as sentences.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The sentences.
    pub rulesheet: Rulesheet,
    /// The relations whose definitions use themselves: the sentences may leave more open than the rules do.
    pub recursive: Vec<String>,
}

/// A game of GDL or GDL-II as sentences of IGDL or IGDL-II (book 19.5), in the same notation; they define the same game. The
/// comment at its head is kept.
///
/// What is named in `forget` is left open: a relation (`init`), or atoms that may have variables (`init(p)`,
/// `next(cell(X,1,Y))`), in either notation.
///
/// ```
/// use std::sync::Arc;
/// use ludex_gdl::{Dialect, Source, detect, load, parse, to_igdl};
///
/// let text = "role(you). init(off). legal(you,press). next(on) :- does(you,press). terminal :- true(on). goal(you,100).";
/// let (lamp, _) = parse(Arc::new(Source::new("lamp.gdl", text)), None);
/// let sentences = to_igdl(&lamp, &[])?.rulesheet;
/// assert_eq!(detect(&sentences).0, Dialect::Igdl);
/// assert!(sentences.source.text().contains("\nnext(on) <=> does(you,press)\n"));
/// assert!(load(sentences.source, &Default::default()).game.is_some());
///
/// let open = to_igdl(&lamp, &["init(off)".into()])?.rulesheet;
/// let checked = load(open.source, &Default::default());
/// assert!(checked.diagnostics[0].message.contains("leave open `init(off)`"));
/// assert!(checked.game.unwrap().has_opening, "chance decides it before the first step");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ToIgdlError`].
pub fn to_igdl(rulesheet: &Rulesheet, forget: &[String]) -> Result<Completion, ToIgdlError> {
    let dialect = detect(rulesheet).0;
    if !matches!(dialect, Dialect::Gdl | Dialect::GdlII) {
        return Err(ToIgdlError::NotGdl { dialect });
    }
    let game = checked(rulesheet, dialect)?;
    let conversion = Conversion::new(rulesheet, &game)?;
    let forgotten = forget::read(&conversion, forget)?;
    let text = conversion.text(&forgotten, forget)?;
    let dependencies = &conversion.dependencies;
    let is_recursive =
        |&relation: &RelationId| conversion.changes[relation] && dependencies.is_recursive(relation);
    let recursive = game.program.relations.ids().filter(is_recursive);
    let recursive = recursive.map(|relation| game.program.relation_name(relation).to_owned()).collect();
    Ok(Completion { rulesheet: read_back(rulesheet, text, rulesheet.notation), recursive })
}

/// The program of a rulesheet without errors.
fn checked(rulesheet: &Rulesheet, dialect: Dialect) -> Result<GameProgram, ToIgdlError> {
    let lowered = lower_leniently(rulesheet, dialect);
    let mut findings = lowered.diagnostics;
    findings.extend(check_lowered(rulesheet, &lowered.game, &lowered.broken));
    findings.retain(|found| found.severity == Severity::Error);
    if findings.is_empty() { Ok(lowered.game) } else { Err(ToIgdlError::Wrong { findings }) }
}

/// What is said of a relation.
enum Said {
    /// Its instances, which are the same at all times.
    Instances(Vec<GroundAtom>),
    /// What its clauses say.
    Clauses(Vec<ClauseId>),
}

struct Conversion<'a> {
    rulesheet: &'a Rulesheet,
    game: &'a GameProgram,
    dependencies: Dependencies,
    /// Whether each relation depends on the state or the moves.
    changes: IdVec<RelationId, bool>,
    /// The relations of which something is said, in the order of the text.
    said: Vec<(RelationId, Said)>,
    /// What relations are called.
    names: Vec<String>,
}

impl<'a> Conversion<'a> {
    fn new(rulesheet: &'a Rulesheet, game: &'a GameProgram) -> Result<Self, ToIgdlError> {
        let v = &game.vocabulary;
        let dependencies = Dependencies::new(&game.program);
        let changes = dependencies.dependents([v.truth, v.does]);
        let names = names(rulesheet, game);
        let mut conversion = Self { rulesheet, game, dependencies, changes, said: Vec::new(), names };
        let mut instances = conversion.instances()?;
        let by_head = game.program.clauses_by_head();
        if game.program.clauses.iter().any(|clause| clause.variables.len() > MAX_NESTING) {
            // As many quantifiers would stand in one another.
            return Err(ToIgdlError::TooLarge);
        }
        for relation in conversion.order(&by_head) {
            let said = if conversion.is_listed(relation, &by_head[relation], instances[relation].len()) {
                Said::Instances(std::mem::take(&mut instances[relation]))
            } else {
                Said::Clauses(by_head[relation].clone())
            };
            conversion.said.push((relation, said));
        }
        Ok(conversion)
    }

    fn terms(&self) -> &'a Terms {
        &self.game.program.terms
    }

    /// Whether instances say more than rules, or the same in a better way.
    fn is_listed(&self, relation: RelationId, clauses: &[ClauseId], instances: usize) -> bool {
        let is_fact = |clause: &ClauseId| self.game.program.clauses[*clause].is_fact();
        !self.changes[relation]
            && (instances <= MOST_LISTED
                || relation == self.game.vocabulary.role
                || self.dependencies.is_recursive(relation)
                || clauses.iter().all(is_fact))
    }

    /// The instances of what is the same at all times: facts as they are written come first.
    fn instances(&self) -> Result<IdVec<RelationId, Vec<GroundAtom>>, ToIgdlError> {
        let program = &self.game.program;
        let mut builder = ProgramBuilder::over(program);
        let mut written: FxHashMap<GroundAtom, usize> = FxHashMap::default();
        for clause in program.clauses.iter().filter(|clause| !self.changes[clause.head.relation]) {
            if let Some(atom) = clause.head.ground().filter(|_| clause.is_fact()) {
                let number = written.len();
                written.entry(atom).or_insert(number);
            }
            builder.add(clause.clone());
        }
        builder.interface().asked = program.relations.ids().collect();
        let budget = Budget::unlimited().with_work(WORK).with_memory(MEMORY);
        let mut instances: IdVec<RelationId, Vec<GroundAtom>> =
            program.relations.iter().map(|_| Vec::new()).collect();
        for atom in model(&builder.finish(), &[], &budget)? {
            instances[atom.relation].push(atom);
        }
        for atoms in instances.iter_mut() {
            atoms.sort_by_key(|atom| written.get(atom).copied().unwrap_or(usize::MAX));
        }
        Ok(instances)
    }

    /// The relations of which something is to be said: those that the author defines, in that order; the keywords that a game
    /// cannot do without; and what rules ask for though nothing defines it.
    fn order(&self, by_head: &IdVec<RelationId, Vec<ClauseId>>) -> Vec<RelationId> {
        let (program, v) = (&self.game.program, &self.game.vocabulary);
        let mut asked: IdVec<RelationId, bool> = program.relations.iter().map(|_| false).collect();
        for clause in program.clauses.iter() {
            clause.body.atoms(&mut |atom, _| asked[atom.relation] = true);
        }
        let keywords = [v.role, v.base, v.input, v.init, v.legal, v.next, v.sees, v.goal, v.terminal];
        let needed = [v.init, v.legal, v.next, v.goal, v.terminal];
        let first = |relation: RelationId| by_head[relation].first().map(|clause| clause.index());
        let place = |relation: RelationId| {
            let later = keywords.iter().skip_while(|&&keyword| keyword != relation);
            let place = first(relation).or_else(|| later.filter_map(|&keyword| first(keyword)).min());
            place.unwrap_or(usize::MAX)
        };
        let is_said = |&relation: &RelationId| {
            let given = relation == v.truth || relation == v.does;
            !given && (first(relation).is_some() || asked[relation] || needed.contains(&relation))
        };
        let mut order: Vec<RelationId> = program.relations.ids().filter(is_said).collect();
        order.sort_by_key(|&relation| (place(relation), first(relation).is_some()));
        order
    }

    /// The sentences in the notation of the rulesheet.
    fn text(&self, forgotten: &[Forgotten], forget: &[String]) -> Result<String, ToIgdlError> {
        let relations: Vec<String> =
            self.names.iter().map(|name| spell_constant(name, Notation::Infix)).collect();
        let out = self.heading(forget);
        let mut writer = Writer { terms: self.terms(), relations: &relations, out, limit: LONGEST };
        for (relation, said) in &self.said {
            let of_it: Vec<&Forgotten> =
                forgotten.iter().filter(|forgotten| forgotten.relation == *relation).collect();
            let drafts = match said {
                Said::Instances(instances) => self.listed(*relation, instances, &of_it),
                Said::Clauses(clauses) => self.defined(*relation, clauses, &of_it),
            };
            if !drafts.is_empty() {
                writer.out.push('\n');
            }
            drafts.iter().try_for_each(|draft| writer.draft(draft))?;
        }
        let source = Arc::new(Source::new(self.rulesheet.source.name(), writer.out));
        let (sentences, errors) = parse(source, Some(Notation::Infix));
        debug_assert_eq!(errors, []);
        Ok(print(&sentences, self.rulesheet.notation))
    }

    /// The comment at the head of the rulesheet, and what it is now.
    fn heading(&self, forget: &[String]) -> String {
        let source = self.rulesheet.source.text();
        let first = self.rulesheet.items.first().map_or(source.len(), |item| item.span.start as usize);
        let mut heading = String::new();
        let mut end = 0;
        for comment in &self.rulesheet.comments {
            let span = comment.span.range();
            let between = source.get(end..span.start).unwrap_or("");
            let is_apart = !heading.is_empty() && between.matches('\n').count() > 1;
            if span.start >= first || is_apart {
                break;
            }
            end = span.end;
            let text = source.get(span).unwrap_or("").trim_end();
            let rest = text.trim_start_matches([';', '%']);
            heading.extend(std::iter::repeat_n('%', text.len() - rest.len()));
            heading.push_str(rest);
            heading.push('\n');
        }
        if !heading.is_empty() {
            heading.push_str("%\n");
        }
        heading.push_str(
            "% In sentences: all that the rules say, and that nothing else is so (their completion).\n",
        );
        if !forget.is_empty() {
            heading.push_str(&format!(
                "% Nothing is said of {}.\n",
                forget.join(", ").replace(['\n', '\r'], " ")
            ));
        }
        heading
    }

    /// Instances, and that there are no others.
    fn listed(&self, relation: RelationId, instances: &[GroundAtom], forgotten: &[&Forgotten]) -> Vec<Draft> {
        let arity = self.game.program.relations[relation].arity;
        let shapes: Vec<Shape> = instances.iter().map(|atom| Shape::ground(&atom.args)).collect();
        let is_keyword = self.game.program.interface.asked.contains(&relation);
        let is_short = arity > 1 && (1..=MOST_JOINED).contains(&shapes.len());
        if is_short && !is_keyword && forgotten.is_empty() {
            return vec![listed(relation, &self.argument_names(relation), &shapes)];
        }
        let fact = |shape: &Shape| {
            let sentence = definition::atom(relation, shape.args.clone());
            let draft = Draft { sentence, variables: Default::default() };
            without(self.terms(), draft, shape, forgotten)
        };
        let mut drafts: Vec<Draft> = shapes.iter().filter_map(fact).collect();
        // Without arguments, the fact is all there is to say.
        if arity > 0 || shapes.is_empty() {
            drafts.extend(closure(self.terms(), relation, arity, &shapes, forgotten));
        }
        drafts
    }

    /// What clauses say, and that nothing else is so.
    fn defined(&self, relation: RelationId, clauses: &[ClauseId], forgotten: &[&Forgotten]) -> Vec<Draft> {
        let program = &self.game.program;
        let terms = self.terms();
        let clauses: Vec<&Clause> = clauses.iter().map(|&clause| &program.clauses[clause]).collect();
        let groups = groups(terms, clauses.iter().map(|clause| &*clause.head.args));
        let draft =
            |group: &Group| without(terms, definition(terms, &clauses, group), &group.shape, forgotten);
        let mut drafts: Vec<Draft> = groups.iter().filter_map(draft).collect();
        if !groups.iter().any(|group| group.shape.is_general()) {
            let shapes: Vec<Shape> = groups.into_iter().map(|group| group.shape).collect();
            let arity = program.relations[relation].arity;
            drafts.extend(closure(terms, relation, arity, &shapes, forgotten));
        }
        drafts
    }

    /// What the rules call the arguments of a relation, where they do once.
    fn argument_names(&self, relation: RelationId) -> Vec<Option<String>> {
        let program = &self.game.program;
        let mut found: Option<Vec<Option<String>>> = None;
        for clause in program.clauses.iter() {
            clause.body.atoms(&mut |atom, _| {
                let variables: Option<Vec<_>> = atom.args.iter().map(variable).collect();
                let Some(variables) = variables.filter(|_| atom.relation == relation && found.is_none())
                else {
                    return;
                };
                let name = |&variable| Some(program.terms.name(clause.variables[variable]).to_owned());
                found = Some(variables.iter().map(name).collect());
            });
        }
        found.unwrap_or_else(|| vec![None; program.relations[relation].arity])
    }
}

fn variable(pattern: &Pattern) -> Option<VariableId> {
    if let Pattern::Variable(variable) = pattern { Some(*variable) } else { None }
}

/// What relations are called: what means something in sentences and nothing in rules gets another name.
fn names(rulesheet: &Rulesheet, game: &GameProgram) -> Vec<String> {
    let v = &game.vocabulary;
    let name = |relation: RelationId| {
        let name = game.program.relation_name(relation);
        let clashes = CONNECTIVES.contains(&name) || (relation == v.sees && !game.dialect.has_percepts());
        let plain = if name == "sees" { name } else { "related" };
        if clashes { free_name(&rulesheet.tree, plain) } else { name.to_owned() }
    };
    game.program.relations.ids().map(name).collect()
}
