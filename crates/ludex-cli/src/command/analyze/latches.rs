//! Latches, inhibitors and dead states.

use ludex::Game;
use ludex::analysis::Reason;
use ludex::analysis::latches::{
    Disjunction, GoalInhibitor, Hold, Inhibitor, LatchEffort, Latches, Removal, Setting, Succession,
};
use ludex::game::{Goal, RoleId};
use serde_json::{Value, json};

use super::section::{Report, Request, Section};
use crate::console::{unbroken, wrapped};
use crate::limits::grouped;

/// The section.
pub const SECTION: Section = Section {
    name: "latches",
    title: "Latches and inhibitors",
    about: "propositions that keep a value for good, what they rule out, and states lost by that",
    of_states: true,
    run,
};

/// States of a game up to which dead ones are counted.
const MOST_STATES: u64 = 20_000;
/// Lines for people of one kind at most.
const MOST_LINES: usize = 12;
/// Propositions of a line for people at most, and some more.
const MOST_MEMBERS: usize = 8;

fn run(request: &Request<'_>) -> Report {
    let mut report = Report::default();
    let budget = request.budget.clone().with_share_of_time(0.8);
    let mut latches = match Latches::find(request.game.subject(), &LatchEffort::default(), &budget) {
        Ok(latches) => latches,
        Err(reason) => {
            report.undecided(&reason);
            return report;
        }
    };
    let mut page = Page { game: request.game, width: request.console.width().saturating_sub(2), report };
    // What is said of states that are all known is compared with them first.
    let counted = page.count(&mut latches, request);
    page.single(&latches);
    page.disjunctions(&latches.disjunctions());
    page.successions(&latches.successions());
    page.inhibitors(&latches.inhibitors());
    page.goals(&latches.goal_inhibitors());
    page.dead(counted);
    if !request.is_initial() {
        page.here(&latches, request);
    }
    if let Some(reason) = latches.stopped() {
        page.report.undecided = true;
        page.report.text(format!("There may be more: {reason}."));
        page.report.field("reason", reason.to_string());
    }
    page.report
}

/// The dead states of a role, by its best value.
struct Dead {
    role: String,
    value: Goal,
    found: Removal,
}

struct Page<'a> {
    game: &'a Game,
    width: usize,
    report: Report,
}

