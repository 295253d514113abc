//! Makes the positions with forced wins and only moves that players are tried on.
//!
//! `cargo run --release -p ludex-benches --example forced_results [-- GAME... --seed=1 --matches=30 --states=1000000
//! --most=4] > positions.jsonl`
//!
//! A player plays matches against itself after random openings. From the end of each match back to its beginning, a
//! proof-number search looks for positions with six legal moves or more, of which at most a third keep what the role that
//! moves can force, while all others are proven to bring less, and in which a search of all moves does not see that in
//! fewer than five plies. Of each match one position is kept, and of each game a few: those in which the player, which
//! then searches 10 000 leaves with proofs beside it and without, goes wrong most often, and of these the ones whose proof
//! took most states.
//!
//! What is kept was chosen by these rules from runs with seeds 1, 2 and 7 and 800 000 to 3 000 000 states a proof, some of
//! which ended early; standard error says all positions that were found.
//!
//! No clock is read: one seed gives the same positions on all machines with lanes as wide.

use std::sync::Arc;

use ludex_benches::ask::{choice, seated};
use ludex_benches::{option_value, wanted};
use ludex_game::{Goal, Position, Rng, RoleId, Rules, State};
use ludex_logic::{Budget, TermId};
use ludex_players::{
    Arena, Conservative, Explorer, ForcedGoal, MinimaxOptions, MinimaxSearch, News, Player, ProofOptions,
    Resources, prove,
};
use ludex_testkit::{ForcedResult, forced_result_game};

/// The games of two roles that move in turn and whose goals have a constant sum.
const GAMES: [&str; 13] = [
    "connect-four",
    "breakthrough",
    "reversi",
    "checkers",
    "chomp",
    "nim",
    "joint-tic-tac-toe",
    "hodgepodge",
    "knightthrough",
    "hex",
    "domineering",
    "clobber",
    "gomoku",
];
/// Who plays the matches: weakly, so that there are mistakes to be punished.
const SELF_PLAY: &str = "ludex:leaves=200:proving=0";
/// Who is to go wrong, and how often it is asked.
const TRIED: [&str; 2] = ["ludex:leaves=10000", "ludex:leaves=10000:proving=0"];
const TRIES: u64 = 3;
/// Moves that a role has at least, and the part of them that may keep the value at most.
const FEWEST_MOVES: usize = 6;
const MOST_KEEPING: usize = 3;
/// A search of all moves to a depth below this must not see which moves keep the value...
const LEAST_PLIES: u32 = 5;
/// ... and it goes on no deeper than this, and with no more work.
const MOST_PLIES: u32 = 25;
const SEARCH_WORK: u64 = 4_000_000;
/// Random moves at the beginning of a match.
const OPENING: std::ops::Range<u64> = 2..9;
/// Random games that show what goals there are, and the steps of each and of a match.
const SAMPLES: u64 = 300;
const LONGEST: u32 = 300;
const MEMORY: usize = 512 << 20;

fn main() -> Result<(), String> {
    let number = |name: &str, default: u64| {
        option_value(name).map_or(Ok(default), |text| text.parse().map_err(|_| format!("{name}: no number")))
    };
    let (seed, matches) = (number("--seed", 1)?, number("--matches", 30)?);
    let (states, most) = (number("--states", 1_000_000)?, number("--most", 4)?);
    for game in GAMES.into_iter().filter(|game| wanted(game)) {
        let Some(maker) = Maker::new(game, states)? else {
            eprintln!("{game}: its goals have no constant sum, or are too many");
            continue;
        };
        let mut found: Vec<Candidate> = Vec::new();
        for number in 0..matches {
            let new = maker.look_through_match(seed.wrapping_mul(1_000_003).wrapping_add(number))?;
            let is_new = |new: &Candidate| found.iter().all(|known| known.state != new.state);
            if let Some(new) = new.filter(is_new) {
                eprintln!(
                    "{game}: match {number}: {} wrong, {} states: {}",
                    new.wrong,
                    new.states,
                    new.line()?
                );
                found.push(new);
            }
        }
        found.sort_by_key(|candidate| std::cmp::Reverse(candidate.rank()));
        for candidate in found.iter().take(most as usize) {
            println!("{}", candidate.line()?);
        }
    }
    Ok(())
}

/// A position that may be kept.
struct Candidate {
    position: ForcedResult,
    state: State,
    /// How often the player chose another move.
    wrong: usize,
    /// How many states the proof took.
    states: u64,
}

