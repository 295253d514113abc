//! How a game is played, in plain words for people who have never seen it.
//!
//! 1. `sample` plays random games: how long they are, who chooses when, which kinds of moves there are.
//! 2. `conditions` writes rules as conditions: what scores, what ends the game, and what the words in them mean.
//! 3. `aim`, `turns` and `moves` make sentences of these and of the [`GameProfile`].
//!
//! What is proved is said as it is; what only random games show is said of random games. Nothing here knows any game:
//! the words of the rulesheet are its author's, and stand there as code.

mod aim;
mod conditions;
mod moves;
mod sample;
#[cfg(test)]
mod tests;
mod turns;

use ludex_gdl::GameProgram;
use ludex_logic::{Budget, Notation, TermId};

pub use sample::{RandomGames, SampleOptions};

use crate::game_profile::{GameProfile, ProfileOptions};
use crate::structure::Structure;
use crate::subject::Subject;
use conditions::Conditions;

/// A piece of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Words {
    /// Words of ours.
    Text(String),
    /// Words of the rulesheet.
    Code(String),
}

/// A sentence, or what stands for one in a list.
pub type Sentence = Vec<Words>;

/// What a part of the description is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// What the players want.
    Aim,
    /// Who moves when, and what they know.
    Turns,
    /// Whose pieces there are.
    Pieces,
    /// What can be done.
    Moves,
    /// When it is over.
    End,
    /// How long it takes.
    Length,
    /// What words of the rulesheet mean that stand in the other parts.
    Meaning,
}

impl Topic {
    /// A heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Aim => "Aim",
            Self::Turns => "Turns",
            Self::Pieces => "Pieces",
            Self::Moves => "Moves",
            Self::End => "End",
            Self::Length => "Length",
            Self::Meaning => "What the words mean",
        }
    }
}

/// A part of the description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is about.
    pub topic: Topic,
    /// Sentences that follow each other.
    pub sentences: Vec<Sentence>,
    /// A list that belongs to them.
    pub list: Vec<Sentence>,
}

/// How a game is played.
///
/// ```
/// use ludex_analysis::how_to_play::{HowToPlay, HowToPlayOptions, Topic};
/// use ludex_analysis::{Structure, Subject};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let structure = Structure::find(rules.program(), &**rules.machine(), &Default::default());
/// let options = HowToPlayOptions::default();
/// let found = HowToPlay::find(&Subject::new(&rules), &structure, &options, &Default::default());
/// assert_eq!(found.part(Topic::Length).unwrap().text(), "Random games had 5 to 9 steps, mostly about 8.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HowToPlay {
    /// The parts that there is something to be said of, in the order of [`Topic`].
    pub parts: Vec<Part>,
    /// The facts that held at the end of a random game of the usual length; none where no game ended.
    pub end: Option<Vec<TermId>>,
    /// What else random games showed.
    pub games: RandomGames,
}

/// How hard to look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HowToPlayOptions {
    /// The random games that are looked at by themselves.
    pub sample: SampleOptions,
    /// What is proved.
    pub profile: ProfileOptions,
}

impl HowToPlay {
    /// Looks at a game. Always answers: where the budget ends early, less is said.
    pub fn find(
        subject: &Subject,
        structure: &Structure,
        options: &HowToPlayOptions,
        budget: &Budget,
    ) -> Self {
        let rules = subject.rules();
        let games = RandomGames::play(rules, &options.sample, budget);
        let profile = GameProfile::find(subject, structure, &options.profile, budget);
        let conditions = Conditions::new(rules.program(), rules.notation());
        let parts = [
            aim::part(rules, &profile, &conditions),
            turns::part(rules, &profile, &games),
            turns::pieces(rules, &profile),
            moves::part(rules, structure, &games),
            aim::end(&conditions, profile.most_steps),
            turns::length(&games),
            conditions.meaning(),
        ];
        let end = games.usual_end().map(|state| rules.facts(state));
        Self { parts: parts.into_iter().flatten().collect(), end, games }
    }

    /// The part about something.
    pub fn part(&self, topic: Topic) -> Option<&Part> {
        self.parts.iter().find(|part| part.topic == topic)
    }
}

/// What the rules say by themselves, of a game that goes on in real time: nobody has to take turns there.
pub fn in_real_time(program: &GameProgram, notation: Notation) -> Vec<Part> {
    let conditions = Conditions::new(program, notation);
    let turns = "The game goes on in real time: nobody waits for a turn, and whoever has a legal move may make it at any \
                 moment.";
    let turns = Part::saying(Topic::Turns, turns);
    let parts =
        [aim::rules_part(&conditions), Some(turns), aim::end(&conditions, None), conditions.meaning()];
    parts.into_iter().flatten().collect()
}

impl Part {
    fn new(topic: Topic) -> Self {
        Self { topic, sentences: Vec::new(), list: Vec::new() }
    }

    fn saying(topic: Topic, text: impl Into<String>) -> Self {
        Self { sentences: vec![vec![Words::Text(text.into())]], ..Self::new(topic) }
    }

    fn say(&mut self, text: impl Into<String>) {
        self.sentences.push(vec![Words::Text(text.into())]);
    }

    /// The part, unless there is nothing in it.
    fn kept(self) -> Option<Self> {
        (!self.sentences.is_empty() || !self.list.is_empty()).then_some(self)
    }

    /// All of it as one text, the list in lines of its own.
    pub fn text(&self) -> String {
        let plain = |sentence: &Sentence| {
            let words = sentence.iter().map(|words| match words {
                Words::Text(text) | Words::Code(text) => text.as_str(),
            });
            words.collect::<String>()
        };
        let sentences: Vec<String> = self.sentences.iter().map(plain).collect();
        let list = self.list.iter().map(|item| format!("\n- {}", plain(item)));
        sentences.join(" ") + &list.collect::<String>()
    }
}

/// `a, b and c`.
fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}

/// The same of many: the first few, and how many more there are.
fn listed_briefly(names: &[String], most: usize) -> String {
    match names.len().saturating_sub(most) {
        0 | 1 => listed(names),
        more => format!("{} and {more} more", names[..most].join(", ")),
    }
}

/// `1 step`, `2 steps`.
fn counted(number: usize, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}
