//! What a player has seen of a game, in all its matches.

use ludex_match::blind::Structure;
use rustc_hash::{FxHashMap, FxHashSet};

/// A state, as far as the player can tell states apart: by the facts that hold, or where states are hidden by all that was
/// done and seen on the way.
pub(crate) type StateNumber = u32;
/// An action of a role, by its number among those of that role.
pub(crate) type ActionNumber = u32;

/// A name of facts, by its number.
pub(crate) type NameNumber = u32;
/// A fact, by its number.
pub(crate) type FactNumber = u32;

/// The move of a role that was not told.
pub(crate) const UNTOLD: ActionNumber = ActionNumber::MAX;

/// What is known of one state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The facts in order of their numbers; a single one where states are hidden.
    pub facts: Vec<FactNumber>,
    /// Whether a match was there.
    pub visited: bool,
    /// Whether a match ended there.
    pub ended: bool,
    /// What the utility sensor said there.
    pub utility: Option<f64>,
}

/// What a joint move led to, and how often.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub joint: Vec<ActionNumber>,
    pub next: StateNumber,
    pub count: u32,
}

/// What one action of the player in one state led to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tried {
    pub outcomes: Vec<Outcome>,
    pub count: u32,
}

/// One match, as states and the joint moves between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Episode {
    pub states: Vec<StateNumber>,
    pub joints: Vec<Vec<ActionNumber>>,
}

/// What is perceived at one time, taken apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Perceived {
    pub utility: Option<f64>,
    /// The facts of the state that are told.
    pub facts: Vec<String>,
    /// The action that the player chose and that was refused.
    pub refused: Option<String>,
    /// The moves of roles, by their positions, where they are told.
    pub joint: Vec<(usize, String)>,
    /// What else is seen.
    pub seen: Vec<String>,
}

impl Perceived {
    /// Of percepts as [`ludex_match::blind::percepts`] tells them, in a game of these roles.
    pub fn read(percepts: &[String], roles: &[String]) -> Self {
        let mut read = Self::default();
        for percept in percepts {
            let inner = |keyword: &str| percept.strip_prefix(keyword)?.strip_suffix(')');
            if let Some(value) = inner("(utility ") {
                // Goals are from 0 to 100 (specification 4): what else is sent is no utility.
                let value = value.parse().ok().filter(|value| (0.0..=100.0).contains(value));
                read.utility = value.or(read.utility);
            } else if let Some(refused) = inner("(refused ") {
                read.refused = Some(refused.to_owned());
            } else if let Some(fact) = inner("(true ") {
                read.facts.push(fact.to_owned());
            } else if let Some(does) = inner("(does ") {
                let made = |role: &String| does.strip_prefix(role.as_str())?.strip_prefix(' ');
                let of =
                    roles.iter().enumerate().find_map(|(role, name)| Some((role, made(name)?.to_owned())));
                read.joint.extend(of);
            } else {
                read.seen.push(percept.clone());
            }
        }
        read
    }
}

/// All that was seen.
#[derive(Debug)]
pub(crate) struct Experience {
    pub roles: Vec<String>,
    /// The position of the player's role.
    pub role: usize,
    /// The actions of each role by number.
    pub actions: Vec<Vec<String>>,
    numbers: Vec<FxHashMap<String, ActionNumber>>,
    facts: Vec<String>,
    /// The name of each fact, and the numbers of names.
    fact_names: Vec<NameNumber>,
    names: FxHashMap<String, NameNumber>,
    by_text: FxHashMap<String, FactNumber>,
    states: Vec<Known>,
    by_facts: FxHashMap<Vec<FactNumber>, StateNumber>,
    pub tried: FxHashMap<(StateNumber, ActionNumber), Tried>,
    pub refused: FxHashSet<(StateNumber, ActionNumber)>,
    /// Matches that showed something new, the oldest first.
    pub episodes: Vec<Episode>,
    /// Different joint moves in different states.
    pub transitions: usize,
    /// Whether states are told.
    pub tells_states: bool,
}

impl Experience {
    pub fn new(structure: &Structure, role: usize) -> Self {
        let number = |all: &Vec<String>| all.iter().cloned().zip(0..).collect();
        Self {
            roles: structure.roles.clone(),
            role,
            actions: structure.actions.clone(),
            numbers: structure.actions.iter().map(number).collect(),
            facts: Vec::new(),
            fact_names: Vec::new(),
            names: FxHashMap::default(),
            by_text: FxHashMap::default(),
            states: Vec::new(),
            by_facts: FxHashMap::default(),
            tried: FxHashMap::default(),
            refused: FxHashSet::default(),
            episodes: Vec::new(),
            transitions: 0,
            tells_states: !structure.percepts.iter().any(|percept| percept.starts_with("(sees ")),
        }
    }

