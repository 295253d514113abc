//! The strategy `adaptive`: the tournament player, which in games where roles choose at the same time also plays for what
//! the others get wrong.
//!
//! Whoever plays an equilibrium cannot be beaten on average, and wins little against who plays badly. This player learns
//! how the others move ([`Mixture`]) and plans against it ([`Planner`]), as long as it risks no more than what it has won
//! before and a little more (Ganzfried and Sandholm, Safe opponent exploitation, 2015): what it can make sure of in each
//! state is known where the game can be solved, and when that falls too far below what it could make sure of at first,
//! it plays for that alone.

use std::cell::RefCell;
use std::sync::Arc;

use ludex_game::{ActionId, Answer, Goal, Machine, News, Rng, RoleId, State, TimeTerms, find_term};
use ludex_logic::{Budget, TermId};
use rustc_hash::FxHashMap;

use super::ludex::choose_together;
use crate::equilibrium::{SolutionLimits, StateSolution};
use crate::introduction::{Introduction, PastMatch};
use crate::learned_evaluation::TrainedEvaluation;
use crate::opponent_model::{Mixture, MoveNumber, Past, Planner, PlannerOptions};
use crate::player::{Choice, Outcome, Player, PlayerError, Seat};
use crate::registry::{BuiltIn, OptionInfo};
use crate::report::{MoveRating, Report};
use crate::strategy::{Arena, Resources, Turn};
use crate::time_use::TimeUse;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "adaptive",
    description: "as `ludex`, but learns how others move where roles choose at once, and plays for it",
    options: &[
        OptionInfo {
            name: "courses",
            default: "3000",
            description: "courses of the game that a plan is made of; fewer where there is no time",
        },
        OptionInfo { name: "horizon", default: "8", description: "how many steps ahead it plans" },
        OptionInfo {
            name: "slack",
            default: "4",
            description: "goal points that it risks beyond what it has won from the same opponents",
        },
    ],
    make: |options, resources| {
        let base = (super::ludex::INFO.make)(&options.of_another(&super::ludex::INFO), resources)?;
        let planning = PlannerOptions {
            courses: options.get("courses")?,
            horizon: options.get("horizon")?,
            ..PlannerOptions::default()
        };
        let slack = options.get("slack")?;
        if !(0.0..f64::INFINITY).contains(&slack) {
            return Err(options.bad_value("slack"));
        }
        Ok(Box::new(AdaptivePlayer::new(base, planning, slack, resources)))
    },
};

/// The part of the start clock for finding out what it can make sure of.
const SOLVING_SHARE: f64 = 0.4;
/// The part of the start clock for learning from matches that were played before.
const STUDY_SHARE: f64 = 0.2;
/// The part of a turn for a plan.
const PLANNING_SHARE: f64 = 0.5;
/// The most states, and joint moves in all of them, of a game that is solved.
const MOST_STATES: usize = 200_000;
const MOST_JOINT_MOVES: usize = 1 << 21;
/// A plan has to bring so many goal points more than what is played without it.
const LEAST_GAIN: f64 = 0.1;
/// Where nothing can be made sure of, others have to be so predictable, in bits of what they did.
const LEAST_KNOWN: f64 = 4.0;
/// What was won from the same opponents before counts up to so many times the slack.
const MOST_BANKED: f64 = 5.0;

/// A player with a model of the others.
struct AdaptivePlayer {
    base: Box<dyn Player>,
    planning: PlannerOptions,
    slack: f64,
    resources: Resources,
    rng: Rng,
    introduction: Introduction,
    /// How the time of the match is used where roles choose at the same time; elsewhere that is the other player's business.
    time: TimeUse,
    /// Where roles choose at the same time.
    table: Option<AtTable>,
}

/// What somebody did in a match that was played before, for the model of a role.
struct Seen {
    role: usize,
    /// Where it sat then.
    sat: usize,
    steps: Vec<SeenStep>,
}

struct SeenStep {
    legal: Vec<MoveNumber>,
    made: MoveNumber,
    others: Vec<MoveNumber>,
}

/// What belongs to one match.
struct AtTable {
    machine: Arc<dyn Machine>,
    role: RoleId,
    state: State,
    /// How each role moves; `None` for the player and for chance.
    models: Vec<Option<Mixture>>,
    pasts: Vec<Past>,
    /// How much better the moves of the others were foretold than by chance, in bits.
    foretold: f64,
    numbers: Numbers,
    security: Option<Security>,
}

