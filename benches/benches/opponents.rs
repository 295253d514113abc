//! What players win who know whom they play with, and what for.
//!
//! `cargo bench -p ludex-benches --bench opponents [-- habits|learners|knock-out] [--matches=N] [--courses=N]`
//!
//! - `habits`: the strategy `adaptive` against ten fixed programs, in a first match and in one after three that it
//!   remembers, beside the equilibrium of the game.
//! - `learners`: the same against who learns, too.
//! - `knock-out`: two legs of a knock-out between a player that is told what they are for and the same player that is
//!   not, until a sequential test says whether the first advances more often.
//!
//! Work is counted and no clock is read: the figures do not depend on the machine.

use ludex::matches::MatchSetting;
use ludex::matches::tournament::{
    Format, RunningTournament, Tournament, TournamentEvent, TournamentGame, TournamentSetup,
};
use ludex::players::{Introduction, PastMatch, Registry, Resources};
use ludex::tournament::MatchResult;
use ludex::{Game, GameOptions, Match, MatchSetup, Table, introductions};
use ludex_benches::table;

/// The fixed programs.
const HABITS: [&str; 10] =
    ["first", "last", "cycle", "pattern", "biased", "copy", "slow-copy", "loose-copy", "contrary", "grim"];
/// The games, each with a player of its equilibrium: where it can be solved, and where it is to make the last move.
const GAMES: [(&str, &str); 2] =
    [("repeated-rock-paper-scissors", "ludex"), ("repeated-prisoners-dilemma", "habit:is=last")];
/// So many matches are remembered.
const REMEMBERED: usize = 3;
/// The games of the knock-out: goals are points, and do not add up to the same.
const CUPS: [&str; 1] = ["repeated-prisoners-dilemma"];
/// The test says that a player advances in six of ten meetings, or in one half of them...
const SHARES: [f64; 2] = [0.5, 0.6];
/// ... with a likelihood of a wrong answer of 5 %.
const WRONG: f64 = 0.05;
/// It ends undecided after so many meetings.
const MOST_MEETINGS: u32 = 1000;

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_wanted = |part: &str| wanted.is_empty() || wanted.iter().any(|word| word == part);
    let number = |name: &str, default: u32| -> u32 {
        let prefix = format!("--{name}=");
        let given = std::env::args().find_map(|word| word.strip_prefix(&prefix).and_then(|n| n.parse().ok()));
        given.unwrap_or(default)
    };
    let (matches, courses) = (number("matches", 4), number("courses", 1000));
    let adaptive = format!("adaptive:courses={courses}");
    if is_wanted("habits") {
        habits(&adaptive, matches)?;
    }
    if is_wanted("learners") {
        learners(&adaptive, matches)?;
    }
    if is_wanted("knock-out") {
        knock_outs()?;
    }
    Ok(())
}

/// Plays a match; the player of the role of this number knows of matches before.
fn play(
    game: &Game,
    players: [&str; 2],
    (own, past): (usize, &[PastMatch]),
    setting: Option<&MatchSetting>,
    seed: u64,
) -> Result<Match, Failed> {
    let setup =
        MatchSetup { seed, player_names: players.map(str::to_owned).to_vec(), ..MatchSetup::default() };
    let mut seated = Vec::new();
    for (role, player) in game.seats().into_iter().zip(players) {
        seated.push(Registry::default().create(player, &Resources::from_seed(setup.player_seed(role)))?);
    }
    let mut told = introductions(game, &setup.player_names, setting);
    if let Some(introduction) = told.get_mut(own) {
        *introduction = Introduction { past: past.into(), ..introduction.clone() };
    }
    let table = Table::new(game, setup, seated, None, Default::default())?;
    Ok(table.with_introductions(told).play()?)
}

fn goals(played: &Match) -> [f64; 2] {
    [0, 1].map(|seat| f64::from(played.seat_goals().get(seat).copied().flatten().unwrap_or(0)))
}

/// A match as it is remembered.
fn remembered(played: &Match) -> PastMatch {
    let terms = played.rules().signature().terms();
    let joint = |joint: &Vec<_>| joint.iter().map(|&action| terms.prefix(action)).collect();
    PastMatch {
        players: played.setup().player_names.iter().cloned().map(Some).collect(),
        moves: played.steps().iter().map(|step| joint(&step.joint)).collect(),
        goals: played.goals().to_vec(),
    }
}

/// The mean goals of a player and of its opponent in matches on both seats: in first ones, and in those after some that
/// are remembered.
fn against(
    game: &Game,
    player: &str,
    opponent: &str,
    matches: u32,
    remembers: bool,
) -> Result<[f64; 2], Failed> {
    let mut sums = [0.0; 2];
    for number in 0..matches {
        let own = (number % 2) as usize;
        let players = if own == 0 { [player, opponent] } else { [opponent, player] };
        let mut past = Vec::new();
        let seed = u64::from(number) * 101;
        if remembers {
            for before in 0..REMEMBERED {
                past.push(remembered(&play(game, players, (own, &past), None, seed + 1 + before as u64)?));
            }
        }
        let got = goals(&play(game, players, (own, &past), None, seed)?);
        sums[0] += got[own] / f64::from(matches);
        sums[1] += got[1 - own] / f64::from(matches);
    }
    Ok(sums)
}

