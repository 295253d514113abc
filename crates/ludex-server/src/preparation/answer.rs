//! The work itself.

use std::fmt::Write as _;
use std::sync::Arc;

use ludex::analysis::{PictureStyle, Structure, TextStyle};
use ludex::game::incomplete::SheetOptions;
use ludex::game::{GameError, TimedRules};
use ludex::gdl::{Checked, LoadOptions, Notation, Source, load};
use ludex::logic::{Budget, TermId};
use ludex::{Game, GameOptions, Playable};

use super::assess::{assess_positions, game_to_search};
use super::explore;
use super::explore_in_time;
use super::guide;
use super::held;
use super::in_time::ReadyTimedGame;
use super::know::know;
use super::late::Trouble;
use super::playability;
use super::question::{
    About, Description, ExploreWish, Explored, FactGroup, MoveShown, Question, Reply, Rulesheet, ShowWish,
    Shown, StatePicture, Wish, WorkLimits,
};
use super::short::shorten;
use crate::cache::Cache;
use crate::clock::{RealClock, ThreadClock};
use crate::model::GameCheck;

/// So many games are kept ready, of so many bytes by an estimate; the last one in any case.
const READY: usize = 8;
const READY_BYTES: usize = 16 << 20;
/// So many facts of one relation are shown.
const FACTS: usize = 200;

/// So many games are kept ready to be searched: they have nets, which take memory.
const SEARCHED: usize = 2;

/// Who works on rules, with the games that are ready: the last ones.
#[derive(Debug)]
pub(super) struct Bench {
    ready: Cache<String, ReadyGame>,
    searched: Cache<String, Game>,
}

/// A game that is ready.
#[derive(Debug)]
pub(super) enum ReadyGame {
    InSteps(Game),
    InTime(Box<ReadyTimedGame>),
}

impl From<Playable> for ReadyGame {
    fn from(game: Playable) -> Self {
        match game {
            Playable::InSteps(game) => Self::InSteps(game),
            Playable::InTime(rules) => Self::InTime(Box::new(ReadyTimedGame::new(rules))),
        }
    }
}

impl ReadyGame {
    fn bytes(&self) -> usize {
        match self {
            Self::InSteps(game) => held::of_game(game),
            Self::InTime(game) => held::of_timed_game(game.rules()),
        }
    }
}

impl Default for Bench {
    fn default() -> Self {
        let ready = Cache::of_few(READY, READY_BYTES, ReadyGame::bytes);
        Self { ready, searched: Cache::of_few(SEARCHED, usize::MAX, |_| 0) }
    }
}

/// How games are prepared for a few questions: the rule machine does for those.
pub(crate) fn game_options(limits: WorkLimits) -> GameOptions {
    let question = Budget::unlimited().with_work(limits.work).with_memory(limits.memory);
    let each = question.clone().with_time_each(Arc::new(ThreadClock::start()), limits.step);
    GameOptions {
        budget: question.with_time(Arc::new(RealClock::start()), limits.time),
        question_budget: each,
        hasty: true,
        ..GameOptions::default()
    }
}

/// The notation of a rulesheet in a word.
pub(super) fn notation_name(notation: Notation) -> &'static str {
    match notation {
        Notation::Prefix => "prefix",
        Notation::Infix => "infix",
    }
}

/// The roles that somebody plays, in prefix notation.
pub(crate) fn seat_roles(game: &Game) -> Vec<String> {
    let terms = game.signature().terms();
    let roles = game.signature().roles();
    game.seats().into_iter().map(|role| terms.prefix(roles[role.index()])).collect()
}

/// The roles of a game in real time that somebody plays, in prefix notation.
pub(crate) fn timed_seat_roles(rules: &TimedRules) -> Vec<String> {
    let terms = rules.machine().terms();
    rules.seats().into_iter().map(|role| terms.prefix(rules.role_terms()[role.index()])).collect()
}

