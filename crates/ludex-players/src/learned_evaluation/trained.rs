//! What was learned of a game, kept for later matches of it.

use std::fmt;
use std::sync::Arc;

use ludex_analysis::sameness::{Sameness, compare_clauses};
use ludex_game::{BatchOptions, Machine};
use ludex_gdl::{Dialect, GameProgram, LoadOptions, Source, load};
use ludex_logic::{Budget, TermId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::features::LEVELS;
use super::network::{Network, places};
use super::tuples::{MOST_ENTRIES, MOST_TUPLES, MOST_WEIGHTS, Tuples};

/// What kind of file this is, and how it is written.
const FORMAT: &str = "ludex evaluation 1";

/// What was learned of a game beforehand ([`train`](crate::train)): for players of the same game in later matches, also
/// under other names.
///
/// It is written and read by `serde`; what is read is checked.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct TrainedEvaluation {
    written: Written,
    /// The rules that it was trained by.
    program: Arc<GameProgram>,
    /// Where the row of a fact is, by its text.
    rows: FxHashMap<String, usize>,
}

impl fmt::Debug for TrainedEvaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Written { name, games, told, .. } = &self.written;
        f.debug_struct("TrainedEvaluation")
            .field("name", name)
            .field("games", games)
            .field("told", told)
            .finish_non_exhaustive()
    }
}

/// The file.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Written {
    format: String,
    /// What the rulesheet was called.
    name: String,
    language: String,
    rulesheet: String,
    /// What values are values of.
    objective: String,
    /// How many games it was learned from.
    games: u64,
    told: Told,
    /// Whether two roles have 1 together, so that there are weights for the first one only.
    is_shared: bool,
    hidden: usize,
    always: Row,
    facts: Vec<WrittenFact>,
    /// Per role that has weights of its own, and hidden unit.
    outputs: Vec<f32>,
    output_squares: Vec<f32>,
    tuples: Option<WrittenTuples>,
    /// What is known of moves, where facts count for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    moves: Option<WrittenMoves>,
}

/// What is known of how many moves roles have.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WrittenMoves {
    /// The facts that change with every step, because they tell whose turn it is.
    turn: Vec<String>,
    /// For each role and each number of moves that is told apart, as many as words have bits.
    rows: Vec<Row>,
}

impl Written {
    /// All that belongs to facts and numbers of moves, and to what holds always.
    fn rows(&self) -> impl Iterator<Item = &Row> {
        let moves = self.moves.iter().flat_map(|moves| &moves.rows);
        self.facts.iter().map(|fact| &fact.row).chain(moves).chain([&self.always])
    }
}

/// What stands on several cells together.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct WrittenTuples {
    /// The facts that each cell can hold.
    cells: Vec<Vec<String>>,
    /// The cells of each tuple.
    tuples: Vec<Vec<usize>>,
    /// The fact that holds in every other state.
    turn: Option<String>,
    /// The weights that are not nothing: where they are, and what they are.
    places: Vec<u32>,
    weights: Vec<f32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct WrittenFact {
    fact: String,
    #[serde(flatten)]
    row: Row,
}

/// What belongs to a fact.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Row {
    /// Into the hidden units, then to each role that has weights of its own.
    pub weights: Vec<f32>,
    /// How much they were changed already.
    pub squares: Vec<f32>,
}

/// Why a file is no trained evaluation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainedEvaluationError {
    /// It says that it is something else.
    #[error("this is no trained evaluation that can be read here: its format is `{0}`, not `{FORMAT}`")]
    Format(String),
    /// Its rules are no game.
    #[error("the rules of the trained evaluation are no game")]
    Rules,
    /// Its numbers do not fit each other.
    #[error("the trained evaluation is damaged: {0}")]
    Damaged(&'static str),
}

