//! Monte Carlo tree search over events in time.

use ludex_game::{DecisionMoments, Moment, Rng, RoleId, TimedAnswer, TimedError, TimedMachine, TimedRunner};
use ludex_gdl::GameTime;
use ludex_logic::{Budget, TermId};

use super::instants::next_decision;
use super::node::{ChildKey, Node, RoleChoices};
use super::simulation::Course;

/// So many playouts are made between two looks at the budget.
const BETWEEN_LOOKS: u32 = 4;
/// The longest descent.
const DEEPEST: usize = 300;

/// What a search says of one option of the player at the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ActionValue {
    /// `None` is to wait.
    pub action: Option<TermId>,
    pub visits: u64,
    /// Between 0 and 1.
    pub mean: f64,
}

/// The tree of what may happen.
pub(super) struct Tree {
    role: RoleId,
    /// Whether everything is seen, and nothing left to chance.
    known: bool,
    exploration: f64,
    most: usize,
    nodes: Vec<Node>,
}

/// What one descent did at a node, by place of role and option.
struct Passed {
    node: u32,
    chosen: Vec<(usize, usize)>,
}

impl Tree {
    pub fn new(role: RoleId, known: bool, exploration: f64, most: usize) -> Self {
        Self { role, known, exploration, most, nodes: Vec::new() }
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
    }

    /// The moment at the root, where everything is seen and there was a search.
    pub fn root(&self) -> Option<&Moment> {
        self.nodes.first()?.moment.as_ref()
    }

    /// Descends from the moments that the present may be, as often as is said or the budget allows; how often it was.
    #[expect(clippy::too_many_arguments, reason = "what a search needs, each once")]
    pub fn search(
        &mut self,
        machine: &dyn TimedMachine,
        runner: &mut dyn TimedRunner,
        moments: &[Moment],
        decisions: &DecisionMoments,
        playouts: Option<u32>,
        rng: &mut Rng,
        budget: &Budget,
    ) -> TimedAnswer<u32> {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut meter = budget.meter();
        let mut made = 0u32;
        while playouts.is_none_or(|most| made < most) {
            if made.is_multiple_of(BETWEEN_LOOKS) && made > 0 && meter.check().is_err() {
                break;
            }
            let Some(moment) = rng.pick(moments) else { break };
            let root = self.nodes[0].moment.as_ref().filter(|_| self.known).unwrap_or(moment).clone();
            let mut course = Course { machine, runner, rng, decisions };
            match self.descend(&mut course, root) {
                Ok(()) | Err(TimedError::TooManyUpdates { .. }) => {}
                // The time was over in the midst of a descent.
                Err(TimedError::Game(_)) if made > 0 && meter.check().is_err() => break,
                Err(error) => return Err(error),
            }
            made += 1;
        }
        Ok(made)
    }

    /// What the search says of the options of a role at the root.
    pub fn values(&self, role: RoleId) -> Vec<ActionValue> {
        let root = self.nodes.first();
        let choices = root.and_then(|root| root.choices.iter().find(|choices| choices.role == role));
        let options = choices.map_or(&[][..], |choices| &choices.options);
        let value = |choice: &super::node::Choice| ActionValue {
            action: choice.action,
            visits: choice.visits,
            mean: choice.sum / choice.visits.max(1) as f64,
        };
        options.iter().map(value).collect()
    }

    fn descend(&mut self, course: &mut Course<'_>, mut moment: Moment) -> TimedAnswer<()> {
        let mut path: Vec<Passed> = Vec::new();
        let mut at = 0u32;
        // Where moments are kept, the runner's state is set when the tree is left.
        let mut is_set = !self.known;
        if is_set {
            course.runner.set(moment.state())?;
        }
        let values = loop {
            if moment.is_over() || path.len() >= DEEPEST {
                break self.worth(course, at, &moment, is_set)?;
            }
            if !self.nodes[at as usize].is_open || !self.known {
                if !is_set {
                    course.runner.set(moment.state())?;
                    is_set = true;
                }
                self.open(course, at, &moment)?;
            }
            let (moves, passed) = self.choose(course, at)?;
            let node = &self.nodes[at as usize];
            if passed.chosen.is_empty() && moves.is_empty() && moment.next_event().is_none() {
                // Nobody can do anything any more.
                break self.worth(course, at, &moment, is_set)?;
            }
            let (wait, since_root) = (node.wait, node.since_root);
            path.push(passed);
            let key = ChildKey { moves: self.told_apart(&moves), told: 0 };
            if self.known
                && let Some(&child) = node.children.get(&key)
                && let Some(known) = &self.nodes[child as usize].moment
            {
                moment = known.clone();
                (at, is_set) = (child, false);
                continue;
            }
            if !is_set {
                course.runner.set(moment.state())?;
                is_set = true;
            }
            let told = course.step(&mut moment, &moves, wait, self.role)?;
            let key = ChildKey { told, ..key };
            let since_root = if moves.is_empty() { since_root.checked_add(wait) } else { Some(since_root) };
            let since_root = since_root.ok_or(TimedError::TooLate)?;
            let (child, is_new) = self.child(at, key, &moment, since_root);
            at = child;
            if is_new {
                let values = if moment.is_over() { course.values()? } else { course.playout(&moment)? };
                if moment.is_over() && self.known {
                    self.nodes[at as usize].values = Some(values.clone());
                }
                break values;
            }
        };
        self.learn(&path, &values);
        Ok(())
    }