impl Bench {
    /// Answers a question that stands on a line.
    pub(super) fn answer_line(&self, line: &str) -> String {
        let reply = match serde_json::from_str(line) {
            Ok(question) => self.answer(&question),
            Err(error) => Reply::Refused(format!("the question cannot be read: {error}")),
        };
        // Plain data with text keys: JSON can always hold it.
        serde_json::to_string(&reply).unwrap_or_default()
    }

    /// Answers a question.
    pub(super) fn answer(&self, question: &Question) -> Reply {
        let answer = self.try_answer(question);
        answer.unwrap_or_else(|trouble| match trouble {
            Trouble::Late => Reply::Late,
            Trouble::TooMuch(why) => Reply::Refused(why),
        })
    }

    fn try_answer(&self, question: &Question) -> Result<Reply, Trouble> {
        let Question { rules, limits, wish } = question;
        Ok(match wish {
            Wish::Describe => Reply::Description(Box::new(self.describe(rules, *limits)?)),
            Wish::Show(wish) => Reply::Shown(Box::new(match &*self.game(rules, *limits)? {
                ReadyGame::InSteps(game) => show(game, wish),
                ReadyGame::InTime(game) => game.show(wish),
            })),
            Wish::Compare(sheet) => Reply::Compared(compared(&*self.game(rules, *limits)?, sheet, *limits)),
            Wish::Guide => Reply::Guide(Box::new(guide::guide(&*self.game(rules, *limits)?, *limits))),
            Wish::Assess(wish) => {
                let game = self.game_to_search(rules, *limits)?;
                Reply::Assessed(assess_positions(&game, wish, *limits).map_err(Trouble::TooMuch)?)
            }
            Wish::Know(wish) => {
                let game = self.game_to_search(rules, *limits)?;
                Reply::Known(Box::new(know(&game, wish, *limits).map_err(Trouble::TooMuch)?))
            }
            Wish::Explore(wish) => Reply::Explored(Box::new(self.explore(rules, *limits, wish)?)),
        })
    }

    /// A game that is ready to be searched, or is made so.
    fn game_to_search(&self, rules: &Rulesheet, limits: WorkLimits) -> Result<Arc<Game>, Trouble> {
        if let Some(game) = self.searched.get(&rules.sha256) {
            return Ok(game);
        }
        let game = Arc::new(game_to_search(rules, limits)?);
        self.searched.put(rules.sha256.clone(), &game);
        Ok(game)
    }

    /// A game that is ready, or is made so.
    fn game(&self, rules: &Rulesheet, limits: WorkLimits) -> Result<Arc<ReadyGame>, Trouble> {
        match self.ready.get(&rules.sha256) {
            Some(game) => Ok(game),
            None => self.ready_from(checked(rules), rules, limits),
        }
    }

    fn ready_from(
        &self,
        checked: Checked,
        rules: &Rulesheet,
        limits: WorkLimits,
    ) -> Result<Arc<ReadyGame>, Trouble> {
        let game = Arc::new(ReadyGame::from(Playable::from_checked(checked, &game_options(limits))?));
        self.ready.put(rules.sha256.clone(), &game);
        Ok(game)
    }

    fn describe(&self, rules: &Rulesheet, limits: WorkLimits) -> Result<Description, Trouble> {
        let checked = checked(rules);
        let mut check = GameCheck::of(&checked, rules.sha256.clone());
        if !check.accepted {
            return Ok(Description { check, about: None });
        }
        let game = match self.ready.get(&rules.sha256) {
            Some(game) => Ok(game),
            None => self.ready_from(checked, rules, limits),
        };
        let about = game.and_then(|game| match &*game {
            ReadyGame::InSteps(game) => Ok((about(game)?, playability::of_game(game)?)),
            ReadyGame::InTime(game) => Ok((game.about()?, game.playability()?)),
        });
        match about {
            Ok((about, unplayable)) => {
                check.unplayable = unplayable.iter().map(ToString::to_string).collect();
                check.accepted = unplayable.is_none();
                Ok(Description { check, about: Some(about) })
            }
            Err(Trouble::Late) => Err(Trouble::Late),
            Err(Trouble::TooMuch(why)) => {
                check.accepted = false;
                check.heavy = Some(why);
                Ok(Description { check, about: None })
            }
        }
    }

