//! Programs that move by a simple rule, whatever the game: what others exploit, and what they learn against.

use std::str::FromStr;

use ludex_game::{Belief, BeliefError, BeliefOptions, News, Rng};
use ludex_logic::{Budget, TermId};

use crate::known_moves::moves_to_choose_from;
use crate::player::{Choice, Outcome, Player, PlayerError, Seat};
use crate::registry::{BuiltIn, OptionInfo};

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "habit",
    description: "moves by a simple rule, such as copying the other: for others to see through",
    options: &[OptionInfo {
        name: "is",
        default: "first",
        description: "first, last, cycle, pattern, biased, copy, slow-copy, loose-copy, contrary, grim",
    }],
    make: |options, resources| {
        let habit = options.get("is")?;
        Ok(Box::new(HabitPlayer { habit, rng: Rng::from_seed(resources.seed), belief: None }))
    },
};

/// A simple rule. Moves are numbered in their canonical order; in the prisoner's dilemma the first is to cooperate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    /// The first move.
    First,
    /// The last move.
    Last,
    /// All moves in turn.
    Cycle,
    /// The first move twice, then the second.
    Pattern,
    /// The first move seven times in ten, any other as often as the rest.
    Biased,
    /// What the other did last; the first move at first (tit for tat).
    Copy,
    /// What the other did twice in a row; the first move otherwise (tit for two tats).
    SlowCopy,
    /// What the other did last four times in five, else any move.
    LooseCopy,
    /// The move behind what the other did last.
    Contrary,
    /// The first move until the other makes another one, then the last for ever.
    Grim,
}

impl FromStr for Habit {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text {
            "first" => Self::First,
            "last" => Self::Last,
            "cycle" => Self::Cycle,
            "pattern" => Self::Pattern,
            "biased" => Self::Biased,
            "copy" => Self::Copy,
            "slow-copy" => Self::SlowCopy,
            "loose-copy" => Self::LooseCopy,
            "contrary" => Self::Contrary,
            "grim" => Self::Grim,
            _ => return Err(()),
        })
    }
}

/// How often the habit `biased` makes the first move.
const BIAS: f64 = 0.7;
/// How often the habit `loose-copy` copies.
const COPIES: f64 = 0.8;

impl Habit {
    /// The place of its move among so many, after so many steps, where the other one's moves, as far as they are legal
    /// for it, too, had these places.
    fn choose(self, count: usize, steps: usize, other: &[usize], rng: &mut Rng) -> usize {
        let any = |rng: &mut Rng| rng.below(count.max(1) as u64) as usize;
        let last = other.last().copied();
        match self {
            Self::First => 0,
            Self::Last => count - 1,
            Self::Cycle => steps % count,
            Self::Pattern => [0, 0, 1][steps % 3].min(count - 1),
            Self::Biased if count == 1 || rng.fraction() < BIAS => 0,
            Self::Biased => 1 + rng.below(count as u64 - 1) as usize,
            Self::Copy => last.unwrap_or(0),
            Self::SlowCopy => match other {
                [.., before, last] if before == last => *last,
                _ => 0,
            },
            Self::LooseCopy if rng.fraction() < COPIES => last.unwrap_or(0),
            Self::LooseCopy => any(rng),
            Self::Contrary => last.map_or(0, |last| (last + 1) % count),
            Self::Grim if other.iter().all(|&place| place == 0) => 0,
            Self::Grim => count - 1,
        }
    }
}

/// Moves by a habit.
struct HabitPlayer {
    habit: Habit,
    rng: Rng,
    belief: Option<Belief>,
}

impl Player for HabitPlayer {
    fn prepare(&mut self, seat: Seat, _budget: &Budget) -> Result<(), PlayerError> {
        let seed = self.rng.bits();
        self.belief = Some(seat.belief(BeliefOptions::of_player(seed)));
        Ok(())
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        let belief = self.belief.as_mut().ok_or(PlayerError::NotPrepared)?;
        let (moves, report) = moves_to_choose_from(belief, None, budget)?;
        let last = moves.len().checked_sub(1).ok_or(BeliefError::NoMove)?;
        let own = belief.role().index();
        let made = |news: &News| -> Option<TermId> {
            let News::Joint(joint) = news else { return None };
            joint.iter().enumerate().find(|&(role, _)| role != own).map(|(_, &action)| action)
        };
        let other: Vec<usize> = belief
            .news()
            .iter()
            .filter_map(made)
            .filter_map(|action| moves.iter().position(|&legal| legal == action))
            .collect();
        let place = self.habit.choose(moves.len(), belief.news().len(), &other, &mut self.rng);
        Ok(Choice { action: moves[place.min(last)], report })
    }

    fn observe(&mut self, news: &News) {
        if let Some(belief) = &mut self.belief {
            belief.observe(news);
        }
    }

    fn finish(&mut self, _outcome: &Outcome) {
        self.belief = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn habits_do_what_they_say() {
        let mut rng = Rng::from_seed(1);
        let mut of = |habit: &str, steps: usize, other: &[usize]| {
            habit.parse::<Habit>().unwrap().choose(3, steps, other, &mut rng)
        };
        assert_eq!([of("first", 4, &[2]), of("last", 4, &[0]), of("cycle", 4, &[])], [0, 2, 1]);
        assert_eq!([of("pattern", 3, &[]), of("pattern", 4, &[]), of("pattern", 5, &[])], [0, 0, 1]);
        assert_eq!([of("copy", 0, &[]), of("copy", 2, &[1, 2]), of("contrary", 2, &[1, 2])], [0, 2, 0]);
        assert_eq!([of("slow-copy", 2, &[1, 2]), of("slow-copy", 2, &[2, 2])], [0, 2]);
        assert_eq!([of("grim", 2, &[0, 0]), of("grim", 9, &[0, 1, 0, 0])], [0, 2]);
        let mut counts = [0; 3];
        (0..1000).for_each(|step| counts[of("biased", step, &[])] += 1);
        assert!(counts[0] > 600 && counts[1] > 80 && counts[2] > 80, "{counts:?}");
        assert!((0..100).all(|step| of("loose-copy", step, &[]) < 3));
        assert!("tit-for-tat".parse::<Habit>().is_err());
        // Where only one move is legal, all habits make it.
        for habit in ["first", "last", "cycle", "pattern", "biased", "contrary", "grim", "loose-copy"] {
            let place = habit.parse::<Habit>().unwrap().choose(1, 5, &[0], &mut rng);
            assert_eq!(place, 0, "{habit}");
        }
    }
}
