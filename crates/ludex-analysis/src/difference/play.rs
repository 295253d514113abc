//! Two games played side by side: all pairs of states, then random games.

use std::ops::Range;

use ludex_game::{ActionId, Answer, GameError, JointMoves, Rng, Rules, State, StateTable};
use ludex_gdl::minimize::remove_chunks;
use ludex_logic::{Budget, LimitError, Meter, TermId};

use super::side::Sides;
use super::{Aspect, Behaviour, DifferenceOptions, Divergence};
use crate::property::search::{Way, way_to};

/// A random game is broken off after so many joint moves.
const LONGEST_GAME: usize = 2_000;

/// Joint moves of the first game.
type Course = Vec<Vec<ActionId>>;

pub(super) struct Play<'r> {
    sides: Sides<'r>,
    options: &'r DifferenceOptions,
    budget: &'r Budget,
    meter: Meter,
}

/// What going through the pairs of states came to.
enum Searched {
    Differs(Course, Vec<Aspect>),
    All(usize),
    Some(usize),
}

impl<'r> Play<'r> {
    /// Both games at their beginnings; where their roles differ, there is nothing to play.
    pub(super) fn new(
        first: &'r Rules,
        second: &'r Rules,
        options: &'r DifferenceOptions,
        budget: &'r Budget,
    ) -> Result<Self, Divergence> {
        let runners = [first.machine().runner(budget), second.machine().runner(budget)];
        match Sides::new([first, second], runners, options) {
            Some(sides) => Ok(Self { sides, options, budget, meter: budget.meter() }),
            None => Err(Divergence {
                first: Vec::new(),
                second: Vec::new(),
                aspects: vec![Aspect::Roles],
                is_shortest: true,
            }),
        }
    }

