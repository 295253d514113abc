//! Who moves when, what counts, what stands on the boards, and whether roles work against each other.

use ludex::Game;
use ludex::analysis::game_profile::{
    Certainty, Counter, Course, Direction, GameProfile, GroupFamily, Interests, MoveOrder, Piece,
    ProfileOptions, Results,
};
use ludex::analysis::{Finding, Structure};
use ludex::game::{Goal, RoleId};
use serde_json::{Value, json};

use super::section::{Report, Request, Section};
use crate::console::{table, unbroken, wrapped};

/// The section.
pub const SECTION: Section = Section {
    name: "structure",
    title: "Structure",
    about: "who moves when, what counts, whose pieces there are, who works against whom",
    of_states: false,
    run,
};

/// Families of groups shown.
const MOST_FAMILIES: usize = 12;
/// Counters shown.
const MOST_COUNTERS: usize = 12;
/// Names of pieces in one row.
const MOST_NAMES: usize = 4;
/// Values of a counter shown in full.
const MOST_VALUES: usize = 8;

fn run(request: &Request<'_>) -> Report {
    let game = request.game;
    let budget = &request.budget;
    let structure =
        Structure::find(game.program(), &**game.machine(), &budget.clone().with_share_of_time(0.1));
    let options = ProfileOptions { threads: request.threads, ..ProfileOptions::default() };
    let found = GameProfile::find(game.subject(), &structure, &options, budget);
    let width = request.console.width().saturating_sub(2);
    let mut page = Page { game, width, report: Report::default(), games: found.games };
    page.order(&found.order);
    page.results(&found.results);
    page.counters(&found.counters, found.most_steps);
    page.boards(&structure, &found.pieces, request);
    page.groups(&found.groups);
    let reasons: Vec<String> = found.reasons.iter().map(ToString::to_string).collect();
    if page.report.undecided {
        for reason in &reasons {
            page.say(&format!("Not all could be proved: {reason}."));
        }
    }
    page.report.field("random_games", json!({ "games": found.games, "states": found.states }));
    page.report.field("reasons", reasons);
    page.report
}

struct Page<'a> {
    game: &'a Game,
    width: usize,
    report: Report,
    games: usize,
}

