//! Rulesheets as nested lists of names: easy to generate, mutate, shuffle and shrink.
//!
//! This is not the parser under test; it knows brackets, names and comments only.

use std::fmt;
use std::sync::Arc;

use ludex_game::Rng;
use ludex_gdl::minimize::{MinimizeLimits, minimize};
use ludex_gdl::{Notation, Source, parse};

/// A name or a bracketed list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// A name, a number or a variable.
    Name(String),
    /// Everything between two brackets.
    List(Vec<Expression>),
}

impl Expression {
    /// Reads one expression that is known to be well formed, such as a text of the generator.
    ///
    /// # Panics
    /// When it is not.
    pub fn of(text: &str) -> Self {
        let mut rules = Rules::parse(text).expect("balanced brackets");
        assert_eq!(rules.0.len(), 1, "one expression: {text}");
        rules.0.remove(0)
    }

    /// The first element of a list, where it is a name.
    pub fn head(&self) -> Option<&str> {
        match self {
            Expression::List(items) => match items.first() {
                Some(Expression::Name(name)) => Some(name),
                _ => None,
            },
            Expression::Name(_) => None,
        }
    }

    /// The elements of a list; none of a name.
    pub fn items(&self) -> &[Expression] {
        match self {
            Expression::List(items) => items,
            Expression::Name(_) => &[],
        }
    }

    /// Calls `visit` for every name in it.
    pub fn names<'a>(&'a self, visit: &mut impl FnMut(&'a str)) {
        match self {
            Expression::Name(name) => visit(name),
            Expression::List(items) => items.iter().for_each(|i| i.names(visit)),
        }
    }

