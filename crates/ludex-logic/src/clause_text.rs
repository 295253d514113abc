//! Reads clauses in the book's infix notation, for tests only.

use std::sync::Arc;

use crate::derive::Query;
use crate::ids::{IdVec, SymbolId, VariableId};
use crate::program::{Atom, Feed, Formula, GroundAtom, Pattern, Program, ProgramBuilder};
use crate::terms::Terms;

/// The rules of book 14.3 as printed: how a king moves.
pub(crate) const KING: &str = "
    coordinate(a) coordinate(b) coordinate(c) coordinate(d) coordinate(e) coordinate(f) coordinate(g)
    coordinate(h) coordinate(1) coordinate(2) coordinate(3) coordinate(4) coordinate(5) coordinate(6)
    coordinate(7) coordinate(8)
    next_file(a,b) next_file(b,c) next_file(c,d) next_file(d,e) next_file(e,f) next_file(f,g)
    next_file(g,h) next_rank(1,2) next_rank(2,3) next_rank(3,4) next_rank(4,5) next_rank(5,6)
    next_rank(6,7) next_rank(7,8)
    adjacent(X1,X2) :- next_file(X1,X2)
    adjacent(X1,X2) :- next_file(X2,X1)
    adjacent(Y1,Y2) :- next_rank(Y1,Y2)
    adjacent(Y1,Y2) :- next_rank(Y2,Y1)
    kingmove(U,V,U,Y) :- adjacent(V,Y) & coordinate(U)
    kingmove(U,V,X,V) :- adjacent(U,X) & coordinate(V)
    kingmove(U,V,X,Y) :- adjacent(U,X) & adjacent(V,Y)";

/// A program from text; `true` and `does` are given and fed where they occur.
pub(crate) fn program(text: &str) -> Program {
    let terms = Arc::new(Terms::new());
    let mut builder = ProgramBuilder::new(Arc::clone(&terms));
    let mut reader = Reader { tokens: tokens(text), at: 0, variables: IdVec::new() };
    while reader.at < reader.tokens.len() {
        reader.variables = IdVec::new();
        let head = reader.atom(&mut builder);
        let mut body = Formula::TRUE;
        if reader.accept(":-") {
            body = match reader.or(&mut builder) {
                Formula::And(parts) => Formula::And(parts),
                other => Formula::And(vec![other]),
            };
        }
        builder.clause(head, body, reader.variables.clone(), None);
    }
    let keyword = |builder: &mut ProgramBuilder, name: &str, arity| {
        let name = terms.symbol(name);
        builder.relation(name, arity)
    };
    let truth = keyword(&mut builder, "true", 1);
    let does = keyword(&mut builder, "does", 2);
    builder.interface().given.extend([truth, does]);
    for (name, arity, to) in
        [("init", 1, truth), ("next", 1, truth), ("base", 1, truth), ("legal", 2, does), ("input", 2, does)]
    {
        let from = keyword(&mut builder, name, arity);
        builder.interface().feeds.push(Feed { from, to, is_bound: false });
        builder.interface().asked.push(from);
    }
    builder.finish()
}

/// A query from text, over relations the program has.
pub(crate) fn query(program: &Program, text: &str) -> Query {
    let mut builder = ProgramBuilder::from_program(program.clone());
    let mut reader = Reader { tokens: tokens(text), at: 0, variables: IdVec::new() };
    let formula = reader.or(&mut builder);
    assert_eq!(builder.program().relations.len(), program.relations.len(), "unknown relation in {text}");
    Query { formula, variables: reader.variables }
}

/// A ground atom from text.
pub(crate) fn ground(program: &Program, text: &str) -> GroundAtom {
    let Formula::Atom(atom) = query(program, text).formula else { panic!("not an atom: {text}") };
    let term = |p: &Pattern| if let Pattern::Ground(t) = p { *t } else { panic!("not ground: {text}") };
    GroundAtom { relation: atom.relation, args: atom.args.iter().map(term).collect() }
}

fn tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let length = match word {
            0 if rest.starts_with(":-") => 2,
            0 => first.len_utf8(),
            word => word,
        };
        found.push(rest[..length].to_string());
        rest = rest[length..].trim_start();
    }
    found
}

struct Reader {
    tokens: Vec<String>,
    at: usize,
    variables: IdVec<VariableId, SymbolId>,
}

impl Reader {
    fn accept(&mut self, token: &str) -> bool {
        let found = self.tokens.get(self.at).is_some_and(|t| t == token);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn or(&mut self, builder: &mut ProgramBuilder) -> Formula {
        let mut parts = vec![self.and(builder)];
        while self.accept("|") {
            parts.push(self.and(builder));
        }
        if parts.len() == 1 { parts.remove(0) } else { Formula::Or(parts) }
    }

    fn and(&mut self, builder: &mut ProgramBuilder) -> Formula {
        let mut parts = vec![self.literal(builder)];
        while self.accept("&") {
            parts.push(self.literal(builder));
        }
        if parts.len() == 1 { parts.remove(0) } else { Formula::And(parts) }
    }

    fn literal(&mut self, builder: &mut ProgramBuilder) -> Formula {
        if self.accept("~") {
            return Formula::Not(Box::new(self.literal(builder)));
        }
        if self.accept("(") {
            let inner = self.or(builder);
            assert!(self.accept(")"));
            return inner;
        }
        let atom = self.atom(builder);
        if builder.program().relation_name(atom.relation) == "distinct" {
            let [a, b] = &*atom.args else { panic!("distinct takes two") };
            return Formula::Distinct(a.clone(), b.clone());
        }
        Formula::Atom(atom)
    }

    fn atom(&mut self, builder: &mut ProgramBuilder) -> Atom {
        let name = self.word();
        let args = self.args(builder.terms());
        let name = builder.terms().symbol(&name);
        Atom { relation: builder.relation(name, args.len()), args: args.into() }
    }

    fn args(&mut self, terms: &Terms) -> Vec<Pattern> {
        let mut args = Vec::new();
        if self.accept("(") {
            while !self.accept(")") {
                args.push(self.term(terms));
                self.accept(",");
            }
        }
        args
    }

    fn term(&mut self, terms: &Terms) -> Pattern {
        let name = self.word();
        let symbol = terms.symbol(&name);
        if name.starts_with(char::is_uppercase) {
            let known = self.variables.entries().find(|(_, s)| **s == symbol).map(|(v, _)| v);
            return Pattern::Variable(known.unwrap_or_else(|| self.variables.push(symbol)));
        }
        let args = self.args(terms);
        match args.iter().map(Pattern::ground).collect::<Option<Vec<_>>>() {
            Some(parts) if parts.is_empty() => Pattern::Ground(terms.constant_of(symbol)),
            Some(parts) => Pattern::Ground(terms.compound(symbol, &parts)),
            None => Pattern::Compound(symbol, args.into()),
        }
    }
}
