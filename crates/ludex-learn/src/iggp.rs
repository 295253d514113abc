//! The format of the IGGP data set: learning tasks of goal, legal, next and terminal for many games (A. Cropper, R.
//! Evans, M. Law: Inductive general game playing. Machine Learning 109, 2020).
//!
//! A file has parts that `---` separates: `atoms:` (what could hold), `statics:`, and then `background:` and
//! `positives:` in turn, a state and what held of it. A line is an atom in functional notation; `true_`, `next_`,
//! `does_` and `legal_` are part of the name.

use rustc_hash::FxHashMap;

use crate::background::add_closures;
use crate::observations::{Facts, Observations, Target};
use crate::vocabulary::{Part, RelationId, Shape, Tuple, Vocabulary};

/// Why a text is not in the format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}: `{text}`")]
pub struct IggpError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: &'static str,
    /// The line itself, without what it is indented by.
    pub text: String,
}

/// Keywords that are written as a part of the name that follows.
const PREFIXES: [&str; 4] = ["true", "next", "does", "legal"];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Section {
    Atoms,
    Statics,
    Background,
    Positives,
}

/// Reads a task.
///
/// # Errors
/// [`IggpError`] for the first line that is none of the format, and where a positive example is none of the atoms.
pub fn read_iggp(text: &str, vocabulary: &mut Vocabulary) -> Result<Observations, IggpError> {
    let mut reader = Reader::default();
    for (number, line) in text.lines().enumerate() {
        let text = line.trim();
        let wrong = |reason| IggpError { line: number + 1, reason, text: text.to_owned() };
        reader.line(text, vocabulary).map_err(wrong)?;
    }
    let mut observed = reader.finish();
    add_closures(&mut observed, vocabulary);
    Ok(observed)
}

#[derive(Default)]
struct Reader {
    section: Option<Section>,
    places: FxHashMap<(RelationId, Tuple), (usize, u32)>,
    targets: Vec<Target>,
    statics: Vec<(RelationId, Tuple)>,
    states: Vec<Vec<(RelationId, Tuple)>>,
}