fn pair([own, other]: [f64; 2]) -> String {
    format!("{own:.1} : {other:.1}")
}

fn habits(adaptive: &str, matches: u32) -> Result<(), Failed> {
    for (name, equilibrium) in GAMES {
        let game = Game::bundled(name, &GameOptions::default())?;
        let (mut rows, mut sums) = (Vec::new(), [0.0; 3]);
        for habit in HABITS {
            let opponent = format!("habit:is={habit}");
            let fair = against(&game, equilibrium, &opponent, matches, false)?;
            let first = against(&game, adaptive, &opponent, matches, false)?;
            let later = against(&game, adaptive, &opponent, matches, true)?;
            for (sum, [own, _]) in sums.iter_mut().zip([fair, first, later]) {
                *sum += own / HABITS.len() as f64;
            }
            rows.push([vec![habit.to_owned()], [fair, first, later].map(pair).to_vec()].concat());
        }
        rows.push(
            [vec!["mean of own goals".to_owned()], sums.map(|sum| format!("{sum:.1}")).to_vec()].concat(),
        );
        println!("{name}: own goals and the other's, {matches} matches each\n");
        println!("{}", table(&["against", "equilibrium", "adaptive", "after 3 matches"], &rows));
    }
    Ok(())
}

fn learners(adaptive: &str, matches: u32) -> Result<(), Failed> {
    let matches = 4 * matches;
    for (name, equilibrium) in GAMES {
        let game = Game::bundled(name, &GameOptions::default())?;
        let mut rows = Vec::new();
        let other = format!("{adaptive}:horizon=7");
        for learner in ["regret-matching", &other, "ludex:playouts=1000"] {
            let fair = against(&game, equilibrium, learner, matches, false)?;
            let first = against(&game, adaptive, learner, matches, false)?;
            let later = against(&game, adaptive, learner, matches, true)?;
            rows.push([vec![learner.to_owned()], [fair, first, later].map(pair).to_vec()].concat());
        }
        println!("{name}: own goals and the other's, {matches} matches each\n");
        println!("{}", table(&["against", "equilibrium", "adaptive", "after 3 matches"], &rows));
    }
    Ok(())
}

/// Meetings until the test is decided, or there were many.
fn knock_outs() -> Result<(), Failed> {
    let mut rows = Vec::new();
    for name in CUPS {
        let game = Game::bundled(name, &GameOptions::default())?;
        let [null, better] = SHARES;
        let bound = ((1.0 - WRONG) / WRONG).ln();
        let (mut told, mut untold, mut lots, mut likelihood) = (0u32, 0u32, 0u32, 0.0f64);
        for seed in 0..u64::from(MOST_MEETINGS) {
            match meeting(&game, seed)? {
                Some(true) => {
                    told += 1;
                    likelihood += (better / null).ln();
                }
                Some(false) => {
                    untold += 1;
                    likelihood += ((1.0 - better) / (1.0 - null)).ln();
                }
                // As many lots fall on either side.
                None => lots += 1,
            }
            if likelihood.abs() >= bound {
                break;
            }
        }
        let verdict = match likelihood {
            found if found >= bound => "more often",
            found if found <= -bound => "not more often",
            _ => "undecided",
        };
        let counts = [told, untold, lots].map(|count| count.to_string());
        rows.push([vec![name.to_owned()], counts.to_vec(), vec![verdict.to_owned()]].concat());
    }
    println!("knock-out of two legs, ludex told what they are for against ludex:setting=off\n");
    println!("{}", table(&["game", "advances", "is out", "lot", "it advances"], &rows));
    Ok(())
}

/// Two legs of a knock-out: whether the player that is told what they are for advances; `None` where the lot decides.
fn meeting(game: &Game, seed: u64) -> Result<Option<bool>, Failed> {
    const TOLD: &str = "ludex:playouts=1000";
    const UNTOLD: &str = "ludex:playouts=1000:setting=off";
    let players = [TOLD, UNTOLD].map(str::to_owned).to_vec();
    let games = vec![TournamentGame { name: game.short_name().to_owned(), seats: 2 }];
    let tournament = Tournament { players, games, rounds: 1, seed };
    let legs = std::num::NonZeroU32::new(2).ok_or("two legs")?;
    let setup = TournamentSetup { legs, ..TournamentSetup::new(tournament, Format::SingleElimination) };
    let mut cup = RunningTournament::new(setup)?;
    let mut sums = [0.0; 2];
    while let Some(fixture) = cup.next(&Default::default(), 1).pop() {
        let setting = MatchSetting::of(&cup, &fixture);
        let names = cup.tournament().seated(&fixture);
        let players = [names[0].as_str(), names[1].as_str()];
        let played = play(game, players, (0, &[]), Some(&setting), fixture.seed)?;
        let got = goals(&played);
        for (sum, player) in sums.iter_mut().zip([TOLD, UNTOLD]) {
            *sum +=
                names.iter().zip(got).filter(|(name, _)| *name == player).map(|(_, goal)| goal).sum::<f64>();
        }
        cup.apply(&TournamentEvent::Finished(MatchResult::of(cup.tournament(), &fixture, &played)))?;
    }
    Ok((sums[0] != sums[1]).then_some(sums[0] > sums[1]))
}
