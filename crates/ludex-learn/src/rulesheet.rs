//! What was learned, as clauses of GDL.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::hypothesis::Learned;
use crate::language::{Language, LinePattern, Operand, Source, Test};
use crate::observations::{Facts, Observations};
use crate::vocabulary::{Part, RelationId, Tuple, Vocabulary};

/// The rulesheet of a game: its roles and what holds in all states, the facts of its first state, and what was learned.
pub fn rulesheet(
    learned: &[&Learned],
    observed: &Observations,
    first: &Facts,
    vocabulary: &Vocabulary,
) -> String {
    let mut writer = Writer::new(observed, vocabulary);
    let mut rules = String::new();
    for one in learned {
        rules.push('\n');
        rules.push_str(&writer.clauses(one));
    }
    let mut text = String::new();
    let body = format!("{rules}{}", writer.helpers);
    let is_used = |relation: RelationId, text: &str| {
        text.contains(&format!("({} ", vocabulary.get(relation).shape.name()))
    };
    let mut closures = String::new();
    for &(closure, of) in observed.closures.iter().filter(|(closure, _)| is_used(*closure, &body)) {
        let [closure, of] = [closure, of].map(|relation| vocabulary.get(relation).shape.clone());
        let step = of.fill(["?x", "?y"]);
        closures.push('\n');
        closures.push_str(&clause(&closure.fill(["?x", "?y"]), std::slice::from_ref(&step), &[]));
        closures.push_str(&clause(&closure.fill(["?x", "?z"]), &[step, closure.fill(["?y", "?z"])], &[]));
    }
    let body = body + &closures;
    let mut facts: Vec<(RelationId, &Tuple)> = observed.statics.iter().collect();
    facts.sort_unstable();
    // Roles come first, in their order.
    facts.sort_by_key(|(relation, _)| vocabulary.get(*relation).shape.name() != "role");
    for (relation, tuple) in facts {
        let is_closure = observed.closures.iter().any(|(closure, _)| *closure == relation);
        let is_role = vocabulary.get(relation).shape.name() == "role";
        if is_role || !is_closure && is_used(relation, &body) {
            let _ = writeln!(text, "{}", vocabulary.text(relation, tuple));
        }
    }
    text.push('\n');
    let mut facts: Vec<String> =
        first.iter().map(|(relation, tuple)| vocabulary.text(relation, tuple)).collect();
    facts.sort_unstable();
    for fact in facts.iter().filter_map(|fact| fact.strip_prefix("(true ")) {
        let _ = writeln!(text, "(init {fact}");
    }
    text.push_str(&body);
    text
}

impl Learned {
    /// The clauses, and those of helper relations after them.
    pub fn clauses(&self, observed: &Observations, vocabulary: &Vocabulary) -> String {
        let mut writer = Writer::new(observed, vocabulary);
        let clauses = writer.clauses(self);
        clauses + &writer.helpers
    }
}

struct Writer<'a> {
    observed: &'a Observations,
    vocabulary: &'a Vocabulary,
    /// What stands in the columns of each relation.
    values: Vec<Vec<Vec<u32>>>,
    /// Clauses of helper relations.
    helpers: String,
    /// Helper relations by what they stand for.
    known: FxHashMap<String, String>,
    used: FxHashSet<String>,
}

/// One clause while it is written.
struct Draft<'l> {
    language: &'l Language,
    /// What stands for each variable.
    names: Vec<String>,
}

impl<'a> Writer<'a> {
    fn new(observed: &'a Observations, vocabulary: &'a Vocabulary) -> Self {
        let (known, used) = (FxHashMap::default(), FxHashSet::default());
        let values = observed.column_values(vocabulary);
        Self { observed, vocabulary, values, helpers: String::new(), known, used }
    }

    fn clauses(&mut self, learned: &Learned) -> String {
        let language = &learned.language;
        let mut text = String::new();
        for rule in &learned.rules {
            let draft = Draft::new(language, &rule.tests, self.vocabulary);
            let (mut body, mut last) = self.body(&draft, &rule.tests);
            for exception in &rule.exceptions {
                last.push(self.exception(language, &draft, exception, learned.relation));
            }
            let head = self.head(&draft, learned.relation);
            self.bind(&head, &last, &mut body, learned, &draft);
            let _ = writeln!(text, "; of {} examples", rule.support);
            text.push_str(&clause(&head, &body, &last));
        }
        text
    }

    fn head(&self, draft: &Draft<'_>, relation: RelationId) -> String {
        let columns = 0..self.vocabulary.columns(relation);
        self.vocabulary.get(relation).shape.fill(columns.map(|column| draft.names[column].as_str()))
    }

