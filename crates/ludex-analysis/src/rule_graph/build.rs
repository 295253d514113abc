//! Making the rule graph of clauses.

use std::hash::BuildHasher;
use std::sync::Arc;

use ludex_gdl::{GameProgram, GameTime, INFINITY};
use ludex_logic::domain::{Arguments, DomainGraph, Edges};
use ludex_logic::{
    Atom, ClauseId, Formula, Id, LimitError, Meter, Pattern, RelationId, SymbolId, TermId, TermView,
};
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::{ARGUMENT_COLOUR, Connective, ROLE_COLOUR, RuleGraph, RuleVertex, SYMBOL_COLOUR};
use crate::automorphism::ColouredGraph;

/// The role that moves at random.
const RANDOM_COLOUR: u32 = 3;
/// Where the colours of connectives, keywords, occurrences and variables begin.
const FIRST_OTHER: u32 = 4;
/// Goal values have this colour and those above it.
const FIRST_GOAL: u32 = 100;
/// Larger numbers are no goal values.
const LAST_GOAL: u64 = 1_000_000;
/// `infinity` in games in real time.
const INFINITY_COLOUR: u32 = 90;
/// Times have this colour and those above it.
const FIRST_TIME: u32 = 2_000_000;
/// Times that are whole thousandths up to here (more than two million units of game time) have a colour each;
/// others have one by a hash of 31 bits.
const LAST_TIME: u64 = (1 << 31) - FIRST_TIME as u64;
/// Bytes for a vertex with its arcs, counted roughly.
const VERTEX_BYTES: usize = 64;
/// A term without variables may have more subterms than there is room for in any machine.
const MOST_BYTES: usize = 4 << 30;
/// Work for a vertex.
const VERTEX_WORK: u64 = 4;

