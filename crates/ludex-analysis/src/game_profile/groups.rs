//! Groups of propositions that exclude each other, as families of one form.

use ludex_logic::{TermId, TermView, Terms};
use ludex_propnet::Invariants;

use crate::subject::{Faithful, Subject};

/// Groups of one form: `(cell 1 1 ?)` and others like it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupFamily {
    /// The members of the first group.
    pub first: Vec<TermId>,
    /// The first group as people write it, with `*` where the members differ; none where they have no
    /// form in common.
    pub form: Option<String>,
    /// How many groups there are.
    pub groups: usize,
    /// The sizes of the smallest and the largest group.
    pub sizes: (usize, usize),
    /// Whether exactly one member of each is true in every reachable state; else one at most.
    pub exactly_one: bool,
}

/// What groups of one family have in common: the functor, the number of arguments, and which vary.
type Form = (ludex_logic::SymbolId, usize, Vec<bool>);

/// The groups of the invariants, family by family, in the order of their first propositions.
pub(super) fn families(subject: &Subject, faithful: &Faithful, known: &Invariants) -> Vec<GroupFamily> {
    let terms = subject.signature().terms();
    let mut families: Vec<(Option<Form>, GroupFamily)> = Vec::new();
    let groups = known.exactly_one.iter().map(|group| (group, true));
    for (group, exactly_one) in groups.chain(known.exclusive.iter().map(|group| (group, false))) {
        let members: Vec<TermId> = group.iter().map(|&base| faithful.base_term(base)).collect();
        let form = form(terms, &members);
        let size = members.len();
        let same = |(other, family): &&mut (Option<Form>, GroupFamily)| {
            form.is_some() && *other == form && family.exactly_one == exactly_one
        };
        if let Some((_, family)) = families.iter_mut().find(same) {
            family.groups += 1;
            family.sizes = (family.sizes.0.min(size), family.sizes.1.max(size));
            continue;
        }
        let text = form.as_ref().map(|(_, _, varied)| text(subject, &members, varied));
        let family = GroupFamily { first: members, form: text, groups: 1, sizes: (size, size), exactly_one };
        families.push((form, family));
    }
    families.into_iter().map(|(_, family)| family).collect()
}

fn form(terms: &Terms, members: &[TermId]) -> Option<Form> {
    let TermView::Compound(functor, first) = terms.view(members[0]) else { return None };
    let mut varied = vec![false; first.len()];
    for &member in members {
        let TermView::Compound(other, arguments) = terms.view(member) else { return None };
        if other != functor || arguments.len() != first.len() {
            return None;
        }
        for (varied, (a, b)) in varied.iter_mut().zip(arguments.iter().zip(first)) {
            *varied |= a != b;
        }
    }
    Some((functor, first.len(), varied))
}

fn text(subject: &Subject, members: &[TermId], varied: &[bool]) -> String {
    let terms = subject.signature().terms();
    let TermView::Compound(functor, arguments) = terms.view(members[0]) else { return String::new() };
    let star = terms.constant("*");
    let shown: Vec<TermId> = arguments
        .iter()
        .zip(varied)
        .map(|(&argument, &varied)| if varied { star } else { argument })
        .collect();
    subject.rules().text(terms.compound(functor, &shown))
}
