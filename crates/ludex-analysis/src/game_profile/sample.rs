//! Random games, with who had a choice where.

use ludex_game::{ActionId, Answer, Goal, Rng, RoleId, Rules, Runner, State};
use ludex_logic::{Budget, Meter, TermId};

use super::ProfileOptions;
use crate::finding::Witness;

/// A state of a random game.
pub(super) struct Moment {
    /// The game, and how many steps come before the state.
    course: usize,
    step: usize,
    /// What holds, in canonical order.
    pub(super) facts: Vec<TermId>,
    /// The players that have more than one legal move; none where the game is over.
    pub(super) choosers: Vec<RoleId>,
}

/// Random games.
#[derive(Default)]
pub(super) struct Samples {
    /// Per game its joint moves.
    pub(super) courses: Vec<Vec<Vec<ActionId>>>,
    /// The states, game by game.
    pub(super) moments: Vec<Moment>,
    /// Per game that ended, which one it is, and the goals of all roles.
    pub(super) endings: Vec<(usize, Vec<Option<Goal>>)>,
}

impl Samples {
    /// Plays random games until a limit is reached; what was seen before counts.
    pub(super) fn draw(rules: &Rules, options: &ProfileOptions, budget: &Budget) -> Self {
        let mut samples = Self::default();
        let mut rng = Rng::from_seed(options.seed);
        let mut meter = budget.meter();
        for _ in 0..options.games {
            let mut runner = rules.machine().runner(budget);
            let played = samples.play(rules, &mut *runner, &mut rng, options.steps, &mut meter);
            if played.is_err() || samples.moments.len() >= options.steps {
                break;
            }
        }
        samples
    }

    fn play(
        &mut self,
        rules: &Rules,
        runner: &mut dyn Runner,
        rng: &mut Rng,
        steps: usize,
        meter: &mut Meter,
    ) -> Answer<()> {
        let course = self.courses.len();
        self.courses.push(Vec::new());
        runner.set(rules.initial())?;
        let mut state = State::default();
        loop {
            runner.save(&mut state);
            let facts = rules.facts(&state);
            meter.spend(16 + facts.len() as u64)?;
            meter.check()?;
            let mut moment = Moment { course, step: self.courses[course].len(), facts, choosers: Vec::new() };
            if runner.terminal()? {
                self.moments.push(moment);
                let goals = rules.roles().map(|role| runner.goal(role)).collect::<Answer<Vec<_>>>()?;
                self.endings.push((course, goals));
                return Ok(());
            }
            let mut joint = Vec::new();
            for role in rules.roles() {
                let legal = runner.legal(role)?;
                if legal.len() > 1 {
                    moment.choosers.push(role);
                }
                joint.extend(rng.pick(legal).copied());
            }
            moment.choosers.retain(|&role| Some(role) != rules.random_role());
            self.moments.push(moment);
            // Where a role is stuck, the game cannot go on.
            if joint.len() < rules.roles().len() || self.moments.len() >= steps {
                return Ok(());
            }
            runner.step_legal(&joint)?;
            self.courses[course].push(joint);
        }
    }

    /// States with the states after them.
    pub(super) fn steps(&self) -> impl Iterator<Item = (&Moment, &Moment)> {
        self.moments
            .windows(2)
            .filter(|pair| pair[0].course == pair[1].course)
            .map(|pair| (&pair[0], &pair[1]))
    }

    /// The course to a state.
    pub(super) fn witness(&self, rules: &Rules, moment: &Moment) -> Witness {
        self.course(rules, moment.course, moment.step)
    }

    /// The first steps of a game.
    pub(super) fn course(&self, rules: &Rules, course: usize, steps: usize) -> Witness {
        let signature = rules.signature();
        let terms = |joint: &Vec<ActionId>| joint.iter().map(|&action| signature.action(action)).collect();
        let joints = &self.courses[course];
        Witness { steps: joints[..steps.min(joints.len())].iter().map(terms).collect() }
    }
}
