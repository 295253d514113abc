//! Where every name of a rulesheet stands, and as what.
//!
//! This is read off the syntax tree alone, so it is there for texts with errors, too. Names are what the tree has:
//! in prefix notation they are equal whatever their capitals.

use rustc_hash::FxHashMap;

use crate::game_program::Dialect;
use crate::scramble::is_keyword;
use crate::source::Span;
use crate::tree::{Item, NameId, NodeId, NodeKind, Rulesheet, Tree};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OccurrenceKind {
    /// A connective of sentences, such as `not` and `distinct`.
    Connective,
    /// A relation that the language gives a meaning to.
    Keyword,
    /// Any other relation.
    Relation,
    /// A function: of facts and moves with arguments, and of other terms.
    Function,
    /// A name without arguments inside of a sentence.
    Constant,
    /// A variable.
    Variable,
}

/// What all occurrences of one thing have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol {
    /// What it is.
    pub kind: OccurrenceKind,
    /// What it is called.
    pub name: NameId,
    /// The number of its arguments.
    pub arity: u32,
    /// Of a variable, the clause that it belongs to.
    pub item: Option<u32>,
}

/// A name in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    /// Where the name is written.
    pub span: Span,
    /// What it stands for.
    pub symbol: Symbol,
    /// The clause, as an index of the items of the rulesheet.
    pub item: u32,
    /// The node of the tree: for a name with arguments, with these.
    pub node: NodeId,
    /// The occurrence that it is an argument of, and which argument it is, from 0; nothing for relations.
    pub place: Option<(u32, u32)>,
    /// It is the relation of a head, or the move of an operation: what its clause defines.
    pub is_head: bool,
    /// It stands somewhere in a head.
    pub in_head: bool,
}

/// All occurrences of names in a rulesheet, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Occurrences {
    list: Vec<Occurrence>,
    by_symbol: FxHashMap<Symbol, Vec<u32>>,
}

impl Occurrences {
    /// Finds all names.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use ludex_gdl::{Dialect, OccurrenceKind, Occurrences, Source, parse};
    ///
    /// let text = "(<= (next (at ?x)) (does you (go ?x)) (not (wall ?x)))";
    /// let (rulesheet, _) = parse(Arc::new(Source::new("walk.kif", text)), None);
    /// let names = Occurrences::of(&rulesheet, Dialect::Gdl);
    /// let found = names.at(text.find("go").unwrap()).unwrap();
    /// assert_eq!((found.symbol.kind, found.symbol.arity), (OccurrenceKind::Function, 1));
    /// let variable = names.at(text.find("?x").unwrap()).unwrap();
    /// assert_eq!(names.of_symbol(variable.symbol).count(), 3);
    /// ```
    pub fn of(rulesheet: &Rulesheet, dialect: Dialect) -> Self {
        let mut walk = Walk { tree: &rulesheet.tree, dialect, keywords: Vec::new(), found: Vec::new() };
        walk.keywords = (0..rulesheet.tree.name_count() as u32)
            .map(|name| is_keyword(rulesheet.tree.name(NameId(name)), dialect))
            .collect();
        for (number, item) in rulesheet.items.iter().enumerate() {
            walk.item(number as u32, item);
        }
        if dialect == Dialect::Epilog {
            walk.merge_facts_and_terms();
        }
        Self::sorted(walk.found)
    }

    /// Brings them into the order of the text, where operators stand between their sides.
    fn sorted(found: Vec<Occurrence>) -> Self {
        let mut order: Vec<u32> = (0..found.len() as u32).collect();
        order.sort_by_key(|&at| (found[at as usize].span.start, at));
        let mut new_place = vec![0; found.len()];
        for (new, &old) in order.iter().enumerate() {
            new_place[old as usize] = new as u32;
        }
        let mut list: Vec<Occurrence> = Vec::with_capacity(found.len());
        for &old in &order {
            let mut occurrence = found[old as usize].clone();
            occurrence.place = occurrence.place.map(|(parent, index)| (new_place[parent as usize], index));
            list.push(occurrence);
        }
        let mut by_symbol: FxHashMap<Symbol, Vec<u32>> = FxHashMap::default();
        for (at, occurrence) in list.iter().enumerate() {
            by_symbol.entry(occurrence.symbol).or_default().push(at as u32);
        }
        Self { list, by_symbol }
    }