    pub(super) fn compare(&mut self) -> Answer<Behaviour> {
        let states = match self.all_pairs()? {
            (Searched::Differs(course, aspects), _) => {
                return Ok(Behaviour::Differs(self.divergence(&course, aspects, true)));
            }
            (Searched::All(states), _) => return Ok(Behaviour::Alike { states }),
            (Searched::Some(states), Some(limit)) => {
                return Ok(Behaviour::NotFound { states, games: 0, limit: Some(limit) });
            }
            (Searched::Some(states), None) => states,
        };
        let mut rng = Rng::from_seed(self.options.seed);
        for games in 0..self.options.games {
            self.budget.report("games", u64::from(games), Some(u64::from(self.options.games)));
            match self.random_game(&mut rng) {
                Ok(None) => {}
                Ok(Some((course, aspects))) => {
                    let (course, aspects) = self.shortened(course, aspects);
                    return Ok(Behaviour::Differs(self.divergence(&course, aspects, false)));
                }
                Err(GameError::Limit(limit)) => {
                    return Ok(Behaviour::NotFound { states, games, limit: Some(limit) });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Behaviour::NotFound { states, games: self.options.games, limit: None })
    }

    fn start(&mut self) -> Answer<Vec<Aspect>> {
        let [first, second] = self.sides.rules;
        self.sides.set([first.initial(), second.initial()])?;
        self.sides.state_aspects()
    }

    /// Goes through all pairs of states, nearest first, unless there are too many. A limit ends it with what there is,
    /// but for the first pair.
    fn all_pairs(&mut self) -> Answer<(Searched, Option<LimitError>)> {
        let aspects = self.start()?;
        if !aspects.is_empty() {
            return Ok((Searched::Differs(Vec::new(), aspects), None));
        }
        let mut pairs = Pairs::default();
        let [first, second] = self.sides.rules;
        pairs.add([first.initial(), second.initial()], None);
        match self.search(&mut pairs) {
            Ok(searched) => Ok((searched, None)),
            Err(GameError::Limit(limit)) => Ok((Searched::Some(pairs.table.len()), Some(limit))),
            Err(error) => Err(error),
        }
    }

    fn search(&mut self, pairs: &mut Pairs) -> Answer<Searched> {
        let [mut here, mut after] = [self.states(), self.states()];
        let (mut at, mut moves) = (0u32, 0usize);
        while (at as usize) < pairs.table.len() {
            self.meter.spend(1)?;
            self.budget.report("pairs of states", u64::from(at), None);
            pairs.get(at, &mut here);
            self.sides.set([&here[0], &here[1]])?;
            if let Some(mut joints) = self.joints()? {
                while let Some(joint) = joints.next() {
                    self.meter.spend(1)?;
                    moves += 1;
                    if moves > self.options.most_moves || pairs.table.len() > self.options.most_states {
                        return Ok(Searched::Some(pairs.table.len()));
                    }
                    self.sides.set([&here[0], &here[1]])?;
                    if !self.sides.step(joint)? {
                        continue;
                    }
                    let mut aspects = self.sides.percept_aspects();
                    self.sides.runners.iter().zip(&mut after).for_each(|(runner, state)| runner.save(state));
                    if pairs.is_new([&after[0], &after[1]]) {
                        aspects.extend(self.sides.state_aspects()?);
                        if !pairs.add([&after[0], &after[1]], Some((at, joint.into()))) {
                            return Ok(Searched::Some(pairs.table.len()));
                        }
                    }
                    if !aspects.is_empty() {
                        let mut course = way_to(&pairs.table, at);
                        course.push(joint.to_vec());
                        return Ok(Searched::Differs(course, aspects));
                    }
                }
                self.meter.check_memory(pairs.table.bytes(), || "the pairs of states".into())?;
            }
            at += 1;
        }
        Ok(Searched::All(pairs.table.len()))
    }

    fn states(&self) -> [State; 2] {
        self.sides.rules.map(|rules| rules.initial().clone())
    }

    /// The joint moves of a state that does not differ; none where it is terminal or a role is stuck.
    fn joints(&mut self) -> Answer<Option<JointMoves>> {
        if self.sides.runners[0].terminal()? {
            return Ok(None);
        }
        match JointMoves::new(&mut *self.sides.runners[0], self.sides.rules[0].signature()) {
            Ok(joints) => Ok(Some(joints)),
            Err(GameError::NoLegalMove { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Plays a random game of both, until they differ or it is over.
    fn random_game(&mut self, rng: &mut Rng) -> Answer<Option<(Course, Vec<Aspect>)>> {
        let mut course = Course::new();
        let mut aspects = self.start()?;
        loop {
            self.meter.spend(1)?;
            if !aspects.is_empty() {
                return Ok(Some((course, aspects)));
            }
            if course.len() >= LONGEST_GAME || self.sides.runners[0].terminal()? {
                return Ok(None);
            }
            let mut joint = Vec::new();
            for role in self.sides.rules[0].roles() {
                match rng.pick(self.sides.runners[0].legal(role)?) {
                    Some(&action) => joint.push(action),
                    // A role that is stuck ends the game.
                    None => return Ok(None),
                }
            }
            if !self.sides.step(&joint)? {
                return Ok(None);
            }
            course.push(joint);
            aspects = self.sides.percept_aspects();
            aspects.extend(self.sides.state_aspects()?);
        }
    }

    /// Leaves out joint moves as long as the games still differ in the end.
    fn shortened(&mut self, course: Course, aspects: Vec<Aspect>) -> (Course, Vec<Aspect>) {
        let mut state = (course, aspects, self);
        let attempt = |(course, aspects, play): &mut (Course, Vec<Aspect>, &mut Self),
                       range: Range<usize>| {
            let rest = [&course[..range.start], &course[range.end..]].concat();
            let Some((shorter, found)) = play.replayed(&rest)? else { return Ok(false) };
            (*course, *aspects) = (shorter, found);
            Ok(true)
        };
        // A limit leaves what was found until then.
        let _: Answer<()> = remove_chunks(&mut state, |(course, ..)| course.len(), attempt);
        (state.0, state.1)
    }

    /// Plays a course as far as the games are alike; `None` where they never differ or it cannot be played.
    fn replayed(&mut self, course: &[Vec<ActionId>]) -> Answer<Option<(Course, Vec<Aspect>)>> {
        let mut aspects = self.start()?;
        for at in 0..=course.len() {
            self.meter.spend(1)?;
            if !aspects.is_empty() {
                return Ok(Some((course[..at].to_vec(), aspects)));
            }
            let Some(joint) = course.get(at) else { break };
            if !self.can_step(joint)? {
                break;
            }
            aspects = self.sides.percept_aspects();
            aspects.extend(self.sides.state_aspects()?);
        }
        Ok(None)
    }

    /// Makes a joint move if that is legal in both games.
    fn can_step(&mut self, joint: &[ActionId]) -> Answer<bool> {
        if self.sides.runners[0].terminal()? || self.sides.runners[1].terminal()? {
            return Ok(false);
        }
        let Some(there) = self.sides.joint_there(joint) else { return Ok(false) };
        for (runner, joint) in self.sides.runners.iter_mut().zip([joint, &there]) {
            for (role, action) in (0..).map(ludex_game::RoleId).zip(joint) {
                if !runner.legal(role)?.contains(action) {
                    return Ok(false);
                }
            }
        }
        self.sides.step(joint)
    }

    /// What differs after joint moves, which need not be alike before.
    pub(super) fn aspects_after(&mut self, moves: &[Vec<TermId>]) -> Answer<Option<Vec<Aspect>>> {
        let mut aspects = self.start()?;
        for joint in moves {
            let signature = self.sides.rules[0].signature();
            let actions: Option<Vec<ActionId>> =
                joint.iter().map(|&term| signature.find_action(term)).collect();
            let Some(actions) = actions.filter(|actions| actions.len() == self.sides.roles.len()) else {
                return Ok(None);
            };
            if !self.can_step(&actions)? {
                return Ok(None);
            }
            aspects = self.sides.percept_aspects();
            aspects.extend(self.sides.state_aspects()?);
        }
        Ok(Some(aspects))
    }

    fn divergence(
        &mut self,
        course: &[Vec<ActionId>],
        aspects: Vec<Aspect>,
        is_shortest: bool,
    ) -> Divergence {
        let terms = |rules: &Rules, joint: &[ActionId]| {
            joint.iter().map(|&action| rules.signature().action(action)).collect::<Vec<TermId>>()
        };
        let [one, other] = self.sides.rules;
        let first = course.iter().map(|joint| terms(one, joint)).collect();
        let there = course.iter().filter_map(|joint| self.sides.joint_there(joint));
        let second = there.map(|joint| terms(other, &joint)).collect();
        Divergence { first, second, aspects, is_shortest }
    }
}

/// Pairs of states, each with how it was reached.
#[derive(Default)]
struct Pairs {
    table: StateTable<Way>,
    words: Vec<u64>,
}

impl Pairs {
    /// The words of both, behind the number of those of the first one.
    fn pack(&mut self, [first, second]: [&State; 2]) {
        self.words.clear();
        self.words.push(first.words().len() as u64);
        self.words.extend_from_slice(first.words());
        self.words.extend_from_slice(second.words());
    }

    fn is_new(&mut self, states: [&State; 2]) -> bool {
        self.pack(states);
        self.table.find(&self.words).is_none()
    }

    /// Keeps a pair; false where there is no room.
    fn add(&mut self, states: [&State; 2], way: Way) -> bool {
        self.pack(states);
        self.table.insert(&self.words, way).is_some()
    }

    fn get(&self, at: u32, states: &mut [State; 2]) {
        let words = self.table.words(at);
        let Some((&length, words)) = words.split_first() else { return };
        let (first, second) = words.split_at((length as usize).min(words.len()));
        states[0].set_words(first);
        states[1].set_words(second);
    }
}
