//! Whether a game ends, can be played and can be won, and what its goals are like.

use ludex::Game;
use ludex::analysis::well_formed::{Judged, PlayerReport, Possibility, WellFormed, WellFormedOptions};
use ludex::analysis::{Finding, Witness};
use ludex::logic::TermId;
use serde_json::{Map, Value, json};

use super::section::{Report, Request, Section};
use crate::console::prose_table;
use crate::limits::grouped;

/// The section.
pub const SECTION: Section = Section {
    name: "well-formed",
    title: "Well-formedness",
    about: "whether the game ends, everybody can move and win, and goals are as they should be",
    of_states: false,
    run,
};

/// Courses up to this length are shown in full.
const SHOWN_STEPS: usize = 12;

fn run(request: &Request<'_>) -> Report {
    let options = WellFormedOptions { threads: request.threads, ..WellFormedOptions::default() };
    let found = WellFormed::find(request.game.subject(), &options, &request.budget);
    let mut report = Report { undecided: found.is_undecided(), ..Report::default() };
    report.text(match found.is_well_formed() {
        Some(true) => "It is well formed: it ends, everybody can move until then, and every role can win.",
        Some(false) => "It is not well formed.",
        None => "Whether it is well formed is undecided.",
    });
    if let Some((states, all)) = found.states {
        let plural = if states == 1 { "" } else { "s" };
        let (states, more) = (grouped(states as u128), if all { "" } else { "more than " });
        report.text(format!("It has {more}{states} state{plural}."));
    }
    report.text("");
    report.text(prose_table(request.console, &rows(request.game, &found)));
    report.json = object(request.game, &found);
    report
}

fn rows(game: &Game, found: &WellFormed) -> Vec<Vec<String>> {
    let mut rows = vec![["PROPERTY", "ANSWER", "WHY"].map(str::to_owned).to_vec()];
    let longest = found.termination.finding.proved().and_then(|termination| termination.longest);
    let longest = longest.map(|steps| format!("the longest course has {}", steps_text(steps as usize)));
    rows.push(row(game, "it ends", &found.termination, longest));
    for (role, judged) in &found.playable {
        rows.push(row(game, &format!("{} can always move", game.role_name(*role)), judged, None));
    }
    for player in &found.players {
        player_rows(game, player, &mut rows);
    }
    let sum = found.constant_sum.finding.proved().map(|constant| match constant.sum {
        Some(sum) => format!("they add up to {sum}"),
        None => "no course ends with a goal for each player".to_owned(),
    });
    let mut line = row(game, "the sum of goals is constant", &found.constant_sum, sum);
    if let (Finding::Refuted(_), Some((sum, ending)), Some(text)) =
        (&found.constant_sum.finding, &found.ending, line.last_mut())
    {
        text.push_str(&format!("; another sum than the {sum} after {}", course(game, ending)));
    }
    rows.push(line);
    rows
}

fn player_rows(game: &Game, player: &PlayerReport, rows: &mut Vec<Vec<String>>) {
    let name = game.role_name(player.role);
    let weak = match (&player.weak.finding, player.best) {
        (Possibility::Possible(witness), _) => Some(course(game, witness)),
        (Possibility::Impossible, Some(best)) => Some(format!("the best that was found is {best}")),
        _ => None,
    };
    rows.push(possibility(&format!("{name} can win"), &player.weak, weak));
    let moves = player.sequence.finding.how().map(|moves| own_moves(game, moves));
    rows.push(possibility(&format!("{name} wins by a fixed sequence of moves"), &player.sequence, moves));
    let strategy = player.strategy.finding.how().and_then(|strategy| strategy.first);
    let strategy = strategy.map(|first| format!("beginning with {}", game.text(first)));
    rows.push(possibility(&format!("{name} wins by a strategy"), &player.strategy, strategy));
    let faults = [
        (format!("{name} has a goal at the end"), &player.some_goal),
        (format!("{name} has no two goals at the end"), &player.not_several),
    ];
    let mut shown: Vec<_> = faults.into_iter().filter(|(_, judged)| judged.finding.is_refuted()).collect();
    if shown.is_empty() {
        shown.push((format!("{name} has exactly one goal at the end"), player.one_goal()));
    }
    let goals = [
        (format!("{name} has goals up to 100 only"), &player.in_range),
        (format!("{name}'s goal never falls"), &player.monotonic),
    ];
    rows.extend(shown.into_iter().chain(goals).map(|(what, judged)| row(game, &what, judged, None)));
}

/// A line about something that always holds: what a course shows is that it does not.
fn row<T>(game: &Game, what: &str, judged: &Judged<Finding<T>>, proved: Option<String>) -> Vec<String> {
    let (answer, said) = match &judged.finding {
        Finding::Proved(_) => ("yes", proved),
        Finding::Refuted(witness) => ("no", Some(course(game, witness))),
        Finding::Undecided(reason) => ("undecided", Some(reason.to_string())),
    };
    line(what, answer, said, judged)
}

