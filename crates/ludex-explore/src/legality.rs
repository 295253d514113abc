//! Which actions are accepted where: what was true whenever one was, and what was missing when it was refused.
//!
//! An action is seen through its arguments: `(mark 2 3)` was accepted where `(cell 2 3 b)` held, so that `(mark ?1 ?2)`
//! may need `(cell ?1 ?2 b)`. What all accepted actions of a name had in common is what they may need (the most
//! specific conjunction of a version space: Mitchell, Generalization as Search, 1982).

use rustc_hash::FxHashMap;

use crate::experience::{ActionNumber, Experience, FactNumber, NameNumber, StateNumber};

/// So many refused attempts of a name are looked at.
const MOST_REFUSED: usize = 200;
/// A fact is written with an action's arguments in so many ways at most.
const MOST_FORMS: usize = 8;

/// A fact with the arguments of an action in place of words: even pieces are text, between them are the numbers of
/// arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Form {
    pieces: Vec<String>,
    arguments: Vec<usize>,
}

impl Form {
    fn fill(&self, arguments: &[&str]) -> String {
        let mut text = self.pieces[0].clone();
        for (&argument, piece) in self.arguments.iter().zip(&self.pieces[1..]) {
            text.push_str(arguments.get(argument).copied().unwrap_or_default());
            text.push_str(piece);
        }
        text
    }
}

/// The words of a term, with the brackets and spaces between.
fn words(term: &str) -> impl Iterator<Item = &str> {
    term.split_inclusive([' ', '(', ')']).flat_map(|piece| {
        let word = piece.trim_end_matches([' ', '(', ')']);
        [word, &piece[word.len()..]].into_iter().filter(|part| !part.is_empty())
    })
}

/// The name and the arguments of an action, nested ones, too.
fn parts(action: &str) -> (&str, Vec<&str>) {
    let mut all = words(action).filter(|word| !word.starts_with([' ', '(', ')']));
    (all.next().unwrap_or_default(), all.collect())
}

/// All ways to write a fact with these arguments.
fn forms(fact: &str, arguments: &[&str]) -> Vec<Form> {
    let mut forms = vec![Form { pieces: vec![String::new()], arguments: Vec::new() }];
    for word in words(fact) {
        let places: Vec<usize> = (0..arguments.len()).filter(|&it| arguments[it] == word).collect();
        if places.is_empty() || forms.len() * places.len() > MOST_FORMS {
            forms.iter_mut().filter_map(|form| form.pieces.last_mut()).for_each(|last| last.push_str(word));
            continue;
        }
        forms = forms
            .iter()
            .flat_map(|form| {
                places.iter().map(move |&place| {
                    let mut form = form.clone();
                    form.arguments.push(place);
                    form.pieces.push(String::new());
                    form
                })
            })
            .collect();
    }
    forms
}

/// What all accepted actions of a name had in common, and how many that were refused lacked it.
#[derive(Debug)]
struct Common {
    form: Form,
    lacking: u32,
}

/// What is known of the actions of one name.
#[derive(Debug, Default)]
struct Needs {
    accepted: u32,
    /// What held whenever one was accepted; `None` before the first.
    held: Option<Vec<Common>>,
    /// The arguments and states of attempts that were refused.
    refused: Vec<(Vec<String>, StateNumber)>,
    /// How many of them lacked nothing.
    complete: u32,
}

impl Needs {
    /// Counts again which refused attempts lacked what.
    fn recount(&mut self, experience: &Experience) {
        let Some(held) = &mut self.held else { return };
        held.iter_mut().for_each(|common| common.lacking = 0);
        self.complete = 0;
        for (arguments, state) in &self.refused {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let mut is_complete = true;
            for common in held.iter_mut() {
                let lacks = !experience.holds(*state, &common.form.fill(&arguments));
                common.lacking += u32::from(lacks);
                is_complete &= !lacks;
            }
            self.complete += u32::from(is_complete);
        }
    }
}

/// What the actions of one role need.
#[derive(Debug, Default)]
pub(crate) struct Legality {
    by_name: FxHashMap<String, Needs>,
    /// How often each action was accepted, and refused, where a fact held.
    pairs: FxHashMap<(FactNumber, ActionNumber), [u32; 2]>,
    /// For each action and name of facts, how well such facts tell whether it is accepted.
    names: FxHashMap<(NameNumber, ActionNumber), Telling>,
}

/// How well facts of one name tell whether an action is accepted.
#[derive(Clone, Copy, Debug, Default)]
struct Telling {
    /// Facts with which the action was always accepted, or always refused, more than once.
    always: u32,
    /// Facts with which it was sometimes accepted and sometimes refused.
    sometimes: u32,
}

impl Legality {
    fn count(&mut self, experience: &Experience, state: StateNumber, action: ActionNumber, refused: usize) {
        let kind = |[accepted, refused]: [u32; 2]| match (accepted, refused) {
            (0 | 1, 0) | (0, 1) => (0, 0),
            (0, _) | (_, 0) => (1, 0),
            _ => (0, 1),
        };
        for &fact in &experience.known(state).facts {
            let counts = self.pairs.entry((fact, action)).or_default();
            let before = kind(*counts);
            counts[refused] += 1;
            let after = kind(*counts);
            let telling = self.names.entry((experience.name_of(fact), action)).or_default();
            telling.always = telling.always + after.0 - before.0;
            telling.sometimes = telling.sometimes + after.1 - before.1;
        }
    }