/// What the player can make sure of.
struct Security {
    solution: StateSolution,
    /// At first.
    begun: f64,
    /// What was won from the same opponents beyond that before, less what was lost.
    banked: f64,
}

/// The numbers of moves, by their texts.
#[derive(Default)]
struct Numbers {
    of_texts: RefCell<FxHashMap<String, MoveNumber>>,
    of_actions: RefCell<FxHashMap<ActionId, MoveNumber>>,
}

impl Numbers {
    fn number(&self, machine: &dyn Machine, action: ActionId) -> MoveNumber {
        if let Some(&known) = self.of_actions.borrow().get(&action) {
            return known;
        }
        let signature = machine.signature();
        let text = signature.terms().prefix(signature.action(action));
        let mut of_texts = self.of_texts.borrow_mut();
        let next = of_texts.len().min(usize::from(MoveNumber::MAX)) as MoveNumber;
        let number = *of_texts.entry(text).or_insert(next);
        self.of_actions.borrow_mut().insert(action, number);
        number
    }
}

impl AdaptivePlayer {
    fn new(base: Box<dyn Player>, planning: PlannerOptions, slack: f64, resources: &Resources) -> Self {
        Self {
            base,
            planning,
            slack,
            rng: Rng::from_seed(resources.seed ^ 0xada9),
            resources: resources.clone(),
            introduction: Introduction::default(),
            time: TimeUse::default(),
            table: None,
        }
    }

    /// Takes a seat where roles choose at the same time; nothing elsewhere.
    fn sit(&mut self, seat: &Seat, budget: &Budget) -> Answer<Option<AtTable>> {
        if !seat.program.has_perfect_information() {
            return Ok(None);
        }
        let machine = &seat.machine;
        let arena = Arena::new(Arc::clone(machine), seat.role, self.resources.clone());
        let turn = Turn::new(&arena, machine.initial(), &[], budget, self.rng.bits());
        if !choose_together(&turn)? {
            return Ok(None);
        }
        let signature = machine.signature();
        let is_modelled = |role: RoleId| role != seat.role && Some(role) != signature.random();
        let mut table = AtTable {
            machine: Arc::clone(machine),
            role: seat.role,
            state: machine.initial().clone(),
            models: signature.role_ids().map(|role| is_modelled(role).then(Mixture::default)).collect(),
            pasts: signature.role_ids().map(|_| Past::default()).collect(),
            foretold: 0.0,
            numbers: Numbers::default(),
            security: None,
        };
        table.study_all(&self.introduction, budget);
        table.security = self.secure(&table, budget)?;
        Ok(Some(table))
    }

    /// What can be made sure of, where the game is small enough to know.
    fn secure(&self, table: &AtTable, budget: &Budget) -> Answer<Option<Security>> {
        let own = table.role.index();
        // Whatever the other wants, it is taken to want the player to get nothing.
        let payoffs = |goals: [Goal; 2]| {
            let goal = goals.get(own).copied().unwrap_or(0).min(100);
            if own == 0 { [goal, 100 - goal] } else { [100 - goal, goal] }
        };
        let bytes = self.resources.memory / 8;
        let limits = SolutionLimits { states: MOST_STATES, joint_moves: MOST_JOINT_MOVES, bytes };
        let budget = budget.clone().with_share_of_time(SOLVING_SHARE);
        let Ok(solution) = StateSolution::new(&table.machine, &table.state, &payoffs, limits, &budget) else {
            return Ok(None);
        };
        let Some(found) = solution.of_state(&table.machine, &table.state, table.role)? else {
            return Ok(None);
        };
        let banked =
            won_before(&self.introduction, own, found.value).clamp(-self.slack, MOST_BANKED * self.slack);
        Ok(Some(Security { begun: found.value, banked, solution }))
    }

    /// What there is to choose from, where it is chosen here.
    fn legal(&self, budget: &Budget) -> Option<Vec<ActionId>> {
        let table = self.table.as_ref()?;
        let patient = budget.clone().without_deadline();
        let mut runner = table.machine.runner(&patient);
        runner.set(&table.state).ok()?;
        let legal = runner.legal(table.role).ok()?;
        (legal.len() > 1).then(|| legal.to_vec())
    }