impl TryFrom<Written> for TrainedEvaluation {
    type Error = TrainedEvaluationError;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        use TrainedEvaluationError::{Damaged, Format, Rules};
        if written.format != FORMAT {
            return Err(Format(written.format.chars().take(40).collect()));
        }
        let dialect = Dialect::named(&written.language).ok_or(Damaged("its language is not known"))?;
        let source = Source::new(written.name.as_str(), written.rulesheet.as_str());
        let checked =
            load(Arc::new(source), &LoadOptions { dialect: Some(dialect), ..LoadOptions::default() });
        let program = checked.game.ok_or(Rules)?;
        let columns = if written.is_shared { 1 } else { program.roles.len() };
        if written.hidden != Network::HIDDEN {
            return Err(Damaged("it has another number of hidden units"));
        }
        if written.is_shared && program.roles.len() != 2 {
            return Err(Damaged("only two roles can share what there is"));
        }
        let fits =
            |row: &Row| row.weights.len() == written.hidden + columns && row.squares.len() == 1 + columns;
        if !written.rows().all(fits) {
            return Err(Damaged("a fact has too few or too many weights"));
        }
        let is_complete =
            |moves: &WrittenMoves| !moves.turn.is_empty() && moves.rows.len() == LEVELS * program.roles.len();
        if !written.moves.as_ref().is_none_or(is_complete) {
            return Err(Damaged("what it knows of moves does not fit"));
        }
        let outputs = [&written.outputs, &written.output_squares];
        if outputs.iter().any(|list| list.len() != columns * written.hidden) {
            return Err(Damaged("there are too few or too many weights of hidden units"));
        }
        let numbers = |row: &Row| row.weights.iter().chain(&row.squares).all(|number| number.is_finite());
        let is_finite = written.rows().all(numbers)
            && outputs.iter().all(|list| list.iter().all(|number| number.is_finite()));
        if !is_finite || !written.told.is_sound() {
            return Err(Damaged("a number is out of range"));
        }
        let positive = |row: &Row| row.squares.iter().all(|&square| square > 0.0);
        if !written.rows().all(positive) || written.output_squares.iter().any(|&square| square <= 0.0) {
            return Err(Damaged("a number is out of range"));
        }
        if written.tuples.as_ref().is_some_and(|tuples| !tuples.is_sound(columns)) {
            return Err(Damaged("the tables of its boards do not fit"));
        }
        let rows = written.facts.iter().enumerate().map(|(at, fact)| (fact.fact.clone(), at)).collect();
        Ok(Self { program: Arc::new(program), rows, written })
    }
}

impl From<TrainedEvaluation> for Written {
    fn from(trained: TrainedEvaluation) -> Self {
        trained.written
    }
}

/// A trained evaluation as a machine's states can be judged by it.
#[derive(Debug)]
pub(crate) struct Fitted {
    pub network: Network,
    pub games: u64,
    pub told: Told,
}

/// What is known of a trained evaluation beside its network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Training<'t> {
    /// What values are values of.
    pub objective: &'t str,
    pub games: u64,
    pub told: Told,
}

/// How much of what came of games it told that it was not learned from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Told {
    /// Its correlation with results, -1 to 1.
    pub said: f64,
    /// That of random games.
    pub played: f64,
    /// Its part in the mixture with random games that comes nearest to results, 0 to 1.
    pub share: f64,
    /// How many moves a role has on average that chooses.
    pub moves: f64,
}

impl Told {
    fn is_sound(&self) -> bool {
        let is_correlation = |number: f64| (-1.0..=1.0).contains(&number);
        let is_share = (0.0..=1.0).contains(&self.share);
        is_correlation(self.said) && is_correlation(self.played) && is_share && self.moves >= 0.0
    }
}

impl TrainedEvaluation {
    /// What a network has learned of a game, by facts.
    pub(crate) fn new(
        program: &Arc<GameProgram>,
        machine: &dyn Machine,
        network: &Network,
        training: Training<'_>,
    ) -> Self {
        let terms = &program.program.terms;
        let facts = facts_of_bits(machine).unwrap_or_default();
        let texts: Vec<Option<String>> =
            facts.into_iter().map(|fact| fact.map(|fact| terms.prefix(fact))).collect();
        let written = |(bit, text): (usize, &Option<String>)| {
            text.clone().map(|fact| WrittenFact { fact, row: network.written_row(bit) })
        };
        let facts: Vec<WrittenFact> = match network.goes_by_moves() {
            true => Vec::new(),
            false => texts.iter().enumerate().filter_map(written).collect(),
        };
        let (outputs, output_squares) = network.written_outputs();
        let rows = facts.iter().enumerate().map(|(at, fact)| (fact.fact.clone(), at)).collect();
        let written = Written {
            format: FORMAT.to_owned(),
            name: program.source.name().to_owned(),
            language: program.dialect.to_string(),
            rulesheet: program.source.text().to_owned(),
            objective: training.objective.to_owned(),
            games: training.games,
            told: training.told,
            is_shared: network.is_shared(),
            hidden: Network::HIDDEN,
            always: network.written_row(network.always()),
            facts,
            outputs,
            output_squares,
            tuples: network.tuples().and_then(|tuples| WrittenTuples::new(tuples, network, &texts)),
            moves: network.goes_by_moves().then(|| WrittenMoves::new(network, &texts)),
        };
        Self { written, program: Arc::clone(program), rows }
    }

    /// What the rulesheet was called that it was trained by.
    pub fn name(&self) -> &str {
        &self.written.name
    }

