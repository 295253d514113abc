//! The ground rules of a game as a coloured graph.

use ludex_gdl::GameProgram;
use ludex_logic::{LimitError, Meter, TermId, Terms};
use rustc_hash::FxHashMap;

use super::counts::Count;
use super::ground_rules::{AtomKind, GroundRules};
use crate::automorphism::ColouredGraph;

/// What a vertex stands for that has a meaning outside of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum GameVertex {
    /// A role, by number.
    Role(u32),
    /// A proposition.
    Fact(TermId),
    /// A move of a role.
    Move(u32, TermId),
    /// What a role can see.
    Percept(u32, TermId),
    /// A part of the rules.
    Part,
}

/// Colours up to here are those of roles, propositions, moves and percepts.
pub(crate) const MEANING_COLOURS: u32 = 5;
const ROLE: u32 = 0;
const INITIAL: u32 = 1;
const FACT: u32 = 2;
const MOVE: u32 = 3;
const PERCEPT: u32 = 4;
const RANDOM: u32 = 5;
const NEXT: u32 = 6;
const LEGAL: u32 = 7;
const TERMINAL: u32 = 8;
const VIEW: u32 = 9;
const RULE: u32 = 10;
const UNREADABLE_GOAL: u32 = 11;
/// The members of counts.
const MEMBERS: u32 = 12;
/// Goal values have this colour and those above.
const FIRST_GOAL: u32 = 100;
/// Larger numbers share a colour, since they are no goal values.
const LAST_GOAL: u64 = 1_000_000;
/// Counts have this colour and those above, by which numbers they say.
const FIRST_COUNT: u32 = 2_000_000;

/// Kinds of arcs: belongs to; is a positive or a negative literal of; is the head of; alone makes.
const OWN: u32 = 0;
const POSITIVE: u32 = 1;
const HEAD: u32 = 3;
const ALONE: u32 = 4;

/// A graph whose automorphisms are the symmetries of a game.
#[derive(Clone, Debug)]
pub(crate) struct GameGraph {
    pub vertices: Vec<GameVertex>,
    pub graph: ColouredGraph,
}

struct Builder {
    vertices: Vec<GameVertex>,
    colours: Vec<u32>,
    arcs: Vec<(u32, u32, u32)>,
    numbers: FxHashMap<GameVertex, u32>,
}

impl Builder {
    fn add(&mut self, vertex: GameVertex, colour: u32) -> u32 {
        self.vertices.push(vertex);
        self.colours.push(colour);
        self.vertices.len() as u32 - 1
    }

    /// The vertex of something that there is once; owned by a role, if it is a role's.
    fn share(&mut self, vertex: GameVertex, colour: u32, role: Option<u32>) -> u32 {
        if let Some(&found) = self.numbers.get(&vertex) {
            return found;
        }
        let number = self.add(vertex, colour);
        self.numbers.insert(vertex, number);
        // Roles are the first vertices.
        role.into_iter().for_each(|role| self.arcs.push((role, number, OWN)));
        number
    }
}

impl GameGraph {
    /// The graph of these rules. With `initial`, propositions that hold in the initial state are told from
    /// others.
    pub(super) fn new(
        game: &GameProgram,
        rules: &GroundRules,
        initial: bool,
        meter: &mut Meter,
    ) -> Result<Self, LimitError> {
        let terms = &game.program.terms;
        let mut builder = Builder {
            vertices: Vec::new(),
            colours: Vec::new(),
            arcs: Vec::new(),
            numbers: FxHashMap::default(),
        };
        for role in 0..game.roles.len() {
            let colour = if game.random_role() == Some(role) { RANDOM } else { ROLE };
            builder.share(GameVertex::Role(role as u32), colour, None);
        }
        for &fact in &rules.initial {
            builder.share(GameVertex::Fact(fact), if initial { INITIAL } else { FACT }, None);
        }
        let used = Self::used(rules);
        let mut numbers = Vec::with_capacity(rules.kinds.len());
        for (&kind, used) in rules.kinds.iter().zip(used) {
            meter.spend(1)?;
            numbers.push(builder.atom(terms, kind, used));
        }
        for (head, body) in &rules.rules {
            meter.spend(1 + body.len() as u64)?;
            let head = numbers[*head as usize];
            if let &[literal] = &**body {
                builder.arcs.push((numbers[(literal >> 1) as usize], head, ALONE + (literal & 1)));
                continue;
            }
            let rule = builder.add(GameVertex::Part, RULE);
            builder.arcs.push((rule, head, HEAD));
            for literal in body {
                builder.arcs.push((numbers[(literal >> 1) as usize], rule, POSITIVE + (literal & 1)));
            }
        }
        builder.counts(&rules.counts, &numbers, meter)?;
        meter.check_memory(builder.arcs.len() * 40, || "the graph of the ground rules".into())?;
        Ok(Self { vertices: builder.vertices, graph: ColouredGraph::new(builder.colours, builder.arcs) })
    }