    /// The share of a move of the time for all moves, for the plan and for whatever follows where there is none.
    fn share(&mut self, budget: &Budget) -> Budget {
        let (Some(table), Some(clock)) = (&self.table, budget.clock()) else { return budget.clone() };
        let rng = &mut self.rng;
        let seat = (&*table.machine, table.role);
        let Some(share) = self.time.allot(seat, Some(&table.state), budget, || rng.bits()) else {
            return budget.clone();
        };
        self.time.note_choice(share);
        budget.clone().with_time(Arc::clone(clock), share)
    }

    /// Plays by the model, or by what is sure; `None` where neither is of use.
    fn choose_by_model(&mut self, legal: &[ActionId], budget: &Budget) -> Answer<Option<Choice>> {
        let Some(table) = &mut self.table else { return Ok(None) };
        let signature = Arc::clone(table.machine.signature());
        let mut report = Report::default();
        for model in table.models.iter().flatten().take(1) {
            let (what, how) = model.likeliest();
            report.note("others seem to go by", format_args!("{what} ({:.0} %)", 100.0 * how));
        }
        let secured = match &table.security {
            Some(security) => security.solution.of_state(&table.machine, &table.state, table.role)?,
            None => None,
        };
        let secured = secured.filter(|found| found.strategy.len() == legal.len());
        let may_risk = match (&table.security, &secured) {
            (Some(security), Some(found)) => {
                let left = found.value - security.begun + security.banked + self.slack;
                report.note("goal points that may be risked", format_args!("{left:.1}"));
                left > 0.0
            }
            _ => table.foretold >= LEAST_KNOWN,
        };
        let mut plan = None;
        if may_risk {
            let machine = Arc::clone(&table.machine);
            let numbers = |action: ActionId| table.numbers.number(&*machine, action);
            let mut planner = Planner {
                machine: &*machine,
                role: table.role,
                models: &table.models,
                pasts: table.pasts.clone(),
                numbers: &numbers,
                options: self.planning,
            };
            let share = budget.clone().with_share_of_time(PLANNING_SHARE);
            plan = planner.plan(&table.state, &share, &mut self.rng).ok();
        }
        let policy = secured.map(|found| found.strategy);
        if let Some(plan) = &plan {
            let rated = legal.iter().zip(&plan.moves);
            report.moves = rated
                .map(|(&action, &(value, visits))| MoveRating {
                    action: signature.action(action),
                    value: Some(value),
                    visits,
                    proven: None,
                })
                .collect();
            report.note("courses of the plan", plan.courses);
            let best = plan.moves.iter().enumerate().max_by(|a, b| a.1.0.total_cmp(&b.1.0));
            let Some((best, &(value, _))) = best else { return Ok(None) };
            let without = match &policy {
                Some(policy) => policy.iter().zip(&plan.moves).map(|(part, (value, _))| part * value).sum(),
                None => plan.moves.iter().map(|(value, _)| value).sum::<f64>() / plan.moves.len() as f64,
            };
            if value - without > LEAST_GAIN {
                report.moves.sort_by(|a, b| b.value.unwrap_or(0.0).total_cmp(&a.value.unwrap_or(0.0)));
                return Ok(Some(Choice { action: signature.action(legal[best]), report }));
            }
        }
        let Some(policy) = policy else { return Ok(None) };
        let Some(drawn) = self.rng.weighted(policy.iter().copied()) else { return Ok(None) };
        report.policy =
            legal.iter().map(|&action| signature.action(action)).zip(policy).filter(|p| p.1 > 0.0).collect();
        Ok(Some(Choice { action: signature.action(legal[drawn]), report }))
    }
}

impl AtTable {
    /// Learns from the matches that were played before, the last ones where there is no time for all: those say most.
    fn study_all(&mut self, introduction: &Introduction, budget: &Budget) {
        let share = budget.clone().with_share_of_time(STUDY_SHARE);
        let mut meter = share.meter();
        let mut matches = Vec::new();
        for past in introduction.past.iter().rev() {
            let mut seen = self.seats_of(past, &introduction.players);
            // What does not fit the rules tells nothing, nor does what there was no time for.
            let _ = self.replay(past, &share, &mut seen);
            matches.push(seen);
            if meter.check().is_err() {
                break;
            }
        }
        for Seen { role, steps, .. } in matches.into_iter().rev().flatten() {
            let Some(model) = &mut self.models[role] else { continue };
            let mut past = Past::default();
            for SeenStep { legal, made, others } in steps {
                model.see(&past, &legal, made);
                past.push(made, others.into_iter());
            }
        }
    }

