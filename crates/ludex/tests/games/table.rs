//! A game laid out for a test: moves, facts and goals as texts in prefix notation.

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex::library::{self, BundledGame};
use ludex_game::{
    ActionId, JointMoves, Machine, RoleId, RuleMachine, RuleMachineOptions, Runner, State, find_term,
    read_term,
};
use ludex_gdl::{Diagnostic, GameProgram, LoadOptions, Severity, Source, load};
use ludex_logic::{Budget, RelationId, TermId};

/// A game with its engine.
pub struct Table {
    pub game: GameProgram,
    pub machine: RuleMachine,
}

/// Reads a rulesheet, with the warnings and errors; panics where it has no meaning at all.
pub fn read(name: &str, text: &str) -> (GameProgram, Vec<Diagnostic>) {
    let mut checked = load(Arc::new(Source::new(name, text)), &LoadOptions::default());
    let Some(game) = checked.game else { panic!("{name} has no meaning: {:?}", checked.diagnostics) };
    checked.diagnostics.retain(|d| d.severity > Severity::Note);
    (game, checked.diagnostics)
}

impl Table {
    /// The bundled game of this name.
    pub fn of(name: &str) -> Self {
        Self::bundled(library::find(name).unwrap())
    }

    pub fn bundled(game: &BundledGame) -> Self {
        Self::text(game.file, game.text)
    }

    pub fn text(name: &str, text: &str) -> Self {
        let (game, _) = read(name, text);
        let machine = RuleMachine::new(&game, &RuleMachineOptions::default()).unwrap();
        Self { game, machine }
    }

    pub fn runner(&self) -> Box<dyn Runner + '_> {
        self.machine.runner(&Budget::unlimited())
    }

    pub fn role(&self, name: &str) -> RoleId {
        let signature = self.machine.signature();
        let term = find_term(signature.terms(), name).unwrap().unwrap();
        signature.find_role(term).unwrap()
    }

    pub fn action(&self, text: &str) -> ActionId {
        let signature = self.machine.signature();
        signature.action_id(read_term(signature.terms(), text).unwrap())
    }

    /// The joint moves, each a list of texts in the order of the roles.
    pub fn joints(&self, moves: &[&[&str]]) -> Vec<Vec<ActionId>> {
        moves.iter().map(|joint| joint.iter().map(|m| self.action(m)).collect()).collect()
    }

    /// A runner after these joint moves, each of which must be legal in a state that goes on.
    pub fn after(&self, joints: &[Vec<ActionId>]) -> Box<dyn Runner + '_> {
        let mut runner = self.runner();
        for (step, joint) in joints.iter().enumerate() {
            assert!(!runner.terminal().unwrap(), "the game is over before move {}", step + 1);
            for (role, action) in self.machine.signature().role_ids().zip(joint) {
                let legal = runner.legal(role).unwrap().contains(action);
                assert!(legal, "move {} of {} is not legal", step + 1, self.role_text(role));
            }
            runner.step(joint).unwrap();
        }
        runner
    }

    /// A runner after the moves of a single player, separated by blanks or as a list of terms.
    pub fn after_plan<'a>(&self, plan: impl IntoIterator<Item = &'a str>) -> Box<dyn Runner + '_> {
        let joints: Vec<_> = plan.into_iter().map(|m| vec![self.action(m)]).collect();
        self.after(&joints)
    }

    pub fn role_text(&self, role: RoleId) -> String {
        let signature = self.machine.signature();
        signature.terms().prefix(signature.roles()[role.index()])
    }

    pub fn legal(&self, runner: &mut dyn Runner, role: &str) -> BTreeSet<String> {
        let signature = self.machine.signature();
        let actions = runner.legal(self.role(role)).unwrap();
        actions.iter().map(|&a| signature.terms().prefix(signature.action(a))).collect()
    }

    pub fn facts(&self, runner: &dyn Runner) -> BTreeSet<String> {
        let mut state = State::default();
        runner.save(&mut state);
        let mut facts = Vec::new();
        self.machine.facts(&state, &mut facts);
        facts.into_iter().map(|f| self.machine.signature().terms().prefix(f)).collect()
    }

    pub fn percepts(&self, runner: &dyn Runner, role: &str) -> Vec<String> {
        let terms = self.machine.signature().terms();
        runner.percepts(self.role(role)).iter().map(|&p| terms.prefix(p)).collect()
    }

    /// The extension of a relation that does not depend on the state.
    pub fn extension(&self, relation: RelationId) -> Vec<String> {
        let evaluator = self.machine.evaluator();
        let mut session = evaluator.session(&Budget::unlimited());
        let rows = evaluator.answers(&mut session, relation).unwrap();
        let terms = &self.game.program.terms;
        let text = |row: &[TermId]| row.iter().map(|&t| terms.prefix(t)).collect::<Vec<_>>().join(" ");
        rows.iter().map(|row| text(row)).collect()
    }

    pub fn goal(&self, runner: &mut dyn Runner, role: &str) -> Option<u32> {
        runner.goal(self.role(role)).unwrap()
    }

    /// Visits the end of every sequence of joint moves, with what each role gets.
    pub fn endings(&self, visit: &mut impl FnMut(&[Vec<ActionId>], &[Option<u32>])) {
        self.endings_after(&[], visit);
    }

    /// Visits the end of every sequence of joint moves that goes on from these.
    pub fn endings_after(
        &self,
        joints: &[Vec<ActionId>],
        visit: &mut impl FnMut(&[Vec<ActionId>], &[Option<u32>]),
    ) {
        let mut state = State::default();
        self.after(joints).save(&mut state);
        self.descend(&mut *self.runner(), state, &mut joints.to_vec(), visit);
    }

    fn descend(
        &self,
        runner: &mut dyn Runner,
        state: State,
        path: &mut Vec<Vec<ActionId>>,
        visit: &mut impl FnMut(&[Vec<ActionId>], &[Option<u32>]),
    ) {
        runner.set(&state).unwrap();
        if runner.terminal().unwrap() {
            let roles = self.machine.signature().role_ids();
            let goals: Vec<_> = roles.map(|r| runner.goal(r).unwrap()).collect();
            visit(path, &goals);
            return;
        }
        let mut joints = JointMoves::new(runner, self.machine.signature()).unwrap();
        while let Some(joint) = joints.next() {
            let joint = joint.to_vec();
            runner.set(&state).unwrap();
            runner.step(&joint).unwrap();
            let mut next = State::default();
            runner.save(&mut next);
            path.push(joint);
            self.descend(runner, next, path, visit);
            path.pop();
        }
    }
}

/// Texts as a set.
pub fn set<'a>(texts: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    texts.into_iter().map(str::to_owned).collect()
}
