//! Who moves when, and what says so.

use ludex_game::RoleId;
use ludex_logic::{Budget, TermId};

use super::sample::Samples;
use super::{Certainty, ProfileOptions, Proofs, kept};
use crate::finding::{Finding, Reason};
use crate::sat::Literal;
use crate::subject::Subject;
use crate::well_formed::{Claim, Explored, Induction, Proof};

/// Propositions that are tried for one role.
const MOST_TRIED: usize = 32;

/// A proposition that says who has a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// The role.
    pub role: RoleId,
    /// It holds wherever the role has a choice, and nowhere where another role has one.
    pub proposition: TermId,
    /// Whether that is proved.
    pub certainty: Certainty,
}

/// Who moves when.
#[derive(Clone, Debug)]
pub struct MoveOrder {
    /// The players that had a choice in random games.
    pub choosers: Vec<RoleId>,
    /// In no state do two players have a choice: they take turns. Refuted by a course to a state in which
    /// several have one.
    pub one_at_a_time: Finding,
    /// In all states of random games that were not the last, all of `choosers` had a choice.
    pub always_together: bool,
    /// Per role what says that it has the choice, where players take turns.
    pub control: Vec<Control>,
}

pub(super) fn find(
    subject: &Subject,
    samples: &Samples,
    explored: Option<&Explored>,
    proofs: Option<&mut Proofs<'_>>,
    options: &ProfileOptions,
    budget: &Budget,
    reasons: &mut Vec<Reason>,
) -> MoveOrder {
    let mut choosers: Vec<RoleId> =
        samples.moments.iter().flat_map(|moment| moment.choosers.iter().copied()).collect();
    choosers.sort_unstable();
    choosers.dedup();
    let one_at_a_time =
        one_at_a_time(subject, samples, explored, proofs.as_deref(), options, budget, reasons);
    let running = || samples.steps().map(|(moment, _)| moment);
    let always_together =
        choosers.len() > 1 && running().all(|moment| moment.choosers.len() == choosers.len());
    let control = match &one_at_a_time {
        Finding::Refuted(_) => Vec::new(),
        _ if choosers.len() < 2 => Vec::new(),
        _ => control(samples, &choosers, subject, proofs, reasons),
    };
    MoveOrder { choosers, one_at_a_time, always_together, control }
}

fn one_at_a_time(
    subject: &Subject,
    samples: &Samples,
    explored: Option<&Explored>,
    proofs: Option<&Proofs<'_>>,
    options: &ProfileOptions,
    budget: &Budget,
    reasons: &mut Vec<Reason>,
) -> Finding {
    let rules = subject.rules();
    if let Some(moment) = samples.moments.iter().find(|moment| moment.choosers.len() > 1) {
        return Finding::Refuted(samples.witness(rules, moment));
    }
    if let Some(explored) = explored {
        return match &explored.together {
            Some(witness) => Finding::Refuted(witness.clone()),
            None => Finding::Proved(()),
        };
    }
    if rules.seats().len() < 2 {
        return Finding::Proved(());
    }
    let seen = || {
        let states = samples.moments.len();
        Finding::Undecided(Reason::Method(format!(
            "in none of {states} states of random games did two have a choice"
        )))
    };
    let Some(proofs) = proofs else { return seen() };
    let decided = || -> Result<Option<Finding>, Reason> {
        let mut induction = Induction::new(proofs.faithful, &rules.seats(), [Claim::Together], budget)?;
        for _ in 0..=options.depth {
            let goes_on = induction.deepen()?;
            match induction.proofs().next() {
                Some((_, Proof::Never(_))) => return Ok(Some(Finding::Proved(()))),
                Some((claim, Proof::Shown(witness)))
                    if claim.is_shown_by(witness, rules).unwrap_or(false) =>
                {
                    return Ok(Some(Finding::Refuted(witness.clone())));
                }
                _ if !goes_on => return Ok(None),
                _ => {}
            }
        }
        Ok(None)
    };
    kept(decided(), reasons).flatten().unwrap_or_else(seen)
}

/// Per role a proposition that holds where it has a choice and not where another has one.
fn control(
    samples: &Samples,
    choosers: &[RoleId],
    subject: &Subject,
    mut proofs: Option<&mut Proofs<'_>>,
    reasons: &mut Vec<Reason>,
) -> Vec<Control> {
    let mut found = Vec::new();
    for &role in choosers {
        let name = subject.signature().roles()[role.index()];
        let mut candidates = candidates(samples, role);
        // Of several, first one that names the role; the order of terms decides further.
        candidates.sort_by_key(|&fact| !mentions(subject, fact, name));
        candidates.truncate(MOST_TRIED);
        let Some(&first) = candidates.first() else { continue };
        let mut best = Control { role, proposition: first, certainty: Certainty::Seen };
        if let Some(proofs) = proofs.as_deref_mut() {
            let asked = proved(proofs, role, choosers, &candidates);
            if let Some(proposition) = kept(asked, reasons).flatten() {
                best = Control { role, proposition, certainty: Certainty::Proved };
            }
        }
        found.push(best);
    }
    if found.len() < choosers.len() { Vec::new() } else { found }
}

/// What held wherever the role had a choice, and nowhere where another one had.
fn candidates(samples: &Samples, role: RoleId) -> Vec<TermId> {
    let mut left: Option<Vec<TermId>> = None;
    for moment in samples.moments.iter().filter(|moment| moment.choosers.contains(&role)) {
        match &mut left {
            None => left = Some(moment.facts.clone()),
            Some(left) => left.retain(|fact| moment.facts.contains(fact)),
        }
    }
    let mut left = left.unwrap_or_default();
    let others = samples
        .moments
        .iter()
        .filter(|moment| !moment.choosers.is_empty() && !moment.choosers.contains(&role));
    for moment in others {
        left.retain(|fact| !moment.facts.contains(fact));
    }
    left
}

fn mentions(subject: &Subject, fact: TermId, name: TermId) -> bool {
    match subject.signature().terms().view(fact) {
        ludex_logic::TermView::Constant(_) => false,
        ludex_logic::TermView::Compound(_, arguments) => arguments.contains(&name),
    }
}

/// The first candidate that must hold where the role has a choice, and cannot where another has one.
fn proved(
    proofs: &mut Proofs<'_>,
    role: RoleId,
    choosers: &[RoleId],
    candidates: &[TermId],
) -> Result<Option<TermId>, Reason> {
    let choice = |proofs: &mut Proofs<'_>, role: RoleId| -> Result<Literal, Reason> {
        Ok(proofs.generator.unrolling().has_choice(0, role.index())?)
    };
    let own = choice(proofs, role)?;
    let others: Vec<Literal> = choosers
        .iter()
        .filter(|&&other| other != role)
        .map(|&other| choice(proofs, other))
        .collect::<Result<_, _>>()?;
    for &fact in candidates {
        let Some(&base) = proofs.numbers.get(&fact) else { continue };
        let (holds, fails) = (proofs.generator.base(0, base, true)?, proofs.generator.base(0, base, false)?);
        let must = proofs.generator.impossible(&[fails], vec![((), own)])?.proved.len() == 1;
        let against = others.iter().map(|&other| ((), other)).collect();
        if must && proofs.generator.impossible(&[holds], against)?.proved.len() == others.len() {
            return Ok(Some(fact));
        }
    }
    Ok(None)
}