    /// Where those sat who are predicted: maybe elsewhere than today.
    fn seats_of(&self, past: &PastMatch, players: &[Option<String>]) -> Vec<Seen> {
        let modelled = players
            .iter()
            .enumerate()
            .filter(|&(role, _)| self.models.get(role).is_some_and(Option::is_some));
        let seat = |(role, name): (usize, &Option<String>)| {
            let sat = past.players.iter().position(|known| known.is_some() && known == name)?;
            Some(Seen { role, sat, steps: Vec::new() })
        };
        modelled.filter_map(seat).collect()
    }

    /// Replays a match that was played before, and takes note of what was done in these seats.
    fn replay(&self, past: &PastMatch, budget: &Budget, seats: &mut [Seen]) -> Answer<()> {
        let signature = Arc::clone(self.machine.signature());
        let machine = Arc::clone(&self.machine);
        let mut runner = machine.runner(budget);
        let mut meter = budget.meter();
        runner.set(machine.initial())?;
        for joint in &past.moves {
            meter.check()?;
            if runner.terminal()? {
                break;
            }
            let action = |text: &String| {
                let term = find_term(signature.terms(), text).ok().flatten()?;
                signature.find_action(term)
            };
            let Some(actions) = joint.iter().map(action).collect::<Option<Vec<_>>>() else { break };
            if actions.len() != signature.roles().len() {
                break;
            }
            let numbers: Vec<MoveNumber> =
                actions.iter().map(|&action| self.numbers.number(&*machine, action)).collect();
            for Seen { sat, steps, .. } in seats.iter_mut() {
                let legal = runner.legal(RoleId(*sat as u32))?.iter();
                let legal = legal.map(|&action| self.numbers.number(&*machine, action)).collect();
                let Some(&made) = numbers.get(*sat) else { continue };
                let others = numbers.iter().enumerate().filter(|(other, _)| other != sat);
                steps.push(SeenStep { legal, made, others: others.map(|(_, &number)| number).collect() });
            }
            runner.step(&actions)?;
        }
        Ok(())
    }

    /// Sees what all did. Whether it could be followed: a move that the machine does not know leads nobody knows where.
    fn see(&mut self, joint: &[TermId]) -> Answer<bool> {
        let signature = Arc::clone(self.machine.signature());
        let machine = Arc::clone(&self.machine);
        let budget = Budget::unlimited();
        let mut runner = machine.runner(&budget);
        runner.set(&self.state)?;
        let Some(actions) = joint.iter().map(|&term| signature.find_action(term)).collect::<Option<Vec<_>>>()
        else {
            return Ok(false);
        };
        if actions.len() != signature.roles().len() {
            return Ok(false);
        }
        let numbers: Vec<MoveNumber> =
            actions.iter().map(|&action| self.numbers.number(&*machine, action)).collect();
        for role in signature.role_ids() {
            let legal: Vec<MoveNumber> =
                runner.legal(role)?.iter().map(|&action| self.numbers.number(&*machine, action)).collect();
            let (own, past) = (numbers[role.index()], &mut self.pasts[role.index()]);
            if let (Some(model), true) = (&mut self.models[role.index()], legal.len() > 1) {
                let likely = model.predict(past, &legal);
                let place = legal.iter().position(|&number| number == own);
                let held = place.map_or(1.0, |place| likely[place]);
                self.foretold += (held * legal.len() as f64).log2();
                model.see(past, &legal, own);
            }
            let others = numbers.iter().enumerate().filter(|&(other, _)| other != role.index());
            past.push(own, others.map(|(_, &number)| number));
        }
        runner.step(&actions)?;
        runner.save(&mut self.state);
        Ok(true)
    }
}

/// What a role won from the opponents of today beyond what it could make sure of. Only what the player itself got in the
/// seat of today counts: the memory may know matches of others, and what a seat is worth is not what another one is.
fn won_before(introduction: &Introduction, own: usize, sure: f64) -> f64 {
    let of_today = |past: &&PastMatch| {
        let name = |names: &[Option<String>], role: usize| names.get(role).cloned().flatten();
        let is_same = |role: usize| {
            let today = name(&introduction.players, role);
            today.is_some() && today == name(&past.players, role)
        };
        past.goals.len() == 2 && is_same(own) && is_same(1 - own.min(1))
    };
    let got =
        introduction.past.iter().filter(of_today).filter_map(|past| past.goals.get(own).copied().flatten());
    got.map(|goal| f64::from(goal) - sure).sum()
}