    /// What its values are values of: of two evaluations of a game with the same objective one is of use.
    pub fn objective(&self) -> &str {
        &self.written.objective
    }

    /// Whether it goes by how many moves each role has, and not by facts: that tells more where few games can be played.
    pub fn goes_by_moves(&self) -> bool {
        self.written.moves.is_some()
    }

    /// How many games it was learned from.
    pub fn games(&self) -> u64 {
        self.written.games
    }

    /// Its part in the mixture with random games that comes nearest to what came of games that it was not learned from,
    /// 0 to 1.
    pub fn share(&self) -> f64 {
        self.written.told.share
    }

    /// The same for the states of a machine that runs a game; `None` where that is another game, by its clauses, values are
    /// values of something else there, or the machine plays one state at a time.
    pub(crate) fn fit(
        &self,
        program: &GameProgram,
        machine: &dyn Machine,
        objective: &str,
        budget: &Budget,
    ) -> Option<Fitted> {
        if objective != self.written.objective || program.roles.len() != self.program.roles.len() {
            return None;
        }
        let facts_of_bits = facts_of_bits(machine)?;
        let Sameness::Rules(names) = compare_clauses(program, &self.program, budget) else { return None };
        let (terms, others) = (&program.program.terms, &self.program.program.terms);
        let there = |role: &TermId| {
            let other = names.term(terms, *role, others);
            self.program.roles.iter().position(|&known| known == other)
        };
        let roles: Vec<usize> = program.roles.iter().map(there).collect::<Option<_>>()?;
        let Written { is_shared, games, told, always, facts, outputs, output_squares, moves, .. } =
            &self.written;
        let words = machine.initial().words().len();
        let text = |fact: TermId| others.prefix(names.term(terms, fact, others));
        let texts: Vec<Option<String>> = facts_of_bits.into_iter().map(|fact| fact.map(text)).collect();
        let known = texts.iter().zip(0..).filter_map(|(text, bit)| Some((text.clone()?, bit)));
        let bits: FxHashMap<String, usize> = known.collect();
        let mut network = match moves {
            Some(moves) => moves.network(*is_shared, &bits, words, &roles)?,
            None => Network::new(roles.len(), words, *is_shared, 0),
        };
        let none = Row::default();
        for (bit, text) in texts.iter().enumerate().filter(|_| moves.is_none()) {
            let row = text.as_ref().and_then(|text| self.rows.get(text)).map_or(&none, |&at| &facts[at].row);
            network.read_row(bit, row, &roles);
        }
        network.read_row(network.always(), always, &roles);
        network.read_outputs(outputs, output_squares, &roles);
        if let Some(written) = &self.written.tuples
            && let Some(tuples) = written.tuples(&bits, words)
        {
            network = network.with_tuples(Some(Arc::new(tuples)));
            network.read_tuples(&written.places, &written.weights, &roles);
        }
        Some(Fitted { network, games: *games, told: *told })
    }
}

impl WrittenMoves {
    fn new(network: &Network, texts: &[Option<String>]) -> Self {
        Self {
            turn: places(network.turn()).filter_map(|bit| texts[bit].clone()).collect(),
            rows: (0..network.always()).map(|row| network.written_row(row)).collect(),
        }
    }

    /// The network for states of so many words in which facts have these bits, and where each role stands; `None` where a
    /// fact has none.
    fn network(
        &self,
        is_shared: bool,
        bits: &FxHashMap<String, usize>,
        words: usize,
        roles: &[usize],
    ) -> Option<Network> {
        let mut turn = vec![0; words];
        for fact in &self.turn {
            let bit = bits.get(fact)?;
            turn[bit / 64] |= 1 << (bit % 64);
        }
        let mut network = Network::of_moves(roles.len(), is_shared, &turn, 0);
        for (role, &there) in roles.iter().enumerate() {
            for level in 0..LEVELS {
                network.read_row(LEVELS * role + level, &self.rows[LEVELS * there + level], roles);
            }
        }
        Some(network)
    }
}

impl WrittenTuples {
    /// Tuples with their weights; `None` where a bit stands for no fact.
    fn new(tuples: &Tuples, network: &Network, texts: &[Option<String>]) -> Option<Self> {
        let text = |&bit: &usize| texts[bit].clone();
        let cell = |bits: &Vec<usize>| bits.iter().map(text).collect::<Option<Vec<_>>>();
        let weights = network.tuple_weights().iter().zip(0u32..).filter(|(weight, _)| **weight != 0.0);
        let (weights, places) = weights.unzip();
        Some(Self {
            cells: tuples.cells().iter().map(cell).collect::<Option<_>>()?,
            tuples: tuples.tuples().to_vec(),
            turn: match tuples.turn() {
                Some(bit) => Some(text(&bit)?),
                None => None,
            },
            places,
            weights,
        })
    }

