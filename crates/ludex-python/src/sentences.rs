//! Games whose rules are sentences, which may leave things open.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ludex::game::incomplete::{Course, IncompleteError, IncompleteGame};
use ludex::gdl::{
    GameSentences, LoadOptions, Severity, Source, detect_notation, load, lower_question, parse, report,
};
use ludex::logic::TermId;
use ludex::logic::relational::{GroundingError, GroundingOptions, StatedSentence};
use ludex::{LoadError, library};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::failure;
use crate::game::{read_file, within};
use crate::work;

/// The names of the games that come with the package and are described by sentences.
#[pyfunction]
pub(crate) fn sentence_games() -> Vec<&'static str> {
    let described = library::all().iter().filter(|game| game.dialect.is_incomplete());
    let mut names: Vec<&str> = described.map(|game| game.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// A game that is described by sentences. See `_ludex.pyi`.
#[pyclass(frozen, from_py_object, module = "ludex")]
#[derive(Clone)]
pub(crate) struct SentenceGame {
    inner: Arc<GameSentences>,
}

/// What the sentences say of an instance of a question. See `_ludex.pyi`.
#[pyclass(frozen, get_all, eq, module = "ludex")]
#[derive(PartialEq)]
pub(crate) struct SentenceAnswer {
    values: BTreeMap<String, String>,
    answer: String,
}

#[pymethods]
impl SentenceAnswer {
    fn __repr__(&self) -> String {
        let values: Vec<String> = self.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let given = if values.is_empty() { String::new() } else { format!("{}: ", values.join(" ")) };
        format!("<ludex.SentenceAnswer {given}{}>", self.answer)
    }
}

/// What happened in each step, by role.
type Moves = Vec<BTreeMap<String, String>>;
type Percepts = Vec<BTreeMap<String, Vec<String>>>;

#[pymethods]
impl SentenceGame {
    #[new]
    fn new(py: Python<'_>, name: &str) -> PyResult<Self> {
        let found = library::all().iter().find(|game| game.name == name && game.dialect.is_incomplete());
        let unknown = || failure::unknown(py, format!("there is no game named `{name}` in sentences"));
        let found = found.ok_or_else(unknown)?;
        Self::made(py, found.file, found.text)
    }

    #[staticmethod]
    #[pyo3(signature = (text, *, name = "rules"))]
    fn from_text(py: Python<'_>, text: &str, name: &str) -> PyResult<Self> {
        Self::made(py, name, text)
    }

    #[staticmethod]
    fn from_file(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let text = read_file(py, &path)?;
        Self::made(py, &path.display().to_string(), &text)
    }

    #[getter]
    fn roles(&self) -> Vec<String> {
        self.inner.roles.iter().map(|&role| self.term(role)).collect()
    }

    #[getter]
    fn dialect(&self) -> String {
        self.inner.dialect.to_string()
    }

    #[getter]
    fn text(&self) -> &str {
        self.inner.source.text()
    }

    #[pyo3(signature = (sentence, *, moves = None, percepts = None, time = None))]
    fn ask(
        &self,
        py: Python<'_>,
        sentence: &str,
        moves: Option<Moves>,
        percepts: Option<Percepts>,
        time: Option<f64>,
    ) -> PyResult<Vec<SentenceAnswer>> {
        let stated = self.question(sentence).map_err(PyValueError::new_err)?;
        let (moves, percepts) = (moves.unwrap_or_default(), percepts.unwrap_or_default());
        let answered = work::done(py, within(time)?, |budget| {
            let options = GroundingOptions { each_alone: false, budget: budget.clone() };
            let game = IncompleteGame::new(Arc::clone(&self.inner), &stated, &options)?;
            let mut course = Course::new(&game, &budget)?;
            self.let_happen(&mut course, &moves, &percepts)?;
            self.answers(&mut course, &stated)
        })?;
        answered.map_err(|trouble| match trouble {
            Trouble::Told(why) => failure::move_error(py, why),
            Trouble::Role(why) => failure::unknown(py, why),
            Trouble::Reasoning(error) => of_incomplete(py, &error),
        })
    }

    fn __repr__(&self) -> String {
        format!("<ludex.SentenceGame {} ({})>", self.inner.source.name(), self.dialect())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let again = py.import("ludex")?.getattr("_sentence_game_again")?;
        Ok((again, (self.text().to_owned(), self.inner.source.name().to_owned())))
    }
}

/// Why a question has no answer.
enum Trouble {
    /// What was told is nothing that can happen.
    Told(String),
    /// There is no such role.
    Role(String),
    Reasoning(IncompleteError),
}

impl From<IncompleteError> for Trouble {
    fn from(error: IncompleteError) -> Self {
        Self::Reasoning(error)
    }
}

fn of_incomplete(py: Python<'_>, error: &IncompleteError) -> PyErr {
    match error {
        IncompleteError::Limit(limit) | IncompleteError::Grounding(GroundingError::Limit(limit)) => {
            failure::of_game(py, &ludex::game::GameError::Limit(limit.clone()))
        }
        error => failure::other(py, error.to_string()),
    }
}

impl SentenceGame {
    fn made(py: Python<'_>, name: &str, text: &str) -> PyResult<Self> {
        let checked = py.detach(|| load(Arc::new(Source::new(name, text)), &LoadOptions::default()));
        if checked.diagnostics.iter().any(|found| found.severity == Severity::Error) {
            return Err(failure::of_load(py, &LoadError::Rejected(Box::new(checked))));
        }
        match &checked.sentences {
            Some(sentences) if checked.dialect.is_incomplete() => Ok(Self { inner: Arc::clone(sentences) }),
            _ => {
                let why = format!("this is {}: its rules are not sentences", checked.dialect);
                Err(PyValueError::new_err(why))
            }
        }
    }

    fn term(&self, term: TermId) -> String {
        self.inner.theory.terms.shown_in(term, self.inner.notation)
    }

    /// The sentence of a text, or what is wrong with it.
    fn question(&self, text: &str) -> Result<Vec<StatedSentence>, String> {
        let source = Arc::new(Source::new("the sentence", text));
        let speaks_for_itself = text.contains(['(', '?', ':', '&', '~']);
        let notation = if speaks_for_itself { detect_notation(text) } else { self.inner.notation };
        let (sheet, diagnostics) = parse(Arc::clone(&source), Some(notation));
        let wrong = |found: &[_]| report::plain(&source, found).trim_end().to_owned();
        if !diagnostics.is_empty() {
            return Err(wrong(&diagnostics));
        }
        if sheet.items.is_empty() {
            return Err("there is no sentence in it".to_owned());
        }
        lower_question(&self.inner, &sheet).map_err(|found| wrong(&found))
    }

    /// Lets everything happen that was told; what is not told stays open.
    fn let_happen(&self, course: &mut Course<'_>, moves: &Moves, percepts: &Percepts) -> Result<(), Trouble> {
        let game = course.game();
        for joint in moves {
            for (role, action) in joint {
                let number = self.role(role)?;
                let known = game.moves(number);
                let place = self.find(known, action).ok_or_else(|| {
                    let all: Vec<String> = known.iter().map(|&one| self.term(one)).collect();
                    Trouble::Told(format!("`{action}` is no move of `{role}`; moves are {}", all.join(", ")))
                })?;
                course.does(number, place)?;
            }
            course.advance()?;
        }
        // What depends on moves is only seen where there is one.
        let steps = moves.len() + usize::from(!game.percepts_follow_moves());
        if percepts.len() > steps {
            let why =
                format!("there are {steps} steps to see something in, but percepts of {}", percepts.len());
            return Err(Trouble::Told(why));
        }
        for (step, seen) in percepts.iter().enumerate() {
            for (role, texts) in seen {
                let number = self.role(role)?;
                let known = game.percepts(number);
                let find = |text: &String| {
                    let place = self.find(known, text);
                    place
                        .map(|place| known[place])
                        .ok_or_else(|| Trouble::Told(format!("`{text}` is nothing that `{role}` can see")))
                };
                let terms = texts.iter().map(find).collect::<Result<Vec<_>, _>>()?;
                course.sees(step, number, &terms)?;
            }
        }
        Ok(())
    }

    fn role(&self, name: &str) -> Result<usize, Trouble> {
        let found = self.find(&self.inner.roles, name);
        found.ok_or_else(|| Trouble::Role(format!("there is no role `{name}`")))
    }

    /// Where a term stands among these, in either notation.
    fn find(&self, known: &[TermId], text: &str) -> Option<usize> {
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let close = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let terms = &self.inner.theory.terms;
        known.iter().position(|&term| {
            plain(&terms.prefix(term)) == plain(text) || close(&terms.infix(term)) == close(text)
        })
    }

    fn answers(
        &self,
        course: &mut Course<'_>,
        stated: &[StatedSentence],
    ) -> Result<Vec<SentenceAnswer>, Trouble> {
        let game = course.game();
        // Several sentences are asked side by side, without values.
        let names: Vec<String> = match stated {
            [one] => {
                let name = |&v: &_| self.inner.theory.terms.name(one.variables[v]);
                one.free.iter().map(|v| self.inner.notation.variable(name(v))).collect()
            }
            _ => Vec::new(),
        };
        let mut answers = Vec::new();
        for instance in game.grounding().questions[..stated.len()].iter().flatten() {
            let answer = course.ask(course.now(), instance.edge)?;
            let values = names.iter().cloned().zip(instance.values.iter().map(|&value| self.term(value)));
            answers.push(SentenceAnswer { values: values.collect(), answer: answer.to_string() });
        }
        Ok(answers)
    }
}