/// Whether a deadline is over.
fn has_no_time(budget: &Budget) -> bool {
    budget.time_left().is_some_and(|left| left.is_zero())
}

impl Player for AdaptivePlayer {
    fn introduce(&mut self, introduction: &Introduction) {
        self.introduction = introduction.clone();
        self.base.introduce(introduction);
    }

    fn hear_time(&mut self, terms: &TimeTerms) {
        self.time.hear(terms);
        // What is limited for all moves is shared out once.
        let bank = terms.bank.filter(|_| self.table.is_none());
        self.base.hear_time(&TimeTerms { bank, ..*terms });
    }

    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError> {
        (self.table, self.time) = (None, TimeUse::default());
        // A limit, or a fault of the machine, which the player without a model will meet, too.
        self.table = self.sit(&seat, budget).unwrap_or(None);
        self.introduction = Introduction::default();
        self.base.prepare(seat, budget)
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        let Some(legal) = self.legal(budget) else { return self.base.choose(budget) };
        let budget = &self.share(budget);
        match self.choose_by_model(&legal, budget) {
            Ok(Some(choice)) => Ok(choice),
            Ok(None) | Err(_) => match self.base.first_thought(budget).filter(|_| has_no_time(budget)) {
                Some(action) => {
                    Ok(Choice { action, report: Report::default().with("no time to think", "yes") })
                }
                None => self.base.choose(budget),
            },
        }
    }

    fn first_thought(&mut self, budget: &Budget) -> Option<TermId> {
        self.base.first_thought(budget)
    }

    fn observe(&mut self, news: &News) {
        self.base.observe(news);
        let is_lost = match (&mut self.table, news) {
            (Some(table), News::Joint(joint)) => !table.see(joint).unwrap_or(false),
            (table, News::Percepts { .. }) => table.is_some(),
            (None, News::Joint(_)) => false,
        };
        if is_lost {
            self.table = None;
        }
    }

    fn ponder(&mut self, budget: &Budget) {
        self.base.ponder(budget);
    }

    fn tree_dot(&self, nodes: usize) -> Option<String> {
        self.base.tree_dot(nodes)
    }

    fn learned(&self) -> Option<TrainedEvaluation> {
        self.base.learned()
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.table = None;
        self.base.finish(outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Registry, StrategyError};

    #[test]
    fn what_it_risks_is_a_number_that_is_not_negative() {
        let make = |text: &str| Registry::default().create(text, &Resources::from_seed(1)).err();
        for slack in ["-1", "nan", "inf", "-inf", "-0.5", "much"] {
            let error = make(&format!("adaptive:slack={slack}"));
            assert!(matches!(error, Some(StrategyError::Value { .. })), "{slack}: {error:?}");
        }
        assert!(make("adaptive:slack=0").is_none() && make("adaptive:slack=2.5").is_none());
    }

    #[test]
    fn only_what_it_won_itself_in_this_seat_counts() {
        let names = |names: [&str; 2]| names.map(|name| Some(name.to_owned())).to_vec();
        let past = |players: [&str; 2], goals: [Goal; 2]| PastMatch {
            players: names(players),
            goals: goals.map(Some).to_vec(),
            moves: Vec::new(),
        };
        let introduction = |players: Vec<Option<String>>| Introduction {
            players,
            past: [
                past(["ann", "bob"], [70, 30]),
                // In the other seat, of somebody else, and against somebody else.
                past(["bob", "ann"], [0, 100]),
                past(["eve", "bob"], [100, 0]),
                past(["ann", "eve"], [0, 100]),
                PastMatch { goals: vec![None, Some(9)], ..past(["ann", "bob"], [0, 0]) },
            ]
            .into(),
            ..Introduction::default()
        };
        let known = introduction(names(["ann", "bob"]));
        assert_eq!(won_before(&known, 0, 50.0), 20.0);
        let unknown = introduction(vec![None, Some("bob".to_owned())]);
        assert_eq!(won_before(&unknown, 0, 50.0), 0.0, "who has no name was nobody");
    }
}
