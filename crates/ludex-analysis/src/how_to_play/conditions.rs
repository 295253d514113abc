//! Rules as conditions that people can read: what scores, what ends the game, and what the words in it mean.

use ludex_gdl::GameProgram;
use ludex_logic::{Atom, Clause, ClauseId, Formula, IdVec, Notation, Pattern, RelationId};

use super::{Part, Sentence, Topic, Words};

/// A condition that is longer than so many bytes is cut.
const LONG: usize = 240;
/// So many conditions stand in one list.
const LISTED: usize = 12;
/// So many words are explained.
const EXPLAINED: usize = 10;
/// A word that more rules than this speak of is not explained: it is a table.
const RULES: usize = 6;
/// So many rules of a word are shown.
const SHOWN: usize = 3;

/// The rules of a game by what they are about.
pub(super) struct Conditions<'p> {
    program: &'p GameProgram,
    notation: Notation,
    by_head: IdVec<RelationId, Vec<ClauseId>>,
}

/// What a rule gives whom.
pub(super) struct Score {
    pub(super) value: Option<u64>,
    pub(super) sentence: Sentence,
}

impl<'p> Conditions<'p> {
    pub(super) fn new(program: &'p GameProgram, notation: Notation) -> Self {
        Self { program, notation, by_head: program.program.clauses_by_head() }
    }