impl Candidate {
    /// How hard it is: how often the player goes wrong, and then how long the proof takes.
    fn rank(&self) -> (usize, u64) {
        (self.wrong, self.states)
    }

    /// The position as it is kept.
    fn line(&self) -> Result<String, String> {
        serde_json::to_string(&self.position).map_err(|error| error.to_string())
    }
}

/// What is proven of a position.
struct Forced {
    position: Position,
    role: RoleId,
    keeps: Vec<TermId>,
    legal: usize,
    value: Goal,
    states: u64,
}

/// Looks for positions of a game.
struct Maker {
    game: &'static str,
    rules: Rules,
    /// What a role can get, in ascending order.
    goals: Vec<Goal>,
    /// What two roles get together.
    sum: Goal,
    /// States that a proof may take.
    states: u64,
}

impl Maker {
    /// For a game; `None` where no proofs can be found there.
    fn new(game: &'static str, states: u64) -> Result<Option<Self>, String> {
        let rules = forced_result_game(game)?;
        let (mut goals, mut sums) = (Vec::new(), Vec::new());
        for seed in 0..SAMPLES {
            let playout = rules.random_playout(rules.initial(), seed, LONGEST).map_err(|e| e.to_string())?;
            if playout.terminal {
                let found: Vec<Goal> = playout.goals.into_iter().flatten().collect();
                sums.push(found.iter().sum::<Goal>());
                goals.extend(found);
            }
        }
        goals.sort_unstable();
        goals.dedup();
        sums.sort_unstable();
        sums.dedup();
        let sum = match sums[..] {
            [sum] if rules.roles().len() == 2 && (2..=3).contains(&goals.len()) => sum,
            _ => return Ok(None),
        };
        Ok(Some(Self { game, rules, goals, sum, states }))
    }

    /// Plays a match, and finds the hardest position of it.
    fn look_through_match(&self, seed: u64) -> Result<Option<Candidate>, String> {
        let (mut position, opening) = self.play_match(seed)?;
        let mut hardest: Option<Candidate> = None;
        while position.step() > opening && position.back() {
            let found = match self.forced(&position)? {
                Look::Forced(found) => self.candidate(*found, seed)?,
                Look::Other => None,
                Look::TooHard => break,
            };
            let is_harder = |new: &Candidate| hardest.as_ref().is_none_or(|known| known.rank() < new.rank());
            if let Some(new) = found.filter(is_harder) {
                hardest = Some(new);
            }
        }
        Ok(hardest)
    }

    /// A match of the player against itself, and how many of its moves are random.
    fn play_match(&self, seed: u64) -> Result<(Position, usize), String> {
        let mut rng = Rng::from_seed(seed);
        let opening = OPENING.start + rng.below(OPENING.end - OPENING.start);
        let mut position = self.rules.start();
        let mut players: Vec<Box<dyn Player>> = Vec::new();
        for role in self.rules.roles() {
            players.push(seated(
                &self.rules,
                role,
                SELF_PLAY,
                seed.wrapping_mul(2) + u64::from(role.0),
                &Budget::unlimited(),
            )?);
        }
        let text = |error: ludex_game::GameError| error.to_string();
        while !position.terminal().map_err(text)? && position.step() < LONGEST as usize {
            let mut joint = Vec::new();
            for (role, player) in self.rules.roles().zip(&mut players) {
                let legal = position.legal(role).map_err(text)?;
                joint.push(match &legal[..] {
                    [only] => *only,
                    _ if (position.step() as u64) < opening => {
                        *rng.pick(&legal).ok_or("a role without a move")?
                    }
                    _ => player.choose(&Budget::unlimited()).map_err(|error| error.to_string())?.action,
                });
            }
            position.advance(&joint).map_err(|error| error.to_string())?;
            players.iter_mut().for_each(|player| player.observe(&News::Joint(joint.clone())));
        }
        Ok((position, opening as usize))
    }

