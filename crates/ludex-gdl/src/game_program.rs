//! A logic program with the meaning of the keywords fixed.

use std::fmt;
use std::sync::Arc;

use ludex_logic::{ClauseId, IdVec, Program, RelationId, TermId};

use crate::source::{Source, Span};

/// A language of the GDL family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// Complete information (specification; book 2).
    Gdl,
    /// `sees`, `percept` and `random` (book 17).
    GdlII,
    /// Real time (rtGDL paper).
    RtGdl,
    /// Real time with percepts.
    RtGdlII,
    /// System definition language (book 18).
    Sdl,
    /// System definition language with percepts: the book has one name for both.
    SdlII,
    /// Incomplete descriptions: sentences of relational logic (book 19).
    Igdl,
    /// Incomplete descriptions with percepts.
    IgdlII,
    /// Incomplete descriptions with steps.
    Isdl,
    /// Incomplete descriptions with steps and percepts.
    IsdlII,
    /// Bare facts, moves without roles, and operations (Stanford's Gamemaster).
    Epilog,
}

impl Dialect {
    /// All dialects with the names that options take.
    pub const NAMES: [(&'static str, Dialect); 11] = [
        ("gdl", Dialect::Gdl),
        ("gdl-ii", Dialect::GdlII),
        ("rtgdl", Dialect::RtGdl),
        ("rtgdl-ii", Dialect::RtGdlII),
        ("sdl", Dialect::Sdl),
        ("sdl-ii", Dialect::SdlII),
        ("igdl", Dialect::Igdl),
        ("igdl-ii", Dialect::IgdlII),
        ("isdl", Dialect::Isdl),
        ("isdl-ii", Dialect::IsdlII),
        ("epilog", Dialect::Epilog),
    ];

    /// The dialect of a name, in any case: one that options take, or that records and databases keep.
    ///
    /// ```
    /// use ludex_gdl::Dialect;
    ///
    /// assert_eq!(Dialect::named(&Dialect::RtGdlII.to_string()), Some(Dialect::RtGdlII));
    /// assert_eq!((Dialect::named("gdl"), Dialect::named("chess")), (Some(Dialect::Gdl), None));
    /// ```
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, dialect)| *dialect)
    }

    /// Whether a rulesheet is a set of sentences, which may leave open what holds (book 19.3).
    ///
    /// ```
    /// use ludex_gdl::Dialect;
    ///
    /// assert!(Dialect::IsdlII.is_incomplete() && Dialect::IsdlII.has_steps() && Dialect::IsdlII.has_percepts());
    /// assert!(!Dialect::Sdl.is_incomplete());
    /// ```
    pub fn is_incomplete(self) -> bool {
        matches!(self, Dialect::Igdl | Dialect::IgdlII | Dialect::Isdl | Dialect::IsdlII)
    }

    /// Whether facts have lifetimes: games of these dialects run in real time, and not step by step.
    pub fn is_timed(self) -> bool {
        matches!(self, Dialect::RtGdl | Dialect::RtGdlII)
    }

    /// Whether what holds and what is done carries the step on which it is so, as last argument. Of these
    /// languages, only SDL has a meaning as rules without steps: [`Dialect::is_incomplete`] tells the others.
    pub fn has_steps(self) -> bool {
        matches!(self, Dialect::Sdl | Dialect::SdlII | Dialect::Isdl | Dialect::IsdlII)
    }

    /// Whether `sees`, `percept` and `random` have a meaning.
    pub fn has_percepts(self) -> bool {
        use Dialect::{GdlII, IgdlII, IsdlII, RtGdlII, SdlII};
        matches!(self, GdlII | RtGdlII | SdlII | IgdlII | IsdlII)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dialect::Gdl => "GDL",
            Dialect::GdlII => "GDL-II",
            Dialect::RtGdl => "rtGDL",
            Dialect::RtGdlII => "rtGDL-II",
            Dialect::Sdl => "SDL",
            Dialect::SdlII => "SDL-II",
            Dialect::Igdl => "IGDL",
            Dialect::IgdlII => "IGDL-II",
            Dialect::Isdl => "ISDL",
            Dialect::IsdlII => "ISDL-II",
            Dialect::Epilog => "Epilog",
        })
    }
}

/// The relations that the language gives a meaning to. Each exists in every game program, with the
/// arity shown, whether or not the rulesheet mentions it. In real time, `init`, `true` and `next` have the
/// lifetime as one more argument in front, and there is `expired`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// `role(R)`.
    pub role: RelationId,
    /// `base(P)`.
    pub base: RelationId,
    /// `input(R,A)`.
    pub input: RelationId,
    /// `init(P)`.
    pub init: RelationId,
    /// `true(P)`.
    pub truth: RelationId,
    /// `does(R,A)`.
    pub does: RelationId,
    /// `next(P)`.
    pub next: RelationId,
    /// `legal(R,A)`.
    pub legal: RelationId,
    /// `goal(R,N)`.
    pub goal: RelationId,
    /// `terminal`.
    pub terminal: RelationId,
    /// `sees(R,P)`.
    pub sees: RelationId,
    /// `percept(R,P)`.
    pub percept: RelationId,
    /// `expired(P)`, in real time only: elsewhere it may be any relation of the rulesheet.
    pub expired: Option<RelationId>,
}

/// A rulesheet as a logic program. Clause `i` of the program is item `i` of the rulesheet, but in SDL and Epilog: there the clauses are
/// those of the same game in GDL, with the places of the clauses they were made from. And not where sentences are a whole
/// game: there the clauses are what they define, atom by atom, with the places of the sentences.
///
/// Interface: `true`, `does` and, in real time, `expired` are given; the other keywords are asked; `init` and
/// `next` (and, without lifetimes, `base`) feed `true`, `legal` (and `input`) feed `does`. A fact in real time also
/// holds with less than the lifetime it was given, and what was true may be `expired`: no feed says that.
#[derive(Clone, Debug)]
pub struct GameProgram {
    /// The clauses.
    pub program: Program,
    /// The keywords.
    pub vocabulary: Vocabulary,
    /// The language.
    pub dialect: Dialect,
    /// The roles in the order of their facts, `random` included.
    pub roles: Vec<TermId>,
    /// The first step is not one of the game: `random` chooses there how those things are that sentences leave open,
    /// and all others wait (IGDL).
    pub has_opening: bool,
    /// What roles do that are not in control, where moves have no roles (Epilog).
    pub waiting: Option<TermId>,
    /// The text it was read from.
    pub source: Arc<Source>,
    /// Where each clause is written.
    pub spans: IdVec<ClauseId, Span>,
}

impl GameProgram {
    /// The position of the role that moves at random, in the languages with percepts.
    pub fn random_role(&self) -> Option<usize> {
        if !self.dialect.has_percepts() {
            return None;
        }
        let random = self.program.terms.find_symbol("random")?;
        let random = self.program.terms.constant_of(random);
        self.roles.iter().position(|&r| r == random)
    }

    /// Whether all roles know the state at all times. In the languages with percepts that is so for a single
    /// role without chance only, which can work it out from its own moves.
    pub fn has_perfect_information(&self) -> bool {
        let is_alone = self.roles.len() == 1 && self.random_role().is_none();
        is_alone || !self.dialect.has_percepts()
    }
}
