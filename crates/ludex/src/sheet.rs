//! Descriptions of a game that single players are told in place of its rules (book 19.7).

use std::fmt;
use std::sync::Arc;

use ludex_game::incomplete::{IncompleteError, SheetOptions, Wrong, check_sheet};
use ludex_gdl::{Checked, Dialect, GameSentences, LoadOptions, load, lower_question, report, to_igdl};
use thiserror::Error;

use crate::Game;

/// A description of a game that is true of it, and how that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrueSheet {
    /// How many sentences it has.
    pub sentences: usize,
    /// How many of them follow from the rules.
    pub proved: usize,
    /// How many do not follow by themselves, but were true in all states of random games.
    pub held: usize,
    /// How many states those were.
    pub states: usize,
}

impl fmt::Display for TrueSheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} sentences follow from the rules", self.proved, self.sentences)?;
        match self.held {
            0 => Ok(()),
            held => write!(f, ", {held} held in {} states of random games", self.states),
        }
    }
}

/// Why a player cannot be told a description.
#[derive(Debug, Error)]
pub enum SheetError {
    /// It is no description.
    #[error("it has errors\n{text}")]
    Broken {
        /// All of them, each with its place.
        text: String,
    },
    /// It is made of rules.
    #[error("it is in {dialect}, and what a player is told beside the rules are sentences (IGDL)")]
    NoSentences {
        /// Its language.
        dialect: Dialect,
    },
    /// There are no sentences for games in this language.
    #[error(
        "players of a game in {dialect} cannot be told other things than its rules: \
        they are told sentences about games in GDL and IGDL"
    )]
    Language {
        /// The language of the game.
        dialect: Dialect,
    },
    /// It is about another game.
    #[error("it has the roles {own}, and the game {game}")]
    Roles {
        /// Its roles.
        own: String,
        /// The roles of the game that somebody plays.
        game: String,
    },
    /// It speaks of what the game does not have.
    #[error("it does not speak of this game\n{text}")]
    OtherGame {
        /// What it speaks of, with places.
        text: String,
    },
    /// It says something that is not so.
    #[error("`{sentence}` (line {line}) is false at step {step}, where {facts} is true")]
    False {
        /// What it says.
        sentence: String,
        /// In which line, counted from 1.
        line: usize,
        /// The step of a course of the game at which that is false, counted from 1.
        step: usize,
        /// What is true there.
        facts: String,
    },
    /// A limit is reached, or the rules themselves contradict each other.
    #[error(transparent)]
    Incomplete(#[from] IncompleteError),
}

impl Game {
    /// Whether a description is true of the game: what does not follow from the rules is looked at in random games. `None` where
    /// the rules cannot be written as sentences, and nothing was compared.
    ///
    /// ```
    /// use ludex::game::incomplete::SheetOptions;
    /// use ludex::gdl::{LoadOptions, Source, load};
    /// use ludex::{Game, GameOptions, SheetError, library};
    ///
    /// let game = Game::bundled("minefield", &GameOptions::default())?;
    /// let sheet = |text: &str| load(Source::new("sheet", text).into(), &LoadOptions::default());
    /// let white = sheet(library::find("minefield-white").unwrap().text);
    /// let told = game.check_sheet(&white, &SheetOptions::default())?.unwrap();
    /// assert_eq!((told.sentences, told.proved), (27, 27));
    ///
    /// let wrong = sheet("role(white) role(black) ~terminal | goal(white,100)");
    /// let error = game.check_sheet(&wrong, &SheetOptions::default()).unwrap_err();
    /// assert!(matches!(error, SheetError::False { line: 1, .. }), "{error}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`SheetError`].
    pub fn check_sheet(
        &self,
        sheet: &Checked,
        options: &SheetOptions,
    ) -> Result<Option<TrueSheet>, SheetError> {
        let sentences = match &sheet.sentences {
            Some(sentences) if !sheet.has_errors() => sentences,
            _ if sheet.has_errors() => {
                return Err(SheetError::Broken {
                    text: report::plain(&sheet.rulesheet.source, &sheet.diagnostics).trim_end().to_owned(),
                });
            }
            _ => return Err(SheetError::NoSentences { dialect: sheet.dialect }),
        };
        let own = role_names(sentences);
        let seats: Vec<String> = self.seats().into_iter().map(|role| self.role_name(role)).collect();
        if own != seats {
            return Err(SheetError::Roles { own: own.join(", "), game: seats.join(", ") });
        }
        let Some(complete) = complete_sentences(self)? else { return Ok(None) };
        let stated = lower_question(&complete, &sheet.rulesheet).map_err(|found| SheetError::OtherGame {
            text: report::plain(&sheet.rulesheet.source, &found).trim_end().to_owned(),
        })?;
        let report = check_sheet(&complete, &stated, options)?;
        match report.wrong.first() {
            Some(wrong) => Err(false_sentence(sentences, &complete, wrong)),
            None => Ok(Some(TrueSheet {
                sentences: stated.len(),
                proved: report.proved,
                held: report.held.len(),
                states: report.states,
            })),
        }
    }
}

fn role_names(sentences: &GameSentences) -> Vec<String> {
    sentences.roles.iter().map(|&role| sentences.theory.terms.infix(role)).collect()
}

/// The rules of a game as sentences; none where they cannot be made so.
fn complete_sentences(game: &Game) -> Result<Option<Arc<GameSentences>>, SheetError> {
    let rulesheet = game.rules().rulesheet();
    let checked = load(Arc::clone(&rulesheet.source), &LoadOptions::default());
    match checked.dialect {
        dialect if dialect.is_incomplete() => Ok(checked.sentences),
        Dialect::Gdl => {
            let completion = to_igdl(&checked.rulesheet, &[]);
            let source = completion.ok().map(|completion| completion.rulesheet.source);
            Ok(source.and_then(|source| load(source, &LoadOptions::default()).sentences))
        }
        dialect => Err(SheetError::Language { dialect }),
    }
}

/// A sentence of a description that is false somewhere in the game.
fn false_sentence(sheet: &GameSentences, complete: &GameSentences, wrong: &Wrong) -> SheetError {
    let span = sheet.spans.as_slice().get(wrong.sentence).copied().unwrap_or_default();
    let sentence = sheet.source.text().get(span.range()).unwrap_or_default();
    let facts = wrong.course.steps.last().map_or(&[][..], |step| &step.facts);
    let shown = |&fact| complete.theory.terms.shown_in(fact, complete.notation);
    let facts: Vec<String> = facts.iter().map(shown).collect();
    SheetError::False {
        sentence: sentence.split_whitespace().collect::<Vec<_>>().join(" "),
        line: sheet.source.position(span.start as usize).line,
        step: wrong.course.steps.len(),
        facts: if facts.is_empty() { "nothing".to_owned() } else { facts.join(", ") },
    }
}