/// Something whose parts have no vertices yet.
enum Open<'a> {
    Formula(&'a Formula),
    Pattern(&'a Pattern),
    Term(TermId),
}

struct Builder<'a> {
    game: &'a GameProgram,
    keywords: Vec<(RelationId, &'static str)>,
    vertices: Vec<RuleVertex>,
    arcs: Vec<(u32, u32, u32)>,
    /// Vertices that there is one of: symbols, arguments, variables.
    shared: FxHashMap<RuleVertex, u32>,
    clause: ClauseId,
    open: Vec<(u32, Open<'a>)>,
}

pub(super) fn build(game: &GameProgram, meter: &mut Meter) -> Result<RuleGraph, LimitError> {
    let mut builder = Builder {
        game,
        keywords: keywords(game),
        vertices: Vec::new(),
        arcs: Vec::new(),
        shared: FxHashMap::default(),
        clause: ClauseId::from_index(0),
        open: Vec::new(),
    };
    for (id, clause) in game.program.clauses.entries() {
        builder.clause = id;
        builder.clause(&clause.head, &clause.body, clause.is_fact());
        builder.parts(meter)?;
    }
    meter.check()?;
    let mut palette = Palette::new(game, meter)?;
    if game.dialect.is_timed() {
        palette.note_times(&builder);
    }
    let colours = palette.colours(&builder);
    let graph = ColouredGraph::new(colours, builder.arcs);
    let variables = game.program.clauses.iter().map(|c| c.variables.iter().copied().collect()).collect();
    let terms = Arc::clone(&game.program.terms);
    Ok(RuleGraph { terms, keywords: builder.keywords, vertices: builder.vertices, graph, variables })
}

fn keywords(game: &GameProgram) -> Vec<(RelationId, &'static str)> {
    let v = &game.vocabulary;
    let mut keywords = vec![
        (v.role, "role"),
        (v.base, "base"),
        (v.input, "input"),
        (v.init, "init"),
        (v.truth, "true"),
        (v.does, "does"),
        (v.next, "next"),
        (v.legal, "legal"),
        (v.goal, "goal"),
        (v.terminal, "terminal"),
        (v.sees, "sees"),
        (v.percept, "percept"),
    ];
    keywords.extend(v.expired.map(|expired| (expired, "expired")));
    keywords
}

impl<'a> Builder<'a> {
    fn clause(&mut self, head: &'a Atom, body: &'a Formula, is_fact: bool) {
        if is_fact {
            self.atom(head);
            return;
        }
        let rule = self.add(RuleVertex::Connective(Connective::If));
        let head = self.atom(head);
        let body = match body {
            Formula::And(parts) if parts.len() == 1 => self.formula(&parts[0]),
            whole => self.formula(whole),
        };
        self.arc(rule, head);
        self.arc(rule, body);
        self.arc(head, body);
    }

    /// Gives all parts of what is open their vertices.
    fn parts(&mut self, meter: &mut Meter) -> Result<(), LimitError> {
        while let Some((vertex, open)) = self.open.pop() {
            let before = self.vertices.len();
            match open {
                Open::Formula(formula) => self.formula_parts(vertex, formula),
                Open::Pattern(Pattern::Compound(functor, args)) => {
                    for (index, arg) in args.iter().enumerate() {
                        let part = self.pattern(arg);
                        self.argument(vertex, Some(*functor), args.len(), index, part);
                    }
                }
                Open::Pattern(_) => {}
                Open::Term(term) => {
                    let terms = Arc::clone(&self.game.program.terms);
                    if let TermView::Compound(functor, args) = terms.view(term) {
                        for (index, &arg) in args.iter().enumerate() {
                            let part = self.term(arg);
                            self.argument(vertex, Some(functor), args.len(), index, part);
                        }
                    }
                }
            }
            meter.spend(1 + VERTEX_WORK * (self.vertices.len() - before) as u64)?;
            let bytes = self.vertices.len() * VERTEX_BYTES;
            meter.check_memory(bytes, || "the rule graph".into())?;
            if bytes > MOST_BYTES {
                return Err(LimitError::Memory { limit: MOST_BYTES, what: "the rule graph".into() });
            }
        }
        Ok(())
    }

    fn formula_parts(&mut self, vertex: u32, formula: &'a Formula) {
        match formula {
            Formula::Atom(_) => {}
            Formula::Not(inner) => {
                let part = self.formula(inner);
                self.arc(vertex, part);
            }
            Formula::And(parts) | Formula::Or(parts) => {
                for part in parts {
                    let part = self.formula(part);
                    self.arc(vertex, part);
                }
            }
            Formula::Distinct(left, right) => {
                for side in [left, right] {
                    let part = self.pattern(side);
                    self.arc(vertex, part);
                }
            }
        }
    }

    /// The vertex of a formula; its parts are left open.
    fn formula(&mut self, formula: &'a Formula) -> u32 {
        let vertex = match formula {
            Formula::Atom(atom) => return self.atom(atom),
            Formula::Distinct(..) => RuleVertex::Distinct,
            Formula::Not(_) => RuleVertex::Connective(Connective::Not),
            Formula::And(_) => RuleVertex::Connective(Connective::And),
            Formula::Or(_) => RuleVertex::Connective(Connective::Or),
        };
        let vertex = self.add(vertex);
        self.open.push((vertex, Open::Formula(formula)));
        vertex
    }

    fn atom(&mut self, atom: &'a Atom) -> u32 {
        let name = self.game.program.relations[atom.relation].name;
        let is_keyword = self.keywords.iter().any(|(relation, _)| *relation == atom.relation);
        let vertex = if is_keyword {
            self.add(RuleVertex::Keyword(atom.relation))
        } else {
            self.occurrence(RuleVertex::Predicate(name), name)
        };
        let symbol = (!is_keyword).then_some(name);
        let mut parts = Vec::with_capacity(atom.args.len());
        for (index, arg) in atom.args.iter().enumerate() {
            let part = self.pattern(arg);
            self.argument(vertex, symbol, atom.args.len(), index, part);
            parts.push(part);
        }
        if let (true, &[first, second]) = (is_keyword, parts.as_slice()) {
            self.arc(first, second);
        }
        vertex
    }

    /// The vertex of a term with variables; its arguments are left open.
    fn pattern(&mut self, pattern: &'a Pattern) -> u32 {
        match pattern {
            Pattern::Variable(variable) => {
                let vertex = self.add(RuleVertex::VariableOccurrence(self.clause, *variable));
                let of = self.share(RuleVertex::Variable(self.clause, *variable));
                self.arc(of, vertex);
                vertex
            }
            Pattern::Ground(term) => self.term(*term),
            Pattern::Compound(functor, _) => {
                let vertex = self.occurrence(RuleVertex::Function(*functor), *functor);
                self.open.push((vertex, Open::Pattern(pattern)));
                vertex
            }
        }
    }

    /// The vertex of a term; its arguments are left open.
    fn term(&mut self, term: TermId) -> u32 {
        let (TermView::Constant(symbol) | TermView::Compound(symbol, _)) = self.game.program.terms.view(term);
        let vertex = self.occurrence(RuleVertex::Function(symbol), symbol);
        self.open.push((vertex, Open::Term(term)));
        vertex
    }

    fn occurrence(&mut self, vertex: RuleVertex, symbol: SymbolId) -> u32 {
        let vertex = self.add(vertex);
        let symbol = self.share(RuleVertex::Symbol(symbol));
        self.arc(symbol, vertex);
        vertex
    }

    /// `part` is an argument of `vertex`, whose symbol has argument positions if it is no keyword.
    fn argument(&mut self, vertex: u32, symbol: Option<SymbolId>, arity: usize, index: usize, part: u32) {
        self.arc(vertex, part);
        if let Some(symbol) = symbol {
            let position = self.share(RuleVertex::Argument { symbol, arity, index });
            self.arc(position, part);
            let symbol = self.share(RuleVertex::Symbol(symbol));
            self.arc(symbol, position);
        }
    }

    fn share(&mut self, vertex: RuleVertex) -> u32 {
        if let Some(&found) = self.shared.get(&vertex) {
            return found;
        }
        let number = self.add(vertex);
        self.shared.insert(vertex, number);
        number
    }

    fn add(&mut self, vertex: RuleVertex) -> u32 {
        self.vertices.push(vertex);
        self.vertices.len() as u32 - 1
    }

    fn arc(&mut self, from: u32, to: u32) {
        self.arcs.push((from, to, 0));
    }
}

fn time_colour(time: GameTime) -> u32 {
    const THOUSANDTH: u64 = 1_000_000;
    match time.units() / THOUSANDTH {
        exact if time.units().is_multiple_of(THOUSANDTH) && exact < LAST_TIME => FIRST_TIME + exact as u32,
        _ => (1 << 31) | (FxBuildHasher.hash_one(time.units()) >> 33) as u32,
    }
}

/// The colours of symbols; they are the same for all games.
struct Palette {
    roles: FxHashSet<SymbolId>,
    random: Option<SymbolId>,
    goals: FxHashMap<SymbolId, u32>,
    /// In real time, the numbers, which mean the same in all games.
    times: FxHashMap<SymbolId, u32>,
}

impl Palette {
    fn new(game: &GameProgram, meter: &mut Meter) -> Result<Self, LimitError> {
        let terms = &game.program.terms;
        let constant = |&role: &TermId| match terms.view(role) {
            TermView::Constant(symbol) => Some(symbol),
            TermView::Compound(..) => None,
        };
        let roles = game.roles.iter().filter_map(constant).collect();
        let random = game.random_role().and_then(|role| constant(&game.roles[role]));
        let domains = DomainGraph::new(&game.program, Edges::Closed, Arguments::Separate, meter)?;
        let position = domains.argument(game.vocabulary.goal, 1);
        let values = position.into_iter().flat_map(|position| domains.constants(position));
        let number = |symbol| terms.number(symbol).filter(|&number| number <= LAST_GOAL);
        let goals = values.filter_map(|symbol| Some((symbol, FIRST_GOAL + number(symbol)? as u32)));
        Ok(Self { roles, random, goals: goals.collect(), times: FxHashMap::default() })
    }

    /// Notes the numbers among the symbols of a game in real time.
    fn note_times(&mut self, builder: &Builder<'_>) {
        let terms = &builder.game.program.terms;
        for vertex in &builder.vertices {
            let RuleVertex::Symbol(symbol) = *vertex else { continue };
            let name = terms.name(symbol);
            let colour = match GameTime::parse(name) {
                _ if name == INFINITY => INFINITY_COLOUR,
                Ok(time) => time_colour(time),
                Err(_) => continue,
            };
            self.times.insert(symbol, colour);
        }
    }

    fn colours(&self, builder: &Builder<'_>) -> Vec<u32> {
        let keyword = |relation: RelationId| {
            let found = builder.keywords.iter().position(|(keyword, _)| *keyword == relation);
            found.unwrap_or_default() as u32
        };
        let colour = |vertex: &RuleVertex| match *vertex {
            RuleVertex::Symbol(symbol) => self.symbol(symbol),
            RuleVertex::Argument { .. } => ARGUMENT_COLOUR,
            RuleVertex::Connective(connective) => FIRST_OTHER + connective as u32,
            RuleVertex::Predicate(_) => FIRST_OTHER + 4,
            RuleVertex::Function(_) => FIRST_OTHER + 5,
            RuleVertex::VariableOccurrence(..) => FIRST_OTHER + 6,
            RuleVertex::Variable(..) => FIRST_OTHER + 7,
            RuleVertex::Distinct => FIRST_OTHER + 8,
            RuleVertex::Keyword(relation) => FIRST_OTHER + 9 + keyword(relation),
        };
        builder.vertices.iter().map(colour).collect()
    }

    fn symbol(&self, symbol: SymbolId) -> u32 {
        if let Some(&time) = self.times.get(&symbol) {
            time
        } else if let Some(&goal) = self.goals.get(&symbol) {
            goal
        } else if self.random == Some(symbol) {
            RANDOM_COLOUR
        } else if self.roles.contains(&symbol) {
            ROLE_COLOUR
        } else {
            SYMBOL_COLOUR
        }
    }
}
