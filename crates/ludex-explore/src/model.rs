//! The rules of a game as far as a player has worked them out from what it saw.

use std::sync::Arc;

use ludex_game::{
    ActionId, Answer, ByRole, GameError, Machine, RoleId, RuleMachine, RuleMachineOptions, Rules, Runner,
    State, Trace, TraceHeader, TraceStep,
};
use ludex_gdl::{LoadOptions, Source, load};
use ludex_learn::{LearnOptions, Learned, Vocabulary, learn_game, observe, rulesheet};
use ludex_logic::{Budget, LimitError, TermId};
use ludex_match::message::term_text;
use rustc_hash::FxHashMap;

use crate::experience::Experience;

/// The part of the time to get ready that learning may take.
const LEARNING_SHARE: f64 = 0.8;

/// What a model says of a state and a joint move in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prediction {
    /// The facts of the next state.
    pub facts: Vec<String>,
    /// Whether it ends the match.
    pub ends: bool,
    /// What it is worth to the player.
    pub utility: Option<f64>,
}

/// Rules that were learned, as a machine that is asked in texts.
struct Asked {
    rules: Rules,
    terms: FxHashMap<String, TermId>,
    texts: FxHashMap<TermId, String>,
}

impl Asked {
    fn new(text: String, budget: &Budget) -> Option<Self> {
        let mut checked = load(Arc::new(Source::new("model", text)), &LoadOptions::default());
        let program = Arc::new(checked.game.take()?);
        let options =
            RuleMachineOptions { budget: budget.clone(), tune: false, ..RuleMachineOptions::default() };
        let machine = Arc::new(RuleMachine::new(&program, &options).ok()?);
        let rules = Rules::new(checked, program, machine, "rules", budget.clone());
        Some(Self { rules, terms: FxHashMap::default(), texts: FxHashMap::default() })
    }

    fn term(&mut self, text: &str) -> Option<TermId> {
        if let Some(&known) = self.terms.get(text) {
            return Some(known);
        }
        let term = self.rules.read_term(text).ok()?;
        self.terms.insert(text.to_owned(), term);
        Some(term)
    }

    fn terms(&mut self, texts: &[&str]) -> Option<Vec<TermId>> {
        texts.iter().map(|text| self.term(text)).collect()
    }

    fn text(&mut self, term: TermId) -> String {
        let terms = self.rules.signature().terms();
        self.texts.entry(term).or_insert_with(|| term_text(terms, term)).clone()
    }
}

/// Rules that were learned of all matches.
pub(crate) struct Model {
    /// What comes of moves, whichever they are.
    outcomes: Asked,
    role: RoleId,
    /// Which moves are made, where rules for that were found.
    moves: Option<Asked>,
}

impl Model {
    /// Learns from all matches so far; `None` where nothing can be made of them.
    pub fn learn(experience: &Experience, seed: u64, budget: &Budget) -> Option<Self> {
        let mut vocabulary = Vocabulary::default();
        let observed = observe(&[trace(experience)], None, &mut vocabulary).ok()?;
        let options = LearnOptions { seed, ..LearnOptions::default() };
        let time = budget.clone().with_share_of_time(LEARNING_SHARE);
        let fits = learn_game(&observed, &vocabulary, options, 1, &time);
        let rules: Vec<&Learned> = fits.iter().map(|fit| &fit.learned).collect();
        let mut text = rulesheet(&rules, &observed, observed.states.first()?, &vocabulary);
        // The time for learning may be over, and what was found is of use all the same.
        let budget = budget.clone().detached();
        let moves = Asked::new(text.clone(), &budget);
        // What comes of a move is said of all of them, also of those that nobody made yet.
        for (role, actions) in experience.roles.iter().zip(&experience.actions) {
            actions.iter().for_each(|action| text.push_str(&format!("\n(legal {role} {action})")));
        }
        let outcomes = Asked::new(text, &budget)?;
        let role = outcomes.rules.find_role(&experience.roles[experience.role])?;
        Some(Self { outcomes, role, moves })
    }