    /// What a moment is worth at which a descent ends.
    fn worth(
        &self,
        course: &mut Course<'_>,
        at: u32,
        moment: &Moment,
        is_set: bool,
    ) -> TimedAnswer<Vec<f64>> {
        if let Some(values) = &self.nodes[at as usize].values {
            return Ok(values.clone());
        }
        if !is_set {
            course.runner.set(moment.state())?;
        }
        course.values()
    }

    /// Looks up who may do what at a node.
    fn open(&mut self, course: &mut Course<'_>, at: u32, moment: &Moment) -> TimedAnswer<()> {
        let since_root = self.nodes[at as usize].since_root;
        let mut able = 0;
        for role in course.machine.seats() {
            let node = &mut self.nodes[at as usize];
            let legal = course.runner.legal(role)?;
            // Only the player's own choices are learned where the others do not see what it sees.
            if !self.known && role != self.role {
                able += usize::from(!legal.is_empty());
                continue;
            }
            if legal.is_empty() {
                continue;
            }
            able += 1;
            let place = match node.choices.iter().position(|choices| choices.role == role) {
                Some(place) => place,
                None => {
                    node.choices.push(RoleChoices::new(role));
                    node.choices.len() - 1
                }
            };
            for &action in legal {
                node.choices[place].meet(Some(action));
            }
        }
        // To wait is of no use where nothing will happen but for oneself.
        let event = moment.next_event();
        let node = &mut self.nodes[at as usize];
        if event.is_some() || able > 1 {
            node.choices.iter_mut().for_each(|choices| choices.meet(None));
        }
        node.wait = match event {
            Some(event) if able == 0 => event,
            _ => next_decision(course.decisions, moment, since_root),
        };
        node.is_open = true;
        if self.known && node.moment.is_none() {
            node.moment = Some(moment.clone());
        }
        Ok(())
    }

    /// What each role does in this descent.
    fn choose(&mut self, course: &mut Course<'_>, at: u32) -> TimedAnswer<(Vec<(RoleId, TermId)>, Passed)> {
        let mut moves = Vec::new();
        let mut passed = Passed { node: at, chosen: Vec::new() };
        for place in 0..self.nodes[at as usize].choices.len() {
            let choices = &mut self.nodes[at as usize].choices[place];
            let tie = course.rng.below(choices.options.len().max(1) as u64);
            let chosen = if self.known {
                choices.select(|_| true, self.exploration, tie)
            } else {
                // What is legal may be different in each moment that is possible.
                let legal = course.runner.legal(choices.role)?;
                let may = |action: Option<TermId>| action.is_none_or(|action| legal.contains(&action));
                choices.select(may, self.exploration, tie)
            };
            let Some(chosen) = chosen else { continue };
            passed.chosen.push((place, chosen));
            if let Some(action) = choices.options[chosen].action {
                moves.push((choices.role, action));
            }
        }
        if !self.known {
            for role in course.machine.seats().filter(|&role| role != self.role) {
                if course.rng.below(2) == 0
                    && let Some(&action) = course.rng.pick(course.runner.legal(role)?)
                {
                    moves.push((role, action));
                }
            }
        }
        moves.sort_unstable_by_key(|&(role, _)| role);
        Ok((moves, passed))
    }

    /// The moves that tell children apart: where not everything is seen, the player's own.
    fn told_apart(&self, moves: &[(RoleId, TermId)]) -> Vec<(RoleId, TermId)> {
        moves.iter().copied().filter(|&(role, _)| self.known || role == self.role).collect()
    }

    fn child(&mut self, at: u32, key: ChildKey, moment: &Moment, since_root: GameTime) -> (u32, bool) {
        if let Some(&child) = self.nodes[at as usize].children.get(&key) {
            return (child, false);
        }
        if self.nodes.len() >= self.most {
            return (at, true);
        }
        let child = self.nodes.len() as u32;
        let moment = self.known.then(|| moment.clone());
        self.nodes.push(Node { since_root, moment, ..Node::default() });
        self.nodes[at as usize].children.insert(key, child);
        (child, true)
    }

    fn learn(&mut self, path: &[Passed], values: &[f64]) {
        for passed in path {
            let node = &mut self.nodes[passed.node as usize];
            for &(place, chosen) in &passed.chosen {
                let choices = &mut node.choices[place];
                let choice = &mut choices.options[chosen];
                choice.visits += 1;
                choice.sum += values.get(choices.role.index()).copied().unwrap_or_default();
            }
        }
    }
}
