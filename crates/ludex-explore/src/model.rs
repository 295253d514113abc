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

/// Rules that were learned, as a machine.
pub(crate) struct Model {
    rules: Rules,
    role: RoleId,
    terms: FxHashMap<String, TermId>,
    texts: FxHashMap<TermId, String>,
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
        // What is legal is not the model's business: it says what comes of a move if it is made.
        for (role, actions) in experience.roles.iter().zip(&experience.actions) {
            actions.iter().for_each(|action| text.push_str(&format!("\n(legal {role} {action})")));
        }
        let mut checked = load(Arc::new(Source::new("model", text)), &LoadOptions::default());
        let program = Arc::new(checked.game.take()?);
        // The time for learning may be over, and what was found is of use all the same.
        let budget = budget.clone().detached();
        let options =
            RuleMachineOptions { budget: budget.clone(), tune: false, ..RuleMachineOptions::default() };
        let machine = Arc::new(RuleMachine::new(&program, &options).ok()?);
        let rules = Rules::new(checked, program, machine, "rules", budget);
        let role = rules.find_role(&experience.roles[experience.role])?;
        Some(Self { rules, role, terms: FxHashMap::default(), texts: FxHashMap::default() })
    }

    /// What it is asked with.
    pub fn machine(&self) -> Arc<dyn Machine> {
        Arc::clone(self.rules.machine())
    }

    fn term(&mut self, text: &str) -> Option<TermId> {
        if let Some(&known) = self.terms.get(text) {
            return Some(known);
        }
        let term = self.rules.read_term(text).ok()?;
        self.terms.insert(text.to_owned(), term);
        Some(term)
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
        match self.answer(facts, joint, runner) {
            Ok(predicted) => Ok(predicted),
            Err(GameError::Limit(limit)) => Err(limit),
            Err(_) => Ok(None),
        }
    }

    fn answer(
        &mut self,
        facts: &[&str],
        joint: &[&str],
        runner: &mut dyn Runner,
    ) -> Answer<Option<Prediction>> {
        let facts: Option<Vec<TermId>> = facts.iter().map(|fact| self.term(fact)).collect();
        let joint: Option<Vec<TermId>> = joint.iter().map(|action| self.term(action)).collect();
        let (Some(facts), Some(joint)) = (facts, joint) else { return Ok(None) };
        let signature = Arc::clone(self.rules.signature());
        let joint: Vec<ActionId> = joint.into_iter().map(|action| signature.action_id(action)).collect();
        let mut next = State::default();
        runner.set(&self.rules.state_of(&facts)?)?;
        runner.step_legal(&joint)?;
        runner.save(&mut next);
        let (ends, utility) = (runner.terminal()?, runner.goal(self.role)?.map(f64::from));
        let (terms, texts) = (signature.terms(), &mut self.texts);
        let facts = self.rules.facts(&next).into_iter();
        let facts =
            facts.map(|fact| texts.entry(fact).or_insert_with(|| term_text(terms, fact)).clone()).collect();
        Ok(Some(Prediction { facts, ends, utility }))
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
