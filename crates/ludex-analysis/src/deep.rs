//! Warnings for authors that need more than a look at the rules: what `ludex check --deep` adds.
//!
//! Each warning is proved, or comes with moves that replay. What could not be found out within the
//! budget is said in one note, so that silence means that there is nothing to warn of.

mod hidden;

use ludex_game::{Goal, RoleId, Rules};
use ludex_gdl::{Check, Diagnostic, GameProgram, Span};
use ludex_logic::{Budget, ClauseId, GroundAtom, Pattern, RelationId, TermId};
use rustc_hash::FxHashMap;

use crate::finding::{Finding, Reason, Witness};
use crate::sat::{Literal, Origin, Unrolling, Verdict};
use crate::subject::{Faithful, Subject};
use crate::well_formed::{Possibility, WellFormed, WellFormedOptions, goal_values, loop_begin};

/// The part of the time for what is well formed; the rest is for roles, goals, moves and propositions.
const FOR_FORM: f64 = 0.6;
/// The part of the time left then for what roles cannot know in GDL-II.
const FOR_ROLES: f64 = 0.6;
/// Conflicts that one question may cost.
const CONFLICTS: u64 = 20_000;
/// So many moves or propositions are named in one message.
const NAMED: usize = 5;
/// So many steps are written out in one message.
const STEPS: usize = 10;

/// Looks for goals that are out of reach, moves that are never legal, roles that cannot win or get
/// stuck, courses that never end or end without a goal, and propositions that never change. In GDL-II also for roles
/// that cannot know their moves, the end or their result.
///
/// The options and the budget are those of [`WellFormed::find`]; the diagnostics are in the order of
/// their places.
pub fn check_deeply(subject: &Subject, options: &WellFormedOptions, budget: &Budget) -> Vec<Diagnostic> {
    let form = WellFormed::find(subject, options, &budget.clone().with_share_of_time(FOR_FORM));
    let mut deep = Deep { rules: subject.rules(), out: Vec::new(), undecided: Vec::new() };
    deep.courses(&form);
    deep.players(&form);
    deep.roles_knowledge(subject, options, &budget.clone().with_share_of_time(FOR_ROLES));
    match subject.faithful(budget) {
        Ok(faithful) => deep.parts(&faithful, &form, budget),
        Err(error) => {
            let reason = Reason::from(error);
            deep.open("which goals, moves and propositions are of no use", &reason);
        }
    }
    deep.say_undecided();
    deep.out.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
    deep.out
}

/// The note that says what was not found out; none for rules without roles.
pub fn deep_undecided(program: &GameProgram, what: &str) -> Option<Diagnostic> {
    let check = Check::find("deep-undecided")?;
    let mut clauses = program.program.clauses.entries();
    let (id, _) = clauses.find(|(_, clause)| clause.head.relation == program.vocabulary.role)?;
    let message = format!("not found out within the limits: {what}");
    let note = Diagnostic::new(check.code, check.severity, program.spans[id], message);
    Some(note.hint("more time or memory may decide it, such as `--max-time 10m` or `--max-memory 8G`"))
}

struct Deep<'a> {
    rules: &'a Rules,
    out: Vec<Diagnostic>,
    /// What was not found out, and why.
    undecided: Vec<String>,
}

