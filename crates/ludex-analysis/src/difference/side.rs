//! The two games, side by side: terms of the one as terms of the other, and what differs in a pair of states.

use ludex_game::{ActionId, Answer, RoleId, Rules, Runner, State};
use ludex_logic::{TermId, TermView};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Aspect, DifferenceOptions, NameMap};

/// Two games at states of theirs.
pub(super) struct Sides<'r> {
    pub(super) rules: [&'r Rules; 2],
    pub(super) runners: [Box<dyn Runner + 'r>; 2],
    /// For each role of the first game that of the second one.
    pub(super) roles: Vec<RoleId>,
    options: &'r DifferenceOptions,
    /// Terms of the first game that the second one has.
    terms: FxHashMap<TermId, TermId>,
}

/// What a term of one game is in another one; `None` where that has no such term.
fn translated(term: TermId, one: &Rules, other: &Rules, names: &NameMap) -> Option<TermId> {
    let (from, to) = (one.signature().terms(), other.signature().terms());
    let symbol = |name: &str| to.find_symbol(names.get(name).map_or(name, String::as_str));
    // Parts before wholes, without recursion: terms may be a million deep.
    let mut open = vec![(term, false)];
    let mut done: FxHashMap<TermId, TermId> = FxHashMap::default();
    while let Some((part, is_complete)) = open.pop() {
        if done.contains_key(&part) {
            continue;
        }
        let found = match from.view(part) {
            TermView::Constant(name) => to.constant_of(symbol(from.name(name))?),
            TermView::Compound(_, args) if !is_complete => {
                open.push((part, true));
                open.extend(args.iter().map(|&arg| (arg, false)));
                continue;
            }
            TermView::Compound(name, args) => {
                let args: Vec<TermId> = args.iter().filter_map(|arg| done.get(arg).copied()).collect();
                to.find_compound(symbol(from.name(name))?, &args)?
            }
        };
        done.insert(part, found);
    }
    done.get(&term).copied()
}

impl<'r> Sides<'r> {
    /// Both games at their beginnings; `None` where their roles differ.
    pub(super) fn new(
        rules: [&'r Rules; 2],
        runners: [Box<dyn Runner + 'r>; 2],
        options: &'r DifferenceOptions,
    ) -> Option<Self> {
        let [first, second] = rules;
        let role = |role: &TermId| {
            let there = translated(*role, first, second, &options.names)?;
            second.signature().find_role(there)
        };
        let roles: Vec<RoleId> = first.signature().roles().iter().map(role).collect::<Option<_>>()?;
        // What a role does stands in its place in messages, so the order counts.
        let same = roles.len() == second.roles().len() && roles.iter().copied().eq(second.roles());
        same.then_some(Self { rules, runners, roles, options, terms: FxHashMap::default() })
    }

    /// A term of the first game in the second one. What is not there may come later.
    fn there(&mut self, term: TermId) -> Option<TermId> {
        if let Some(&found) = self.terms.get(&term) {
            return Some(found);
        }
        let [first, second] = self.rules;
        let found = translated(term, first, second, &self.options.names)?;
        self.terms.insert(term, found);
        Some(found)
    }

    pub(super) fn set(&mut self, states: [&State; 2]) -> Answer<()> {
        self.runners[0].set(states[0])?;
        self.runners[1].set(states[1])
    }

    /// Joint moves of the first game that are legal in both, in the order of the roles of the second game.
    pub(super) fn joint_there(&mut self, joint: &[ActionId]) -> Option<Vec<ActionId>> {
        let mut there = vec![ActionId(0); joint.len()];
        for (at, &action) in joint.iter().enumerate() {
            let term = self.rules[0].signature().action(action);
            let found = self.there(term)?;
            *there.get_mut(self.roles[at].index())? = self.rules[1].signature().find_action(found)?;
        }
        Some(there)
    }

    /// Makes a joint move that is legal in both games; false where the second one has no such move.
    pub(super) fn step(&mut self, joint: &[ActionId]) -> Answer<bool> {
        let Some(there) = self.joint_there(joint) else { return Ok(false) };
        self.runners[0].step_legal(joint)?;
        self.runners[1].step_legal(&there)?;
        Ok(true)
    }

    /// What differs in the states that the games are in, but for percepts.
    pub(super) fn state_aspects(&mut self) -> Answer<Vec<Aspect>> {
        let mut found = Vec::new();
        let over = [self.runners[0].terminal()?, self.runners[1].terminal()?];
        if over[0] != over[1] {
            found.push(Aspect::Terminal { first: over[0] });
        }
        let roles: Vec<(RoleId, RoleId)> = self.rules[0].roles().zip(self.roles.iter().copied()).collect();
        for &(role, there) in &roles {
            if over == [false, false] {
                let legal = |rules: &Rules, actions: &[ActionId]| {
                    actions.iter().map(|&action| rules.signature().action(action)).collect::<Vec<TermId>>()
                };
                let first = legal(self.rules[0], self.runners[0].legal(role)?);
                let second = legal(self.rules[1], self.runners[1].legal(there)?);
                if let Some((first, second)) = self.apart(&first, &second) {
                    found.push(Aspect::Legal { role, first, second });
                }
            }
            let goals_count = !self.options.final_goals || over == [true, true];
            let of_chance = self.rules[0].random_role() == Some(role);
            if goals_count && !of_chance {
                let (first, second) = (self.runners[0].goal(role)?, self.runners[1].goal(there)?);
                if first != second {
                    found.push(Aspect::Goal { role, first, second });
                }
            }
        }
        if self.options.facts {
            let facts = |rules: &Rules, runner: &dyn Runner| {
                let mut state = State::default();
                runner.save(&mut state);
                rules.facts(&state)
            };
            let first = facts(self.rules[0], &*self.runners[0]);
            let second = facts(self.rules[1], &*self.runners[1]);
            if let Some((first, second)) = self.apart(&first, &second) {
                found.push(Aspect::Facts { first, second });
            }
        }
        Ok(found)
    }

    /// What differs in what the last step let roles see.
    pub(super) fn percept_aspects(&mut self) -> Vec<Aspect> {
        let mut found = Vec::new();
        let roles: Vec<(RoleId, RoleId)> = self.rules[0].roles().zip(self.roles.iter().copied()).collect();
        for (role, there) in roles {
            if self.rules[0].random_role() == Some(role) {
                continue;
            }
            let first = self.runners[0].percepts(role).to_vec();
            let second = self.runners[1].percepts(there).to_vec();
            if let Some((first, second)) = self.apart(&first, &second) {
                found.push(Aspect::Sees { role, first, second });
            }
        }
        found
    }

    /// The terms that only one of the games has; `None` where there is none.
    fn apart(&mut self, first: &[TermId], second: &[TermId]) -> Option<(Vec<TermId>, Vec<TermId>)> {
        let there: FxHashSet<TermId> = second.iter().copied().collect();
        let mut met: FxHashSet<TermId> = FxHashSet::default();
        let mut only_first = Vec::new();
        for &term in first {
            match self.there(term).filter(|found| there.contains(found)) {
                Some(found) => {
                    met.insert(found);
                }
                None => only_first.push(term),
            }
        }
        let only_second: Vec<TermId> = second.iter().copied().filter(|term| !met.contains(term)).collect();
        (!only_first.is_empty() || !only_second.is_empty()).then_some((only_first, only_second))
    }
}