    /// The literals that bind variables, and those that need them bound.
    fn body(&mut self, draft: &Draft<'_>, tests: &[Test]) -> (Vec<String>, Vec<String>) {
        let (mut body, mut last) = (Vec::new(), Vec::new());
        for link in draft.language.links_of_tests(tests) {
            let words = self.link_words(draft, link);
            self.push_literal(draft.language.links[link].relation, &words, &mut body);
        }
        for (number, test) in tests.iter().enumerate() {
            match test {
                Test::Equal(..) => {}
                Test::Differ(variable, operand) => {
                    last.push(format!(
                        "(distinct {} {})",
                        draft.names[*variable],
                        self.operand(draft, *operand)
                    ));
                }
                Test::Holds(relation, given) => {
                    let words = self.fact_words(draft, given, number);
                    self.push_literal(*relation, &words, &mut body);
                }
                Test::HoldsNot(relation, given) => {
                    let fact = if given.iter().all(Option::is_some) {
                        let words = self.fact_words(draft, given, number);
                        self.literal(*relation, &words)
                    } else {
                        self.some(draft, *relation, given)
                    };
                    last.push(format!("(not {fact})"));
                }
                Test::All { relation, column, value, is_so } => {
                    let other = self.other(*relation, *column, self.vocabulary.name(*value).to_owned());
                    if *is_so { last.push(format!("(not {other})")) } else { body.push(other) }
                }
                Test::Line { pattern, value, is_there } => {
                    let line = self.line(&draft.language.patterns[*pattern], &self.operand(draft, *value));
                    if *is_there { body.push(line) } else { last.push(format!("(not {line})")) }
                }
            }
        }
        body.dedup();
        (body, last)
    }

    fn operand(&self, draft: &Draft<'_>, operand: Operand) -> String {
        match operand {
            Operand::Constant(constant) => self.vocabulary.name(constant).to_owned(),
            Operand::Variable(variable) => draft.names[variable].clone(),
        }
    }

    fn literal(&self, relation: RelationId, words: &[String]) -> String {
        self.vocabulary.get(relation).shape.fill(words.iter().map(String::as_str))
    }

    /// Adds a literal, and where a variable of it could also stand for a term with arguments, as that of
    /// `(does ?role ?action)` can, which constants are meant.
    fn push_literal(&mut self, relation: RelationId, words: &[String], body: &mut Vec<String>) {
        body.push(self.literal(relation, words));
        for (column, word) in words.iter().enumerate() {
            if word.starts_with('?') && self.vocabulary.has_compound(relation, column) {
                let values = self.values[relation][column].clone();
                body.push(self.constants(&values, relation, word));
            }
        }
    }

    /// What stands in the columns of the fact that a link looks up.
    fn link_words(&self, draft: &Draft<'_>, number: usize) -> Vec<String> {
        let link = &draft.language.links[number];
        let mut found = draft.language.first_variable(number)..;
        let word = |key: &Option<Operand>| match key {
            Some(key) => self.operand(draft, *key),
            None => found.next().map_or_else(String::new, |variable| draft.names[variable].clone()),
        };
        link.keys.iter().map(word).collect()
    }

    /// What stands in the columns of a fact, with variables of its own where anything may stand.
    fn fact_words(&self, draft: &Draft<'_>, given: &[Option<Operand>], number: usize) -> Vec<String> {
        let word = |(column, value): (usize, &Option<Operand>)| match value {
            Some(value) => self.operand(draft, *value),
            None => format!("?any{number}_{column}"),
        };
        given.iter().enumerate().map(word).collect()
    }

