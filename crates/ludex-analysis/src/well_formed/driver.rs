//! Calls the methods, cheap ones first, and puts their answers together.

use ludex_game::{GameError, RoleId, Rules, Step};
use ludex_logic::Budget;

use super::WellFormedOptions;
use super::claim::{Claim, WIN, own_moves_if_others_are_bound};
use super::goal_values::{FaultsByNet, goal_fault};
use super::graph::{self, Ends, Sequence};
use super::induction::{Induction, Proof};
use super::ranking::ranking;
use super::report::{
    ConstantSum, Judged, Method, PlayerReport, Possibility, Seen, Strategy, Termination, WellFormed,
};
use super::sample::{Sampler, checked};
use super::space::{Space, reason};
use crate::finding::{Finding, Reason, Witness};
use crate::subject::Subject;

/// Random games at first.
const GAMES: u32 = 100;
/// Steps of inference for random games, where the budget has more.
const SAMPLING_WORK: u64 = 100_000_000;
/// States of the first search.
const FEW_STATES: usize = 50_000;
/// States without exactly one goal value that are asked by the rules, before the net is made for all others.
const FEW_FAULTS: usize = 8;
/// The part of the time for random games.
const FOR_SAMPLING: f64 = 0.1;
/// The part of the time left then for the first search.
const FOR_FEW_STATES: f64 = 0.2;
/// The part of the time left then for each of the two proofs with the solver.
const FOR_PROOFS: f64 = 0.3;
/// The part of the memory that the states may take; what is asked of them takes some more.
const FOR_STATES: usize = 2;

/// Which methods are called.
#[derive(Clone, Copy, Debug)]
pub(super) struct Methods {
    /// Random games.
    pub(super) sampling: bool,
    /// Search of all states.
    pub(super) search: bool,
    /// Proofs with the solver.
    pub(super) proofs: bool,
}

/// One run of all methods.
pub(super) struct Driver<'a> {
    subject: &'a Subject,
    rules: &'a Rules,
    options: &'a WellFormedOptions,
    budget: &'a Budget,
    methods: Methods,
    report: WellFormed,
}

impl<'a> Driver<'a> {
    pub(super) fn new(subject: &'a Subject, options: &'a WellFormedOptions, budget: &'a Budget) -> Self {
        let rules = subject.rules();
        let open = || Reason::Method("nothing was tried".to_owned());
        let player = |role| PlayerReport {
            role,
            weak: Judged::open(open()),
            sequence: Judged::open(open()),
            strategy: Judged::open(open()),
            best: None,
            some_goal: Judged::open(open()),
            not_several: Judged::open(open()),
            in_range: Judged::open(open()),
            monotonic: Judged::open(open()),
        };
        let report = WellFormed {
            termination: Judged::open(open()),
            playable: rules.roles().map(|role| (role, Judged::open(open()))).collect(),
            players: rules.seats().into_iter().map(player).collect(),
            constant_sum: Judged::open(open()),
            ending: None,
            states: None,
            seen: Seen::default(),
            is_imperfect: rules.dialect().has_percepts(),
        };
        let methods = Methods { sampling: true, search: true, proofs: true };
        Self { subject, rules, options, budget, methods, report }
    }

    /// With some methods only.
    #[cfg(test)]
    pub(super) fn with(self, methods: Methods) -> Self {
        Self { methods, ..self }
    }

    pub(super) fn run(mut self) -> WellFormed {
        let stopped = self.try_all();
        self.conclude();
        if let Err(reason) = stopped {
            self.explain(&reason);
        }
        self.report
    }