impl Reader {
    fn line(&mut self, line: &str, vocabulary: &mut Vocabulary) -> Result<(), &'static str> {
        match line {
            "" | "---" => return Ok(()),
            "atoms:" => self.section = Some(Section::Atoms),
            "statics:" => self.section = Some(Section::Statics),
            "background:" => {
                self.section = Some(Section::Background);
                self.states.push(Vec::new());
            }
            "positives:" => {
                self.section = Some(Section::Positives);
                let state = self.states.len().checked_sub(1).ok_or("there is no state before it")?;
                for target in &mut self.targets {
                    target.seen.push((state, Vec::new()));
                }
            }
            atom => return self.atom(atom, vocabulary),
        }
        Ok(())
    }

    fn atom(&mut self, text: &str, vocabulary: &mut Vocabulary) -> Result<(), &'static str> {
        let section = self.section.ok_or("no section begins before it")?;
        let (shape, part, words) = split(text).ok_or("this is no atom")?;
        let relation = vocabulary.relation(shape, part);
        let tuple: Tuple = words.iter().map(|word| vocabulary.constant(word)).collect();
        match section {
            Section::Statics => self.statics.push((relation, tuple)),
            Section::Background => self.states.last_mut().ok_or("no state begins")?.push((relation, tuple)),
            Section::Atoms => {
                let target = self.targets.iter().position(|target| target.relation == relation);
                let target = target.unwrap_or_else(|| {
                    self.targets.push(Target::new(relation, Vec::new()));
                    self.targets.len() - 1
                });
                let atoms = &mut self.targets[target].atoms;
                self.places.entry((relation, tuple.clone())).or_insert_with(|| {
                    atoms.push(tuple.clone());
                    (target, atoms.len() as u32 - 1)
                });
            }
            Section::Positives => {
                let &(target, atom) = self.places.get(&(relation, tuple)).ok_or("it is none of the atoms")?;
                let held = self.targets[target].seen.last_mut().ok_or("there is no state before it")?;
                held.1.push(atom);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Observations {
        for (_, held) in self.targets.iter_mut().flat_map(|target| &mut target.seen) {
            held.sort_unstable();
            held.dedup();
        }
        Observations {
            statics: Facts::new(self.statics),
            states: self.states.into_iter().map(Facts::new).collect(),
            marked: Vec::new(),
            targets: self.targets,
            closures: Vec::new(),
            sums: None,
            tells_legal: false,
        }
    }
}

/// `true_cell(1, b)` as the relation `(true (cell _ _))` and its constants.
fn split(text: &str) -> Option<(Shape, Part, Vec<&str>)> {
    let (name, words) = match text.split_once('(') {
        Some((name, ")")) => (name, Vec::new()),
        Some((name, rest)) => (name, rest.strip_suffix(')')?.split(',').map(str::trim).collect()),
        None => (text, Vec::new()),
    };
    let is_word = |word: &str| !word.is_empty() && !word.contains([' ', '(', ')', '\t']);
    if !is_word(name) || !words.iter().all(|word| is_word(word)) {
        return None;
    }
    let keyword = PREFIXES.iter().find(|&&keyword| {
        name == keyword || name.strip_prefix(keyword).is_some_and(|rest| rest.starts_with('_'))
    });
    let inner = keyword.and_then(|keyword| name.strip_prefix(keyword)?.strip_prefix('_'));
    let part = match (keyword, name) {
        (Some(&"true"), _) => Part::State,
        (Some(&"does"), _) => Part::Moves,
        (Some(_), _) | (None, "goal" | "terminal") => Part::Target,
        (None, _) => Part::Static,
    };
    let is_of_role = matches!(keyword, Some(&"does" | &"legal"));
    Some((shape(keyword.copied(), inner, name, words.len(), is_of_role), part, words))
}

/// How an atom of so many constants is written: `(does _ (mark _ _))` of `does_mark`, whose first constant is a role.
fn shape(keyword: Option<&str>, inner: Option<&str>, name: &str, words: usize, is_of_role: bool) -> Shape {
    let (front, back, before) = match (keyword, inner) {
        (Some(keyword), Some(inner)) if is_of_role && words > 1 => {
            (vec![format!("({keyword} "), format!(" ({inner} ")], "))", 1)
        }
        (Some(keyword), Some(inner)) if is_of_role && words == 1 => {
            return Shape::new(vec![format!("({keyword} "), format!(" {inner})")]);
        }
        (Some(keyword), Some(inner)) if words > 0 => (vec![format!("({keyword} ({inner} ")], "))", 0),
        (Some(keyword), Some(inner)) => return Shape::new(vec![format!("({keyword} {inner})")]),
        _ if words == 0 => return Shape::new(vec![name.to_owned()]),
        _ => (vec![format!("({name} ")], ")", 0),
    };
    let mut pieces = front;
    pieces.extend((1..words - before).map(|_| " ".to_owned()));
    pieces.push(back.to_owned());
    Shape::new(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_become_literals_of_gdl() {
        for (text, literal) in [
            ("true_cell(1, 2, b)", "(true (cell 1 2 b))"),
            ("next_open", "(next open)"),
            ("does_mark(x, 1, 2)", "(does x (mark 1 2))"),
            ("legal(x, noop)", "(legal x noop)"),
            ("legal_pass(x)", "(legal x pass)"),
            ("terminal", "terminal"),
            ("terminal()", "terminal"),
            ("goal(x, 100)", "(goal x 100)"),
            ("succ(1, 2)", "(succ 1 2)"),
            ("true_step(1)", "(true (step 1))"),
        ] {
            let (shape, _, words) = split(text).unwrap();
            assert_eq!(shape.fill(words), literal);
        }
        for text in ["cell(1", "cell(1,)", "a b", "f(g(1))", ""] {
            assert!(split(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_task_is_read() {
        let text = "atoms:\n\tnext_p(1)\n\tnext_p(2)\n\n---\n\nstatics:\n\tsucc(1, 2)\n\n---\n\nbackground:\n\
                    \ttrue_p(1)\n\n---\n\npositives:\n\tnext_p(2)\n\n---\n\nbackground:\n\n---\n\npositives:\n";
        let mut vocabulary = Vocabulary::default();
        let seen = read_iggp(text, &mut vocabulary).unwrap();
        assert_eq!(seen.states.len(), 2);
        assert_eq!(seen.targets[0].seen, [(0, vec![1]), (1, vec![])]);
        let error =
            read_iggp("atoms:\n\tterminal\nbackground:\npositives:\n\tp", &mut vocabulary).unwrap_err();
        assert_eq!((error.line, error.reason), (5, "it is none of the atoms"));
        assert_eq!(read_iggp("p", &mut vocabulary).unwrap_err().line, 1);
        assert_eq!(read_iggp("positives:", &mut vocabulary).unwrap_err().line, 1);
    }
}
