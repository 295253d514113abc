//! Games to test with, and matches of equal players.

use std::path::Path;
use std::sync::Arc;

use ludex_game::{ActionId, Goal, Machine, RoleId};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::{Budget, TermId};
use ludex_players::{Arena, Choice, News, PlanReport, Resources, Seat, check_plan, create};
use ludex_testkit::{net_machine, program, program_of};

/// A game with its machine.
pub struct Game {
    pub program: Arc<GameProgram>,
    pub machine: Arc<dyn Machine>,
}

impl Game {
    pub fn of(program: GameProgram) -> Self {
        let machine = net_machine(&program).expect("the game grounds");
        Self { machine: Arc::new(machine), program: Arc::new(program) }
    }

    pub fn bundled(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl").join(name);
        Self::of(program_of(&path).expect("the rules are right"))
    }

    pub fn inline(text: &str) -> Self {
        Self::of(program("test", text, Some(Notation::Infix)).expect("the rules are right"))
    }

    /// The bundled 8-puzzle with a rule changed.
    pub fn changed_puzzle(from: &str, to: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl/8-puzzle.gdl");
        let text = std::fs::read_to_string(path).expect("the file is there");
        assert!(text.contains(from));
        Self::inline(&text.replace(from, to))
    }

    pub fn arena(&self) -> Arena {
        Arena::new(Arc::clone(&self.machine), RoleId(0), Resources::default())
    }

    pub fn term(&self, text: &str) -> TermId {
        let actions = self.machine.signature().actions();
        let known = || actions.iter().map(|&action| self.text(action)).collect::<Vec<_>>().join(" ");
        let found = actions.iter().find(|&&action| self.text(action) == text);
        *found.unwrap_or_else(|| panic!("no move {text} among {}", known()))
    }

    pub fn plan(&self, moves: &str) -> Vec<Vec<TermId>> {
        moves.split_whitespace().map(|text| vec![self.term(text)]).collect()
    }

    pub fn check(&self, moves: &str) -> PlanReport {
        check_plan(&self.arena(), &self.plan(moves), &Budget::unlimited()).expect("a plan")
    }

    pub fn text(&self, term: TermId) -> String {
        self.machine.signature().terms().infix(term)
    }
}

/// How a match went.
pub struct Played {
    pub choices: Vec<Choice>,
    pub completed: bool,
    pub goals: Vec<Option<Goal>>,
}

/// How to play a match.
pub struct Conduct<'c> {
    pub strategy: &'c str,
    pub resources: Resources,
    pub start: Budget,
    pub play: Budget,
    /// The move of the first role that the referee makes in place of the player's, per step.
    pub substitutes: &'c [(usize, &'c str)],
    pub ponder: Option<Budget>,
    pub limit: usize,
}

impl<'c> Conduct<'c> {
    pub fn of(strategy: &'c str) -> Self {
        Self {
            strategy,
            resources: Resources::default(),
            start: Budget::unlimited(),
            play: Budget::unlimited(),
            substitutes: &[],
            ponder: None,
            limit: 100,
        }
    }

    pub fn budget(mut self, budget: &Budget) -> Self {
        self.start = budget.clone();
        self.play = budget.clone();
        self
    }
}

/// Plays with equal players in all roles, and makes sure that every choice is legal.
pub fn play(game: &Game, conduct: &Conduct<'_>) -> Played {
    let mut runner = game.machine.runner(&Budget::unlimited());
    let signature = game.machine.signature();
    let mut players = Vec::new();
    for role in signature.role_ids() {
        let mut player = create(conduct.strategy, &conduct.resources).expect("a strategy");
        let seat = Seat {
            program: Arc::clone(&game.program),
            machine: Arc::clone(&game.machine),
            upgrade: None,
            analysis: None,
            role,
        };
        player.prepare(seat, &conduct.start).expect("gets ready");
        players.push(player);
    }
    let mut choices = Vec::new();
    let mut step = 0;
    while !runner.terminal().expect("an answer") && step < conduct.limit {
        let mut joint: Vec<TermId> = Vec::new();
        for (role, player) in signature.role_ids().zip(&mut players) {
            let choice = player.choose(&conduct.play).expect("a move");
            let legal = runner.legal(role).expect("an answer");
            let is_legal = legal.iter().any(|&action| signature.action(action) == choice.action);
            assert!(is_legal, "{}: {} is not legal", conduct.strategy, game.text(choice.action));
            if let Some(budget) = &conduct.ponder {
                player.ponder(budget);
            }
            joint.push(choice.action);
            choices.push(choice);
        }
        if let Some((_, text)) = conduct.substitutes.iter().find(|(at, _)| *at == step) {
            joint[0] = game.term(text);
        }
        let actions: Vec<ActionId> = joint.iter().map(|&term| signature.action_id(term)).collect();
        runner.step(&actions).expect("a step");
        for player in &mut players {
            player.observe(&News::Joint(joint.clone()));
        }
        step += 1;
    }
    let goals = signature.role_ids().map(|role| runner.goal(role).expect("an answer")).collect();
    Played { choices, completed: runner.terminal().expect("an answer"), goals }
}
