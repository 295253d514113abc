//! How soon players that are not told the rules play well (book 20.4).
//!
//! `cargo bench -p ludex-benches --bench without_rules [-- GAME... --episodes=400 --seeds=3 --players=explorer,q-learning
//! --json=PATH --svg=FOLDER]`
//!
//! In each game one role is played by a player without rules, for so many matches in a row, against legal moves at random.
//! BEST is the mean of the last hundred matches of the best player of the run. TO 90 % is after how many matches a player's
//! mean over twenty matches first reached 90 % of that, in the median over the seeds; LAST the mean of its last hundred.

use std::fmt::Write;
use std::path::Path;

use ludex::explore::{Seat, blind_player, play_episode};
use ludex::matches::{MatchSetup, blind::Structure};
use ludex_benches::{Stopwatch, option_value, table, wanted};
use ludex_game::Rules;
use ludex_logic::Budget;
use ludex_testkit::playable_bundled;
use serde::Serialize;

/// The games: name, and the role that is played without rules.
const GAMES: [(&str, &str); 13] = [
    ("buttons-and-lights", "white"),
    ("multiple-buttons-and-lights", "white"),
    ("best-buttons-and-lights", "white"),
    ("joint-buttons-and-lights", "white"),
    ("untwisty-corridor", "player"),
    ("maze", "traveller"),
    ("coins", "you"),
    ("tic-tac-toe", "white"),
    ("nim", "white"),
    ("chomp", "white"),
    ("race", "red"),
    ("rock-paper-scissors", "left"),
    ("monty-hall", "candidate"),
];
/// A mean is over so many matches.
const WINDOW: usize = 20;
/// What was reached is the mean of so many matches at the end.
const LAST: usize = 100;

/// What a player got in each match, by seed.
#[derive(Debug, Serialize)]
struct Course {
    player: String,
    seconds: f64,
    goals: Vec<Vec<f64>>,
}

#[derive(Debug, Serialize)]
struct Row {
    game: String,
    courses: Vec<Course>,
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

impl Course {
    fn last(&self) -> f64 {
        mean(
            &self
                .goals
                .iter()
                .map(|goals| mean(&goals[goals.len().saturating_sub(LAST)..]))
                .collect::<Vec<_>>(),
        )
    }

