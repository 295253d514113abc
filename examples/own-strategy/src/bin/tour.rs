//! What else a program does with the library: each part is a function, and all are run by CI.

use std::error::Error;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ludex::analysis::well_formed::{WellFormed, WellFormedOptions};
use ludex::game::{
    ActionId, BatchOptions, Expansion, Jobs, RandomGuide, Rng, RoleId, SampleOptions, Samples, Start,
};
use ludex::players::{BeliefOptions, News, Resources};
use ludex::{Engine, Game, GameOptions, MatchSetup, SystemClock, Table, verify_match};
use own_strategy::registry;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let game = Game::bundled("connect-four", &GameOptions::within(Duration::from_secs(60)))?;
    println!("{} runs on {}", game.short_name(), game.choice());
    samples(&game)?;
    states(&game)?;
    matches()?;
    belief()?;
    analysis()?;
    nets()
}

/// Many games as rows of numbers, and how fast, beside the same by hand.
fn samples(game: &Game) -> Outcome {
    let starts = [Start { state: game.initial().clone(), playouts: 20_000 }];
    let mut games = Samples::default();
    let mut batch = game.batch(&BatchOptions::default());
    let begun = Instant::now();
    batch.sample(&starts, &SampleOptions::default(), &mut RandomGuide, &mut games)?;
    let rate = |rows: usize| rows as f64 / begun.elapsed().as_secs_f64() / 1e6;
    println!("sample: {} rows, {:.1} M a second", games.rows(), rate(games.rows()));
    let last = games.rows() - 1;
    assert!(games.legal(last, RoleId(0)).contains(&games.joint(last)[0]));
    let by_hand = Instant::now();
    let rows = expand_by_hand(game, 20_000)?;
    println!("by hand: {rows} rows, {:.1} M a second", rows as f64 / by_hand.elapsed().as_secs_f64() / 1e6);
    Ok(())
}

/// The same games with [`ludex::game::Batch::expand`], keeping nothing.
fn expand_by_hand(game: &Game, playouts: usize) -> Result<usize, Box<dyn Error>> {
    let roles: Vec<RoleId> = game.roles().collect();
    let mut batch = game.batch(&BatchOptions::default());
    let (mut rng, mut rows, mut begun) = (Rng::from_seed(1), 0, 0);
    let mut runner = game.runner();
    let first: Vec<Vec<ActionId>> =
        roles.iter().map(|&role| Ok(runner.legal(role)?.to_vec())).collect::<Result<_, Box<dyn Error>>>()?;
    let (mut found, mut next, mut jobs) = (Expansion::default(), Expansion::default(), Jobs::default());
    let mut joint = Vec::new();
    while begun < playouts || !found.is_empty() {
        jobs.clear();
        for at in (0..found.len()).filter(|&at| !found.terminal(at)) {
            joint.clear();
            joint.extend(roles.iter().filter_map(|&role| rng.pick(found.legal(at, role)).copied()));
            let state = jobs.add_state(found.state(at));
            jobs.add(state, &joint);
        }
        while jobs.len() < 4096 && begun < playouts {
            joint.clear();
            joint.extend(first.iter().filter_map(|legal| rng.pick(legal).copied()));
            let state = jobs.add_state(game.initial().words());
            jobs.add(state, &joint);
            begun += 1;
        }
        rows += jobs.len();
        batch.expand(&jobs, &mut next)?;
        std::mem::swap(&mut found, &mut next);
    }
    Ok(rows)
}

/// States as bytes for the same machine, and as facts for all others.
fn states(game: &Game) -> Outcome {
    let mut position = game.start();
    let joint = game
        .roles()
        .map(|role| Ok(position.legal(role)?[0]))
        .collect::<Result<Vec<_>, ludex::game::GameError>>()?;
    position.advance(&joint)?;
    let bytes = position.state().to_bytes()?;
    let state = ludex::game::State::from_bytes(&bytes)?;
    assert_eq!(&state, position.state());
    let rules =
        Game::bundled("connect-four", &GameOptions { engine: Engine::Rules, ..GameOptions::default() })?;
    assert!(rules.runner_in(&state).is_err(), "another machine refuses it");
    let texts = position.fact_texts().join(" ");
    assert_eq!(rules.read_state(&format!("({texts})"))?, rules.read_state(&texts)?);
    println!("states: {} bytes, {} facts", bytes.len(), position.facts().len());
    Ok(())
}

/// Matches at several tables at once.
fn matches() -> Outcome {
    let game = Game::bundled("tic-tac-toe", &GameOptions::default())?;
    let goals = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for seed in 1..=8 {
            let (game, goals) = (&game, &goals);
            scope.spawn(move || {
                let setup = MatchSetup { id: format!("match-{seed}"), seed, ..MatchSetup::default() };
                let names = ["worst-reply:unknown=50", "random"];
                let seats = game.seats().into_iter().zip(names);
                let players = seats.map(|(role, name)| {
                    registry()
                        .create(name, &Resources::from_seed(setup.player_seed(role)))
                        .expect("a strategy")
                });
                let players = players.collect();
                let table = Table::new(game, setup, players, None, Default::default()).expect("two seats");
                let record = table.play().expect("a match").record();
                assert!(verify_match(game.rules(), &record).mismatches.is_empty());
                goals.lock().expect("nobody panics").push(record.goal_values.clone());
            });
        }
    });
    println!("matches: {:?}", goals.into_inner().map_err(|_| "a match panicked")?);
    Ok(())
}

/// What a player may know in a game of hidden information.
fn belief() -> Outcome {
    let game = Game::bundled("blind-tic-tac-toe", &GameOptions::default())?;
    let white = game.find_role("white").ok_or("a role")?;
    let mut belief = game.seat(white).belief(BeliefOptions::default());
    let (action, percept) = (game.read_term("(mark 2 2)")?, game.find_term("ok")?);
    belief.observe(&News::Percepts { action, percepts: percept.into_iter().collect() });
    let limit = SystemClock::limit(Duration::from_secs(10));
    belief.update(&limit)?;
    println!(
        "belief: {} states are possible, {} facts are known",
        belief.states().len(),
        belief.known_facts(&limit)?.len()
    );
    Ok(())
}

/// What can be proved of a game.
fn analysis() -> Outcome {
    let game = Game::bundled("nim", &GameOptions::default())?;
    let limit = SystemClock::limit(Duration::from_secs(10));
    let found = WellFormed::find(game.subject(), &WellFormedOptions::default(), &limit);
    println!("analysis: nim is well formed: {:?}", found.is_well_formed());
    Ok(())
}

/// A game as a propositional net.
fn nets() -> Outcome {
    let game =
        Game::bundled("buttons-and-lights", &GameOptions { engine: Engine::Net, ..GameOptions::default() })?;
    let net = game.net_machine(&GameOptions::default())?;
    println!("nets: {} gates", net.circuit().gates.len());
    Ok(())
}
