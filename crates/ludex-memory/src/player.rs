//! A player with a memory.

use std::sync::Arc;

use ludex::game::{Answer, Goal, Machine, RoleId, Runner, TimeTerms};
use ludex::gdl::GameProgram;
use ludex::logic::{Budget, TermId};
use ludex::players::{Choice, Introduction, News, Outcome, Player, PlayerError, Seat, TrainedEvaluation};

use crate::error::MemoryError;
use crate::game::KnownGame;
use crate::memory::{MatchNote, Memory};
use crate::searches::{LONGEST, Place, SearchedMove, best_of_all};

/// So many of the last matches with the same opponents are recalled.
const RECALLED: usize = 200;
/// The part of the start clock that recalling may take.
const RECALLING_SHARE: f64 = 0.1;

/// Any player with a memory. Before a match it is told what is remembered of the game and of its opponents; what
/// searches of the first moves found in matches before counts beside what they find now, and what came of the match is
/// remembered when it is over.
///
/// A memory that cannot be read or written keeps nobody from playing: the report of the next move says so.
pub struct RememberingPlayer {
    inner: Box<dyn Player>,
    memory: Arc<Memory>,
    /// The text that it was made by.
    text: String,
    introduction: Introduction,
    seated: Option<Seated>,
    trouble: Option<MemoryError>,
}

/// What belongs to one match.
struct Seated {
    game: KnownGame,
    program: Arc<GameProgram>,
    machine: Arc<dyn Machine>,
    role: RoleId,
    aim: String,
    /// The joint moves so far, where all roles see them.
    made: Vec<Vec<TermId>>,
    /// The same in the words of the memory, as the name of a place.
    path: String,
    searches: Vec<(Place, Vec<SearchedMove>)>,
}

impl RememberingPlayer {
    /// A player that was made by a text such as `ludex:playouts=100`, with a memory.
    pub fn new(inner: Box<dyn Player>, text: &str, memory: Arc<Memory>) -> Self {
        let introduction = Introduction::default();
        Self { inner, memory, text: text.to_owned(), introduction, seated: None, trouble: None }
    }

    /// What it is called: as the others were told, or as it was made.
    fn name(&self, role: RoleId) -> String {
        let told = self.introduction.players.get(role.index()).cloned().flatten();
        told.unwrap_or_else(|| self.text.clone())
    }

    /// Takes out of the memory what is of use in this seat.
    fn recall(&mut self, seat: &Seat, budget: &Budget) -> Result<(), MemoryError> {
        let budget = budget.clone().with_share_of_time(RECALLING_SHARE);
        let game = self.memory.game(&seat.program, &budget)?;
        let players = self.introduction.players.iter().enumerate();
        let others = players.filter(|&(role, _)| role != seat.role.index());
        let opponents: Vec<String> = others.filter_map(|(_, name)| name.clone()).collect();
        if !opponents.is_empty() {
            self.introduction.past = self.memory.past(&game, &opponents, RECALLED, &budget)?.into();
        }
        self.introduction.evaluations.extend(self.memory.evaluations(&game)?);
        self.seated = Some(Seated {
            game,
            program: Arc::clone(&seat.program),
            machine: Arc::clone(&seat.machine),
            role: seat.role,
            aim: self.introduction.aim.map_or_else(|| "own".to_owned(), |aim| aim.to_string()),
            made: Vec::new(),
            path: String::new(),
            searches: Vec::new(),
        });
        Ok(())
    }

    /// Adds what was found before to a choice, where that is of use, and takes note of what was found now.
    fn weigh(&mut self, choice: &mut Choice, known: &[SearchedMove], place: Place) {
        let Some(seated) = &mut self.seated else { return };
        let found = seated.found(choice);
        if let Some((best, part)) = best_of_all(&found, known) {
            let terms = &seated.program.program.terms;
            let known = choice.report.moves.iter().find(|rated| seated.game.text_there(rated.action) == best);
            if let Some(action) = known.map(|rated| rated.action) {
                if action != choice.action {
                    choice.report.note("without the memory", terms.prefix(choice.action));
                }
                choice.action = action;
            }
            choice.report.note("remembered part of the search", format_args!("{:.0} %", 100.0 * part));
        }
        seated.searches.push((place, found));
    }
}

impl Seated {
    /// Where the player is to choose now, if searches of such places are remembered: among the first moves of a game in
    /// which all is seen, where nobody else has a choice. Where several choose at once, no move is best for long.
    fn place(&self, text: &str) -> Option<Place> {
        let is_open = self.program.has_perfect_information();
        let is_early = self.made.len() < LONGEST;
        (is_open && is_early && self.chooses_alone().unwrap_or(false)).then(|| Place {
            strategy: text.to_owned(),
            aim: self.aim.clone(),
            path: self.path.clone(),
            role: self.game.role_there(self.role.index()),
        })
    }