    /// What the facts say that tell best whether an action is accepted: how often it was accepted, and refused, with them.
    fn telling(&self, experience: &Experience, state: StateNumber, action: ActionNumber) -> Option<[u32; 2]> {
        let facts = experience.known(state).facts.iter();
        let names = facts.clone().filter_map(|&fact| {
            let name = experience.name_of(fact);
            let telling = self.names.get(&(name, action)).filter(|it| it.sometimes == 0 && it.always > 1)?;
            Some((telling.always, name))
        });
        let (_, best) = names.max()?;
        let said = facts.filter(|&&fact| experience.name_of(fact) == best);
        let said = said.filter_map(|&fact| self.pairs.get(&(fact, action)));
        said.copied().max_by_key(|counts| (counts[1], counts[0]))
    }

    /// An action of a role was accepted in a state.
    pub fn accept(&mut self, experience: &Experience, state: StateNumber, role: usize, action: ActionNumber) {
        self.count(experience, state, action, 0);
        let (name, arguments) = parts(&experience.actions[role][action as usize]);
        let needs = self.by_name.entry(name.to_owned()).or_default();
        needs.accepted += 1;
        match &mut needs.held {
            Some(held) => {
                let before = held.len();
                held.retain(|common| experience.holds(state, &common.form.fill(&arguments)));
                if held.len() == before {
                    return;
                }
            }
            None => {
                let facts = experience.known(state).facts.iter();
                let all = facts.flat_map(|&fact| forms(experience.fact_text(fact), &arguments));
                needs.held = Some(all.map(|form| Common { form, lacking: 0 }).collect());
            }
        }
        needs.recount(experience);
    }

    /// An action of a role was refused.
    pub fn refuse(&mut self, experience: &Experience, state: StateNumber, role: usize, action: ActionNumber) {
        self.count(experience, state, action, 1);
        let (name, arguments) = parts(&experience.actions[role][action as usize]);
        let needs = self.by_name.entry(name.to_owned()).or_default();
        if needs.refused.len() < MOST_REFUSED {
            needs.refused.push((arguments.into_iter().map(str::to_owned).collect(), state));
            needs.recount(experience);
        }
    }

    /// How likely it is that an action of a role is accepted.
    pub fn chance(
        &self,
        experience: &Experience,
        state: StateNumber,
        role: usize,
        action: ActionNumber,
    ) -> f64 {
        let against = match self.telling(experience, state, action) {
            Some([_, refused]) if refused > 0 => 1.0 / (1.0 + f64::from(refused)),
            Some([accepted, _]) if accepted > 0 => return 1.0 - 1.0 / (2.0 + f64::from(accepted)),
            _ => 1.0,
        };
        let (name, arguments) = parts(&experience.actions[role][action as usize]);
        let Some(needs) = self.by_name.get(name) else { return 0.5 };
        let Some(held) = &needs.held else { return against / (2.0 + needs.refused.len() as f64) };
        let missing = held.iter().filter(|common| !experience.holds(state, &common.form.fill(&arguments)));
        let accepted = f64::from(needs.accepted);
        match missing.map(|common| common.lacking).max() {
            None => against * (accepted + 1.0) / (accepted + 1.0 + f64::from(needs.complete)),
            Some(refusals) => against / (2.0 + f64::from(refusals)),
        }
    }

    /// Whether all that an action ever came with holds; `None` where it was never seen.
    pub fn fits(
        &self,
        experience: &Experience,
        state: StateNumber,
        role: usize,
        action: ActionNumber,
    ) -> Option<bool> {
        let (name, arguments) = parts(&experience.actions[role][action as usize]);
        let held = self.by_name.get(name)?.held.as_ref()?;
        Some(held.iter().all(|common| experience.holds(state, &common.form.fill(&arguments))))
    }

    /// How often an action was accepted where that fact of the state held with which it came least.
    pub fn familiarity(&self, experience: &Experience, state: StateNumber, action: ActionNumber) -> u32 {
        let facts = experience.known(state).facts.iter();
        let counts = facts.map(|&fact| self.pairs.get(&(fact, action)).map_or(0, |&[accepted, _]| accepted));
        counts.min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use ludex_match::blind::Structure;

    use super::*;

    #[test]
    fn what_marks_need_is_seen_through_their_arguments() {
        let actions = ["(mark 1 1)", "(mark 1 2)", "(mark 2 1)", "noop"].map(str::to_owned).to_vec();
        let structure =
            Structure { roles: vec!["white".to_owned()], actions: vec![actions], percepts: Vec::new() };
        let mut experience = Experience::new(&structure, 0);
        let mut legality = Legality::default();
        let first = experience.state(["(cell 1 1 b)", "(cell 1 2 b)", "(cell 2 1 b)", "(control white)"]);
        legality.accept(&experience, first, 0, 0);
        let second = experience.state(["(cell 1 1 x)", "(cell 1 2 b)", "(cell 2 1 o)", "(control white)"]);
        legality.accept(&experience, second, 0, 1);
        let fits = |legality: &Legality, action| legality.fits(&experience, second, 0, action);
        assert_eq!([1, 2, 3].map(|action| fits(&legality, action)), [Some(true), Some(false), None]);
        let chance = |legality: &Legality, action| legality.chance(&experience, second, 0, action);
        let before = chance(&legality, 2);
        legality.refuse(&experience, second, 0, 2);
        assert!(chance(&legality, 2) < before);
        assert!(chance(&legality, 0) < 0.5 && chance(&legality, 1) > 0.9);
        assert_eq!(legality.familiarity(&experience, second, 1), 1);
        assert_eq!(legality.familiarity(&experience, first, 1), 0);
    }
}
