//! What two versions differ in, for people.

use std::io::Write;

use ludex::analysis::difference::{Aspect, Behaviour, Divergence};
use ludex::game::RoleId;
use ludex::logic::TermId;
use ludex::{Game, Rules};

use super::Found;
use crate::Context;
use crate::console::wrapped;
use crate::failure::Failure;
use crate::limits::grouped;
use crate::picture::Picture;

/// So many clauses are shown.
const MOST_CLAUSES: usize = 20;
/// So many words of a clause.
const LONGEST_CLAUSE: usize = 100;
/// So many moves, percepts or facts.
const MOST: usize = 8;

/// Writes all of it.
pub fn write(found: &Found, context: &mut Context) -> Result<(), Failure> {
    let clauses = clauses(found, context);
    context.console.write_all(clauses.as_bytes())?;
    let console = &context.console;
    let text = match &found.behaviour {
        None => format!("{}\n", console.bold("Alike: the same clauses.")),
        Some(Behaviour::Alike { states }) => {
            let title = format!("Alike in all {} states.", grouped(*states as u128));
            format!("{}\n", console.bold(&title))
        }
        Some(Behaviour::NotFound { states, games, limit }) => {
            let title = console.bold("No difference was found.");
            let (states, games) = (grouped(*states as u128), grouped(u128::from(*games)));
            let limit = limit.as_ref().map_or_else(String::new, |limit| format!("; {limit}"));
            format!("{title}\nThe {states} nearest states and {games} random games are alike{limit}.\n")
        }
        Some(Behaviour::Differs(divergence)) => differ(found, divergence, context),
    };
    context.console.write_all(text.as_bytes())?;
    Ok(())
}

/// The clauses that are in one of the rulesheets only.
fn clauses(found: &Found, context: &Context) -> String {
    let console = &context.console;
    let changes = &found.changes;
    if changes.is_empty() {
        return String::new();
    }
    let line = |sign: &str, style: &str, game: &Game, at: usize| {
        let sheet = game.rules().rulesheet();
        let span = sheet.items[at].span;
        let mut words: Vec<&str> = sheet.source.slice(span).split_whitespace().collect();
        if words.len() > LONGEST_CLAUSE {
            words.truncate(LONGEST_CLAUSE);
            words.push("...");
        }
        let place = sheet.source.position(span.start as usize);
        let place = console.dim(&format!("{}:{place}", sheet.source.name()));
        let text = wrapped(&words.join(" "), console.width(), 2);
        format!("{place}\n{}", console.styled(style, &format!("{sign} {}", text.trim_end()))) + "\n"
    };
    let mut lines: Vec<(usize, String)> = Vec::new();
    for &(old, new) in &changes.changed {
        let pair = line("-", "31", &found.first, old) + &line("+", "32", &found.second, new);
        lines.push((old, pair));
    }
    lines.extend(changes.removed.iter().map(|&at| (at, line("-", "31", &found.first, at))));
    lines.sort();
    let added = changes.added.iter().map(|&at| line("+", "32", &found.second, at));
    let all: Vec<String> = lines.into_iter().map(|(_, text)| text).chain(added).collect();
    let mut out: String = all.iter().take(MOST_CLAUSES).map(String::as_str).collect();
    if all.len() > MOST_CLAUSES {
        out.push_str(&format!("... and {} more\n", all.len() - MOST_CLAUSES));
    }
    out.push_str(&format!(
        "clauses: {} changed, {} left out, {} added, {} as before\n\n",
        changes.changed.len(),
        changes.removed.len(),
        changes.added.len(),
        changes.kept,
    ));
    out
}

