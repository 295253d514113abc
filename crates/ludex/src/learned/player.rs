//! A player that was given records in place of rules.

use ludex_game::{News, Position, RoleId, TimeTerms, Trace};
use ludex_logic::{Budget, TermId};
use ludex_players::{Introduction, Outcome, Player};

use super::{LearnedError, LearnedGame, LearnedOptions, SeenMatch};

/// The part of the time to get ready that learning may take; the player gets the rest.
const LEARNING_SHARE: f64 = 0.8;
/// The part of the time for a move that learning again may take.
const CORRECTION_SHARE: f64 = 0.5;
/// The same of all that is left, where the time of all moves together is limited.
const BANK_SHARE: f64 = 0.05;
/// The part of what is left that the player then has to get ready anew.
const ANEW_SHARE: f64 = 0.4;

/// Makes the player that plays by what was learned; it is made anew where the rules become others.
pub type MakePlayer = Box<dyn FnMut() -> Result<Box<dyn Player>, String> + Send>;

/// A player that was given records in place of rules: it learns, and plays by what it learned as any other player plays.
/// Where a match shows that its rules are wrong it learns again, with what it saw. It knows moves by their text alone, in
/// prefix notation.
pub struct LearnedPlayer {
    records: Vec<Trace>,
    options: LearnedOptions,
    make: MakePlayer,
    learned: Option<LearnedGame>,
    introduction: Introduction,
    time: TimeTerms,
    sat: Option<Sat>,
}

/// A player in a match.
struct Sat {
    role: RoleId,
    seen: SeenMatch,
    /// Where the match is by the rules; `None` where they do not say.
    position: Option<Position>,
    /// Whether something was seen that the rules do not say.
    is_doubtful: bool,
    player: Option<Box<dyn Player>>,
}

impl LearnedPlayer {
    /// A player with these records.
    pub fn new(records: Vec<Trace>, options: LearnedOptions, make: MakePlayer) -> Self {
        Self {
            records,
            options,
            make,
            learned: None,
            introduction: Introduction::default(),
            time: TimeTerms::default(),
            sat: None,
        }
    }

    /// A player that begins with what was learned before.
    pub fn with_learned(learned: LearnedGame, make: MakePlayer) -> Self {
        let options = learned.options;
        let player = Self::new(Vec::new(), options, make);
        Self { learned: Some(learned), ..player }
    }

    /// Hears who plays, and what for; see [`Player::introduce`].
    pub fn introduce(&mut self, introduction: &Introduction) {
        self.introduction = introduction.clone();
    }

    /// Hears what time is worth before each move; see [`Player::hear_time`].
    pub fn hear_time(&mut self, terms: &TimeTerms) {
        self.time = *terms;
    }

    /// What it learned so far.
    pub fn learned(&self) -> Option<&LearnedGame> {
        self.learned.as_ref()
    }

    /// Learns, unless it has, and takes a role in a match that begins.
    ///
    /// # Errors
    /// [`LearnedError`], also where there is no such role.
    pub fn begin(&mut self, role: &str, budget: &Budget) -> Result<(), LearnedError> {
        self.sat = None;
        let learned = match self.learned.take() {
            Some(learned) => learned,
            None => {
                let share = budget.clone().with_share_of_time(LEARNING_SHARE);
                LearnedGame::learn(self.records.clone(), self.options, &share)?
            }
        };
        let role = learned.game().find_role(role);
        let names = learned.game().role_names().join(", ");
        let learned = self.learned.insert(learned);
        let role = role.ok_or_else(|| {
            LearnedError::Unplayable(format!("there is no such role; the roles are {names}"))
        })?;
        let position = Some(learned.game().rules().start());
        let seen = SeenMatch::default();
        let player = seated(&mut self.make, &self.introduction, learned, (role, &[]), budget);
        self.sat = Some(Sat { role, seen, position, is_doubtful: false, player });
        Ok(())
    }

    /// Hears which moves were made. `answered` is what it chose itself, where it is known that this came in time.
    pub fn hear(&mut self, joint: Vec<String>, answered: Option<&str>) {
        let (Some(sat), Some(learned)) = (&mut self.sat, &self.learned) else { return };
        let number = sat.role.index();
        let step = sat.seen.joints.len();
        if let (Some(answered), Some(made)) = (answered, joint.get(number))
            && answered != made
        {
            sat.seen.refused.push((step, number, answered.to_owned()));
            sat.is_doubtful = true;
        }
        let is_possible = sat
            .position
            .as_mut()
            .is_some_and(|position| position.terminal() == Ok(false) && position.play(&joint).is_ok());
        if is_possible {
            if let (Some(player), Some(news)) = (&mut sat.player, news(learned, &joint)) {
                player.observe(&news);
            }
        } else {
            (sat.position, sat.is_doubtful) = (None, true);
        }
        sat.seen.joints.push(joint);
    }

