//! Answer set programs without variables (book 15.1).

use std::fmt;

use rustc_hash::FxHashMap;

/// An atom of one [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom(u32);

impl Atom {
    /// The position of the atom in its program, from 0.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The atom at a position.
    pub(super) fn at(index: usize) -> Self {
        Self(index as u32)
    }
}

/// `1 {a; b} 2`: each of the atoms may be true or not, within bounds on how many are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The atoms; one that is named twice counts once.
    pub atoms: Vec<Atom>,
    /// How many are true at least.
    pub at_least: usize,
    /// How many are true at most; `None` for any number.
    pub at_most: Option<usize>,
}

/// What a rule says when its body holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// Nothing: the body must not hold (a *constraint*).
    Constraint,
    /// The atom is true.
    Atom(Atom),
    /// The atoms may be true.
    Choice(Choice),
}

/// A ground rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What it says.
    pub head: Head,
    /// Atoms that must be true.
    pub positive: Vec<Atom>,
    /// Atoms that must be false.
    pub negative: Vec<Atom>,
}

/// A ground answer set program: normal rules, choices and constraints.
///
/// A set of atoms is an *answer set* if it violates no constraint and no bound of a choice, and is the
/// least model of the rules that remain once negative literals are read as the set says and a choice is
/// read as allowing what the set takes of it (Gelfond and Lifschitz, 1988; Niemelä and Simons, 2000).
///
/// [`Program::models`] finds them; [`Program::read`] reads a program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    names: Vec<Box<str>>,
    ids: FxHashMap<Box<str>, Atom>,
    rules: Vec<Rule>,
    shown: Option<Vec<Atom>>,
}

impl Program {
    /// A program without rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// The atom of this name, added if need be.
    pub fn atom(&mut self, name: &str) -> Atom {
        if let Some(&atom) = self.ids.get(name) {
            return atom;
        }
        let atom = Atom::at(self.names.len());
        self.names.push(name.into());
        self.ids.insert(name.into(), atom);
        atom
    }

    /// The atom of this name, if there is one.
    pub fn find(&self, name: &str) -> Option<Atom> {
        self.ids.get(name).copied()
    }

    /// The name of an atom.
    pub fn name(&self, atom: Atom) -> &str {
        &self.names[atom.index()]
    }

    /// The names of atoms, in alphabetical order.
    pub fn names(&self, atoms: &[Atom]) -> Vec<&str> {
        let mut names: Vec<&str> = atoms.iter().map(|&atom| self.name(atom)).collect();
        names.sort_unstable();
        names
    }

    /// All atoms.
    pub fn atoms(&self) -> impl ExactSizeIterator<Item = Atom> + use<> {
        (0..self.names.len()).map(Atom::at)
    }

    /// Adds a rule.
    pub fn rule(&mut self, rule: Rule) {
        self.rules.push(rule);
    }

    /// Adds a rule that makes an atom true.
    pub fn normal(&mut self, head: Atom, positive: Vec<Atom>, negative: Vec<Atom>) {
        self.rule(Rule { head: Head::Atom(head), positive, negative });
    }

    /// Adds a rule that forbids something.
    pub fn constraint(&mut self, positive: Vec<Atom>, negative: Vec<Atom>) {
        self.rule(Rule { head: Head::Constraint, positive, negative });
    }

    /// All rules, in the order they were added.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// From now on models are told apart by these atoms alone (projection).
    pub fn show(&mut self, atoms: Vec<Atom>) {
        self.shown = Some(atoms);
    }

    /// The atoms of [`Program::show`]; `None` where all atoms count.
    pub fn shown(&self) -> Option<&[Atom]> {
        self.shown.as_deref()
    }

    fn list(&self, f: &mut fmt::Formatter<'_>, atoms: &[Atom], separator: &str) -> fmt::Result {
        for (at, &atom) in atoms.iter().enumerate() {
            let before = if at > 0 { separator } else { "" };
            write!(f, "{before}{}", self.name(atom))?;
        }
        Ok(())
    }

    fn write_rule(&self, f: &mut fmt::Formatter<'_>, rule: &Rule) -> fmt::Result {
        match &rule.head {
            Head::Constraint => {}
            Head::Atom(atom) => f.write_str(self.name(*atom))?,
            Head::Choice(choice) => {
                if choice.at_least > 0 {
                    write!(f, "{} ", choice.at_least)?;
                }
                f.write_str("{")?;
                self.list(f, &choice.atoms, "; ")?;
                f.write_str("}")?;
                if let Some(most) = choice.at_most {
                    write!(f, " {most}")?;
                }
            }
        }
        let is_fact = rule.positive.is_empty() && rule.negative.is_empty();
        if !is_fact || rule.head == Head::Constraint {
            let before = if rule.head == Head::Constraint { ":-" } else { " :-" };
            f.write_str(before)?;
            let literals = rule.positive.iter().map(|atom| ("", atom));
            let literals = literals.chain(rule.negative.iter().map(|atom| ("not ", atom)));
            for (at, (sign, &atom)) in literals.enumerate() {
                let separator = if at > 0 { "," } else { "" };
                write!(f, "{separator} {sign}{}", self.name(atom))?;
            }
        }
        f.write_str(".")
    }
}

/// The rules in the syntax of answer set solvers, one a line.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rule in &self.rules {
            self.write_rule(f, rule)?;
            f.write_str("\n")?;
        }
        Ok(())
    }
}