    /// What the checks say of rules that somebody is writing, and a state of them.
    fn explore(
        &self,
        rules: &Rulesheet,
        limits: WorkLimits,
        wish: &ExploreWish,
    ) -> Result<Explored, Trouble> {
        let checked = checked(rules);
        let check = GameCheck::of(&checked, rules.sha256.clone());
        // What is drawn under the text is for programs.
        let mut explored =
            Explored { check: GameCheck { drawn: String::new(), ..check }, state: None, problem: None };
        if !explored.check.accepted {
            return Ok(explored);
        }
        let game = match self.ready.get(&rules.sha256) {
            Some(game) => Ok(game),
            None => self.ready_from(checked, rules, limits),
        };
        let state = game.and_then(|game| match &*game {
            ReadyGame::InSteps(game) => explore::explore(game, wish),
            ReadyGame::InTime(game) => explore_in_time::explore(game, wish),
        });
        match state {
            Ok((state, problem)) => (explored.state, explored.problem) = (Some(state), problem),
            Err(Trouble::Late) => return Err(Trouble::Late),
            Err(Trouble::TooMuch(why)) => explored.problem = Some(why),
        }
        Ok(explored)
    }
}

/// What the checks say of a rulesheet.
fn checked(rules: &Rulesheet) -> Checked {
    load(Arc::new(Source::new(rules.name.clone(), rules.text.clone())), &LoadOptions::default())
}

/// Whether a description can be told to a player of a game. Rules of their own, which are no description, players may always
/// be given: nothing is promised of them.
fn compared(game: &ReadyGame, sheet: &str, limits: WorkLimits) -> Result<(), String> {
    let sheet = load(Arc::new(Source::new("sheet", sheet)), &LoadOptions::default());
    let ReadyGame::InSteps(game) = game else { return Ok(()) };
    if !sheet.dialect.is_incomplete() {
        return Ok(());
    }
    let GameOptions { budget, .. } = game_options(limits);
    let options = SheetOptions { budget, ..SheetOptions::default() };
    game.check_sheet(&sheet, &options).map(|_| ()).map_err(|error| error.to_string())
}

fn about(game: &Game) -> Result<About, GameError> {
    let initial = game.initial();
    let moves = game.roles().map(|role| Ok(game.legal(initial, role)?.len()));
    let moves: Result<Vec<usize>, GameError> = moves.collect();
    let terms = game.signature().terms();
    let facts = game.facts(initial);
    Ok(About {
        notation: notation_name(game.notation()).to_owned(),
        roles: game.signature().roles().iter().map(|&role| terms.prefix(role)).collect(),
        seats: seat_roles(game),
        hidden: game.dialect().has_percepts(),
        real_time: false,
        clauses: game.program().program.clauses.len(),
        initial_facts: facts.len(),
        initial_moves: moves?,
        board_svg: game.draw_svg(initial),
        board_text: game.draw_text(initial, &TextStyle::default()),
        picture: picture(game.structure(), &facts, &PictureStyle::default()),
    })
}