/// A line about something that can come about: what a course shows is that it does.
fn possibility<T>(what: &str, judged: &Judged<Possibility<T>>, said: Option<String>) -> Vec<String> {
    let (answer, said) = match &judged.finding {
        Possibility::Possible(_) => ("yes", said),
        Possibility::Impossible => ("no", said),
        Possibility::Undecided(reason) => ("undecided", Some(reason.to_string())),
    };
    line(what, answer, said, judged)
}

fn line<F>(what: &str, answer: &str, said: Option<String>, judged: &Judged<F>) -> Vec<String> {
    let said = [said, judged.by.map(|by| format!("by {by}"))].into_iter().flatten();
    vec![what.to_owned(), answer.to_owned(), said.collect::<Vec<_>>().join("; ")]
}

fn steps_text(steps: usize) -> String {
    if steps == 1 { "1 step".to_owned() } else { format!("{} steps", grouped(steps as u128)) }
}

/// A course of the game in words.
fn course(game: &Game, witness: &Witness) -> String {
    if witness.steps.is_empty() {
        return "before anybody moves".to_owned();
    }
    let steps = witness.steps.iter().map(|joint| game.texts(joint).join(" "));
    cut(steps.collect(), "; ")
}

fn own_moves(game: &Game, moves: &[TermId]) -> String {
    if moves.is_empty() { "before anybody moves".to_owned() } else { cut(game.texts(moves), ", ") }
}

/// The steps, or the first and the last ones where they are many.
fn cut(steps: Vec<String>, between: &str) -> String {
    let count = steps.len();
    if count <= SHOWN_STEPS {
        return steps.join(between);
    }
    let half = SHOWN_STEPS / 2;
    let (first, last) = (steps[..half].join(between), steps[count - half..].join(between));
    format!("{first}{between}...{between}{last} ({} steps)", grouped(count as u128))
}

fn object(game: &Game, found: &WellFormed) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("well_formed".to_owned(), json!(found.is_well_formed()));
    let (states, all) = found.states.map_or((None, None), |(states, all)| (Some(states), Some(all)));
    object.insert("states".to_owned(), json!(states));
    object.insert("all_states".to_owned(), json!(all));
    let mut termination = finding(game, &found.termination);
    let longest = found.termination.finding.proved().and_then(|termination| termination.longest);
    termination.insert("longest".to_owned(), json!(longest));
    object.insert("termination".to_owned(), Value::Object(termination));
    let playable = found.playable.iter().map(|(role, judged)| {
        let mut one = finding(game, judged);
        one.insert("role".to_owned(), json!(game.role_name(*role)));
        Value::Object(one)
    });
    object.insert("playable".to_owned(), playable.collect());
    let players = found.players.iter().map(|player| player_object(game, player));
    object.insert("players".to_owned(), players.collect());
    let mut sum = finding(game, &found.constant_sum);
    sum.insert(
        "sum".to_owned(),
        json!(found.constant_sum.finding.proved().and_then(|constant| constant.sum)),
    );
    let other =
        found.ending.as_ref().map(|(sum, ending)| json!({ "sum": sum, "moves": ending.texts(game.rules()) }));
    sum.insert("ending".to_owned(), json!(other));
    object.insert("constant_sum".to_owned(), Value::Object(sum));
    object
}

fn player_object(game: &Game, player: &PlayerReport) -> Value {
    let mut weak = possible(&player.weak);
    weak.insert(
        "moves".to_owned(),
        json!(player.weak.finding.how().map(|witness| witness.texts(game.rules()))),
    );
    let mut sequence = possible(&player.sequence);
    sequence.insert("moves".to_owned(), json!(player.sequence.finding.how().map(|moves| game.texts(moves))));
    let mut strategy = possible(&player.strategy);
    let first = player.strategy.finding.how().and_then(|strategy| strategy.first);
    strategy.insert("first".to_owned(), json!(first.map(|first| game.text(first))));
    json!({
        "role": game.role_name(player.role),
        "weakly_winnable": weak,
        "strongly_winnable_by_sequence": sequence,
        "strongly_winnable_by_strategy": strategy,
        "best_goal_found": player.best,
        "one_goal": finding(game, player.one_goal()),
        "some_goal": finding(game, &player.some_goal),
        "not_several_goals": finding(game, &player.not_several),
        "goals_up_to_100": finding(game, &player.in_range),
        "monotonic": finding(game, &player.monotonic),
    })
}

/// `answer`, `by`, and the course that refutes it.
fn finding<T>(game: &Game, judged: &Judged<Finding<T>>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("answer".to_owned(), json!(judged.finding.word()));
    object.insert("by".to_owned(), json!(judged.by.map(|by| by.to_string())));
    match &judged.finding {
        Finding::Refuted(witness) => {
            drop(object.insert("moves".to_owned(), json!(witness.texts(game.rules()))))
        }
        Finding::Undecided(reason) => drop(object.insert("reason".to_owned(), json!(reason.to_string()))),
        Finding::Proved(_) => {}
    }
    object
}

fn possible<T>(judged: &Judged<Possibility<T>>) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("answer".to_owned(), json!(judged.finding.word()));
    object.insert("by".to_owned(), json!(judged.by.map(|by| by.to_string())));
    if let Possibility::Undecided(reason) = &judged.finding {
        object.insert("reason".to_owned(), json!(reason.to_string()));
    }
    object
}