    /// What tells the outcomes of moves, and what tells which are made: each is asked with a runner of its own.
    pub fn machines(&self) -> [Option<Arc<dyn Machine>>; 2] {
        [Some(&self.outcomes), self.moves.as_ref()].map(|asked| Some(Arc::clone(asked?.rules.machine())))
    }

    /// What these moves, of all roles in order, lead to from a state with these facts, asked of a runner of its machine;
    /// nothing where the rules do not say.
    ///
    /// # Errors
    /// A limit was reached.
    pub fn predict(
        &mut self,
        facts: &[&str],
        joint: &[&str],
        runner: &mut dyn Runner,
    ) -> Result<Option<Prediction>, LimitError> {
        said(self.outcome(facts, joint, runner))
    }

    fn outcome(
        &mut self,
        facts: &[&str],
        joint: &[&str],
        runner: &mut dyn Runner,
    ) -> Answer<Option<Prediction>> {
        let asked = &mut self.outcomes;
        let (Some(facts), Some(joint)) = (asked.terms(facts), asked.terms(joint)) else { return Ok(None) };
        let signature = Arc::clone(asked.rules.signature());
        let joint: Vec<ActionId> = joint.into_iter().map(|action| signature.action_id(action)).collect();
        let mut next = State::default();
        runner.set(&asked.rules.state_of(&facts)?)?;
        runner.step_legal(&joint)?;
        runner.save(&mut next);
        let (ends, utility) = (runner.terminal()?, runner.goal(self.role)?.map(f64::from));
        let facts = asked.rules.facts(&next).into_iter().map(|fact| asked.text(fact)).collect();
        Ok(Some(Prediction { facts, ends, utility }))
    }

    /// The moves that each role would make, by the rules, in a state with these facts; nothing where the rules do not say.
    ///
    /// # Errors
    /// A limit was reached.
    pub fn moves(
        &mut self,
        facts: &[&str],
        runner: &mut dyn Runner,
    ) -> Result<Option<Vec<Vec<String>>>, LimitError> {
        said(self.made(facts, runner))
    }

    fn made(&mut self, facts: &[&str], runner: &mut dyn Runner) -> Answer<Option<Vec<Vec<String>>>> {
        let Some(asked) = &mut self.moves else { return Ok(None) };
        let Some(facts) = asked.terms(facts) else { return Ok(None) };
        runner.set(&asked.rules.state_of(&facts)?)?;
        let signature = Arc::clone(asked.rules.signature());
        let roles = asked.rules.roles().map(|role| {
            let legal = runner.legal(role)?;
            Ok(legal.iter().map(|&action| asked.text(signature.action(action))).collect())
        });
        Ok(Some(roles.collect::<Answer<_>>()?))
    }
}

/// Where rules have no answer, they do not say.
fn said<T>(answer: Answer<Option<T>>) -> Result<Option<T>, LimitError> {
    match answer {
        Ok(said) => Ok(said),
        Err(GameError::Limit(limit)) => Err(limit),
        Err(_) => Ok(None),
    }
}

/// All matches as a trace.
fn trace(experience: &Experience) -> Trace {
    let header =
        TraceHeader { game: "seen".to_owned(), file: None, sha256: None, roles: experience.roles.clone() };
    let mut steps = Vec::new();
    for (playout, episode) in (0..).zip(&experience.episodes) {
        for (step, &state) in (0..).zip(&episode.states) {
            let known = experience.known(state);
            let joint = episode.joints.get(step as usize).map(|joint| {
                let each = (0..).zip(joint).map(|(role, &action)| experience.action_text(role, action));
                // A joint move that was told in part is no joint move.
                each.map(|action| action.map(str::to_owned)).collect::<Option<Vec<_>>>()
            });
            let joint = joint.flatten();
            let own = experience.roles[experience.role].clone();
            steps.push(TraceStep {
                playout,
                step,
                state: known.facts.iter().map(|&fact| experience.fact_text(fact).to_owned()).collect(),
                terminal: known.ended,
                legals: ByRole::default(),
                goals: ByRole(vec![(own, known.utility.map(|utility| utility as _))]),
                joint,
            });
        }
    }
    Trace { header, steps }
}