impl Page<'_> {
    fn list(&mut self, head: &str, items: &[String]) {
        let items: Vec<String> = items.iter().map(|item| unbroken(item)).collect();
        let list = if items.is_empty() { "none".to_owned() } else { items.join(", ") };
        self.report.text(wrapped(&format!("{head}: {list}"), self.width, 4));
    }

    fn setting(&self, setting: Setting) -> String {
        let text = self.game.text(setting.proposition);
        if setting.value { text } else { format!("not {text}") }
    }

    fn setting_json(&self, setting: Setting) -> Value {
        json!({ "proposition": self.game.text(setting.proposition), "value": setting.value })
    }

    fn single(&mut self, latches: &Latches) {
        let (positive, negative) = (latches.positive(), latches.negative());
        let (positive, negative) = (self.game.texts(&positive), self.game.texts(&negative));
        self.list("Once true, always true", &positive);
        self.list("Once false, always false", &negative);
        let constants = latches.constants();
        if !constants.is_empty() {
            let texts: Vec<String> = constants.iter().map(|&setting| self.setting(setting)).collect();
            self.list("Never change", &texts);
        }
        let constants: Vec<Value> = constants.iter().map(|&setting| self.setting_json(setting)).collect();
        self.report.field("positive", positive);
        self.report.field("negative", negative);
        self.report.field("constants", constants);
    }

    fn disjunctions(&mut self, disjunctions: &[Disjunction]) {
        let line = |found: &Disjunction| {
            let mut members: Vec<String> =
                self.game.texts(&found.members).iter().map(|text| unbroken(text)).collect();
            // No line ends with a single other one.
            if members.len() > MOST_MEMBERS + 1 {
                let hidden = members.len() - MOST_MEMBERS;
                members.truncate(MOST_MEMBERS);
                members.push(unbroken(&format!("one of {hidden} more")));
            }
            let since = if found.always { " (from the beginning)" } else { "" };
            format!("{}{since}", members.join(" or "))
        };
        let lines = disjunctions.iter().map(line).collect();
        let object = |found: &Disjunction| json!({ "members": self.game.texts(&found.members), "always": found.always });
        let objects: Vec<Value> = disjunctions.iter().map(object).collect();
        self.lines("Once one of them is true, always one is, though none of them stays:", lines);
        self.report.field("disjunctions", objects);
    }

    fn successions(&mut self, successions: &[Succession]) {
        let name = |members: &[_]| match members.len() {
            0 => "none".to_owned(),
            1 => self.game.text(members[0]),
            _ => format!("{{{}}}", self.game.texts(members).join(", ")),
        };
        let mut lines = Vec::new();
        let mut objects = Vec::new();
        for succession in successions {
            let in_a_row = |(at, stage): (usize, &ludex::analysis::latches::Stage)| {
                stage.next.iter().all(|&next| next == at + 1)
            };
            let stages = &succession.stages;
            lines.push(if stages.iter().enumerate().all(in_a_row) {
                let names: Vec<String> = stages.iter().map(|stage| unbroken(&name(&stage.members))).collect();
                names.join(" > ")
            } else {
                let then = |stage: &ludex::analysis::latches::Stage| {
                    let next: Vec<String> = stage.next.iter().map(|&at| name(&stages[at].members)).collect();
                    unbroken(&format!("{} > {}", name(&stage.members), next.join(" or ")))
                };
                let open = stages.iter().filter(|stage| !stage.next.is_empty());
                open.map(then).collect::<Vec<_>>().join("; ")
            });
            let stages = stages
                .iter()
                .map(|stage| json!({ "members": self.game.texts(&stage.members), "next": stage.next }));
            objects.push(json!({ "stages": stages.collect::<Vec<_>>() }));
        }
        self.lines("One after another, never back:", lines);
        self.report.field("successions", objects);
    }

    fn inhibitors(&mut self, inhibitors: &[Inhibitor]) {
        let mut lines = Vec::new();
        for found in inhibitors.iter().filter(|found| found.latched) {
            let texts = |terms: &[_]| {
                let texts: Vec<String> = self.game.texts(terms).iter().map(|text| unbroken(text)).collect();
                texts.join(", ")
            };
            let by = unbroken(&self.setting(found.by));
            if !found.excludes.is_empty() {
                lines.push(format!("{by} excludes {}", texts(&found.excludes)));
            }
            if !found.blocks.is_empty() {
                lines.push(format!("{by} blocks {}", texts(&found.blocks)));
            }
        }
        self.lines("What latches keep false (excludes), or from becoming true (blocks):", lines);
        let objects: Vec<Value> = inhibitors
            .iter()
            .map(|found| {
                json!({
                    "by": self.setting_json(found.by),
                    "latched": found.latched,
                    "excludes": self.game.texts(&found.excludes),
                    "blocks": self.game.texts(&found.blocks),
                })
            })
            .collect();
        self.report.field("inhibitors", objects);
    }

    fn goals(&mut self, inhibitors: &[GoalInhibitor]) {
        let mut lines: Vec<(String, Vec<String>)> = Vec::new();
        for found in inhibitors.iter().filter(|found| found.latched) {
            let by = self.setting(found.by);
            let unless = match found.hold {
                Hold::Bars => "",
                Hold::Blocks => " unless it holds already",
            };
            let goal = format!("{} for {}{unless}", found.value, self.game.role_name(found.role));
            match lines.last_mut().filter(|(last, _)| *last == by) {
                Some((_, goals)) => goals.push(goal),
                None => lines.push((by, vec![goal])),
            }
        }
        let lines = lines.into_iter().map(|(by, goals)| {
            let goals: Vec<String> = goals.iter().map(|goal| unbroken(goal)).collect();
            format!("{}: no {}", unbroken(&by), goals.join(", no "))
        });
        self.lines("Goal values that a latch rules out:", lines.collect());
        let objects: Vec<Value> = inhibitors
            .iter()
            .map(|found| {
                json!({
                    "by": self.setting_json(found.by),
                    "latched": found.latched,
                    "role": self.game.role_name(found.role),
                    "value": found.value,
                    "hold": match found.hold { Hold::Bars => "bars", Hold::Blocks => "blocks" },
                })
            })
            .collect();
        self.report.field("goal_inhibitors", objects);
    }

    fn lines(&mut self, head: &str, mut lines: Vec<String>) {
        if lines.is_empty() {
            return;
        }
        self.report.text(head);
        let hidden = lines.len().saturating_sub(MOST_LINES);
        lines.truncate(MOST_LINES);
        for line in lines {
            let line = wrapped(&line, self.width.saturating_sub(2), 4);
            let mut indented = line.lines().map(str::to_owned);
            if let Some(first) = indented.next() {
                self.report.text(format!("  {first}"));
            }
            for line in indented {
                self.report.text(line);
            }
        }
        if hidden > 0 {
            self.report.text(format!("  and {hidden} more (--json lists all)"));
        }
    }

    /// Counts the dead states of a small game, and leaves out of the latches what says nothing of its states.
    fn count(&mut self, latches: &mut Latches, request: &Request<'_>) -> Result<Vec<Dead>, Reason> {
        let goals = &latches.faithful().circuit.goals;
        let asked: Vec<(RoleId, Goal)> =
            (0u32..).zip(goals).filter_map(|(role, list)| Some((RoleId(role), list.last()?.0))).collect();
        let all = latches.all_states(MOST_STATES, &request.budget)?;
        let counted = latches.removals(&all, &asked, &request.budget)?;
        latches.leave_out_vacuous(&all, &request.budget)?;
        let dead = |((role, value), found)| Dead { role: self.game.role_name(role), value, found };
        Ok(asked.into_iter().zip(counted).map(dead).collect())
    }

    /// How many states are dead, where the game is small, and how many of them latches show.
    fn dead(&mut self, counted: Result<Vec<Dead>, Reason>) {
        let mut objects = Vec::new();
        match counted {
            Ok(counted) => {
                for Dead { role, value, found } in &counted {
                    self.removal(role, *value, found);
                    objects.push(json!({
                        "role": role,
                        "value": value,
                        "states": found.states,
                        "live": found.live,
                        "left_by_latches": found.left,
                    }));
                }
            }
            Err(Reason::States { states }) => {
                let states = grouped(states.into());
                self.report
                    .text(format!("Dead states are not counted: there are more than {states} states."));
            }
            Err(reason) => {
                self.report.undecided = true;
                self.report.text(format!("Dead states are not counted: {reason}."));
                self.report.field("reason", reason.to_string());
            }
        }
        self.report.field("dead_states", objects);
    }

    /// What the state still allows, as far as active latches tell.
    fn here(&mut self, latches: &Latches, request: &Request<'_>) {
        let bits = latches.bits(&self.game.facts(request.state));
        let forecast = match latches.forecast(&bits, &mut request.budget.meter()) {
            Ok(forecast) => forecast,
            Err(limit) => return self.report.undecided(&limit),
        };
        let mut objects = Vec::new();
        for role in self.game.seats() {
            let name = self.game.role_name(role);
            let possible: Vec<String> = forecast.possible(role).iter().map(ToString::to_string).collect();
            let list = if possible.is_empty() { "no goal".to_owned() } else { possible.join(", ") };
            self.report.text(wrapped(&format!("From here latches leave {name}: {list}."), self.width, 4));
            objects.push(json!({ "role": name, "values": forecast.possible(role) }));
        }
        let settled = latches.settled(&forecast);
        let settled: Vec<Value> = settled.iter().map(|&setting| self.setting_json(setting)).collect();
        self.report.field("possible", objects);
        self.report.field("settled", settled);
    }

    fn removal(&mut self, role: &str, value: Goal, found: &Removal) {
        let number = |count: u64| unbroken(&grouped(count.into()));
        let (states, live) = (number(found.states), number(found.live));
        if found.dead() == 0 {
            return;
        }
        let dead = number(found.dead());
        let shown = match found.removed() {
            0 => format!("latches show none of the {dead} others to be dead"),
            all if all == found.dead() => format!("latches show the {dead} others to be dead"),
            some => format!("latches show {} of the {dead} others to be dead", number(some)),
        };
        let text = format!("{role} can reach {value} from {live} of {states} states; {shown}.");
        self.report.text(wrapped(&text, self.width, 4));
    }
}