    fn clauses(&self, relation: RelationId) -> Vec<&'p Clause> {
        let program: &'p GameProgram = self.program;
        self.by_head[relation].iter().map(|&clause| &program.program.clauses[clause]).collect()
    }

    /// The goal values that rules name, lowest first.
    pub(super) fn values(&self) -> Vec<u64> {
        let mut values: Vec<u64> = self
            .clauses(self.program.vocabulary.goal)
            .into_iter()
            .filter_map(|clause| self.value(clause))
            .collect();
        values.sort_unstable();
        values.dedup();
        values
    }

    fn value(&self, clause: &Clause) -> Option<u64> {
        let value = clause.head.args.get(1)?.ground()?;
        self.program.program.terms.infix(value).parse().ok()
    }

    /// What scores, the highest values first.
    pub(super) fn scores(&self) -> Vec<Sentence> {
        let mut scores: Vec<Score> = self
            .clauses(self.program.vocabulary.goal)
            .into_iter()
            .filter_map(|clause| self.score(clause))
            .collect();
        // A sort that keeps the order of the rulesheet among equals.
        scores.sort_by_key(|score| std::cmp::Reverse(score.value));
        let sentences = scores.into_iter().map(|score| score.sentence);
        cut(sentences.collect(), "more such rules")
    }

    fn score(&self, clause: &Clause) -> Option<Score> {
        let [role, value] = &clause.head.args[..] else { return None };
        let (who, value_text) = (self.pattern(clause, role), self.pattern(clause, value));
        let mut sentence = vec![Words::Code(who), Words::Text(" gets ".to_owned()), Words::Code(value_text)];
        match self.condition(clause) {
            Some(condition) => {
                sentence.push(Words::Text(" if ".to_owned()));
                sentence.push(Words::Code(condition));
            }
            None => sentence.push(Words::Text(" in any case".to_owned())),
        }
        Some(Score { value: self.value(clause), sentence })
    }

    /// What ends the game.
    pub(super) fn ends(&self) -> Vec<Sentence> {
        let clauses = self.clauses(self.program.vocabulary.terminal).into_iter();
        let conditions = clauses.filter_map(|clause| self.condition(clause));
        cut(conditions.map(|condition| vec![Words::Code(condition)]).collect(), "more such rules")
    }

    /// What the words mean that goals and the end speak of.
    pub(super) fn meaning(&self) -> Option<Part> {
        let mut part = Part::new(Topic::Meaning);
        let v = &self.program.vocabulary;
        let mut known = vec![v.role, v.base, v.input, v.truth, v.does, v.goal, v.terminal, v.legal];
        for relation in [v.goal, v.terminal] {
            for clause in self.clauses(relation) {
                clause.body.atoms(&mut |atom, _| {
                    if !known.contains(&atom.relation) && part.list.len() < EXPLAINED {
                        known.push(atom.relation);
                        part.list.extend(self.explained(atom.relation));
                    }
                });
            }
        }
        part.kept()
    }

    /// When a relation holds, by the first heads of its rules; none where that takes many.
    fn explained(&self, relation: RelationId) -> Option<Sentence> {
        let clauses = self.clauses(relation);
        if clauses.is_empty() || clauses.len() > RULES || clauses.iter().all(|clause| clause.is_fact()) {
            return None;
        }
        let mut sentence = Vec::new();
        let more = clauses.len().saturating_sub(SHOWN);
        for clause in clauses.into_iter().take(SHOWN) {
            if !sentence.is_empty() {
                sentence.push(Words::Text("; ".to_owned()));
            }
            sentence.push(Words::Code(self.atom(clause, &clause.head)));
            match self.condition(clause) {
                Some(condition) => {
                    sentence.push(Words::Text(" if ".to_owned()));
                    sentence.push(Words::Code(condition));
                }
                None => sentence.push(Words::Text(" holds".to_owned())),
            }
        }
        if more > 0 {
            sentence.push(Words::Text(format!("; and {more} more")));
        }
        Some(sentence)
    }

    /// The body of a rule in words; none of what always holds.
    fn condition(&self, clause: &Clause) -> Option<String> {
        let mut out = String::new();
        self.write(clause, &clause.body, false, &mut out);
        (!out.is_empty()).then_some(out)
    }

    /// Appends a formula. What is too long is cut, and so is what would nest too deep to be read.
    fn write(&self, clause: &Clause, formula: &Formula, inner: bool, out: &mut String) {
        if out.len() > LONG {
            if !out.ends_with('…') {
                out.push_str(" …");
            }
            return;
        }
        match formula {
            Formula::Atom(atom) => out.push_str(&self.atom(clause, atom)),
            Formula::Distinct(a, b) => {
                let (a, b) = (self.pattern(clause, a), self.pattern(clause, b));
                out.push_str(&format!("{a} is not {b}"));
            }
            Formula::Not(inner) => {
                out.push_str("not ");
                self.write(clause, inner, true, out);
            }
            Formula::And(parts) => {
                // That something is a role goes without saying.
                let role = self.program.vocabulary.role;
                let is_said = |part: &&Formula| !matches!(part, Formula::Atom(atom) if atom.relation == role);
                let parts: Vec<&Formula> = parts.iter().filter(is_said).collect();
                self.write_all(clause, &parts, " and ", inner, out);
            }
            Formula::Or(parts) => {
                let parts: Vec<&Formula> = parts.iter().collect();
                self.write_all(clause, &parts, " or ", inner, out);
            }
        }
    }

    fn write_all(&self, clause: &Clause, parts: &[&Formula], between: &str, inner: bool, out: &mut String) {
        let needs_brackets = inner && parts.len() > 1;
        if needs_brackets {
            out.push('(');
        }
        for (number, part) in parts.iter().enumerate() {
            if number > 0 && out.len() <= LONG {
                out.push_str(between);
            }
            self.write(clause, part, parts.len() > 1, out);
        }
        if needs_brackets {
            out.push(')');
        }
    }

    /// An atom; of what is true now, and of what is done, only that.
    fn atom(&self, clause: &Clause, atom: &Atom) -> String {
        let v = &self.program.vocabulary;
        if atom.relation == v.truth
            && let Some(fact) = atom.args.last()
        {
            return self.pattern(clause, fact);
        }
        let name = self.program.program.relation_name(atom.relation);
        let args: Vec<String> = atom.args.iter().map(|arg| self.pattern(clause, arg)).collect();
        self.notation.sentence(name, &args)
    }

    fn pattern(&self, clause: &Clause, pattern: &Pattern) -> String {
        let terms = &self.program.program.terms;
        match pattern {
            Pattern::Variable(variable) => self.notation.variable(terms.name(clause.variables[*variable])),
            Pattern::Ground(term) => terms.written_within(*term, self.notation, LONG as u64),
            Pattern::Compound(name, args) => {
                let args: Vec<String> = args.iter().map(|arg| self.pattern(clause, arg)).collect();
                self.notation.sentence(terms.name(*name), &args)
            }
        }
    }
}

/// The first of a list, and how many there are more.
fn cut(mut list: Vec<Sentence>, what: &str) -> Vec<Sentence> {
    let more = list.len().saturating_sub(LISTED);
    if more > 1 {
        list.truncate(LISTED);
        list.push(vec![Words::Text(format!("and {more} {what}"))]);
    }
    list
}
