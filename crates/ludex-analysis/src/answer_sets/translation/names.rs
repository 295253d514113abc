//! Names of a game as names that answer set solvers read.

use ludex_gdl::GameProgram;
use ludex_logic::{Formula, IdVec, Pattern, Program, RelationId, SymbolId, TermId, TermView, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest number that solvers read as a number.
const LARGEST: u64 = i32::MAX as u64;

/// What a written name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Word {
    /// A constant, or a functor with arguments.
    Symbol(SymbolId),
    /// A functional term without arguments, which solvers do not know.
    Call(SymbolId),
}

/// The names of one translation. A name of the game stays as it is where it can.
#[derive(Debug)]
pub(super) struct Names {
    words: FxHashMap<Word, String>,
    /// Written names, with what they stand for where it is a word of the game.
    meanings: FxHashMap<String, Option<Word>>,
    relations: IdVec<RelationId, String>,
    /// Written names that are not the game's, with these, in the order they were made.
    pub renamed: Vec<(String, String)>,
}

impl Names {
    /// Names for all words and relations of a game; `arity` is how many arguments a relation is written
    /// with.
    pub(super) fn new(game: &GameProgram, arity: impl Fn(RelationId) -> usize) -> Self {
        let program = &game.program;
        let mut names = Self {
            words: FxHashMap::default(),
            meanings: FxHashMap::default(),
            relations: IdVec::new(),
            renamed: Vec::new(),
        };
        let words = words(program);
        let terms = &program.terms;
        for &word in &words {
            if let Word::Symbol(symbol) = word
                && is_name(terms.name(symbol))
            {
                names.enter(word, terms.name(symbol).to_owned());
            }
        }
        for relation in program.relations.iter().filter(|r| is_name(terms.name(r.name))) {
            names.meanings.entry(terms.name(relation.name).to_owned()).or_insert(None);
        }
        for word in words.iter().filter(|word| !matches!(word, Word::Symbol(s) if is_name(terms.name(*s)))) {
            let (Word::Symbol(symbol) | Word::Call(symbol)) = word;
            let written = names.fresh(terms.name(*symbol));
            let shown = if matches!(word, Word::Call(_)) { "()" } else { "" };
            names.renamed.push((written.clone(), format!("{}{shown}", terms.name(*symbol))));
            names.enter(*word, written);
        }
        names.name_relations(game, arity);
        names
    }

    fn enter(&mut self, word: Word, written: String) {
        self.meanings.insert(written.clone(), Some(word));
        self.words.insert(word, written);
    }

    /// Keywords first, so that they keep their names. Two relations with one name differ by the number
    /// of arguments; with time they may not.
    fn name_relations(&mut self, game: &GameProgram, arity: impl Fn(RelationId) -> usize) {
        let program = &game.program;
        let v = &game.vocabulary;
        let keywords = [v.truth, v.does, v.legal, v.goal, v.terminal, v.role, v.base, v.input, v.init];
        let mut taken: FxHashSet<(String, usize)> = FxHashSet::default();
        let mut found: IdVec<RelationId, Option<String>> = program.relations.iter().map(|_| None).collect();
        for relation in keywords.into_iter().chain(program.relations.ids()) {
            if found[relation].is_some() {
                continue;
            }
            let name = program.relation_name(relation);
            let plain = (name.to_owned(), arity(relation));
            let written = if is_name(name) && taken.insert(plain) {
                name.to_owned()
            } else {
                let written = self.fresh(name);
                self.renamed.push((written.clone(), format!("{name}/{}", program.relations[relation].arity)));
                taken.insert((written.clone(), arity(relation)));
                written
            };
            found[relation] = Some(written);
        }
        self.relations = found.iter().map(|name| name.clone().unwrap_or_default()).collect();
    }

    /// A name that nothing has, as much like `name` as can be.
    pub(super) fn fresh(&mut self, name: &str) -> String {
        let mut stem: String =
            name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        if stem == "not" {
            stem.push('_');
        } else if !stem.starts_with(|c: char| c.is_ascii_lowercase()) {
            stem.insert_str(0, "n_");
        }
        let mut written = stem.clone();
        let mut number = 2_u64;
        while self.meanings.contains_key(&written) {
            written = format!("{stem}_{number}");
            number += 1;
        }
        self.meanings.insert(written.clone(), None);
        written
    }

    /// How a relation is written.
    pub(super) fn relation(&self, relation: RelationId) -> &str {
        &self.relations[relation]
    }

    fn word(&self, word: Word) -> &str {
        // Every word of the program was entered, and terms are made of these alone.
        self.words.get(&word).map_or("", String::as_str)
    }

    fn constant(&self, terms: &Terms, symbol: SymbolId, out: &mut String) {
        match terms.number(symbol).filter(|&number| number <= LARGEST) {
            Some(_) => out.push_str(terms.name(symbol)),
            None => out.push_str(self.word(Word::Symbol(symbol))),
        }
    }