    /// Which atoms rules mention.
    fn used(rules: &GroundRules) -> Vec<bool> {
        let mut used = vec![false; rules.kinds.len()];
        for (head, body) in &rules.rules {
            used[*head as usize] = true;
            body.iter().for_each(|literal| used[(literal >> 1) as usize] = true);
        }
        used
    }
}

impl Builder {
    /// The vertex of an atom; atoms that no rule mentions and nobody asks for have none that matters.
    fn atom(&mut self, terms: &Terms, kind: AtomKind, used: bool) -> u32 {
        match kind {
            AtomKind::Fact(fact) => self.share(GameVertex::Fact(fact), FACT, None),
            AtomKind::Move(role, action) => self.share(GameVertex::Move(role, action), MOVE, Some(role)),
            AtomKind::Next(fact) => {
                let of = self.share(GameVertex::Fact(fact), FACT, None);
                self.part(NEXT, Some(of))
            }
            AtomKind::Legal(role, action) => {
                let of = self.share(GameVertex::Move(role, action), MOVE, Some(role));
                self.part(LEGAL, Some(of))
            }
            AtomKind::Goal(role, value) => {
                let value = terms.integer(value).filter(|&value| value <= LAST_GOAL);
                self.part(value.map_or(UNREADABLE_GOAL, |value| FIRST_GOAL + value as u32), Some(role))
            }
            AtomKind::Terminal => self.part(TERMINAL, None),
            AtomKind::Sees(role, percept) => {
                self.share(GameVertex::Percept(role, percept), PERCEPT, Some(role))
            }
            AtomKind::View if used => self.part(VIEW, None),
            // Nothing leads there.
            AtomKind::View => u32::MAX,
        }
    }

    /// Gives views that count their members. Several of them often count the same atoms.
    fn counts(&mut self, counts: &[Count], numbers: &[u32], meter: &mut Meter) -> Result<(), LimitError> {
        let mut tables: Vec<&[bool]> = counts.iter().map(|count| &*count.table).collect();
        tables.sort_unstable();
        tables.dedup();
        let mut groups: FxHashMap<&[u32], u32> = FxHashMap::default();
        for count in counts {
            meter.spend(1 + count.members.len() as u64)?;
            let view = numbers[count.view as usize];
            let table = tables.partition_point(|table| *table < &*count.table);
            self.colours[view as usize] = FIRST_COUNT + table as u32;
            let group = *groups.entry(&count.members).or_insert_with(|| {
                self.colours.push(MEMBERS);
                self.vertices.push(GameVertex::Part);
                let group = self.vertices.len() as u32 - 1;
                let arcs = count.members.iter().map(|&member| (numbers[member as usize], group, OWN));
                self.arcs.extend(arcs);
                group
            });
            self.arcs.push((group, view, OWN));
        }
        Ok(())
    }

    fn part(&mut self, colour: u32, of: Option<u32>) -> u32 {
        let part = self.add(GameVertex::Part, colour);
        of.into_iter().for_each(|of| self.arcs.push((of, part, OWN)));
        part
    }
}

/// What vertices of a colour are, in the plural.
pub(crate) fn colour_text(colour: u32) -> String {
    match colour {
        ROLE => "roles".into(),
        INITIAL => "propositions that hold initially".into(),
        FACT => "other propositions".into(),
        MOVE => "moves".into(),
        PERCEPT => "percepts".into(),
        RANDOM => "random roles".into(),
        NEXT => "propositions that can come to hold".into(),
        LEGAL => "moves that can be legal".into(),
        TERMINAL => "ways to end".into(),
        VIEW => "views".into(),
        RULE => "ground rules with several conditions".into(),
        UNREADABLE_GOAL => "goals that are no numbers".into(),
        MEMBERS => "groups that are counted".into(),
        value => format!("goals of {}", value.saturating_sub(FIRST_GOAL)),
    }
}