    /// What a search found, best first; nothing where it says nothing that could be added up: it mixes moves, has
    /// proved one, or counts no visits.
    fn found(&self, choice: &Choice) -> Vec<SearchedMove> {
        let report = &choice.report;
        if !report.policy.is_empty() || report.moves.iter().any(|rated| rated.proven.is_some()) {
            return Vec::new();
        }
        let rated = report.moves.iter().filter(|rated| rated.visits > 0);
        rated
            .filter_map(|rated| {
                let action = self.game.text_there(rated.action);
                Some(SearchedMove { action, visits: rated.visits, value: rated.value? })
            })
            .collect()
    }

    /// What the match brought to each role: by its moves, as far as all are seen and they come to what it brought to this
    /// one.
    fn known_goals(&self, own: Option<Goal>) -> Vec<Option<Goal>> {
        let place = self.role.index();
        let is_open = self.program.has_perfect_information();
        let mut goals = if is_open { self.goals().unwrap_or_default() } else { Vec::new() };
        goals.resize(self.program.roles.len(), None);
        if goals[place] != own {
            goals.fill(None);
            goals[place] = own;
        }
        goals
    }

    /// What the match brought to each role, by its moves.
    fn goals(&self) -> Answer<Vec<Option<Goal>>> {
        self.in_last_state(|runner| {
            self.machine.signature().role_ids().map(|role| runner.goal(role)).collect()
        })
    }

    /// Whether no other role has a choice now.
    fn chooses_alone(&self) -> Answer<bool> {
        self.in_last_state(|runner| {
            let mut others = self.machine.signature().role_ids().filter(|&role| role != self.role);
            others.try_fold(true, |alone, role| Ok(alone && runner.legal(role)?.len() < 2))
        })
    }

    /// Asks about the state to which the moves so far lead.
    fn in_last_state<T>(&self, ask: impl FnOnce(&mut dyn Runner) -> Answer<T>) -> Answer<T> {
        let signature = self.machine.signature();
        let budget = Budget::unlimited();
        let mut runner = self.machine.runner(&budget);
        runner.set(self.machine.initial())?;
        for joint in &self.made {
            // Moves of the match are legal, and so known to the machine.
            let actions: Vec<_> = joint.iter().filter_map(|&action| signature.find_action(action)).collect();
            runner.step(&actions)?;
        }
        ask(&mut *runner)
    }
}

impl Player for RememberingPlayer {
    fn introduce(&mut self, introduction: &Introduction) {
        self.introduction = introduction.clone();
    }

    fn hear_time(&mut self, terms: &TimeTerms) {
        self.inner.hear_time(terms);
    }

    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError> {
        (self.seated, self.trouble) = (None, None);
        if let Err(error) = self.recall(&seat, budget) {
            tracing::warn!(%error, "nothing is remembered");
            self.trouble = Some(error);
        }
        self.inner.introduce(&self.introduction);
        self.inner.prepare(seat, budget)
    }

    fn first_thought(&mut self, budget: &Budget) -> Option<TermId> {
        self.inner.first_thought(budget)
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        let place = self.seated.as_ref().and_then(|seated| seated.place(&self.text));
        // Before the search: there is no time left behind it.
        let known = match (&place, &self.seated) {
            (Some(place), Some(seated)) => self.memory.searched(&seated.game, place),
            _ => Ok(Vec::new()),
        };
        let known = known.unwrap_or_else(|error| {
            self.trouble = Some(error);
            Vec::new()
        });
        let mut choice = self.inner.choose(budget)?;
        if let Some(place) = place {
            self.weigh(&mut choice, &known, place);
        }
        if let Some(trouble) = self.trouble.take() {
            choice.report.note("memory", trouble);
        }
        Ok(choice)
    }

    fn observe(&mut self, news: &News) {
        if let (Some(seated), News::Joint(joint)) = (&mut self.seated, news) {
            if seated.made.len() < LONGEST {
                seated.path.push_str(&seated.game.joint_there(joint).join(" "));
                seated.path.push(';');
            }
            seated.made.push(joint.clone());
        }
        self.inner.observe(news);
    }

    fn ponder(&mut self, budget: &Budget) {
        self.inner.ponder(budget);
    }

    fn tree_dot(&self, nodes: usize) -> Option<String> {
        self.inner.tree_dot(nodes)
    }

    fn learned(&self) -> Option<TrainedEvaluation> {
        self.inner.learned()
    }

    fn finish(&mut self, outcome: &Outcome) {
        let Some(seated) = self.seated.take() else { return self.inner.finish(outcome) };
        let evaluation = self.inner.learned();
        self.inner.finish(outcome);
        let goals = if outcome.completed { seated.known_goals(outcome.goal) } else { Vec::new() };
        let note = MatchNote {
            player: self.name(seated.role),
            role: seated.role.index(),
            completed: outcome.completed,
            moves: seated.made.iter().map(|joint| seated.game.joint_there(joint)).collect(),
            players: self.introduction.players.clone(),
            goals,
            searches: seated.searches,
            evaluation,
        };
        if let Err(error) = self.memory.add_match(&seated.game, &note) {
            tracing::warn!(%error, "the match is not remembered");
        }
        self.introduction = Introduction::default();
    }
}