    /// Whether all that it names is there, for roles of which so many have weights of their own.
    fn is_sound(&self, columns: usize) -> bool {
        let values = |&cell: &usize| self.cells.get(cell).map(|facts| 1 + facts.len());
        let entries = |tuple: &Vec<usize>| {
            let mut values = tuple.iter().map(values);
            let all = values.try_fold(1usize, |all, values| all.checked_mul(values?));
            all.filter(|&entries| entries <= MOST_ENTRIES)
        };
        let Some(all) = self.tuples.iter().map(entries).sum::<Option<usize>>() else { return false };
        let turns = if self.turn.is_some() { 2 } else { 1 };
        let size = columns * turns * all;
        !self.tuples.is_empty()
            && size <= MOST_WEIGHTS
            && self.tuples.len() <= MOST_TUPLES
            && self.places.len() == self.weights.len()
            && self.places.iter().all(|&place| (place as usize) < size)
            && self.weights.iter().all(|weight| weight.is_finite())
    }

    /// The tuples for states of so many words in which facts have these bits; `None` where one has none.
    fn tuples(&self, bits: &FxHashMap<String, usize>, words: usize) -> Option<Tuples> {
        let bit = |fact: &String| bits.get(fact).copied();
        let cells = self.cells.iter().map(|cell| cell.iter().map(bit).collect::<Option<Vec<_>>>());
        let turn = match &self.turn {
            Some(fact) => Some(bit(fact)?),
            None => None,
        };
        Some(Tuples::new(words, cells.collect::<Option<_>>()?, self.tuples.clone(), turn))
    }
}

/// The facts that the bits of a machine's states stand for; `None` for a bit that stands for none by itself. `None` for a
/// machine that plays one state at a time: its states are something else.
pub(super) fn facts_of_bits(machine: &dyn Machine) -> Option<Vec<Option<TermId>>> {
    if machine.batch(&BatchOptions::default()).width() == 1 {
        return None;
    }
    let mut words = vec![0; machine.initial().words().len()];
    let (mut always, mut facts) = (Vec::new(), Vec::new());
    machine.facts(&machine.initial().with_words(&words), &mut always);
    let mut fact_of = |bit: usize| {
        words[bit / 64] = 1 << (bit % 64);
        machine.facts(&machine.initial().with_words(&words), &mut facts);
        words[bit / 64] = 0;
        facts.retain(|fact| !always.contains(fact));
        if let [fact] = facts[..] { Some(fact) } else { None }
    };
    Some((0..64 * machine.initial().words().len()).map(&mut fact_of).collect())
}

#[cfg(test)]
mod tests {
    use ludex_testkit::playable;

    use super::super::network::Sums;
    use super::*;

    #[test]
    fn what_is_known_of_moves_goes_with_the_roles() {
        let rules = |roles: &str| {
            let rest =
                "(init (turn a)) (<= (next (turn a)) (true (turn b))) (<= (next (turn b)) (true (turn a)))
                (<= (legal ?r (go 1)) (role ?r)) (<= (legal ?r (go 2)) (true (turn ?r)))
                (<= (next done) (does a (go 2))) (<= terminal (true done)) (<= (goal ?r 50) (role ?r))";
            playable("turns.kif", &format!("{roles} {rest}")).unwrap()
        };
        let (one, other) = (rules("(role a) (role b)"), rules("(role b) (role a)"));
        let network = Network::of_moves(2, false, &[0b11], 5);
        let training = Training { objective: "own", games: 1, told: Told::default() };
        let trained = TrainedEvaluation::new(one.program(), &**one.machine(), &network, training);
        let value = |rules: &ludex_game::Rules, counts: [usize; 2], role: usize| {
            let fitted =
                trained.fit(rules.program(), &**rules.machine(), "own", &Budget::unlimited()).unwrap();
            let (mut features, mut sums) = (Vec::new(), Sums::default());
            let seen = fitted.network.see(&[0], |role| counts[role], &mut features);
            fitted.network.sum(seen, &mut sums);
            fitted.network.value(&sums, role)
        };
        for (a, b) in [(3, 7), (7, 3), (40, 1)] {
            let first = value(&one, [a, b], 0);
            assert_ne!(first, value(&one, [b, a], 0), "it matters who has the moves");
            assert!((first - value(&other, [b, a], 1)).abs() < 1e-6);
            assert!((value(&one, [a, b], 1) - value(&other, [b, a], 0)).abs() < 1e-6);
        }
    }
}