    /// Appends a ground term, of any depth.
    pub(super) fn write_term(&self, terms: &Terms, term: TermId, out: &mut String) {
        enum Job {
            Term(TermId),
            Text(&'static str),
        }
        let mut jobs = vec![Job::Term(term)];
        while let Some(job) = jobs.pop() {
            match job {
                Job::Text(text) => out.push_str(text),
                Job::Term(term) => match terms.view(term) {
                    TermView::Constant(symbol) => self.constant(terms, symbol, out),
                    TermView::Compound(functor, []) => out.push_str(self.word(Word::Call(functor))),
                    TermView::Compound(functor, args) => {
                        out.push_str(self.word(Word::Symbol(functor)));
                        out.push('(');
                        jobs.push(Job::Text(")"));
                        for (at, &arg) in args.iter().enumerate().rev() {
                            jobs.push(Job::Term(arg));
                            if at > 0 {
                                jobs.push(Job::Text(","));
                            }
                        }
                    }
                },
            }
        }
    }

    /// A ground term; `None` where it has a word that the rules do not have.
    pub(super) fn term(&self, terms: &Terms, term: TermId) -> Option<String> {
        let mut known = Words { terms, seen: FxHashSet::default(), found: Vec::new() };
        known.term(term);
        if !known.found.iter().all(|word| self.words.contains_key(word)) {
            return None;
        }
        let mut out = String::new();
        self.write_term(terms, term, &mut out);
        Some(out)
    }

    /// Appends a term with variables, which lowering keeps from nesting deep.
    pub(super) fn write_pattern(
        &self,
        terms: &Terms,
        pattern: &Pattern,
        variables: &[String],
        out: &mut String,
    ) {
        match pattern {
            Pattern::Variable(variable) => out.push_str(&variables[ludex_logic::Id::index(*variable)]),
            Pattern::Ground(term) => self.write_term(terms, *term, out),
            Pattern::Compound(functor, args) => {
                out.push_str(self.word(Word::Symbol(*functor)));
                out.push('(');
                for (at, arg) in args.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    self.write_pattern(terms, arg, variables, out);
                }
                out.push(')');
            }
        }
    }

    /// What a written name or number stands for.
    pub(super) fn meaning(&self, terms: &Terms, written: &str) -> Option<Word> {
        if written.bytes().all(|byte| byte.is_ascii_digit()) {
            return terms.find_symbol(written).map(Word::Symbol);
        }
        *self.meanings.get(written)?
    }
}

/// Whether solvers read this as a name.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text != "not"
}

/// The names of variables: theirs, as far as they can be written, and none of them `time`.
pub(super) fn variables(terms: &Terms, names: &[SymbolId], time: &str) -> Vec<String> {
    let mut taken: FxHashSet<String> = FxHashSet::default();
    taken.insert(time.to_owned());
    let mut written = Vec::with_capacity(names.len());
    for &symbol in names {
        let mut stem: String =
            terms.name(symbol).chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        match stem.chars().next() {
            Some(first) if first.is_ascii_alphabetic() => stem[..1].make_ascii_uppercase(),
            _ => stem.insert(0, 'V'),
        }
        let mut name = stem.clone();
        let mut number = 2_u64;
        while !taken.insert(name.clone()) {
            name = format!("{stem}_{number}");
            number += 1;
        }
        written.push(name);
    }
    written
}

/// The words of a program in the order they are written, each once; constants that solvers read as
/// numbers need no name.
fn words(program: &Program) -> Vec<Word> {
    let mut words = Words { terms: &program.terms, seen: FxHashSet::default(), found: Vec::new() };
    for clause in program.clauses.iter() {
        clause.head.args.iter().for_each(|arg| words.pattern(arg));
        words.formula(&clause.body);
    }
    words.found
}

struct Words<'t> {
    terms: &'t Terms,
    seen: FxHashSet<Word>,
    found: Vec<Word>,
}

impl Words<'_> {
    fn add(&mut self, word: Word) {
        if self.seen.insert(word) {
            self.found.push(word);
        }
    }

    fn formula(&mut self, formula: &Formula) {
        let mut open = vec![formula];
        while let Some(formula) = open.pop() {
            match formula {
                Formula::Atom(atom) => atom.args.iter().for_each(|arg| self.pattern(arg)),
                Formula::Distinct(a, b) => [a, b].into_iter().for_each(|arg| self.pattern(arg)),
                Formula::Not(inner) => open.push(inner),
                Formula::And(parts) | Formula::Or(parts) => open.extend(parts.iter().rev()),
            }
        }
    }

    fn pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Variable(_) => {}
            Pattern::Ground(term) => self.term(*term),
            Pattern::Compound(functor, args) => {
                self.add(Word::Symbol(*functor));
                args.iter().for_each(|arg| self.pattern(arg));
            }
        }
    }

    fn term(&mut self, term: TermId) {
        let mut open = vec![term];
        while let Some(term) = open.pop() {
            match self.terms.view(term) {
                TermView::Constant(symbol) => {
                    if self.terms.number(symbol).is_none_or(|number| number > LARGEST) {
                        self.add(Word::Symbol(symbol));
                    }
                }
                TermView::Compound(functor, []) => self.add(Word::Call(functor)),
                TermView::Compound(functor, args) => {
                    self.add(Word::Symbol(functor));
                    open.extend(args.iter().rev());
                }
            }
        }
    }
}