    /// All of them.
    pub fn all(&self) -> &[Occurrence] {
        &self.list
    }

    /// All symbols, in no order.
    pub fn symbols(&self) -> impl Iterator<Item = Symbol> {
        self.by_symbol.keys().copied()
    }

    /// The name at a byte offset of the text; at its end, too.
    pub fn at(&self, offset: usize) -> Option<&Occurrence> {
        let after = self.list.partition_point(|o| o.span.start as usize <= offset);
        // The innermost one begins last; a quantifier and its variable overlap.
        let holds = |o: &&Occurrence| offset <= o.span.end as usize;
        let near = self.list[after.saturating_sub(2)..after].iter().rev();
        let mut holding = near.filter(holds);
        let first = holding.next()?;
        // Between two names side by side, the one that begins here.
        if (first.span.end as usize) > offset {
            Some(first)
        } else {
            holding.find(|o| (o.span.end as usize) > offset).or(Some(first))
        }
    }

    /// All places of one thing.
    pub fn of_symbol(&self, symbol: Symbol) -> impl Iterator<Item = &Occurrence> {
        self.by_symbol.get(&symbol).into_iter().flatten().map(|&at| &self.list[at as usize])
    }

    /// The occurrence that this one is an argument of.
    pub fn parent(&self, occurrence: &Occurrence) -> Option<&Occurrence> {
        self.list.get(occurrence.place?.0 as usize)
    }

    /// Where a thing is defined: the heads of a relation, the facts that introduce a constant, the clauses that declare a
    /// proposition or move, or else those that bring it about. Where nothing of this is there, the first place.
    pub fn definitions(&self, symbol: Symbol, rulesheet: &Rulesheet) -> Vec<&Occurrence> {
        let ranked: Vec<(u8, &Occurrence)> = self
            .of_symbol(symbol)
            .map(|occurrence| (self.definition_rank(occurrence, rulesheet), occurrence))
            .collect();
        let Some(best) = ranked.iter().map(|(rank, _)| *rank).min() else { return Vec::new() };
        let best_ones = ranked.iter().filter(|(rank, _)| *rank == best).map(|(_, occurrence)| *occurrence);
        let is_many = matches!(
            symbol.kind,
            OccurrenceKind::Relation | OccurrenceKind::Keyword | OccurrenceKind::Function
        );
        let most = if best < NOWHERE && is_many { usize::MAX } else { 1 };
        best_ones.take(most).collect()
    }

    /// How much a place looks like the one where something is introduced: less is more.
    fn definition_rank(&self, occurrence: &Occurrence, rulesheet: &Rulesheet) -> u8 {
        if occurrence.is_head {
            return 0;
        }
        let tree = &rulesheet.tree;
        let parent = self.parent(occurrence).filter(|_| occurrence.in_head);
        let parent_name = parent.filter(|p| p.is_head).map(|p| tree.name(p.symbol.name));
        match (occurrence.symbol.kind, parent_name) {
            (OccurrenceKind::Variable, _) => NOWHERE,
            (_, Some("role")) => 0,
            (_, Some("base" | "input" | "action" | "percept")) => 1,
            (OccurrenceKind::Function, Some("init")) => 2,
            (OccurrenceKind::Function, Some("legal" | "next" | "sees")) => 3,
            (OccurrenceKind::Constant, Some(_)) => {
                let is_fact = rulesheet.items[occurrence.item as usize].body.is_none();
                if is_fact { 2 } else { NOWHERE }
            }
            _ => NOWHERE,
        }
    }
}

