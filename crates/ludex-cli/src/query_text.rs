//! Queries and facts as people type them, in either notation.

use ludex::gdl::{
    GameProgram, GameTime, Lifetime, LifetimeError, NodeId, NodeKind, Notation, TimeError, Tree,
    detect_notation, parse_terms,
};
use ludex::logic::derive::Query;
use ludex::logic::{
    Atom, Formula, GroundAtom, IdVec, Pattern, Program, RelationId, SymbolId, TermId, TermView, VariableId,
};

use crate::failure::Failure;
use crate::rulesheet::nearest;

/// Deeper formulas and terms are not read: what follows recurses.
const DEEPEST: usize = 500;

/// A text that was read, with the game it speaks about.
struct Reader<'a> {
    game: &'a GameProgram,
    program: &'a Program,
    text: &'a str,
    tree: &'a Tree,
    variables: IdVec<VariableId, SymbolId>,
}

/// How a text is written: a lone name as the rulesheet is.
pub fn notation_of(text: &str, rulesheet: Notation) -> Notation {
    if text.contains(['(', '?', ':', '&', '~']) { detect_notation(text) } else { rulesheet }
}

/// Reads an atom or literal, or several that are meant together.
///
/// # Errors
/// The text cannot be read, or speaks of a relation that the program does not have.
pub fn read_query(game: &GameProgram, text: &str, rulesheet: Notation) -> Result<Query, Failure> {
    let notation = notation_of(text, rulesheet);
    let (tree, nodes) = parse(text, notation)?;
    let mut reader = Reader::new(game, text, &tree);
    let mut parts = Vec::new();
    for node in nodes {
        parts.push(reader.formula(node)?);
    }
    let formula = match parts.len() {
        0 => return Err(Failure::input("the query is empty")),
        1 => parts.swap_remove(0),
        _ => Formula::And(parts),
    };
    Ok(Query { formula, variables: reader.variables })
}

/// Reads facts of a state, and moves as `does(ROLE,MOVE)`; a fact may be wrapped in `true`.
///
/// # Errors
/// The text cannot be read, or has a variable in it.
pub fn read_facts(
    game: &GameProgram,
    text: &str,
    rulesheet: Notation,
) -> Result<(Vec<TermId>, Vec<GroundAtom>), Failure> {
    let (tree, nodes) = parse(text, notation_of(text, rulesheet))?;
    let mut reader = Reader::new(game, text, &tree);
    let (mut facts, mut moves) = (Vec::new(), Vec::new());
    for node in nodes {
        match tree.head(node) {
            Some(("true", 1)) => facts.push(reader.ground(tree.children(node)[0])?),
            Some(("does", 2)) => moves.push(reader.ground_atom(game.vocabulary.does, node)?),
            _ => facts.push(reader.ground(node)?),
        }
    }
    Ok((facts, moves))
}

/// Reads what is given in a game in real time: `true(T,F)`, `expired(F)`, and moves as `does(ROLE,MOVE)`.
///
/// # Errors
/// The text cannot be read, has a variable in it, or something else.
pub fn read_timed_facts(
    game: &GameProgram,
    text: &str,
    rulesheet: Notation,
) -> Result<Vec<GroundAtom>, Failure> {
    let (tree, nodes) = parse(text, notation_of(text, rulesheet))?;
    let mut reader = Reader::new(game, text, &tree);
    let vocabulary = &game.vocabulary;
    let read = |node| {
        let relation = match tree.head(node) {
            Some(("true", 2)) => Some(vocabulary.truth),
            Some(("expired", 1)) => vocabulary.expired,
            Some(("does", 2)) => Some(vocabulary.does),
            _ => None,
        };
        let relation = relation.ok_or_else(|| {
            let text = text.get(tree.span(node).range()).unwrap_or(text);
            Failure::input(format!("`{}` says nothing of a state in real time", shortened(text)))
                .hint("facts are written true(LIFETIME,FACT), those whose time was over expired(FACT)")
        })?;
        reader.ground_atom(relation, node)
    };
    nodes.into_iter().map(read).collect()
}