    /// What ends a method is no error here: it is the reason of what stays open.
    fn try_all(&mut self) -> Result<(), Reason> {
        if self.methods.sampling {
            self.sample();
        }
        let few = self.budget.clone().with_share_of_time(FOR_FEW_STATES);
        let few_states = FEW_STATES.min(self.options.most_states);
        if self.methods.search {
            match self.search(few_states, &few) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                // The share of the first search is over; others have theirs.
                Err(reason) => self.explain(&reason),
            }
        }
        if !self.report.is_undecided() {
            return Ok(());
        }
        if self.methods.proofs {
            let proofs = self.prove();
            if let Err(reason) = &proofs {
                self.explain(reason);
            }
            self.conclude();
        }
        self.budget.meter().check()?;
        // The proofs may have left nothing open but what only all states can say.
        if self.methods.search && self.options.most_states > FEW_STATES && self.report.is_undecided() {
            self.search(self.options.most_states, self.budget)?;
        }
        Ok(())
    }

    fn sample(&mut self) {
        let work = self.budget.work().min(SAMPLING_WORK);
        let budget = self.budget.clone().with_share_of_time(FOR_SAMPLING).with_work(work);
        budget.report("playing random games", 0, None);
        let mut sampler = Sampler::new(self.rules, self.options.seed, &budget);
        // Where the time is over, what was found counts all the same.
        let mut played = sampler.play(GAMES);
        for role in self.rules.seats() {
            if played.is_ok() {
                played = sampler.look_for_win(role);
            }
        }
        let shown = std::mem::take(&mut sampler.shown);
        if let Some(witness) = shown.around {
            self.claim(Claim::Loops, witness, Method::Sampling);
        }
        for role in self.rules.roles() {
            let at = role.index();
            let all = [
                (Claim::Stuck(role), &shown.stuck),
                (Claim::OutOfRange(role), &shown.out_of_range),
                (Claim::Falls(role), &shown.falls),
                (Claim::Wins(role), &shown.wins),
            ];
            for (claim, list) in all {
                if let Some(witness) = list.get(at).and_then(Option::as_ref) {
                    self.claim(claim, witness.clone(), Method::Sampling);
                }
            }
            for witness in shown.not_one_goal.get(at).into_iter().flatten() {
                for claim in [Claim::NoGoal(role), Claim::SeveralGoals(role)] {
                    self.claim(claim, witness.clone(), Method::Sampling);
                }
            }
        }
        for (sum, witness) in shown.sums {
            self.add_ending(sum, witness, Method::Sampling);
        }
        if let Err(error) = played {
            self.explain(&reason(error));
        }
    }

    /// A course that ends with a goal for each player: the first is the one to compare with.
    fn add_ending(&mut self, sum: u64, witness: Witness, by: Method) {
        match &self.report.ending {
            None => self.report.ending = Some((sum, witness)),
            Some((usual, _)) if *usual != sum => self.claim(Claim::OtherSum(*usual), witness, by),
            Some(_) => {}
        }
    }

    /// Takes a course for what it shows, if it does.
    fn claim(&mut self, claim: Claim, witness: Witness, by: Method) {
        if !self.is_wanted(claim) || !checked(claim, &witness, self.rules) {
            return;
        }
        match claim {
            Claim::Loops => self.report.termination.settle(Finding::Refuted(witness), by),
            Claim::OtherSum(_) => self.report.constant_sum.settle(Finding::Refuted(witness), by),
            Claim::Wins(role) => {
                let Some(player) = self.player(role) else { return };
                player.best = player.best.max(Some(WIN));
                player.weak.settle(Possibility::Possible(witness), by);
            }
            _ => {
                if let Some(judged) = self.judged(claim) {
                    judged.settle(Finding::Refuted(witness), by);
                }
            }
        }
    }

    /// What is said of a claim about a role that is to come about nowhere; nothing of other claims.
    fn judged(&mut self, claim: Claim) -> Option<&mut Judged<Finding>> {
        match claim {
            Claim::Stuck(role) => {
                self.report.playable.iter_mut().find(|(r, _)| *r == role).map(|(_, judged)| judged)
            }
            Claim::NoGoal(role) => self.player(role).map(|player| &mut player.some_goal),
            Claim::SeveralGoals(role) => self.player(role).map(|player| &mut player.not_several),
            Claim::OutOfRange(role) => self.player(role).map(|player| &mut player.in_range),
            Claim::Falls(role) => self.player(role).map(|player| &mut player.monotonic),
            // Nobody asks for moves together, or what a state is worth, for well-formedness.
            Claim::Together | Claim::Loops | Claim::OtherSum(_) | Claim::Wins(_) | Claim::Worth(_) => None,
        }
    }

    fn player(&mut self, role: RoleId) -> Option<&mut PlayerReport> {
        self.report.players.iter_mut().find(|player| player.role == role)
    }

    /// Whether it is open whether a claim can be shown.
    fn is_wanted(&mut self, claim: Claim) -> bool {
        match claim {
            Claim::Loops => self.report.termination.is_undecided(),
            Claim::OtherSum(_) => self.report.constant_sum.is_undecided(),
            Claim::Wins(role) => self.player(role).is_some_and(|player| player.weak.is_undecided()),
            _ => self.judged(claim).is_some_and(|judged| judged.is_undecided()),
        }
    }

    /// All claims that are open, but for [`Claim::Loops`].
    fn wanted(&mut self) -> Vec<Claim> {
        let mut claims = Vec::new();
        for role in self.rules.roles() {
            let all = [
                Claim::Stuck,
                Claim::NoGoal,
                Claim::SeveralGoals,
                Claim::OutOfRange,
                Claim::Falls,
                Claim::Wins,
            ];
            claims.extend(all.into_iter().map(|claim| claim(role)));
        }
        claims.extend(self.report.ending.as_ref().map(|(sum, _)| Claim::OtherSum(*sum)));
        claims.retain(|&claim| self.is_wanted(claim));
        claims
    }

    /// Searches states, and says whether these are all.
    fn search(&mut self, most_states: usize, budget: &Budget) -> Result<bool, Reason> {
        let states_budget = budget.clone().with_memory(budget.memory() / FOR_STATES);
        let space = Space::search(self.rules, most_states, self.options.threads, &states_budget);
        let space = space.map_err(reason)?;
        let complete = space.stopped.is_none();
        self.report.states = Some((space.table.len(), complete));
        self.report.seen = space.seen();
        let by = Method::Search { states: space.table.len() };
        let answered = self.ask(&space, complete, by, budget).map_err(reason);
        if let Some(stopped) = &space.stopped {
            self.explain(stopped);
        }
        answered.map(|()| complete)
    }

    /// What a search has found: what it shows, and where all states were found, what it excludes.
    fn ask(&mut self, space: &Space, complete: bool, by: Method, budget: &Budget) -> Result<(), GameError> {
        let noticed = &space.noticed;
        for role in self.rules.roles() {
            let at = role.index();
            let state = |node: Option<u32>| node.map(|node| space.table.path(node));
            let above = noticed.endings[at].iter().find(|(goal, _)| **goal > WIN);
            let fall = noticed.falls[at].map(|step: Step| {
                let mut steps = space.table.path(step.0);
                steps.push(step);
                steps
            });
            let courses = [
                (Claim::Stuck(role), state(noticed.stuck[at])),
                (Claim::OutOfRange(role), state(above.map(|(_, &node)| node))),
                (Claim::Falls(role), fall),
                (Claim::Wins(role), state(noticed.endings[at].get(&WIN).copied())),
            ];
            for (claim, steps) in courses {
                match steps {
                    Some(steps) if self.is_wanted(claim) => self.claim(claim, space.witness(&steps)?, by),
                    Some(_) => {}
                    None if complete => self.never(claim, by),
                    None => {}
                }
            }
            self.goal_faults(space, role, complete, by, budget)?;
            let best = noticed.endings[at].keys().next_back().copied();
            if let Some(player) = self.player(role) {
                player.best = player.best.max(best);
            }
        }
        for (&sum, &node) in &noticed.sums {
            if self.report.constant_sum.is_undecided() {
                let witness = space.witness(&space.table.path(node))?;
                self.add_ending(sum, witness, by);
            }
        }
        if complete && noticed.sums.len() < 2 {
            let sum = ConstantSum { sum: noticed.sums.keys().next().copied() };
            self.report.constant_sum.settle(Finding::Proved(sum), by);
        }
        let mut meter = budget.meter();
        if self.report.termination.is_undecided() {
            match graph::ends(space, &mut meter)? {
                Ends::Always(longest) if complete => {
                    let termination = Termination { longest: Some(longest) };
                    self.report.termination.settle(Finding::Proved(termination), by);
                }
                Ends::Always(_) => {}
                Ends::Not(steps) => {
                    let witness = space.witness(&steps)?;
                    self.claim(Claim::Loops, witness, by);
                }
            }
        }
        self.bind_others()?;
        if complete {
            for role in self.rules.seats() {
                self.strong(space, role, by, budget)?;
            }
        }
        Ok(())
    }

    /// Of the terminal states without exactly one goal value for a role, a state without any, and one with
    /// several.
    fn goal_faults(
        &mut self,
        space: &Space,
        role: RoleId,
        complete: bool,
        by: Method,
        budget: &Budget,
    ) -> Result<(), GameError> {
        if self.player(role).is_none() {
            return Ok(());
        }
        let mut missing = vec![Claim::NoGoal(role), Claim::SeveralGoals(role)];
        let mut meter = budget.meter();
        let mut by_net = None;
        for (count, node) in space.noticed.not_one_goal[role.index()].ones().enumerate() {
            if count == FEW_FAULTS {
                let faithful = self.subject.faithful(budget).ok();
                by_net = faithful.map(|faithful| FaultsByNet::new(self.rules, faithful));
            }
            let state = space.state(node);
            let fault = match &by_net {
                Some(net) => Some(net.of(&state, role, &mut meter)?),
                None if count < FEW_FAULTS => goal_fault(self.rules, &state, role),
                None => None,
            };
            let Some(fault) = fault else {
                // What these states have is not known, so nothing is excluded.
                return Ok(());
            };
            if missing.contains(&fault) {
                missing.retain(|&other| other != fault);
                self.claim(fault, space.witness(&space.table.path(node))?, by);
            }
            if missing.is_empty() {
                break;
            }
        }
        if complete {
            missing.into_iter().for_each(|claim| self.never(claim, by));
        }
        Ok(())
    }

    /// Whether a role wins whatever the others do, where all states are known.
    fn strong(&mut self, space: &Space, role: RoleId, by: Method, budget: &Budget) -> Result<(), GameError> {
        let is_imperfect = self.report.is_imperfect;
        let Some(player) = self.player(role).filter(|player| player.is_strength_open()) else {
            return Ok(());
        };
        if player.weak.finding.is_impossible() {
            return Ok(());
        }
        let mut meter = budget.meter();
        let forced = graph::forced(space, role, &mut meter)?;
        if !forced.get(0) {
            player.strategy.settle(Possibility::Impossible, by);
            player.sequence.settle(Possibility::Impossible, by);
            return Ok(());
        }
        if !is_imperfect {
            let first = graph::winning_move(space, role, 0, |child| forced.get(child));
            let first = first.map(|number| space.own_move(0, role, number)).transpose()?.flatten();
            player.strategy.settle(Possibility::Possible(Strategy { first }), by);
        }
        let found = graph::sequence(
            space,
            role,
            &forced,
            |node| space.own_moves(node, role).map(|moves| moves.iter().map(|action| action.0).collect()),
            &mut meter,
        )?;
        match found {
            Sequence::Wins(steps) => {
                let mut moves = Vec::with_capacity(steps.len());
                for (node, number) in steps {
                    moves.extend(space.own_move(node, role, number)?);
                }
                player.sequence.settle(Possibility::Possible(moves), by);
            }
            Sequence::None => player.sequence.settle(Possibility::Impossible, by),
            Sequence::TooLarge => player.sequence.explain(&Reason::Method(
                "too many states may be the current one after a sequence of moves".to_owned(),
            )),
        }
        Ok(())
    }

    /// What never comes about.
    fn never(&mut self, claim: Claim, by: Method) {
        match claim {
            Claim::OtherSum(usual) => {
                let sum = ConstantSum { sum: Some(usual) };
                self.report.constant_sum.settle(Finding::Proved(sum), by);
            }
            Claim::Wins(role) => {
                if let Some(player) = self.player(role) {
                    player.weak.settle(Possibility::Impossible, by);
                }
            }
            _ => {
                if let Some(judged) = self.judged(claim) {
                    judged.settle(Finding::Proved(()), by);
                }
            }
        }
    }

    /// Proofs with the solver, over the faithful circuit.
    fn prove(&mut self) -> Result<(), Reason> {
        let budget = self.budget.clone().with_share_of_time(FOR_PROOFS);
        budget.report("making the net for proofs", 0, None);
        let faithful = self.subject.faithful(&budget)?;
        let mut stopped = Ok(());
        if self.report.termination.is_undecided() {
            match ranking(&faithful, &budget) {
                Ok(Some(list)) => {
                    let by = Method::OneWay { propositions: list.len() };
                    let ends = Finding::Proved(Termination { longest: None });
                    self.report.termination.settle(ends, by);
                }
                Ok(None) => {}
                Err(reason) => stopped = Err(reason),
            }
        }
        let budget = self.budget.clone().with_share_of_time(FOR_PROOFS);
        let seats = self.rules.seats();
        let mut induction = Induction::new(&faithful, &seats, self.wanted(), &budget)?;
        for steps in 0..=self.options.most_steps {
            budget.report("proving by induction", steps as u64, Some(self.options.most_steps as u64));
            match induction.deepen() {
                Ok(true) => {}
                Ok(false) => break,
                // What was proved before counts all the same.
                Err(reason) => {
                    stopped = Err(reason);
                    break;
                }
            }
        }
        if let Some(longest) = induction.longest() {
            let ends = Termination { longest: u32::try_from(longest).ok() };
            self.report.termination.settle(Finding::Proved(ends), Method::Induction { steps: longest });
        }
        let proofs: Vec<(Claim, Proof)> =
            induction.proofs().map(|(claim, proof)| (claim, proof.clone())).collect();
        for (claim, proof) in proofs {
            match proof {
                Proof::Never(steps) => self.never(claim, Method::Induction { steps }),
                Proof::Shown(witness) => {
                    let steps = witness.steps.len();
                    self.claim(claim, witness, Method::Induction { steps });
                }
                Proof::Open => {}
            }
        }
        self.bind_others().map_err(reason)?;
        stopped
    }

    /// A course to a win along which nobody else has a choice is a sequence and a strategy, too.
    fn bind_others(&mut self) -> Result<(), GameError> {
        for player in &mut self.report.players {
            if let Possibility::Possible(course) = &player.weak.finding
                && player.is_strength_open()
                && let Some(moves) = own_moves_if_others_are_bound(course, player.role, self.rules)?
            {
                let by = player.weak.by.unwrap_or(Method::Consequence);
                player.sequence.settle(Possibility::Possible(moves), by);
            }
        }
        self.conclude();
        Ok(())
    }

    /// What follows from other answers.
    fn conclude(&mut self) {
        let by = Method::Consequence;
        let is_imperfect = self.report.is_imperfect;
        for player in &mut self.report.players {
            if player.weak.finding.is_impossible() {
                player.strategy.settle(Possibility::Impossible, by);
            }
            if player.strategy.finding.is_impossible() {
                player.sequence.settle(Possibility::Impossible, by);
            }
            if let Possibility::Possible(moves) = &player.sequence.finding {
                let strategy = Strategy { first: moves.first().copied() };
                player.strategy.settle(Possibility::Possible(strategy), by);
            }
            if is_imperfect {
                player.strategy.explain(&Reason::Method(
                    "what a role sees decides what it can force, which is not searched".to_owned(),
                ));
            }
        }
    }

    /// Says why what is open is open.
    fn explain(&mut self, reason: &Reason) {
        let report = &mut self.report;
        report.termination.explain(reason);
        report.constant_sum.explain(reason);
        report.playable.iter_mut().for_each(|(_, judged)| judged.explain(reason));
        for player in &mut report.players {
            player.weak.explain(reason);
            player.sequence.explain(reason);
            player.strategy.explain(reason);
            let goals =
                [&mut player.some_goal, &mut player.not_several, &mut player.in_range, &mut player.monotonic];
            goals.into_iter().for_each(|judged| judged.explain(reason));
        }
    }
}

impl PlayerReport {
    fn is_strength_open(&self) -> bool {
        self.sequence.is_undecided() || self.strategy.is_undecided()
    }
}
