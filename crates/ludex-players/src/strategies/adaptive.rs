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
        Ok(Box::new(AdaptivePlayer::new(base, planning, slack, resources)))
    },
};

/// The part of the start clock for finding out what it can make sure of.
const SOLVING_SHARE: f64 = 0.4;
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
    /// Where roles choose at the same time.
    table: Option<AtTable>,
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
        for past in self.introduction.past.iter() {
            // A match that does not fit the rules tells nothing.
            let _ = table.study(past, &self.introduction.players, budget);
        }
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
        let others: Vec<&String> = self
            .introduction
            .players
            .iter()
            .enumerate()
            .filter(|&(role, _)| role != own)
            .filter_map(|(_, n)| n.as_ref())
            .collect();
        let mut banked = 0.0;
        for past in self.introduction.past.iter().filter(|past| past.goals.len() == 2) {
            let opponent =
                past.players.iter().position(|name| name.as_ref().is_some_and(|name| others.contains(&name)));
            if let Some(goal) = opponent.and_then(|opponent| past.goals[1 - opponent.min(1)]) {
                banked += f64::from(goal) - found.value;
            }
        }
        let banked = banked.clamp(-self.slack, MOST_BANKED * self.slack);
        Ok(Some(Security { begun: found.value, banked, solution }))
    }

    /// Plays by the model, or by what is sure; `None` where neither is of use.
    fn choose_by_model(&mut self, budget: &Budget) -> Answer<Option<Choice>> {
        let Some(table) = &mut self.table else { return Ok(None) };
        let patient = budget.clone().without_deadline();
        let legal = {
            let mut runner = table.machine.runner(&patient);
            runner.set(&table.state)?;
            runner.legal(table.role)?.to_vec()
        };
        if legal.len() < 2 {
            return Ok(None);
        }
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
    /// Learns from a match that was played before.
    fn study(&mut self, past: &PastMatch, players: &[Option<String>], budget: &Budget) -> Answer<()> {
        let signature = Arc::clone(self.machine.signature());
        let patient = budget.clone().without_deadline();
        let machine = Arc::clone(&self.machine);
        let mut runner = machine.runner(&patient);
        runner.set(machine.initial())?;
        // Who is predicted may have sat elsewhere.
        let mut seats: Vec<(usize, usize, Past)> = Vec::new();
        for (role, name) in
            players.iter().enumerate().filter(|&(role, _)| self.models.get(role).is_some_and(Option::is_some))
        {
            let sat = past.players.iter().position(|known| known.is_some() && known == name);
            seats.extend(sat.map(|sat| (role, sat, Past::default())));
        }
        for joint in &past.moves {
            if runner.terminal()? {
                break;
            }
            let action = |text: &String| {
                let term = find_term(signature.terms(), text).ok().flatten()?;
                signature.find_action(term)
            };
            let Some(actions) = joint.iter().map(action).collect::<Option<Vec<_>>>() else { break };
            let numbers: Vec<MoveNumber> =
                actions.iter().map(|&action| self.numbers.number(&*machine, action)).collect();
            for (role, sat, seen) in &mut seats {
                let legal: Vec<MoveNumber> = runner
                    .legal(RoleId(*sat as u32))?
                    .iter()
                    .map(|&action| self.numbers.number(&*machine, action))
                    .collect();
                let Some(&made) = numbers.get(*sat) else { continue };
                if let Some(model) = &mut self.models[*role] {
                    model.see(seen, &legal, made);
                }
                let others = numbers.iter().enumerate().filter(|(other, _)| other != sat);
                seen.push(made, others.map(|(_, &number)| number));
            }
            runner.step(&actions)?;
        }
        Ok(())
    }

    /// Sees what all did.
    fn see(&mut self, joint: &[TermId]) -> Answer<()> {
        let signature = Arc::clone(self.machine.signature());
        let machine = Arc::clone(&self.machine);
        let budget = Budget::unlimited();
        let mut runner = machine.runner(&budget);
        runner.set(&self.state)?;
        let Some(actions) = joint.iter().map(|&term| signature.find_action(term)).collect::<Option<Vec<_>>>()
        else {
            return Ok(());
        };
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
        Ok(())
    }
}

impl Player for AdaptivePlayer {
    fn introduce(&mut self, introduction: &Introduction) {
        self.introduction = introduction.clone();
        self.base.introduce(introduction);
    }

    fn hear_time(&mut self, terms: &TimeTerms) {
        self.base.hear_time(terms);
    }

    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError> {
        self.table = None;
        // A limit, or a fault of the machine, which the player without a model will meet, too.
        self.table = self.sit(&seat, budget).unwrap_or(None);
        self.introduction = Introduction::default();
        self.base.prepare(seat, budget)
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        match self.choose_by_model(budget) {
            Ok(Some(choice)) => Ok(choice),
            Ok(None) | Err(_) => self.base.choose(budget),
        }
    }

    fn first_thought(&mut self, budget: &Budget) -> Option<TermId> {
        self.base.first_thought(budget)
    }

    fn observe(&mut self, news: &News) {
        self.base.observe(news);
        let is_lost = match (&mut self.table, news) {
            (Some(table), News::Joint(joint)) => table.see(joint).is_err(),
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