impl Page<'_> {
    fn say(&mut self, text: &str) {
        self.report.text(wrapped(text, self.width, 4));
    }

    /// How sure something is, as an end of a sentence; what is only seen leaves the section undecided.
    fn sure(&mut self, certainty: Certainty) -> String {
        match certainty {
            Certainty::Proved => "proved".to_owned(),
            Certainty::Seen => {
                self.report.undecided = true;
                format!("seen in {} random games, not proved", self.games)
            }
        }
    }

    fn roles(&self, roles: &[RoleId]) -> String {
        let names: Vec<String> = roles.iter().map(|&role| self.game.role_name(role)).collect();
        match names.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            _ => names.concat(),
        }
    }

    fn order(&mut self, order: &MoveOrder) {
        let seats = self.game.seats();
        let (answer, text) = match &order.one_at_a_time {
            _ if seats.len() < 2 => ("one-player", "One player moves alone.".to_owned()),
            Finding::Proved(()) => {
                ("turn-taking", "Roles take turns: in no state do two have a choice (proved).".to_owned())
            }
            Finding::Refuted(witness) => {
                let together = self.roles(&order.choosers);
                let text = match (witness.steps.len(), order.always_together) {
                    (_, true) => format!("Moves are simultaneous: {together} choose at the same time in every state of {} random games.", self.games),
                    (0, _) => "Moves are simultaneous: several roles have a choice in the initial state, not all of them everywhere.".to_owned(),
                    (steps, _) => format!("Moves are simultaneous in some states: several roles have a choice after {steps} steps."),
                };
                ("simultaneous", text)
            }
            Finding::Undecided(reason) => {
                self.report.undecided = true;
                let text = match self.games {
                    0 => "Whether roles take turns is undecided: no random game was played.".to_owned(),
                    _ => format!("Roles seem to take turns: {reason}; not proved."),
                };
                ("undecided", text)
            }
        };
        self.say(&text);
        let idle: Vec<RoleId> = seats.iter().copied().filter(|role| !order.choosers.contains(role)).collect();
        if seats.len() > 1 && !idle.is_empty() && self.games > 0 {
            let text = format!("In random games, {} never had a choice.", self.roles(&idle));
            self.say(&text);
        }
        let mut control = Vec::new();
        if !order.control.is_empty() {
            let certain = order.control.iter().all(|c| c.certainty == Certainty::Proved);
            let parts: Vec<String> = order
                .control
                .iter()
                .map(|c| {
                    unbroken(&format!("{} of {}", self.game.text(c.proposition), self.game.role_name(c.role)))
                })
                .collect();
            let sure = self.sure(if certain { Certainty::Proved } else { Certainty::Seen });
            self.say(&format!("What says who has the choice: {} ({sure}).", parts.join(", ")));
            control.extend(order.control.iter().map(|c| {
                json!({
                    "role": self.game.role_name(c.role),
                    "proposition": self.game.text(c.proposition),
                    "certainty": c.certainty.word(),
                })
            }));
        }
        let choosers: Vec<String> = order.choosers.iter().map(|&role| self.game.role_name(role)).collect();
        let moves = order.one_at_a_time.witness().map(|witness| witness.texts(self.game.rules()));
        self.report.field(
            "moves",
            json!({
                "order": answer,
                "one_at_a_time": order.one_at_a_time.word(),
                "together_after": moves,
                "always_together": order.always_together,
                "choosers": choosers,
                "control": control,
            }),
        );
    }

    fn results(&mut self, results: &Results) {
        let text = match results.interests {
            Interests::Alone => None,
            Interests::ConstantSum(sum) => {
                let two = if self.game.seats().len() == 2 { "zero-sum" } else { "constant-sum" };
                Some(format!("Roles are opponents: their goals always add up to {sum}, {two}"))
            }
            Interests::Cooperative => Some("Roles work together: all always get the same".to_owned()),
            Interests::Competitive => Some(
                "Roles are opponents: no end is better for both than another, but goals do not add up to the same"
                    .to_owned(),
            ),
            Interests::Mixed => {
                let pair = disagreement(&results.seen);
                let pair = pair.map(|(low, high)| format!(": {} is better for several than {}", goals(high), goals(low)));
                Some(format!("Interests are mixed{}", pair.unwrap_or_default()))
            }
            Interests::Unknown => {
                self.report.undecided = true;
                self.say(match self.games {
                    0 => "How the roles' interests lie is undecided: no random game was played.",
                    _ => "No random game ended with a goal for each role.",
                });
                None
            }
        };
        if let Some(text) = text {
            let sure = self.sure(results.certainty);
            self.say(&format!("{text} ({sure})."));
        }
        let sum = if let Interests::ConstantSum(sum) = results.interests { Some(sum) } else { None };
        let witnesses = results.witnesses.as_ref();
        let witnesses =
            witnesses.map(|(one, other)| [one.texts(self.game.rules()), other.texts(self.game.rules())]);
        self.report.field(
            "interests",
            json!({
                "kind": results.interests.word(),
                "sum": sum,
                "certainty": results.certainty.word(),
                "results_seen": results.seen,
                "witnesses": witnesses,
            }),
        );
    }

    fn counters(&mut self, counters: &[Counter], most_steps: Option<usize>) {
        for counter in counters.iter().take(MOST_COUNTERS) {
            let values = self.values(counter);
            let text = match counter.course {
                Course::Line => format!("Runs by itself, one step after another: {values}."),
                Course::Circle(0) => {
                    format!("Goes round by itself in {} steps: {values}.", counter.values.len())
                }
                Course::Circle(at) => {
                    let again = self.game.text(counter.values[at]);
                    format!("Runs by itself: {values}, then again from {again}.")
                }
                Course::Moves(Direction::Rises) => format!("Counter that only rises: {values}."),
                Course::Moves(Direction::Falls) => format!("Counter that only falls: {values}."),
                Course::Moves(Direction::Both) => format!("Counter: {values}."),
            };
            self.say(&text);
        }
        if counters.len() > MOST_COUNTERS {
            self.say(&format!("{} more counters (--json lists all).", counters.len() - MOST_COUNTERS));
        }
        if let Some(steps) = most_steps {
            self.say(&format!("The counter ends the game after {steps} steps at the latest (proved)."));
        }
        let objects: Vec<Value> = counters
            .iter()
            .map(|counter| {
                let (runs, again) = match counter.course {
                    Course::Line => ("by itself", None),
                    Course::Circle(at) => ("by itself, round", Some(at)),
                    Course::Moves(Direction::Rises) => ("rises", None),
                    Course::Moves(Direction::Falls) => ("falls", None),
                    Course::Moves(Direction::Both) => ("rises and falls", None),
                };
                json!({ "values": self.game.texts(&counter.values), "runs": runs, "again_from": again })
            })
            .collect();
        self.report.field("counters", objects);
        self.report.field("most_steps", most_steps);
    }

    fn values(&self, counter: &Counter) -> String {
        let texts: Vec<String> = self.game.texts(&counter.values).iter().map(|text| unbroken(text)).collect();
        // What moves change may jump; the order is that of the values.
        let between = if matches!(counter.course, Course::Moves(_)) { ", " } else { " > " };
        if texts.len() <= MOST_VALUES {
            return texts.join(between);
        }
        let last = texts.len() - 1;
        let first = texts[..3].join(between);
        format!("{first}{between}...{between}{} ({} values)", texts[last], texts.len())
    }

    fn boards(&mut self, structure: &Structure, pieces: &[Piece], request: &Request<'_>) {
        if !structure.boards().is_empty() {
            let names: Vec<&str> = structure.boards().iter().map(|board| board.name()).collect();
            self.say(&format!("Boards: {} (`--only boards` draws them).", names.join(", ")));
        }
        if !pieces.is_empty() {
            let several = structure.boards().len() > 1;
            let unproved = pieces.iter().any(|p| p.owner.is_some_and(|o| o.certainty == Certainty::Seen));
            let mut rows = vec![["PIECE", "OWNER", "AT FIRST", "SEEN"].map(str::to_owned).to_vec()];
            for alike in pieces.chunk_by(are_alike) {
                rows.push(self.piece_row(alike, several));
            }
            self.report.undecided |= unproved;
            let text = table(request.console, &rows, &[false, false, true, true]);
            for line in text.lines() {
                self.report.text(format!("  {line}"));
            }
            let said = if unproved { "; with ? as random games show it, not proved" } else { " (proved)" };
            if pieces.iter().any(|piece| piece.owner.is_some()) {
                self.say(&format!("OWNER is the role whose moves bring the piece{said}; SEEN is how many there were in random games."));
            } else {
                self.say("SEEN is how many there were in random games.");
            }
        }
        let objects: Vec<Value> = pieces
            .iter()
            .map(|piece| {
                json!({
                    "board": piece.board,
                    "piece": piece.name,
                    "owner": piece.owner.map(|owned| self.game.role_name(owned.role)),
                    "owner_certainty": piece.owner.map(|owned| owned.certainty.word()),
                    "at_first": piece.at_first,
                    "fewest_seen": piece.seen.0,
                    "most_seen": piece.seen.1,
                })
            })
            .collect();
        let names: Vec<&str> = structure.boards().iter().map(|board| board.name()).collect();
        self.report.field("boards", names);
        self.report.field("pieces", objects);
    }

    /// A row for pieces of which everything but the name is the same.
    fn piece_row(&self, pieces: &[Piece], several: bool) -> Vec<String> {
        let piece = &pieces[0];
        let mut name: String =
            pieces.iter().take(MOST_NAMES).map(|piece| piece.name.as_str()).collect::<Vec<_>>().join(", ");
        if pieces.len() > MOST_NAMES {
            name.push_str(&format!(", ... ({} in all)", pieces.len()));
        }
        if several {
            name.push_str(&format!(" on {}", piece.board));
        }
        let owner = piece.owner.map_or_else(String::new, |owned| {
            let mark = if owned.certainty == Certainty::Seen { "?" } else { "" };
            format!("{}{mark}", self.game.role_name(owned.role))
        });
        let (least, most) = piece.seen;
        let seen = if least == most { least.to_string() } else { format!("{least} to {most}") };
        vec![name, owner, piece.at_first.to_string(), seen]
    }

    fn groups(&mut self, groups: &[GroupFamily]) {
        for family in groups.iter().take(MOST_FAMILIES) {
            let many = if family.exactly_one { "Exactly one" } else { "At most one" };
            let (least, most) = family.sizes;
            let sizes = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let form = match &family.form {
                Some(form) => unbroken(form),
                None => {
                    let texts = self.game.texts(&family.first);
                    let shown: Vec<String> = texts.iter().take(6).map(|text| unbroken(text)).collect();
                    let dots = if texts.len() > 6 { ", ..." } else { "" };
                    format!("{}{dots}", shown.join(", "))
                }
            };
            let like = match family.groups {
                1 => String::new(),
                2 => " and 1 group like it".to_owned(),
                more => format!(" and {} groups like it", more - 1),
            };
            self.say(&format!("{many} of {sizes}: {form}{like}."));
        }
        if groups.len() > MOST_FAMILIES {
            self.say(&format!(
                "{} more families of groups (--json lists all).",
                groups.len() - MOST_FAMILIES
            ));
        }
        let objects: Vec<Value> = groups
            .iter()
            .map(|family| {
                json!({
                    "form": family.form,
                    "first": self.game.texts(&family.first),
                    "groups": family.groups,
                    "smallest": family.sizes.0,
                    "largest": family.sizes.1,
                    "exactly_one": family.exactly_one,
                })
            })
            .collect();
        self.report.field("groups", objects);
    }
}

/// Whether everything but the name is the same.
fn are_alike(one: &Piece, other: &Piece) -> bool {
    let rest = |piece: &Piece| (piece.board.clone(), piece.owner, piece.at_first, piece.seen);
    rest(one) == rest(other)
}

fn goals(goals: &[Goal]) -> String {
    let texts: Vec<String> = goals.iter().map(ToString::to_string).collect();
    texts.join(":")
}

/// Two results of which the second is better for two roles than the first.
fn disagreement(results: &[Vec<Goal>]) -> Option<(&[Goal], &[Goal])> {
    let better = |low: &[Goal], high: &[Goal]| low.iter().zip(high).filter(|(a, b)| a < b).count() > 1;
    let pairs = results.iter().flat_map(|low| results.iter().map(move |high| (&low[..], &high[..])));
    pairs.into_iter().find(|(low, high)| better(low, high))
}