/// A ground term that was read as the term of a game.
///
/// # Errors
/// It has a variable in it.
pub fn make_term(game: &GameProgram, tree: &Tree, node: NodeId) -> Result<TermId, Failure> {
    Reader::new(game, "", tree).ground(node)
}

fn parse(text: &str, notation: Notation) -> Result<(Tree, Vec<NodeId>), Failure> {
    let (tree, nodes) = parse_terms(text, Some(notation)).map_err(|diagnostics| {
        let message = diagnostics.first().map_or("it cannot be read", |d| d.message.as_str());
        Failure::input(format!("`{}`: {message}", shortened(text)))
            .hint("atoms are written legal(white,mark(1,1)) or (legal white (mark 1 1))")
    })?;
    let mut stack: Vec<(NodeId, usize)> = nodes.iter().map(|&n| (n, 1)).collect();
    while let Some((node, depth)) = stack.pop() {
        if depth > DEEPEST {
            return Err(Failure::input(format!("`{}` is nested deeper than {DEEPEST}", shortened(text))));
        }
        stack.extend(tree.children(node).iter().map(|&child| (child, depth + 1)));
    }
    Ok((tree, nodes))
}

/// A text that fits into a message.
pub fn shortened(text: &str) -> String {
    let text = text.trim();
    if text.chars().count() <= 60 {
        return text.to_owned();
    }
    text.chars().take(57).chain("...".chars()).collect()
}

impl<'a> Reader<'a> {
    fn new(game: &'a GameProgram, text: &'a str, tree: &'a Tree) -> Self {
        Self { game, program: &game.program, text, tree, variables: IdVec::new() }
    }

    fn ground_atom(&mut self, relation: RelationId, node: NodeId) -> Result<GroundAtom, Failure> {
        let children = self.tree.children(node).to_vec();
        let args: Vec<TermId> = children.into_iter().map(|n| self.ground(n)).collect::<Result<_, _>>()?;
        self.check_lifetime(relation, args.first().copied())?;
        Ok(GroundAtom { relation, args: args.into() })
    }

    /// Refuses what cannot be the lifetime of a fact.
    fn check_lifetime(&self, relation: RelationId, first: Option<TermId>) -> Result<(), Failure> {
        let (terms, v) = (&self.program.terms, &self.game.vocabulary);
        let with_lifetime = self.game.dialect.is_timed() && [v.truth, v.next, v.init].contains(&relation);
        let Some(time) = first.filter(|_| with_lifetime) else { return Ok(()) };
        let read = match terms.view(time) {
            TermView::Constant(name) => Lifetime::parse(terms.name(name)),
            TermView::Compound(..) => Err(LifetimeError::NoTime(TimeError::NoDecimal)),
        };
        read.map(|_| ()).map_err(|cause| {
            Failure::input(format!("the lifetime `{}` {cause}", shortened(&terms.prefix(time))))
        })
    }

    fn formula(&mut self, node: NodeId) -> Result<Formula, Failure> {
        let children = self.tree.children(node).to_vec();
        let Some((name, arity)) = self.tree.head(node) else {
            return Err(Failure::input(format!("`{}` is not an atom", shortened(self.text)))
                .hint("atoms are written legal(white,mark(1,1)) or (legal white (mark 1 1))"));
        };
        match (name, arity) {
            ("not", 1) => Ok(Formula::Not(Box::new(self.formula(children[0])?))),
            ("distinct", 2) => Ok(Formula::Distinct(self.pattern(children[0])?, self.pattern(children[1])?)),
            ("and", 1..) => Ok(Formula::And(self.formulas(&children)?)),
            ("or", 1..) => Ok(Formula::Or(self.formulas(&children)?)),
            _ => {
                let raw = self.raw(node).to_owned();
                let relation = self.relation(name, &raw, arity)?;
                let args: Box<[Pattern]> =
                    children.iter().map(|&n| self.pattern(n)).collect::<Result<_, _>>()?;
                self.check_lifetime(relation, args.first().and_then(Pattern::ground))?;
                Ok(Formula::Atom(Atom { relation, args }))
            }
        }
    }