    /// After how many matches the mean of the last ones was as much as this; `None` where it never was, in the median.
    fn until(&self, level: f64) -> Option<usize> {
        let until = |goals: &Vec<f64>| {
            let enough = |end: &usize| mean(&goals[end - WINDOW..*end]) >= level;
            (WINDOW..=goals.len()).find(enough).unwrap_or(usize::MAX)
        };
        let mut all: Vec<usize> = self.goals.iter().map(until).collect();
        all.sort_unstable();
        all.get(all.len() / 2).copied().filter(|&matches| matches < usize::MAX)
    }
}

fn number(name: &str, otherwise: u64) -> Result<u64, String> {
    option_value(name).map_or(Ok(otherwise), |text| text.parse().map_err(|_| format!("{name}: no number")))
}

fn main() -> Result<(), String> {
    let (episodes, seeds) = (number("--episodes", 400)?, number("--seeds", 3)?);
    let players = option_value("--players").unwrap_or_else(|| "explorer,q-learning,random".to_owned());
    let mut rows = Vec::new();
    for (game, role) in GAMES.into_iter().filter(|(game, _)| wanted(game)) {
        let rules = playable_bundled(game).map_err(|error| format!("{game}: {error}"))?;
        let mut courses = Vec::new();
        for player in players.split(',') {
            let watch = Stopwatch::start();
            let goals = (1..=seeds)
                .map(|seed| play(&rules, role, player, episodes, seed))
                .collect::<Result<_, _>>()?;
            let course = Course { player: player.to_owned(), seconds: watch.wall_seconds(), goals };
            eprintln!("{game}, {player}: {:.1} at the end, {:.1} s", course.last(), course.seconds);
            courses.push(course);
        }
        rows.push(Row { game: game.to_owned(), courses });
    }
    show(&rows);
    if let Some(path) = option_value("--json") {
        let json = serde_json::to_string(&rows).map_err(|error| error.to_string())?;
        std::fs::write(path, json).map_err(|error| error.to_string())?;
    }
    if let Some(folder) = option_value("--svg") {
        for row in &rows {
            let path = Path::new(&folder).join(format!("{}.svg", row.game));
            std::fs::write(path, curve(row)).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

/// What a player gets in each of so many matches.
fn play(rules: &Rules, role: &str, player: &str, episodes: u64, seed: u64) -> Result<Vec<f64>, String> {
    let role = rules.find_role(role).ok_or("no such role")?;
    let structure = Structure::of(rules, role, &Budget::unlimited()).map_err(|error| error.to_string())?;
    let seat = rules.seats().iter().position(|&of| of == role).ok_or("nobody plays the role")?;
    let mut blind = blind_player(player, &structure, role.index(), seed).ok_or("no such player")?;
    let mut goals = Vec::new();
    for episode in 0..episodes {
        let mut seats: Vec<Seat<'_>> = rules.seats().iter().map(|_| Seat::Random).collect();
        seats[seat] = Seat::Blind(&mut *blind);
        let setup = MatchSetup {
            seed: seed.wrapping_mul(1_000_003).wrapping_add(episode),
            step_limit: Some(200),
            ..MatchSetup::default()
        };
        let played = play_episode(rules, setup, &mut seats, &Budget::unlimited());
        let played = played.map_err(|error| error.to_string())?;
        goals.push(played.goals[seat].map_or(0.0, f64::from));
    }
    Ok(goals)
}

fn show(rows: &[Row]) {
    let mut lines = Vec::new();
    for row in rows {
        let best = row.courses.iter().map(Course::last).fold(0.0, f64::max);
        for course in &row.courses {
            let until =
                course.until(0.9 * best).map_or_else(|| "-".to_owned(), |matches| matches.to_string());
            lines.push(vec![
                row.game.clone(),
                course.player.clone(),
                format!("{best:.0}"),
                until,
                format!("{:.1}", course.last()),
                format!("{:.1}", course.seconds),
            ]);
        }
    }
    println!("{}", table(&["GAME", "PLAYER", "BEST", "TO 90 %", "LAST", "SECONDS"], &lines));
}

/// The means of the last matches after each match, over all seeds, as a picture.
fn curve(row: &Row) -> String {
    const COLOURS: [&str; 4] = ["#1f5fa8", "#b85a12", "#5b5b5b", "#2a7f3f"];
    const SIZE: (f64, f64) = (640.0, 300.0);
    const LEFT: f64 = 40.0;
    const TOP: f64 = 30.0;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n",
        SIZE.0 + LEFT + 20.0,
        SIZE.1 + TOP + 40.0
    );
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"18\" font-size=\"14\">{}</text>", row.game);
    for level in [0.0, 25.0, 50.0, 75.0, 100.0] {
        let y = TOP + SIZE.1 * (1.0 - level / 100.0);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#ddd\"/>",
            LEFT + SIZE.0
        );
        let _ =
            writeln!(svg, "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{level}</text>", LEFT - 6.0, y + 4.0);
    }
    for (number, (course, colour)) in row.courses.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let episodes = course.goals.first().map_or(0, Vec::len);
        let mut points = String::new();
        for end in 1..=episodes {
            let begin = end.saturating_sub(WINDOW);
            let values: Vec<f64> = course.goals.iter().map(|goals| mean(&goals[begin..end])).collect();
            let x = LEFT + SIZE.0 * end as f64 / episodes as f64;
            let _ = write!(points, "{x:.1},{:.1} ", TOP + SIZE.1 * (1.0 - mean(&values) / 100.0));
        }
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{points}\"/>"
        );
        let x = LEFT + 10.0 + 130.0 * number as f64;
        let y = TOP + SIZE.1 + 30.0;
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\" fill=\"{colour}\">{}</text>", course.player);
    }
    svg.push_str("</svg>\n");
    svg
}