fn show(game: &Game, wish: &ShowWish) -> Shown {
    // This process has not played the match: its game may never have met what is in it.
    let term = |text: &String| game.read_term(text).ok();
    let known = |texts: &[String]| texts.iter().filter_map(term).collect::<Vec<TermId>>();
    let seats = game.seats().into_iter().map(|role| (role.index(), game.role_name(role))).collect();
    let mut shown = Shown { seats, ..Shown::default() };
    let facts = match &wish.facts {
        None => game.facts(game.initial()),
        Some(facts) => known(facts),
    };
    if wish.plain {
        // A state of which not all is known has no such picture.
        let all = wish.facts.as_ref().is_none_or(|wanted| wanted.len() == facts.len());
        shown.plain = (all && !facts.is_empty()).then(|| {
            let structure = game.structure();
            (structure.draw_svg(&facts), structure.draw_text(&facts, &TextStyle::default()))
        });
    } else if !facts.is_empty() || wish.spots {
        let named = known(&wish.marked).into_iter().map(|action| game.structure().spots_of(action));
        let marked = named.filter(|named| !named.any).flat_map(|named| named.spots).collect();
        let seats: Vec<usize> = game.seats().into_iter().map(|role| role.index()).collect();
        let turned = is_turned(game.structure(), || game.facts(game.initial()), &seats, wish.seat);
        shown.picture = picture(
            game.structure(),
            &facts,
            &PictureStyle { spots: wish.spots, marked, turned, ..PictureStyle::default() },
        );
    }
    let named = |text: &String| {
        let action = term(text);
        (action, action.map_or_else(|| text.clone(), |action| game.text(action)))
    };
    let seat = wish.seat.and_then(|seat| game.seats().get(seat).copied());
    let role = seat.and_then(|role| game.read_term(&game.role_name(role)).ok());
    let state = Offered { structure: game.structure(), facts: &facts, role };
    shown.moves = wish.moves.iter().map(|text| state.offered(text, named(text))).collect();
    let written = |text: &String| term(text).map_or_else(|| text.clone(), |term| game.text(term));
    shown.terms = wish.terms.iter().map(written).collect();
    if !(wish.moves.is_empty() && wish.terms.is_empty()) {
        let short = |text: &str| game.read_term(text).ok().map(|action| game.structure().short(action));
        shorten(&mut shown.moves, short);
        let short_or_whole = |text: &String| short(text).unwrap_or_else(|| text.clone());
        shown.short_terms = wish.terms.iter().map(short_or_whole).collect();
    }
    shown
}

/// Whether who has this seat looks at the board from the other side.
pub(super) fn is_turned(
    structure: &Structure,
    first: impl FnOnce() -> Vec<TermId>,
    seats: &[usize],
    own: Option<usize>,
) -> bool {
    match (own, seats) {
        (Some(0), [own, other]) | (Some(1), [other, own]) => structure.is_turned_for(&first(), *own, *other),
        _ => false,
    }
}

/// The state in which moves are offered to a role.
pub(super) struct Offered<'a> {
    pub(super) structure: &'a Structure,
    pub(super) facts: &'a [TermId],
    pub(super) role: Option<TermId>,
}

impl Offered<'_> {
    /// A move as it is offered, with its term and how the rulesheet would write it.
    pub(super) fn offered(&self, text: &str, (action, shown): (Option<TermId>, String)) -> MoveShown {
        let named = action.map(|action| self.structure.spots_in(self.facts, self.role, action));
        let named = named.unwrap_or_default();
        let mut spots = String::new();
        for spot in &named.spots {
            // Writing to a string cannot fail.
            let _ = write!(spots, "{spot} ");
        }
        MoveShown { shown, text: text.to_owned(), spots: spots.trim_end().to_owned(), any: named.any }
    }
}

pub(super) fn picture(structure: &Structure, facts: &[TermId], style: &PictureStyle) -> StatePicture {
    let picture = structure.picture(facts, style);
    let group = |(name, mut items): (String, Vec<String>)| {
        let more = items.len().saturating_sub(FACTS);
        items.truncate(FACTS);
        FactGroup { name, items, more }
    };
    StatePicture {
        boards: picture.boards,
        width: picture.width,
        legend: picture.legend.into_iter().map(|meaning| (meaning.sign, meaning.name)).collect(),
        facts: picture.facts.into_iter().map(group).collect(),
        words: picture.words.into_iter().map(|(thing, places)| (thing, places.join("; "))).collect(),
    }
}