    fn formulas(&mut self, nodes: &[NodeId]) -> Result<Vec<Formula>, Failure> {
        nodes.iter().map(|&n| self.formula(n)).collect()
    }

    fn relation(&self, name: &str, raw: &str, arity: usize) -> Result<RelationId, Failure> {
        let program = self.program;
        let found = program.find_relation(name, arity).or_else(|| program.find_relation(raw, arity));
        if let Some(relation) = found {
            return Ok(relation);
        }
        let same: Vec<usize> = program
            .relations
            .iter()
            .filter(|r| program.terms.name(r.name) == name)
            .map(|r| r.arity)
            .collect();
        if let Some(&other) = same.first() {
            let failure = Failure::input(format!(
                "`{name}` takes {}, not {arity}",
                if other == 1 { "1 argument".to_owned() } else { format!("{other} arguments") }
            ));
            let lacks_step = self.game.dialect.has_steps() && other == arity + 1;
            return Err(if lacks_step { failure.hint("the last argument is the step") } else { failure });
        }
        let failure = Failure::input(format!("the rules have no relation `{name}`"));
        let relations = program.relations.iter().map(|r| program.terms.name(r.name));
        let visible = relations.filter(|n| !n.starts_with('\u{1}'));
        Err(match nearest(name, visible) {
            Some(near) => failure.hint(format!("did you mean `{near}`?")),
            None if program.terms.find_symbol(name).is_some() => failure.hint(format!(
                "`{name}` is a term here: ask for `true({name}...)` or `legal(ROLE,{name}...)`"
            )),
            None => failure.hint("`ludex show FILE` lists the relations"),
        })
    }

    fn raw(&self, node: NodeId) -> &str {
        let span = match &self.tree.node(node).kind {
            NodeKind::Compound { name_span, .. } => *name_span,
            _ => self.tree.span(node),
        };
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The symbol of a name: as the notation wants it, or as it was typed where only that is known.
    fn symbol(&self, name: &str, raw: &str) -> SymbolId {
        let terms = &self.program.terms;
        let known = terms.find_symbol(name).or_else(|| terms.find_symbol(raw));
        known.unwrap_or_else(|| terms.symbol(name))
    }

    fn pattern(&mut self, node: NodeId) -> Result<Pattern, Failure> {
        let terms = &self.program.terms;
        match &self.tree.node(node).kind {
            NodeKind::Variable(name) => {
                let symbol = terms.symbol(self.tree.name(*name));
                let known = self.variables.entries().find(|(_, s)| **s == symbol).map(|(v, _)| v);
                Ok(Pattern::Variable(known.unwrap_or_else(|| self.variables.push(symbol))))
            }
            NodeKind::Constant(name) => {
                let name = self.tree.name(*name);
                let number = GameTime::parse(name).ok().filter(|_| self.game.dialect.is_timed());
                let symbol = match number {
                    // Numbers mean the same however they are written.
                    Some(number) => terms.symbol(&number.to_string()),
                    None => self.symbol(name, self.raw(node)),
                };
                Ok(Pattern::Ground(terms.constant_of(symbol)))
            }
            NodeKind::Compound { name, .. } => {
                let functor = self.symbol(self.tree.name(*name), self.raw(node));
                let children = self.tree.children(node).to_vec();
                let args: Vec<Pattern> =
                    children.iter().map(|&n| self.pattern(n)).collect::<Result<_, _>>()?;
                Ok(match args.iter().map(Pattern::ground).collect::<Option<Vec<_>>>() {
                    Some(args) => Pattern::Ground(self.program.terms.compound(functor, &args)),
                    None => Pattern::Compound(functor, args.into()),
                })
            }
            NodeKind::Error => Err(Failure::input(format!("`{}` cannot be read", shortened(self.text)))),
        }
    }

    fn ground(&mut self, node: NodeId) -> Result<TermId, Failure> {
        match self.pattern(node)? {
            Pattern::Ground(term) => Ok(term),
            _ => {
                let span = self.tree.span(node);
                let text = self.text.get(span.range()).unwrap_or(self.text);
                Err(Failure::input(format!("the fact `{}` has a variable", shortened(text))))
            }
        }
    }
}