    /// Calls `visit` for every expression in it, itself first.
    pub fn walk_mut(&mut self, visit: &mut impl FnMut(&mut Expression)) {
        visit(self);
        if let Expression::List(items) = self {
            items.iter_mut().for_each(|i| i.walk_mut(visit));
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expression::Name(name) => f.write_str(name),
            Expression::List(items) => {
                f.write_str("(")?;
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        f.write_str(" ")?;
                    }
                    write!(f, "{item}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// A rulesheet: facts, and rules `(<= head literal...)`. Displayed one clause a line.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Rules(pub Vec<Expression>);

/// Deeper nesting than any real rulesheet has; the expressions are walked by recursion.
const MAX_DEPTH: usize = 200;

impl Rules {
    /// Reads prefix text; `None` where the brackets do not match or are nested very deeply.
    pub fn parse(text: &str) -> Option<Self> {
        let mut stack: Vec<Vec<Expression>> = vec![Vec::new()];
        for line in text.lines() {
            let code = line.split(';').next().unwrap_or("");
            let spaced = code.replace('(', " ( ").replace(')', " ) ");
            for token in spaced.split_whitespace() {
                match token {
                    "(" if stack.len() > MAX_DEPTH => return None,
                    "(" => stack.push(Vec::new()),
                    ")" => {
                        let items = stack.pop()?;
                        stack.last_mut()?.push(Expression::List(items));
                    }
                    name => stack.last_mut()?.push(Expression::Name(name.to_lowercase())),
                }
            }
        }
        let clauses = stack.pop()?;
        stack.is_empty().then_some(Self(clauses))
    }

    /// The same clauses and literals in another order. The order of the roles is kept: it has a meaning.
    #[must_use]
    pub fn shuffled(&self, seed: u64) -> Self {
        let mut rng = Rng::from_seed(seed);
        let is_role = |c: &Expression| c.head() == Some("role");
        let roles = self.0.iter().filter(|c| is_role(c)).cloned();
        let mut others: Vec<Expression> = self.0.iter().filter(|c| !is_role(c)).cloned().collect();
        shuffle(&mut others, &mut rng);
        for clause in &mut others {
            if let Expression::List(items) = clause
                && items.first() == Some(&Expression::Name("<=".into()))
                && items.len() > 2
            {
                shuffle(&mut items[2..], &mut rng);
            }
        }
        Self(roles.chain(others).collect())
    }

    /// The smallest rulesheet found for which `fails` still holds.
    #[must_use]
    pub fn shrink(&self, mut fails: impl FnMut(&Rules) -> bool) -> Self {
        let source = Arc::new(Source::new("generated.kif", self.to_string()));
        let (rulesheet, _) = parse(source, Some(Notation::Prefix));
        let mut shows = |text: &str| Rules::parse(text).is_some_and(|rules| fails(&rules));
        let small = minimize(&rulesheet, &mut shows, &MinimizeLimits::default());
        small.ok().and_then(|small| Rules::parse(&small.text)).unwrap_or_else(|| self.clone())
    }

    /// A few random changes: what an author's slips, and worse, make of a rulesheet.
    #[must_use]
    pub fn mutated(&self, seed: u64) -> Self {
        let mut rng = Rng::from_seed(seed);
        let mut rules = self.clone();
        for _ in 0..=rng.below(3) {
            if rules.0.is_empty() {
                break;
            }
            let at = rng.below(rules.0.len() as u64) as usize;
            match rng.below(8) {
                0 => {
                    rules.0.remove(at);
                }
                1 => rules.0.push(self.0[rng.below(self.0.len() as u64) as usize].clone()),
                kind => mutate_clause(&mut rules.0, at, kind, &mut rng),
            }
        }
        rules
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|clause| writeln!(f, "{clause}"))
    }
}

fn mutate_clause(clauses: &mut [Expression], at: usize, kind: u64, rng: &mut Rng) {
    let mut names = Vec::new();
    clauses[at].names(&mut |name| names.push(name.to_owned()));
    let donor = rng.below(clauses.len() as u64) as usize;
    let mut foreign = Vec::new();
    clauses[donor].names(&mut |name| foreign.push(name.to_owned()));
    let Expression::List(items) = &mut clauses[at] else { return };
    let literals = if items.first() == Some(&Expression::Name("<=".into())) { 2 } else { items.len() };
    let literal =
        (literals < items.len()).then(|| literals + rng.below((items.len() - literals) as u64) as usize);
    match (kind, literal) {
        (2, Some(literal)) => {
            items.remove(literal);
        }
        (3, Some(literal)) => {
            let inner = items[literal].clone();
            items[literal] = match inner.head() {
                Some("not") if inner.items().len() == 2 => inner.items()[1].clone(),
                _ => Expression::List(vec![Expression::Name("not".into()), inner]),
            };
        }
        (4, Some(literal)) => {
            let last = items.len() - 1;
            items.swap(literal, last);
        }
        (5, Some(literal)) if literal + 1 < items.len() => {
            let second = items.remove(literal + 1);
            let first = items[literal].clone();
            items[literal] = Expression::List(vec![Expression::Name("or".into()), first, second]);
        }
        _ => {
            // One name becomes another one, of this clause or of any.
            let pool = if kind == 6 { &names } else { &foreign };
            let (Some(old), Some(new)) = (rng.pick(&names).cloned(), rng.pick(pool).cloned()) else { return };
            let mut which = rng.below(3);
            clauses[at].walk_mut(&mut |e| {
                if let Expression::Name(name) = e
                    && *name == old
                {
                    if which == 0 {
                        name.clone_from(&new);
                    }
                    which = which.wrapping_sub(1);
                }
            });
        }
    }
}

/// Fisher and Yates.
pub(crate) fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for i in (1..items.len()).rev() {
        items.swap(i, rng.below(i as u64 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_and_writing() {
        let rules = Rules::parse("(role X) ; a comment\n(<= (p ?x)\n (q ?x (f a))) r").unwrap();
        assert_eq!(rules.to_string(), "(role x)\n(<= (p ?x) (q ?x (f a)))\nr\n");
        assert!(Rules::parse("(a").is_none() && Rules::parse("a)").is_none());
        assert!(Rules::parse(&"(".repeat(100_000)).is_none());
    }

    #[test]
    fn shrinking_keeps_what_is_needed() {
        let rules = Rules::parse("(a) (b) (<= (c) (d) (e) (f)) (g) (h)").unwrap();
        let small = rules.shrink(|r| r.to_string().contains("(e)") && r.to_string().contains("(g)"));
        assert_eq!(small.to_string(), "(<= (c) (e))\n(g)\n");
    }

    #[test]
    fn shuffling_keeps_clauses_and_the_order_of_roles() {
        let rules = Rules::parse("(p) (role b) (<= q (r) (s) (t)) (role a) (u) (v)").unwrap();
        let shuffled = rules.shuffled(3);
        assert_ne!(shuffled, rules);
        let roles: Vec<_> = shuffled.0.iter().filter(|c| c.head() == Some("role")).collect();
        assert_eq!(roles, [&Expression::of("(role b)"), &Expression::of("(role a)")]);
        assert_eq!(shuffled.0.len(), rules.0.len());
    }

    #[test]
    fn mutation_is_seeded() {
        let rules = Rules::parse("(role x) (<= (p ?x) (q ?x) (not (r ?x))) (q a) (r b)").unwrap();
        assert_eq!(rules.mutated(5), rules.mutated(5));
        assert!((0..50).filter(|&s| rules.mutated(s) != rules).count() > 30);
    }
}
