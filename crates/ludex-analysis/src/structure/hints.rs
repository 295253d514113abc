//! What the author of a rulesheet says about pictures, in comments that begin with `ludex:`.
//!
//! ```text
//! ; ludex: draw wk as crowned
//! ; ludex: rows cell 2 up
//! ```

use ludex_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

use super::board::{Board, Use};
use super::figures::{self, Figure};
use super::kinds::Kinds;
use super::labels::Sign;
use super::orientation::Orientation;

/// The most hints that are read.
const HINTS: usize = 1000;

/// The hints of a rulesheet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hints {
    draw: FxHashMap<String, Hint<Figure>>,
    rows: FxHashMap<String, Hint<Rows>>,
    /// Hints that cannot be read.
    wrong: Vec<String>,
}

/// A hint and the line it is on.
#[derive(Clone, Copy, Debug)]
struct Hint<T> {
    line: usize,
    says: T,
}

/// Which column is the row, from 0, and whether rows are counted upwards.
#[derive(Clone, Copy, Debug)]
struct Rows {
    column: usize,
    upwards: bool,
}

impl Hints {
    /// Reads the hints of a text.
    pub fn read(text: &str) -> Self {
        let mut hints = Self::default();
        for (at, line) in text.lines().enumerate() {
            let comment = line.trim_start().trim_start_matches([';', '%']);
            let is_comment = comment.len() < line.trim_start().len();
            let Some(hint) = comment.trim_start().strip_prefix("ludex:").filter(|_| is_comment) else {
                continue;
            };
            if hints.draw.len() + hints.rows.len() + hints.wrong.len() >= HINTS {
                break;
            }
            hints.add(at + 1, hint);
        }
        hints
    }

    fn add(&mut self, line: usize, hint: &str) {
        let words: Vec<&str> = hint.split_whitespace().collect();
        match words[..] {
            ["draw", ref name @ .., "as", figure] if !name.is_empty() => match figures::by_author(figure) {
                Some(says) => {
                    self.draw.insert(name.join(" ").to_lowercase(), Hint { line, says });
                }
                None => self.wrong.push(format!(
                    "line {line}: there is no figure `{figure}`; there are {}",
                    figures::NAMES.join(", ")
                )),
            },
            ["rows", functor, column, ref rest @ ..] if rest.is_empty() || rest == ["up"] => {
                match column.parse::<usize>().ok().and_then(|column| column.checked_sub(1)) {
                    Some(column) => {
                        let says = Rows { column, upwards: !rest.is_empty() };
                        self.rows.insert(functor.to_lowercase(), Hint { line, says });
                    }
                    None => self.wrong.push(format!(
                        "line {line}: `{column}` is no number of an argument; the first one is 1"
                    )),
                }
            }
            _ => self.wrong.push(format!(
                "line {line}: a hint is `draw NAME as FIGURE` or `rows RELATION ARGUMENT`, perhaps with `up`"
            )),
        }
    }

    /// Which way round a board is, if the author says so of its facts.
    pub fn orientation(&self, functor: &str, pair: [usize; 2]) -> Option<Orientation> {
        let rows = self.rows.get(&functor.to_lowercase())?.says;
        pair.contains(&rows.column)
            .then_some(Orientation { first_across: rows.column == pair[1], upwards: rows.upwards })
    }

    /// Gives the things on a board the figures that the author says.
    pub fn dress(&self, terms: &Terms, board: &mut Board) {
        if self.draw.is_empty() {
            return;
        }
        for layer in &mut board.layers {
            match &mut layer.used_as {
                Use::Content(signs) => {
                    for (content, sign) in signs {
                        self.dress_one(terms, content, sign);
                    }
                }
                Use::Mark(sign) => self.dress_one(terms, &[], sign),
                _ => {}
            }
        }
    }

    fn dress_one(&self, terms: &Terms, content: &[TermId], sign: &mut Sign) {
        let whole = self.draw.get(&sign.name.to_lowercase());
        let part = || content.iter().find_map(|&term| self.draw.get(&terms.shown(term).to_lowercase()));
        if let Some(hint) = whole.or_else(part) {
            sign.figure = hint.says;
        }
    }

    /// What is wrong with hints, by line.
    pub fn remarks(&self, terms: &Terms, kinds: &Kinds, boards: &[Board]) -> Vec<String> {
        let mut wrong: Vec<(usize, String)> = Vec::new();
        let words = |name: &str| name.split(' ').all(|word| terms.find_symbol(word).is_some());
        for (name, hint) in self.draw.iter().filter(|(name, _)| !words(name)) {
            wrong.push((hint.line, format!("line {}: nothing is called `{name}`", hint.line)));
        }
        for (functor, hint) in &self.rows {
            let (line, argument) = (hint.line, hint.says.column + 1);
            let mut layers = boards
                .iter()
                .flat_map(|board| &board.layers)
                .filter(|layer| terms.name(kinds.list()[layer.kind].functor).eq_ignore_ascii_case(functor));
            let is_coordinate = layers.any(|layer| layer.columns.contains(&hint.says.column));
            if !is_coordinate {
                wrong.push((
                    line,
                    format!("line {line}: argument {argument} of `{functor}` is no coordinate of a board"),
                ));
            }
        }
        wrong.sort();
        self.wrong.iter().cloned().chain(wrong.into_iter().map(|(_, text)| text)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_are_read_from_comments_only() {
        let hints =
            Hints::read("; ludex: draw wk as crowned\n  % ludex: rows cell 2 up\n(ludex: draw b as disc)");
        assert_eq!(hints.draw["wk"].says, Figure::Crowned);
        let turned = hints.orientation("cell", [0, 1]).unwrap();
        assert_eq!(turned, Orientation { first_across: true, upwards: true });
        assert_eq!(hints.orientation("cell", [2, 3]), None);
        assert!(hints.wrong.is_empty() && hints.draw.len() == 1);
    }

    #[test]
    fn hints_that_cannot_be_read_say_why() {
        let hints = Hints::read("; ludex: draw wk as elephant\n; ludex: rows cell 0\n; ludex: paint it");
        assert_eq!(hints.wrong.len(), 3);
        assert!(hints.wrong[0].starts_with("line 1: there is no figure `elephant`"), "{:?}", hints.wrong);
        assert!(hints.wrong[1].contains("no number of an argument"), "{:?}", hints.wrong);
        assert!(hints.wrong[2].starts_with("line 3: a hint is"), "{:?}", hints.wrong);
    }

    #[test]
    fn each_name_of_a_figure_is_one() {
        assert!(figures::NAMES.iter().all(|name| figures::by_author(name).is_some()));
    }
}