    /// Looks at a position: few moves have to keep more than the least goal.
    fn forced(&self, position: &Position) -> Result<Look, String> {
        let text = |error: ludex_game::GameError| error.to_string();
        let mut mover = None;
        for role in self.rules.roles() {
            let legal = position.legal(role).map_err(text)?.len();
            mover = if legal >= FEWEST_MOVES { Some((role, legal)) } else { mover };
        }
        let Some((role, legal)) = mover else { return Ok(Look::Other) };
        let options = ProofOptions { goals: self.goals.clone(), states: self.states, memory: MEMORY };
        let machine = self.rules.machine();
        let proof = prove(machine, position.state(), role, &options, &Budget::unlimited()).map_err(text)?;
        let Some(value) = proof.state.least.filter(|_| proof.state.least == proof.state.most) else {
            return Ok(Look::TooHard);
        };
        let keeps_it = |forced: &ForcedGoal| forced.least.is_some_and(|least| least >= value);
        let brings_less = |forced: &ForcedGoal| forced.most.is_some_and(|most| most < value);
        let is_proven = proof.moves.iter().all(|(_, forced)| keeps_it(forced) || brings_less(forced));
        let keeps = proof.moves.iter().filter(|(_, forced)| keeps_it(forced));
        let keeps: Vec<TermId> = keeps.map(|&(action, _)| self.rules.signature().action(action)).collect();
        if value == self.goals[0] || keeps.is_empty() || keeps.len() * MOST_KEEPING > legal || !is_proven {
            return Ok(Look::Other);
        }
        let position = position.clone();
        let states = proof.states;
        Ok(Look::Forced(Box::new(Forced { position, role, keeps, legal, value, states })))
    }

    /// The position with all that is told of it, unless it is seen through at once.
    fn candidate(&self, forced: Forced, seed: u64) -> Result<Option<Candidate>, String> {
        let plies = self.plies(&forced)?;
        if plies < LEAST_PLIES {
            return Ok(None);
        }
        let joints = forced.position.joints();
        let mut wrong = 0;
        for player in TRIED {
            for attempt in 0..TRIES {
                let seed = seed.wrapping_add(attempt << 32);
                let chosen = choice(&self.rules, &joints, forced.role, player, seed, None)?;
                wrong += usize::from(!forced.keeps.contains(&chosen));
            }
        }
        let position = ForcedResult {
            game: self.game.to_owned(),
            moves: joints.iter().map(|joint| self.rules.texts(joint)).collect(),
            role: self.rules.role_name(forced.role),
            keeps: self.rules.texts(&forced.keeps),
            legal: forced.legal,
            value: forced.value,
            plies: Some(plies),
        };
        let state = forced.position.state().clone();
        Ok(Some(Candidate { position, state, wrong, states: forced.states }))
    }

    /// After how many plies a search of all moves sees what they are worth, or more than that where it takes too long:
    /// that a win is one, or that all moves which lose more than need be do so.
    fn plies(&self, forced: &Forced) -> Result<u32, String> {
        if Some(&forced.value) == self.goals.last() {
            return self.depth(forced.position.state(), forced.role, forced.value);
        }
        let other = self.rules.roles().find(|&role| role != forced.role).ok_or("a game for two")?;
        let mut most = 0;
        for action in forced.position.legal(forced.role).map_err(|error| error.to_string())? {
            if forced.keeps.contains(&action) {
                continue;
            }
            let mut joint = Vec::new();
            for role in self.rules.roles() {
                let legal = forced.position.legal(role).map_err(|error| error.to_string())?;
                joint.push(if role == forced.role { action } else { legal[0] });
            }
            let mut next = forced.position.clone();
            next.advance(&joint).map_err(|error| error.to_string())?;
            // What the other gets then is more than what is left to it where the value is kept.
            let wanted =
                self.goals.iter().copied().find(|&goal| goal > self.sum.saturating_sub(forced.value));
            most = most.max(1 + self.depth(next.state(), other, wanted.unwrap_or(self.sum))?);
        }
        Ok(most)
    }

    /// The depth of a search in which a role is seen to get at least this, as far as there is work for it.
    fn depth(&self, state: &State, role: RoleId, wanted: Goal) -> Result<u32, String> {
        let arena = Arena::new(Arc::clone(self.rules.machine()), role, Resources::default());
        let budget = Budget::unlimited().with_work(SEARCH_WORK);
        let mut explorer = Explorer::within(&arena, &budget);
        let mut search = MinimaxSearch::new(MinimaxOptions::alpha_beta(16 << 20));
        for depth in 0..MOST_PLIES {
            let found = search.run(&mut explorer, &mut Conservative, state, Some(depth), &mut |_| ());
            match found {
                Ok(found) if found.value >= f64::from(wanted) => return Ok(depth),
                Ok(_) => {}
                Err(ludex_game::GameError::Limit(_)) => return Ok(depth),
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(MOST_PLIES)
    }
}

/// What a look at a position comes to.
enum Look {
    /// It is what is looked for.
    Forced(Box<Forced>),
    /// It is not, but another one of the match may be.
    Other,
    /// It takes too long to say, and so do all before.
    TooHard,
}