impl Deep<'_> {
    fn diagnose(
        &mut self,
        check: &str,
        spans: &[Span],
        message: String,
        finish: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        // The registry has all checks of this file, which a test holds.
        let (Some(check), Some(&first)) = (Check::find(check), spans.first()) else { return };
        self.out.push(finish(Diagnostic::new(check.code, check.severity, first, message)));
    }

    fn open(&mut self, what: &str, reason: &Reason) {
        self.undecided.push(format!("{what} ({reason})"));
    }

    /// The clauses of a relation.
    fn clauses(&self, relation: RelationId) -> Vec<Span> {
        let program = self.rules.program();
        let clauses = program.program.clauses.entries();
        clauses
            .filter(|(_, clause)| clause.head.relation == relation)
            .map(|(id, _)| program.spans[id])
            .collect()
    }

    /// The clauses of a relation whose first argument may be this role; all where there is none.
    fn clauses_about(&self, relation: RelationId, role: RoleId) -> Vec<Span> {
        let program = self.rules.program();
        let term = self.rules.signature().roles()[role.index()];
        let about = |first: Option<&Pattern>| match first {
            Some(Pattern::Ground(other)) => *other == term,
            _ => true,
        };
        let clauses = program.program.clauses.entries();
        let found: Vec<Span> = clauses
            .filter(|(_, clause)| clause.head.relation == relation && about(clause.head.args.first()))
            .map(|(id, _)| program.spans[id])
            .collect();
        if found.is_empty() { self.clauses(relation) } else { found }
    }

    /// The values of `goal` for a role at the end of a course, each with the clause that gives it; `None`
    /// where that cannot be told within the limits on questions.
    fn goals_after(&self, witness: &Witness, role: RoleId) -> Option<Vec<(String, Span)>> {
        let position = witness.replay(self.rules).ok()?;
        let values = goal_values(self.rules, position.state(), role)?;
        Some(values.into_iter().map(|(value, span)| (self.rules.text(value), span)).collect())
    }

    /// The fact that makes this term a role; the first clause where it comes about otherwise.
    fn role_clause(&self, role: RoleId) -> Vec<Span> {
        let spans = self.clauses(self.rules.program().vocabulary.role);
        spans.get(role.index()).or(spans.first()).copied().into_iter().collect()
    }

    /// Courses that never end, and roles that get stuck.
    fn courses(&mut self, form: &WellFormed) {
        let vocabulary = &self.rules.program().vocabulary;
        let (terminal, legal) = (vocabulary.terminal, vocabulary.legal);
        match &form.termination.finding {
            Finding::Refuted(witness) => {
                let begin = loop_begin(witness, self.rules).unwrap_or(0);
                let (before, round) = witness.steps.split_at(begin.min(witness.steps.len()));
                let (before, round) = (self.course(before), self.moves(round));
                let spans = self.clauses(terminal);
                self.diagnose(
                    "need-not-end",
                    &spans,
                    "the game need not end: moves lead back to a state that was there before".to_owned(),
                    |found| found.hint(format!("{before}, these moves lead back to the same state: {round}")),
                );
            }
            Finding::Undecided(reason) => self.open("whether the game always ends", reason),
            Finding::Proved(_) => {}
        }
        for (role, judged) in &form.playable {
            let name = self.rules.role_name(*role);
            match &judged.finding {
                Finding::Refuted(witness) => {
                    let course = self.course(&witness.steps);
                    let spans = self.clauses_about(legal, *role);
                    let message = format!("`{name}` may have no legal move before the game is over");
                    self.diagnose("role-gets-stuck", &spans, message, |found| {
                        found.hint(format!("that is so {course}"))
                    });
                }
                Finding::Undecided(reason) => self.open(&format!("whether `{name}` can always move"), reason),
                Finding::Proved(()) => {}
            }
        }
    }

    /// Roles that cannot win, and endings without a goal.
    fn players(&mut self, form: &WellFormed) {
        for player in &form.players {
            let name = self.rules.role_name(player.role);
            match &player.weak.finding {
                Possibility::Impossible => {
                    let spans = self.role_clause(player.role);
                    let best = player.best.map(|best| format!("the best that was found is {best}"));
                    // A course may bring it beside other values.
                    let alone = if player.not_several.finding.is_proved() { "" } else { " alone" };
                    let message =
                        format!("`{name}` cannot win: no course of the game brings goal 100{alone}");
                    self.diagnose("role-cannot-win", &spans, message, |found| match best {
                        Some(best) => found.hint(best),
                        None => found,
                    });
                }
                Possibility::Undecided(reason) => self.open(&format!("whether `{name}` can win"), reason),
                Possibility::Possible(_) => {}
            }
            let faults = [(&player.some_goal, "no goal value"), (&player.not_several, "several goal values")];
            for (judged, _) in faults {
                if let Finding::Refuted(witness) = &judged.finding {
                    self.no_single_goal(witness, player.role, &name);
                }
            }
            if let Finding::Undecided(reason) = &player.one_goal().finding {
                self.open(&format!("whether `{name}` always has one goal value at the end"), reason);
                continue;
            }
            for (judged, what) in faults {
                if let Finding::Undecided(reason) = &judged.finding {
                    self.open(&format!("whether `{name}` may have {what} at the end, too"), reason);
                }
            }
        }
    }

    /// A role has no goal value at the end of a course, or several.
    fn no_single_goal(&mut self, witness: &Witness, role: RoleId, name: &str) {
        let course = self.course(&witness.steps);
        let goals = self.goals_after(witness, role);
        let (message, spans) = match goals.as_deref() {
            Some([_, _, ..]) => {
                let goals = goals.as_deref().unwrap_or_default();
                let values: Vec<&str> = goals.iter().map(|(value, _)| value.as_str()).collect();
                let message = format!(
                    "`{name}` may have several goal values at the end of the game: {}",
                    values.join(", ")
                );
                (message, vec![goals[0].1])
            }
            Some([(value, span)]) => {
                let message = format!(
                    "`{name}` may have no goal value at the end of the game: `{value}` is no number from 0 to 100"
                );
                (message, vec![*span])
            }
            Some([]) => {
                let message = format!("`{name}` may have no goal value at the end of the game");
                (message, self.clauses_about(self.rules.program().vocabulary.goal, role))
            }
            None => {
                let message = format!("`{name}` may have no goal value, or several, at the end of the game");
                (message, self.clauses_about(self.rules.program().vocabulary.goal, role))
            }
        };
        let labels: Vec<(String, Span)> = goals.filter(|goals| goals.len() > 1).unwrap_or_default();
        self.diagnose("no-single-goal", &spans, message, |found| {
            let found = found.hint(format!("that is so {course}"));
            labels
                .into_iter()
                .fold(found, |found, (value, span)| found.label(span, format!("this gives {value}")))
        });
    }

    /// Goals, moves and propositions of no use.
    fn parts(&mut self, faithful: &Faithful, form: &WellFormed, budget: &Budget) {
        if let Err(reason) = self.try_parts(faithful, form, budget) {
            self.open("which goals, moves and propositions are of no use", &reason);
        }
    }

    fn try_parts(&mut self, faithful: &Faithful, form: &WellFormed, budget: &Budget) -> Result<(), Reason> {
        let all_states = form.states.is_some_and(|(_, all)| all);
        let mut prover = Prover::new(faithful, budget)?;
        for role in self.rules.seats() {
            let seen = form.seen.goals.get(role.index()).map_or(&[][..], Vec::as_slice);
            for &(goal, edge) in &faithful.circuit.goals[role.index()] {
                budget.report("checking goals", u64::from(goal), None);
                if seen.binary_search(&goal).is_ok() {
                    continue;
                }
                let literal = prover.unrolling.literal(0, edge)?;
                // A goal beside others was not seen as the only one.
                if prover.never(&[literal])? {
                    self.goal_out_of_reach(faithful, role, goal);
                }
            }
        }
        for role in self.rules.roles() {
            let seen = form.seen.legal.get(role.index()).map_or(&[][..], Vec::as_slice);
            let mut never = Vec::new();
            for (&action, &edge) in
                faithful.circuit.moves[role.index()].iter().zip(&faithful.circuit.legal[role.index()])
            {
                if seen.contains(&action) {
                    continue;
                }
                let is_never = all_states || {
                    let literal = prover.unrolling.literal(0, edge)?;
                    let terminal = prover.unrolling.literal(0, faithful.circuit.terminal)?;
                    prover.never(&[literal, !terminal])?
                };
                if is_never {
                    never.push(action);
                }
            }
            self.never_legal(faithful, role, &never);
        }
        self.never_changes(faithful, budget)
    }

    fn goal_out_of_reach(&mut self, faithful: &Faithful, role: RoleId, goal: Goal) {
        let vocabulary = &self.rules.program().vocabulary;
        let terms = self.rules.signature().terms();
        let atom = GroundAtom {
            relation: vocabulary.goal,
            args: [self.rules.signature().roles()[role.index()], terms.constant(&goal.to_string())].into(),
        };
        let spans = self.origins(faithful, std::slice::from_ref(&atom));
        let name = self.rules.role_name(role);
        let message = format!("`{name}` never gets goal {goal}: no state that can be reached gives it");
        self.diagnose("goal-out-of-reach", &spans, message, |found| found);
    }

    fn never_legal(&mut self, faithful: &Faithful, role: RoleId, moves: &[TermId]) {
        let legal = self.rules.program().vocabulary.legal;
        let term = self.rules.signature().roles()[role.index()];
        let atom = |action| GroundAtom { relation: legal, args: [term, action].into() };
        let name = self.rules.role_name(role);
        for (span, moves) in self.by_clause(faithful, moves, atom) {
            let message = format!("`{name}` can never make {}", self.some(&moves));
            self.diagnose("never-legal", &[span], message, |found| found);
        }
    }

    fn never_changes(&mut self, faithful: &Faithful, budget: &Budget) -> Result<(), Reason> {
        let vocabulary = &self.rules.program().vocabulary;
        let (init, next) = (vocabulary.init, vocabulary.next);
        let constants = &faithful.invariants(budget)?.constants;
        for (value, relation, what) in [(true, init, "always hold"), (false, next, "never hold")] {
            let terms: Vec<TermId> = constants
                .iter()
                .filter(|(_, constant)| *constant == value)
                .map(|&(base, _)| faithful.base_term(base))
                .collect();
            let atom = |term| GroundAtom { relation, args: [term].into() };
            for (span, terms) in self.by_clause(faithful, &terms, atom) {
                let message = format!("these never change and {what}: {}", self.some(&terms));
                self.diagnose("never-changes", &[span], message, |found| found);
            }
        }
        Ok(())
    }

    /// Terms by the clause that their atoms come from, the first one where there are several.
    fn by_clause(
        &self,
        faithful: &Faithful,
        terms: &[TermId],
        atom: impl Fn(TermId) -> GroundAtom,
    ) -> Vec<(Span, Vec<TermId>)> {
        let mut by_span: FxHashMap<Span, Vec<TermId>> = FxHashMap::default();
        for &term in terms {
            if let Some(&span) = self.origins(faithful, &[atom(term)]).first() {
                by_span.entry(span).or_default().push(term);
            }
        }
        let mut all: Vec<(Span, Vec<TermId>)> = by_span.into_iter().collect();
        all.sort_by_key(|(span, _)| *span);
        all
    }

    /// The clauses that could make these atoms hold; all of the relation where none is known.
    fn origins(&self, faithful: &Faithful, atoms: &[GroundAtom]) -> Vec<Span> {
        let program = self.rules.program();
        let mut clauses: Vec<ClauseId> = Vec::new();
        for atom in atoms {
            if let Some(id) = faithful.grounding.find(atom) {
                clauses.extend(faithful.grounding.rules_of(id).filter_map(|rule| rule.origin));
            }
        }
        let origin = |clause: ClauseId| program.program.clauses[clause].origin;
        let mut spans: Vec<Span> = clauses.into_iter().map(|clause| program.spans[origin(clause)]).collect();
        spans.sort_unstable();
        spans.dedup();
        if spans.is_empty() {
            spans = atoms.first().map_or_else(Vec::new, |atom| self.clauses(atom.relation));
        }
        spans
    }

    /// Some terms, or the first few of many.
    fn some(&self, terms: &[TermId]) -> String {
        let named: Vec<String> =
            terms.iter().take(NAMED).map(|&term| format!("`{}`", self.rules.text(term))).collect();
        match terms.len().saturating_sub(NAMED) {
            0 => named.join(", "),
            more => format!("{} and {more} more", named.join(", ")),
        }
    }

    /// When steps were made.
    fn course(&self, steps: &[Vec<TermId>]) -> String {
        if steps.is_empty() {
            return "at the very beginning".to_owned();
        }
        format!("after {}", self.moves(steps))
    }

    /// Steps in words, the first few of many.
    fn moves(&self, steps: &[Vec<TermId>]) -> String {
        let text = |joint: &Vec<TermId>| self.rules.texts(joint).join(" ");
        let written: Vec<String> = steps.iter().take(STEPS).map(text).collect();
        let more = match steps.len().saturating_sub(STEPS) {
            0 => String::new(),
            more => format!("; and {more} more steps"),
        };
        format!("{}{more}", written.join("; "))
    }

    /// One note of all that was not found out.
    fn say_undecided(&mut self) {
        if self.undecided.is_empty() {
            return;
        }
        self.out.extend(deep_undecided(self.rules.program(), &self.undecided.join("; ")));
    }
}

/// Asks whether something is so in any state with the known invariants.
struct Prover<'f> {
    unrolling: Unrolling<'f>,
}

impl<'f> Prover<'f> {
    fn new(faithful: &'f Faithful, budget: &Budget) -> Result<Self, Reason> {
        let mut unrolling = Unrolling::new(&faithful.circuit, Origin::Any, budget.meter());
        unrolling.demand_invariants(0, faithful.invariants(budget)?)?;
        Ok(Self { unrolling })
    }

    /// Whether these are never true together.
    fn never(&mut self, literals: &[Literal]) -> Result<bool, Reason> {
        Ok(self.unrolling.solve(literals, CONFLICTS)? == Verdict::Unsatisfiable)
    }
}

#[cfg(test)]
mod tests;