    /// A move that is legal by the rules, or else one that is usual.
    pub fn legal(&self) -> Option<String> {
        let (sat, learned) = (self.sat.as_ref()?, self.learned.as_ref()?);
        let legal = sat.position.as_ref().and_then(|position| position.legal(sat.role).ok());
        let first = legal.and_then(|legal| legal.first().copied());
        first.map(|action| prefix(learned, action)).or_else(|| learned.usual_move(sat.role))
    }

    /// Chooses a move, after it learned again where it has to.
    pub fn choose(&mut self, budget: &Budget) -> Option<String> {
        if let Some(sat) = &mut self.sat {
            // The match goes on.
            let is_over = sat.position.as_mut().is_some_and(|position| position.terminal() == Ok(true));
            sat.is_doubtful |= is_over;
        }
        self.settle(budget);
        let (sat, learned) = (self.sat.as_mut()?, self.learned.as_ref()?);
        let chosen = match (&mut sat.player, &sat.position) {
            (Some(player), Some(_)) => {
                player.hear_time(&self.time);
                player.choose(budget).ok()
            }
            _ => None,
        };
        chosen.map(|choice| prefix(learned, choice.action)).or_else(|| self.legal())
    }

    /// Hears that the match is over, or that it was given up; within `budget` it learns from that for the next one.
    pub fn finish(&mut self, completed: bool, budget: Option<&Budget>) {
        let Some(sat) = &mut self.sat else { return };
        if completed {
            sat.seen.over = true;
            let is_over = sat.position.as_mut().is_some_and(|position| position.terminal() == Ok(true));
            sat.is_doubtful |= !is_over;
        }
        if let Some(player) = &mut sat.player {
            player.finish(&Outcome { completed, goal: None });
        }
        let sat = self.sat.take();
        let sat = sat.filter(|sat| sat.is_doubtful);
        if let (Some(sat), Some(learned), Some(budget)) = (sat, &mut self.learned, budget) {
            // The rules stay as they were where nothing better is found.
            let _ = learned.correct(&sat.seen, budget);
        }
    }

    /// Learns again from what was seen of the match, and takes its seat anew where the rules are others then.
    fn settle(&mut self, budget: &Budget) {
        let (Some(sat), Some(learned)) = (&mut self.sat, &mut self.learned) else { return };
        if !std::mem::take(&mut sat.is_doubtful) {
            return;
        }
        let share = if self.time.bank.is_some() { BANK_SHARE } else { CORRECTION_SHARE };
        let share = budget.clone().with_share_of_time(share);
        let Ok(true) = learned.correct(&sat.seen, &share) else { return };
        let mut position = learned.game().rules().start();
        let is_followed = sat.seen.joints.iter().all(|joint| position.play(joint).is_ok());
        let (role, names) = (sat.role, learned.game().role_names());
        if role.index() >= names.len() {
            return;
        }
        sat.position = is_followed.then_some(position);
        let share = budget.clone().with_share_of_time(ANEW_SHARE);
        sat.player = seated(&mut self.make, &self.introduction, learned, (role, &sat.seen.joints), &share);
    }
}

/// A player that is ready for what it learned, after these moves; none where it cannot be made.
fn seated(
    make: &mut MakePlayer,
    introduction: &Introduction,
    learned: &LearnedGame,
    (role, joints): (RoleId, &[Vec<String>]),
    budget: &Budget,
) -> Option<Box<dyn Player>> {
    let mut player = make().ok()?;
    player.introduce(introduction);
    // One that did not get ready can still be asked.
    let _ = player.prepare(learned.game().seat(role), budget);
    for joint in joints {
        player.observe(&news(learned, joint)?);
    }
    Some(player)
}

/// What moves are to a player of the game that was learned.
fn news(learned: &LearnedGame, joint: &[String]) -> Option<News> {
    let rules = learned.game().rules();
    let terms: Option<Vec<TermId>> = joint.iter().map(|action| rules.read_term(action).ok()).collect();
    terms.map(News::Joint)
}

fn prefix(learned: &LearnedGame, action: TermId) -> String {
    learned.game().signature().terms().prefix(action)
}
