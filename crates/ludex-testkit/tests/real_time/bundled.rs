//! The bundled games in real time, on both machines.

use ludex_engine::TimedNetMachine;
use ludex_game::{Rng, RoleId, TimedMachine, TimedRuleMachine};
use ludex_gdl::{GameProgram, GameTime, LoadOptions, Source, load};
use ludex_logic::{Budget, TermId};

use super::compare;

/// The bundled games, by name.
pub(super) fn games() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/rtgdl");
    let mut games: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "gdl"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect();
    games.sort();
    games
}

/// The program of a game without errors.
pub(super) fn program(name: &str, text: String) -> GameProgram {
    let source = std::sync::Arc::new(Source::new(name, text));
    load(source, &LoadOptions::default()).game.unwrap()
}

#[test]
fn bundled_games_are_the_same_on_both_machines() {
    let mut refused = Vec::new();
    for (name, text) in games() {
        let game = program(&name, text);
        let rules = TimedRuleMachine::new(&game, &Default::default()).unwrap();
        let net = match TimedNetMachine::new(&game, &Default::default()) {
            Ok(net) => net,
            Err(error) => {
                refused.push(format!("{name}: {error}"));
                continue;
            }
        };
        let (mut rule_runner, mut net_runner) =
            (rules.runner(&Budget::unlimited()), net.runner(&Budget::unlimited()));
        let mut rng = Rng::from_seed(1);
        for step in 0..300 {
            let what = format!("{name}, update {step}");
            compare(&rules, &mut *net_runner, &mut *rule_runner, &what);
            if rule_runner.terminal() == Ok(true) || rng.below(50) == 0 {
                rule_runner.set(rules.initial()).unwrap();
                net_runner.set(rules.initial()).unwrap();
                continue;
            }
            let mut moves: Vec<(RoleId, TermId)> = Vec::new();
            for role in
                (0..rules.roles().len() as u32).map(RoleId).filter(|_| rng.below(2) == 0).collect::<Vec<_>>()
            {
                moves.extend(rng.pick(rule_runner.legal(role).unwrap()).map(|&action| (role, action)));
            }
            let expiry = rule_runner.time_to_expiry();
            let elapsed = match expiry {
                Some(expiry) if moves.is_empty() || rng.below(2) == 0 => expiry,
                None if moves.is_empty() => continue,
                _ => GameTime::from_units(rng.below(1 + expiry.map_or(2_000_000_000, GameTime::units)))
                    .unwrap(),
            };
            let done = rule_runner.update(elapsed, &moves);
            assert_eq!(net_runner.update(elapsed, &moves), done, "{what}");
            done.unwrap();
        }
    }
    assert!(refused.iter().all(|error| error.contains("into a term")), "{refused:?}");
    assert!(refused.iter().any(|error| error.starts_with("chess-clock")), "{refused:?}");
}