    /// A helper relation that holds where there is such a fact, with the given columns.
    fn some(&mut self, draft: &Draft<'_>, relation: RelationId, given: &[Option<Operand>]) -> String {
        let words: Vec<String> = (0..given.len()).map(|column| format!("?x{column}")).collect();
        let mut body = Vec::new();
        self.push_literal(relation, &words, &mut body);
        let kept: Vec<&str> = (0..given.len())
            .filter(|&column| given[column].is_some())
            .map(|column| words[column].as_str())
            .collect();
        let key = format!("{} {}", body.join(" "), kept.join(" "));
        let base = format!("some_{}", self.vocabulary.get(relation).shape.name());
        let name = self.helper(&key, &base, |name| clause(&atom(name, &kept), &body, &[]));
        let values: Vec<String> = given.iter().flatten().map(|value| self.operand(draft, *value)).collect();
        atom(&name, &values.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// A helper relation that holds where a fact has something else in a column.
    fn other(&mut self, relation: RelationId, column: usize, value: String) -> String {
        let words: Vec<String> = (0..self.vocabulary.columns(relation)).map(|at| format!("?x{at}")).collect();
        let mut body = Vec::new();
        self.push_literal(relation, &words, &mut body);
        body.push(format!("(distinct {} {value})", words[column]));
        let base = format!("other_{}", self.vocabulary.get(relation).shape.name());
        self.helper(&body.join(" "), &base, |name| clause(name, &body, &[]))
    }

    /// A helper relation that holds of what stands in a line.
    fn line(&mut self, pattern: &LinePattern, value: &str) -> String {
        let shape = &self.vocabulary.get(pattern.relation).shape;
        let orders = pattern.orders.map(|order| self.vocabulary.get(order).shape.clone());
        let mut clauses = Vec::new();
        for &(first, second) in &pattern.directions {
            let mut body = Vec::new();
            for step in 0..pattern.length {
                let place = |axis: usize, by: i8| {
                    if by == 0 { format!("?p{axis}") } else { format!("?p{axis}{step}") }
                };
                let places = [place(0, first), place(1, second)];
                let mut words = vec!["?content".to_owned(); 3];
                words[pattern.places[0]].clone_from(&places[0]);
                words[pattern.places[1]].clone_from(&places[1]);
                if step > 0 {
                    for (axis, by) in [first, second].into_iter().enumerate().filter(|(_, by)| *by != 0) {
                        let before = format!("?p{axis}{}", step - 1);
                        let pair = if by == 1 {
                            [before, places[axis].clone()]
                        } else {
                            [places[axis].clone(), before]
                        };
                        body.push(orders[axis].fill(pair.iter().map(String::as_str)));
                    }
                }
                body.push(shape.fill(words.iter().map(String::as_str)));
            }
            clauses.push(body);
        }
        let key = format!("{clauses:?}");
        let name = self.helper(&key, "line", |name| {
            clauses.iter().map(|body| clause(&atom(name, &["?content"]), body, &[])).collect()
        });
        atom(&name, &[value])
    }

    /// A helper relation that holds where an exception does, of those columns of the head that it speaks of.
    fn exception(
        &mut self,
        language: &Language,
        rule: &Draft<'_>,
        tests: &[Test],
        relation: RelationId,
    ) -> String {
        let draft = Draft::new(language, tests, self.vocabulary);
        let heads: Vec<usize> = draft.heads(tests);
        let columns: Vec<&str> = heads.iter().map(|&column| draft.names[column].as_str()).collect();
        let (mut body, last) = self.body(&draft, tests);
        let base = format!("exception_of_{}", self.vocabulary.get(relation).shape.name());
        for &column in &heads {
            let name = &draft.names[column];
            if name.starts_with('?') && !body.iter().any(|literal| mentions(literal, name)) {
                body.insert(0, self.values(relation, column, name));
            }
        }
        let key = clause(&atom("", &columns), &body, &last);
        let name = self.helper(&key, &base, |name| clause(&atom(name, &columns), &body, &last));
        let given: Vec<&str> = heads.iter().map(|&column| rule.names[column].as_str()).collect();
        format!("(not {})", atom(&name, &given))
    }

    /// Binds what the head and the last literals need bound and nothing binds.
    fn bind(
        &mut self,
        head: &str,
        last: &[String],
        body: &mut Vec<String>,
        learned: &Learned,
        draft: &Draft<'_>,
    ) {
        for column in (0..self.vocabulary.columns(learned.relation)).rev() {
            let name = &draft.names[column];
            let is_needed = mentions(head, name) || last.iter().any(|literal| mentions(literal, name));
            if name.starts_with('?') && is_needed && !body.iter().any(|literal| mentions(literal, name)) {
                body.insert(0, self.values(learned.relation, column, name));
            }
        }
    }

    /// A literal that holds of what stands in a column: of a relation that is known, or else of one made for it.
    fn values(&mut self, relation: RelationId, column: usize, name: &str) -> String {
        let target = self.observed.targets.iter().find(|target| target.relation == relation);
        let mut values: Vec<u32> = Vec::new();
        if let Some(target) = target {
            let held = target.seen.iter().flat_map(|(_, held)| held);
            values.extend(held.map(|&atom| target.atoms[atom as usize][column]));
        }
        values.sort_unstable();
        values.dedup();
        let known = (0..self.vocabulary.relations()).find(|&other| {
            self.vocabulary.get(other).part == Part::Static
                && self.vocabulary.columns(other) == 1
                && self.observed.statics.of(other).iter().map(|fact| &fact[0]).eq(&values)
        });
        if let Some(known) = known {
            return self.vocabulary.get(known).shape.fill([name]);
        }
        self.constants(&values, relation, name)
    }

    /// A literal that holds of these constants alone.
    fn constants(&mut self, values: &[u32], relation: RelationId, name: &str) -> String {
        let base = format!("value_of_{}", self.vocabulary.get(relation).shape.name());
        let facts: Vec<&str> = values.iter().map(|&value| self.vocabulary.name(value)).collect();
        let helper = self.helper(&format!("{facts:?}"), &base, |helper| {
            facts.iter().map(|fact| format!("({helper} {fact})\n")).collect()
        });
        atom(&helper, &[name])
    }

    /// The name of the helper relation for something; its clauses are written when it is new.
    fn helper(&mut self, key: &str, base: &str, write: impl FnOnce(&str) -> String) -> String {
        if let Some(name) = self.known.get(key) {
            return name.clone();
        }
        let is_taken = |name: &str, used: &FxHashSet<String>, vocabulary: &Vocabulary| {
            used.contains(name)
                || (0..vocabulary.relations()).any(|it| vocabulary.get(it).shape.name() == name)
        };
        let name = (1..)
            .map(|number| if number == 1 { base.to_owned() } else { format!("{base}_{number}") })
            .find(|name| !is_taken(name, &self.used, self.vocabulary))
            .unwrap_or_else(|| base.to_owned());
        self.used.insert(name.clone());
        self.known.insert(key.to_owned(), name.clone());
        let text = write(&name);
        self.helpers.push('\n');
        self.helpers.push_str(&text);
        name
    }
}

impl<'l> Draft<'l> {
    /// Names for all variables, so that what a test says is equal has one.
    fn new(language: &'l Language, tests: &[Test], vocabulary: &Vocabulary) -> Self {
        let count = language.variables.len();
        let mut same: Vec<usize> = (0..count).collect();
        let root = |same: &[usize], mut at: usize| {
            while same[at] != at {
                at = same[at];
            }
            at
        };
        let mut constants: FxHashMap<usize, u32> = FxHashMap::default();
        for test in tests {
            if let Test::Equal(first, Operand::Variable(second)) = test {
                let (a, b) = (root(&same, *first), root(&same, *second));
                same[a.max(b)] = a.min(b);
            }
        }
        for test in tests {
            if let Test::Equal(first, Operand::Constant(constant)) = test {
                constants.insert(root(&same, *first), *constant);
            }
        }
        let mut draft = Self { language, names: Vec::with_capacity(count) };
        for variable in 0..count {
            let root = root(&same, variable);
            let name = match constants.get(&root) {
                Some(&constant) => vocabulary.name(constant).to_owned(),
                None if root < variable => draft.names[root].clone(),
                None => format!("?v{variable}"),
            };
            draft.names.push(name);
        }
        draft
    }

    /// The columns of the head that tests speak of.
    fn heads(&self, tests: &[Test]) -> Vec<usize> {
        let links = self.language.links_of_tests(tests);
        let keys = links.iter().flat_map(|&link| self.language.links[link].keys.iter().flatten());
        let met = tests.iter().flat_map(Test::variables).chain(keys.filter_map(|key| key.variable()));
        let is_head = |&variable: &usize| matches!(self.language.variables[variable].source, Source::Head(_));
        let mut heads: Vec<usize> = met.filter(is_head).collect();
        heads.sort_unstable();
        heads.dedup();
        heads
    }
}

fn atom(name: &str, arguments: &[&str]) -> String {
    if arguments.is_empty() { name.to_owned() } else { format!("({name} {})", arguments.join(" ")) }
}

/// Whether a literal has this word.
fn mentions(literal: &str, word: &str) -> bool {
    literal.split(['(', ')', ' ']).any(|part| part == word)
}

fn clause(head: &str, body: &[String], last: &[String]) -> String {
    let mut text = format!("{head}\n");
    if !body.is_empty() || !last.is_empty() {
        let literals = body.iter().chain(last).map(|literal| format!("\n    {literal}"));
        text = format!("(<= {head}{})\n", literals.collect::<String>());
    }
    with_short_names(&text)
}

/// Names the variables of a clause `?a`, `?b`... as they come.
fn with_short_names(clause: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut text = String::new();
    for word in clause.split_inclusive(['(', ')', ' ', '\n']) {
        let name = word.trim_end_matches(['(', ')', ' ', '\n']);
        if !name.starts_with('?') {
            text.push_str(word);
            continue;
        }
        let number = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        let letter = char::from(b'a' + (number % 26) as u8);
        let round = if number < 26 { String::new() } else { (number / 26).to_string() };
        let _ = write!(text, "?{letter}{round}{}", &word[name.len()..]);
    }
    text
}