/// No place of introduction.
const NOWHERE: u8 = 9;

struct Walk<'a> {
    tree: &'a Tree,
    dialect: Dialect,
    /// Which names mean something in the language.
    keywords: Vec<bool>,
    found: Vec<Occurrence>,
}

/// A node that is still to be looked at.
#[derive(Clone, Copy)]
struct Open {
    node: NodeId,
    is_term: bool,
    is_head: bool,
    in_head: bool,
    place: Option<(u32, u32)>,
}

impl Walk<'_> {
    fn item(&mut self, number: u32, item: &Item) {
        let sentence = |node, is_head| Open { node, is_term: false, is_head, in_head: is_head, place: None };
        // A sentence that is no rule has no head; a single literal is what it says.
        let mut open: Vec<Open> = Vec::new();
        open.extend(item.body.iter().flatten().rev().map(|&node| sentence(node, false)));
        open.push(sentence(item.head, true));
        while let Some(next) = open.pop() {
            self.node(number, next, &mut open);
        }
    }

    fn node(&mut self, item: u32, this: Open, open: &mut Vec<Open>) {
        let tree = self.tree;
        let node = tree.node(this.node);
        let children = tree.children(this.node);
        let (name, span, kind) = match node.kind {
            NodeKind::Error => return,
            NodeKind::Variable(name) => (name, node.span, OccurrenceKind::Variable),
            NodeKind::Constant(name) if this.is_term => (name, node.span, OccurrenceKind::Constant),
            NodeKind::Constant(name) => (name, node.span, self.relation(name)),
            NodeKind::Compound { name, name_span, .. } if this.is_term => {
                (name, name_span, OccurrenceKind::Function)
            }
            NodeKind::Compound { name, name_span, .. } => (name, name_span, self.relation(name)),
        };
        let arity = children.len() as u32;
        let is_variable = kind == OccurrenceKind::Variable;
        let symbol = Symbol { kind, name, arity, item: is_variable.then_some(item) };
        let at = self.found.len() as u32;
        let connective = (kind == OccurrenceKind::Connective).then(|| tree.name(name));
        self.found.push(Occurrence {
            span,
            symbol,
            item,
            node: this.node,
            place: this.place,
            is_head: this.is_head && connective.is_none(),
            in_head: this.in_head,
        });
        for (index, &child) in children.iter().enumerate().rev() {
            let is_term = match connective {
                Some("distinct" | "=") => true,
                Some("A:" | "E:") => index == 0,
                Some(_) => false,
                // What is counted is a sentence.
                None => !(tree.name(name) == "countofall" && index == 1 && self.dialect == Dialect::Epilog),
            };
            let place = (connective.is_none() && is_term).then_some((at, index as u32));
            let is_move = connective == Some("::") && index == 0 && this.is_head;
            open.push(Open {
                node: child,
                is_term,
                is_head: is_move,
                in_head: this.in_head && (is_move || is_term),
                place,
            });
        }
    }

    fn relation(&self, name: NameId) -> OccurrenceKind {
        let text = self.tree.name(name);
        match text {
            "and" | "or" | "not" | "distinct" | "=" | "=>" | "<=>" | "A:" | "E:" | "==>" | "::" | "<=" => {
                OccurrenceKind::Connective
            }
            _ if self.keywords.get(name.0 as usize) == Some(&true) => OccurrenceKind::Keyword,
            _ => OccurrenceKind::Relation,
        }
    }

    /// In Epilog what holds is a term after `init` and a sentence elsewhere, and so are moves.
    fn merge_facts_and_terms(&mut self) {
        let mut relations: FxHashMap<(NameId, u32), ()> = FxHashMap::default();
        for occurrence in &self.found {
            if occurrence.symbol.kind == OccurrenceKind::Relation {
                relations.insert((occurrence.symbol.name, occurrence.symbol.arity), ());
            }
        }
        for occurrence in &mut self.found {
            let symbol = &mut occurrence.symbol;
            let is_term = matches!(symbol.kind, OccurrenceKind::Function | OccurrenceKind::Constant);
            if is_term && relations.contains_key(&(symbol.name, symbol.arity)) {
                symbol.kind = OccurrenceKind::Relation;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::dialect::detect;
    use crate::parse::parse;
    use crate::source::Source;

    fn read(text: &str) -> (Rulesheet, Occurrences) {
        let (rulesheet, _) = parse(Arc::new(Source::new("x.kif", text)), None);
        let names = Occurrences::of(&rulesheet, detect(&rulesheet).0);
        (rulesheet, names)
    }

    fn kinds(text: &str) -> Vec<(&str, OccurrenceKind)> {
        let (_, names) = read(text);
        names.all().iter().map(|o| (&text[o.span.range()], o.symbol.kind)).collect()
    }

    #[test]
    fn names_are_what_they_stand_for() {
        use OccurrenceKind::{Connective, Constant, Function, Keyword, Relation, Variable};
        let expected = [
            ("next", Keyword),
            ("at", Function),
            ("?x", Variable),
            ("does", Keyword),
            ("you", Constant),
            ("go", Function),
            ("?x", Variable),
            ("not", Connective),
            ("wall", Relation),
            ("?x", Variable),
        ];
        assert_eq!(kinds("(<= (next (at ?x)) (does you (go ?x)) (not (wall ?x)))"), expected);
        let infix = kinds("next(at(X)) :- p(X) & ~wall(X)");
        assert_eq!(
            infix.iter().map(|(text, _)| *text).collect::<Vec<_>>(),
            ["next", "at", "X", "p", "X", "&", "~", "wall", "X"]
                .iter()
                .copied()
                .filter(|t| *t != "&")
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_name_is_found_from_both_its_ends() {
        let text = "(p (f a) b)";
        let (_, names) = read(text);
        let at = |offset| names.at(offset).map(|o| &text[o.span.range()]);
        assert_eq!(
            [at(0), at(1), at(2), at(4), at(5), at(6), at(7)],
            [None, Some("p"), Some("p"), Some("f"), Some("f"), Some("a"), Some("a")]
        );
        assert_eq!((at(8), at(9), at(11)), (None, Some("b"), None));
    }

    #[test]
    fn definitions_are_heads_and_declarations() {
        let text = "(role you) (base (at 1)) (init (at 1)) (<= (p ?x) (true (at ?x))) (p 2) (<= (legal you go) (p 1))";
        let (rulesheet, names) = read(text);
        let places = |word: &str| {
            let symbol = names.at(text.rfind(word).unwrap()).unwrap().symbol;
            let found = names.definitions(symbol, &rulesheet);
            found.iter().map(|o| o.span.start as usize).collect::<Vec<_>>()
        };
        assert_eq!(places("p 1"), [text.find("p ?x").unwrap(), text.find("p 2").unwrap()]);
        assert_eq!(places("at ?x"), [text.find("at 1").unwrap()]);
        assert_eq!(places("you go"), [text.find("you").unwrap()]);
    }

    #[test]
    fn facts_and_moves_of_epilog_are_one_thing_everywhere() {
        let text = "role(a)\ninit(at(1))\nlegal(go(X)) :- at(X)\ngo(X) :: at(X) ==> ~at(X) & at(2)\nterminal :- at(2)";
        let (_, names) = read(text);
        for (word, count) in [("at", 6), ("go", 2)] {
            let symbol = names.at(text.find(&format!("{word}(")).unwrap()).unwrap().symbol;
            assert_eq!(names.of_symbol(symbol).count(), count, "{word}");
        }
    }

    #[test]
    fn what_cannot_be_read_leaves_the_rest() {
        let text = "(role you)\n(<= (p ?x) (q ?x\n\n(role me)";
        assert!(kinds(text).iter().filter(|(name, _)| *name == "role").count() == 2);
    }
}