fn differ(found: &Found, divergence: &Divergence, context: &Context) -> String {
    let [first, second] = [found.first.rules(), found.second.rules()];
    let mut out = String::new();
    let title = match divergence.first.len() {
        0 => "They differ from the start.".to_owned(),
        1 => "They differ after 1 step:".to_owned(),
        steps => format!("They differ after {steps} steps:"),
    };
    out.push_str(&format!("{}\n", context.console.bold(&title)));
    for (at, joint) in divergence.first.iter().enumerate() {
        let moves: Vec<String> = first
            .roles()
            .zip(joint)
            .map(|(role, &action)| format!("{} {}", first.role_name(role), first.text(action)))
            .collect();
        out.push_str(&format!("  {}. {}\n", at + 1, moves.join(", ")));
    }
    if !divergence.is_shortest {
        out.push_str("This is from a random game; there may be a shorter way.\n");
    }
    for aspect in &divergence.aspects {
        for line in aspect_lines(aspect, first, second) {
            out.push_str("  ");
            out.push_str(&wrapped(&line, context.console.width(), 2));
        }
    }
    out.push_str(&boards(found, divergence, context));
    out
}

fn aspect_lines(aspect: &Aspect, first: &Rules, second: &Rules) -> Vec<String> {
    let only = |what: &str, lists: [&[TermId]; 2]| {
        let mut lines = Vec::new();
        for (rules, terms, which) in [(first, lists[0], "first"), (second, lists[1], "second")] {
            if !terms.is_empty() {
                let mut texts: Vec<String> = terms.iter().take(MOST).map(|&term| rules.text(term)).collect();
                if terms.len() > MOST {
                    texts.push(format!("and {} more", terms.len() - MOST));
                }
                lines.push(format!("{what} in the {which} game only: {}", texts.join(", ")));
            }
        }
        lines
    };
    let name = |role: &RoleId| first.role_name(*role);
    match aspect {
        Aspect::Roles => vec![format!(
            "the roles are {} in the first game and {} in the second",
            first.role_names().join(", "),
            second.role_names().join(", ")
        )],
        Aspect::Legal { role, first, second } => only(&format!("{} may play", name(role)), [first, second]),
        Aspect::Terminal { first } => {
            vec![format!("the game is over in the {} game only", if *first { "first" } else { "second" })]
        }
        Aspect::Goal { role, first, second } => {
            let value =
                |goal: &Option<u32>| goal.map_or_else(|| "no goal value".to_owned(), |goal| goal.to_string());
            vec![format!(
                "{} has {} in the first game and {} in the second",
                name(role),
                value(first),
                value(second)
            )]
        }
        Aspect::Sees { role, first, second } => only(&format!("{} sees", name(role)), [first, second]),
        Aspect::Facts { first, second } => only("it holds", [first, second]),
    }
}

/// Both boards where they differ, side by side if there is room; nothing where there is no board.
fn boards(found: &Found, divergence: &Divergence, context: &Context) -> String {
    let draw = |game: &Game, moves: &[Vec<TermId>]| {
        let picture = Picture::new(game.rules(), context);
        if picture.boards().is_empty() {
            return None;
        }
        let mut position = game.rules().start();
        for joint in moves {
            position.advance(joint).ok()?;
        }
        Some(picture.draw(game.rules(), position.state()))
    };
    let first = draw(&found.first, &divergence.first);
    let second = draw(&found.second, &divergence.second);
    let (Some(first), Some(second)) = (first, second) else { return String::new() };
    if first == second {
        return format!("\n{first}");
    }
    let widest = first.lines().map(width).max().unwrap_or(0);
    if widest + 4 + second.lines().map(width).max().unwrap_or(0) > context.console.width() {
        return format!("\n{first}\n{second}");
    }
    let (mut left, mut right) = (first.lines(), second.lines());
    let mut out = String::from("\n");
    loop {
        let (one, other) = (left.next(), right.next());
        if one.is_none() && other.is_none() {
            return out;
        }
        let (one, other) = (one.unwrap_or(""), other.unwrap_or(""));
        let gap = " ".repeat(widest - width(one) + 4);
        out.push_str(format!("{one}{gap}{other}").trim_end());
        out.push('\n');
    }
}

/// The columns that a line takes: all characters but for those that set colours.
fn width(line: &str) -> usize {
    let mut count = 0;
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        if letter == '\x1b' {
            letters.by_ref().find(|&letter| letter == 'm');
        } else {
            count += 1;
        }
    }
    count
}