    /// The text of an action of a role; nothing where it was not told.
    pub fn action_text(&self, role: usize, action: ActionNumber) -> Option<&str> {
        self.actions[role].get(action as usize).map(String::as_str)
    }

    /// How many states are known, those among them that were only foreseen, too.
    pub fn size(&self) -> usize {
        self.states.len()
    }

    /// The number of an action of a role; one that was not listed is added.
    pub fn action(&mut self, role: usize, text: &str) -> ActionNumber {
        if let Some(&known) = self.numbers[role].get(text) {
            return known;
        }
        let new = self.actions[role].len() as ActionNumber;
        self.actions[role].push(text.to_owned());
        self.numbers[role].insert(text.to_owned(), new);
        new
    }

    /// The number of a fact.
    pub fn fact(&mut self, text: &str) -> FactNumber {
        if let Some(&known) = self.by_text.get(text) {
            return known;
        }
        let new = self.facts.len() as FactNumber;
        self.facts.push(text.to_owned());
        let name = text.trim_start_matches('(').split(' ').next().unwrap_or_default().to_owned();
        let next = self.names.len() as NameNumber;
        self.fact_names.push(*self.names.entry(name).or_insert(next));
        self.by_text.insert(text.to_owned(), new);
        new
    }

    /// The name of a fact: that of its outermost function.
    pub fn name_of(&self, fact: FactNumber) -> NameNumber {
        self.fact_names[fact as usize]
    }

    /// The text of a fact.
    pub fn fact_text(&self, fact: FactNumber) -> &str {
        &self.facts[fact as usize]
    }

    /// The texts of the facts of a state.
    pub fn fact_texts(&self, state: StateNumber) -> Vec<&str> {
        self.known(state).facts.iter().map(|&fact| self.fact_text(fact)).collect()
    }

    /// Whether a fact holds in a state.
    pub fn holds(&self, state: StateNumber, fact: &str) -> bool {
        self.by_text.get(fact).is_some_and(|fact| self.known(state).facts.binary_search(fact).is_ok())
    }

    /// The number of a state with these facts.
    pub fn state<'t>(&mut self, facts: impl IntoIterator<Item = &'t str>) -> StateNumber {
        let mut facts: Vec<FactNumber> = facts.into_iter().map(|fact| self.fact(fact)).collect();
        facts.sort_unstable();
        facts.dedup();
        if let Some(&known) = self.by_facts.get(&facts) {
            return known;
        }
        let new = self.states.len() as StateNumber;
        self.by_facts.insert(facts.clone(), new);
        self.states.push(Known { facts, ..Known::default() });
        new
    }

    pub fn known(&self, state: StateNumber) -> &Known {
        &self.states[state as usize]
    }

    pub fn known_mut(&mut self, state: StateNumber) -> &mut Known {
        &mut self.states[state as usize]
    }

    /// The state that is perceived, reached by an action from another.
    pub fn perceive(&mut self, perceived: &Perceived, before: Option<(StateNumber, &str)>) -> StateNumber {
        let state = if self.tells_states {
            self.state(perceived.facts.iter().map(String::as_str))
        } else {
            let before = before.map_or_else(String::new, |(state, action)| format!("{state} {action} "));
            self.state([(before + &perceived.seen.join(" ")).as_str()])
        };
        let known = self.known_mut(state);
        known.visited = true;
        known.utility = perceived.utility;
        state
    }

    /// Whether nothing but the player's own actions decides what comes.
    pub fn is_certain(&self) -> bool {
        self.tells_states && self.roles.len() == 1
    }

    /// Notes a step; whether it shows something new.
    pub fn note(&mut self, state: StateNumber, joint: &[ActionNumber], next: StateNumber) -> bool {
        let own = joint[self.role];
        let tried = self.tried.entry((state, own)).or_default();
        tried.count += 1;
        if let Some(known) = tried.outcomes.iter_mut().find(|it| it.next == next && it.joint == joint) {
            known.count += 1;
            return false;
        }
        tried.outcomes.push(Outcome { joint: joint.to_vec(), next, count: 1 });
        self.transitions += 1;
        true
    }
}
