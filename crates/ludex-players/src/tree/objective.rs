//! What the roles play for: their own goals, or to be ahead of the other.

use std::borrow::Cow;
use std::str::FromStr;

use ludex_game::{Goal, Outcomes, PlayoutRecord, RoleId};
use smallvec::{SmallVec, smallvec};

use super::utility::{UtilityType, mean_steps};
use crate::introduction::Aim;

/// What a player was told to play for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectiveOption {
    /// To be ahead where two roles that move in turn are rivals although their goals do not add up, else its own
    /// goal. Where both move at once, and in games of a few moves, dilemmas and bargains are usual, in which roles
    /// that only compare lose what trust brings.
    Auto,
    /// Its own goal alone.
    Own,
    /// To be ahead, wherever two roles play.
    Ahead,
}

impl FromStr for ObjectiveOption {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "auto" => Ok(Self::Auto),
            "own" => Ok(Self::Own),
            "ahead" => Ok(Self::Ahead),
            _ => Err(()),
        }
    }
}

/// What the values in a tree are values of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Objective {
    /// The goal of each role.
    #[default]
    Own,
    /// 50 and half of what one of two roles has more than the other, so that both have 100 together.
    Ahead,
    /// 100 for the one of two roles that has more than the other where the first one has so many goal points more
    /// before, 50 for as much: what is worth something where a match, or several, are won or lost.
    Win {
        /// Goal points of the first role less those of the second.
        by: i32,
    },
}

/// Who plays.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parties {
    pub roles: usize,
    /// The role that moves by chance.
    pub random: Option<usize>,
    /// Whether several roles choose at once.
    pub is_simultaneous: bool,
}

/// What two roles have together when they play to be ahead.
const TOGETHER: u8 = 100;
/// Roles whose goals go together more than this (Pearson's coefficient) are not taken for rivals.
const MOST_SHARED: f64 = 0.3;
/// Random games of so many steps on average are no bargains.
const LONG: f64 = 20.0;

impl Objective {
    /// What to play for, as far as the ends of some playouts show.
    pub(super) fn of(
        option: ObjectiveOption,
        records: &[PlayoutRecord],
        utility: UtilityType,
        Parties { roles, random, is_simultaneous }: Parties,
    ) -> Self {
        let is_open = utility == UtilityType::General && roles == 2 && random.is_none();
        let are_rivals = || {
            mean_steps(records) >= LONG && correlation(records).is_some_and(|shared| shared <= MOST_SHARED)
        };
        let is_ahead = match option {
            ObjectiveOption::Own => false,
            ObjectiveOption::Ahead => is_open,
            ObjectiveOption::Auto => is_open && !is_simultaneous && are_rivals(),
        };
        if is_ahead { Self::Ahead } else { Self::Own }
    }

    /// What a match is played for where that is told, by the role of this number.
    pub(super) fn of_aim(
        aim: Aim,
        role: usize,
        records: &[PlayoutRecord],
        utility: UtilityType,
        Parties { roles, random, .. }: Parties,
    ) -> Self {
        if roles != 2 || random.is_some() || utility == UtilityType::Cooperative {
            return Self::Own;
        }
        let is_open = utility == UtilityType::General;
        match aim {
            Aim::Goals => Self::Own,
            Aim::Ahead if is_open => Self::Ahead,
            Aim::Ahead => Self::Own,
            Aim::Win { lead } => {
                let win = Self::Win { by: if role == 0 { lead } else { lead.saturating_neg() } };
                let ends = records.iter().filter(|record| record.fault.is_none());
                let mut values = ends.clone().map(|record| win.goals(&record.goals));
                let first = values.next();
                let is_decided = values.all(|value| Some(value) == first);
                let mut goals = ends.flat_map(|record| record.goals.iter().flatten());
                let is_all_or_nothing =
                    lead == 0 && !is_open && goals.all(|goal| matches!(goal, 0 | 50 | 100));
                match (is_decided, is_all_or_nothing) {
                    // Nothing is left to win or lose but goals, or these say the same.
                    (true, _) | (_, true) => Self::Own,
                    (false, false) => win,
                }
            }
        }
    }

    /// Whether what playouts are worth does not follow from the mean of their goals.
    pub fn needs_records(self) -> bool {
        matches!(self, Self::Win { .. })
    }

    /// What files call it.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Own => "own".into(),
            Self::Ahead => "ahead".into(),
            Self::Win { by } => format!("win {by:+}").into(),
        }
    }

    /// What the roles are to each other when all play for this.
    pub fn utility(self, own: UtilityType) -> UtilityType {
        match self {
            Self::Own => own,
            Self::Ahead | Self::Win { .. } => UtilityType::ConstantSum { sum: TOGETHER },
        }
    }

    /// Goals as values of this; what is halved is rounded in favour of the second role.
    pub fn goals(self, goals: &[Option<Goal>]) -> SmallVec<[Option<Goal>; 2]> {
        match (self, goals) {
            (Self::Ahead, &[first, second]) => {
                let (first, second) = (first.unwrap_or(0).min(100), second.unwrap_or(0).min(100));
                let first = (100 + first - second) / 2;
                smallvec![Some(first), Some(Goal::from(TOGETHER) - first)]
            }
            (Self::Win { by }, &[first, second]) => {
                let goal = |goal: Option<Goal>| i64::from(goal.unwrap_or(0));
                let ahead = goal(first) - goal(second) + i64::from(by);
                let first = match ahead.signum() {
                    1 => 100,
                    0 => 50,
                    _ => 0,
                };
                smallvec![Some(first), Some(Goal::from(TOGETHER) - first)]
            }
            _ => SmallVec::from_slice(goals),
        }
    }

    /// What playouts from the start of this number brought on average, 0 to 1 per role; 0 where none brought anything.
    pub fn mean_values(self, outcomes: &Outcomes, start: usize, values: &mut [f64]) {
        if !self.needs_records() {
            let tally = outcomes.tallies.get(start);
            for (role, value) in (0u32..).zip(&mut *values) {
                let goal = tally.and_then(|tally| tally.mean_goal(RoleId(role))).unwrap_or(0.0);
                *value = (goal / 100.0).clamp(0.0, 1.0);
            }
            return self.means(values);
        }
        values.fill(0.0);
        let begun = outcomes.records.partition_point(|record| (record.start as usize) < start);
        let of_start = outcomes.records[begun..].iter().take_while(|record| record.start as usize == start);
        let mut count = 0.0;
        for record in of_start.filter(|record| !record.goals.is_empty()) {
            count += 1.0;
            for (value, goal) in values.iter_mut().zip(self.goals(&record.goals)) {
                *value += f64::from(goal.unwrap_or(0)) / 100.0;
            }
        }
        if count > 0.0 {
            values.iter_mut().for_each(|value| *value /= count);
        }
    }

    /// Mean goals, 0 to 1 per role, as values of this; a guess where these do not follow from means.
    pub fn means(self, values: &mut [f64]) {
        let by = match self {
            Self::Own => return,
            Self::Ahead => 0.0,
            Self::Win { by } => f64::from(by) / 100.0,
        };
        if let [first, second] = values {
            *first = ((1.0 + *first - *second + by) / 2.0).clamp(0.0, 1.0);
            *second = 1.0 - *first;
        }
    }
}

/// How much the goals of two roles go together in the ends of playouts: Pearson's coefficient, -1 to 1;
/// `None` where one of them always gets the same.
fn correlation(records: &[PlayoutRecord]) -> Option<f64> {
    let goals = |record: &PlayoutRecord| match record.goals[..] {
        [Some(first), Some(second)] if record.fault.is_none() => Some([f64::from(first), f64::from(second)]),
        _ => None,
    };
    let ends: Vec<[f64; 2]> = records.iter().filter_map(goals).collect();
    let count = ends.len() as f64;
    let mean = |role: usize| ends.iter().map(|goals| goals[role]).sum::<f64>() / count;
    let means = [mean(0), mean(1)];
    let moment = |a: usize, b: usize| {
        ends.iter().map(|goals| (goals[a] - means[a]) * (goals[b] - means[b])).sum::<f64>() / count
    };
    let spread = moment(0, 0) * moment(1, 1);
    (spread > 0.0).then(|| moment(0, 1) / spread.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(steps: u32, ends: &[[Goal; 2]]) -> Vec<PlayoutRecord> {
        let record = |goals: &[Goal; 2]| PlayoutRecord {
            start: 0,
            steps,
            goals: goals.map(Some).to_vec(),
            fault: None,
        };
        ends.iter().map(record).collect()
    }

    const TWO: Parties = Parties { roles: 2, random: None, is_simultaneous: false };

    fn objective(option: ObjectiveOption, ends: &[[Goal; 2]]) -> Objective {
        Objective::of(option, &records(30, ends), UtilityType::General, TWO)
    }

    #[test]
    fn rivals_play_to_be_ahead_and_others_for_themselves() {
        let rivals = [[60, 0], [30, 30], [0, 50], [20, 10]];
        let partners = [[60, 50], [30, 30], [0, 10], [20, 10]];
        assert_eq!(objective(ObjectiveOption::Auto, &rivals), Objective::Ahead);
        assert_eq!(objective(ObjectiveOption::Auto, &partners), Objective::Own);
        assert_eq!(objective(ObjectiveOption::Own, &rivals), Objective::Own);
        assert_eq!(objective(ObjectiveOption::Ahead, &partners), Objective::Ahead);
        assert_eq!(
            objective(ObjectiveOption::Auto, &[[60, 0], [60, 50]]),
            Objective::Own,
            "one of them always gets the same"
        );
        let shared =
            Objective::of(ObjectiveOption::Ahead, &records(30, &rivals), UtilityType::Cooperative, TWO);
        assert_eq!(shared, Objective::Own);
        let of =
            |option, parties| Objective::of(option, &records(30, &rivals), UtilityType::General, parties);
        assert_eq!(of(ObjectiveOption::Ahead, Parties { roles: 3, ..TWO }), Objective::Own);
        let at_once = Parties { is_simultaneous: true, ..TWO };
        assert_eq!(of(ObjectiveOption::Auto, at_once), Objective::Own);
        assert_eq!(of(ObjectiveOption::Ahead, at_once), Objective::Ahead);
        let bargain = Objective::of(ObjectiveOption::Auto, &records(2, &rivals), UtilityType::General, TWO);
        assert_eq!(bargain, Objective::Own);
    }

    #[test]
    fn what_is_ahead_adds_up() {
        let ahead = |goals: [Option<Goal>; 2]| {
            let values = Objective::Ahead.goals(&goals);
            (values[0], values[1])
        };
        assert_eq!(ahead([Some(96), Some(20)]), (Some(88), Some(12)));
        assert_eq!(ahead([Some(0), Some(100)]), (Some(0), Some(100)));
        assert_eq!(ahead([Some(100), None]), (Some(100), Some(0)));
        assert_eq!(ahead([Some(30), Some(25)]), (Some(52), Some(48)));
        assert_eq!(ahead([Some(4_000_000_000), Some(4_000_000_000)]), (Some(50), Some(50)));
        let mut values = [0.96, 0.2];
        Objective::Ahead.means(&mut values);
        assert!((values[0] - 0.88).abs() < 1e-12 && (values[1] - 0.12).abs() < 1e-12);
        let mut values = [0.96, 0.2];
        Objective::Own.means(&mut values);
        assert_eq!(values, [0.96, 0.2]);
    }

    #[test]
    fn who_has_more_wins_whatever_it_is() {
        let win = |by: i32, goals: [Goal; 2]| Objective::Win { by }.goals(&goals.map(Some))[0];
        assert_eq!(win(0, [51, 50]), Some(100));
        assert_eq!(win(-1, [51, 50]), Some(50));
        assert_eq!(win(-2, [51, 50]), Some(0));
        assert_eq!(win(i32::MAX, [0, 100]), Some(100));
        let mut outcomes = Outcomes { records: records(3, &[[60, 50], [0, 50]]), ..Outcomes::default() };
        outcomes.records.extend(records(3, &[[90, 0]]).into_iter().map(|r| PlayoutRecord { start: 2, ..r }));
        let mut values = [0.0; 2];
        for (start, expected) in [(0, [0.5, 0.5]), (1, [0.0, 0.0]), (2, [1.0, 0.0])] {
            Objective::Win { by: 0 }.mean_values(&outcomes, start, &mut values);
            assert_eq!(values, expected, "{start}");
        }
    }

    #[test]
    fn what_a_match_is_for_matters_where_it_can() {
        let all_or_nothing = [[100, 0], [50, 50], [0, 100]];
        let graded = [[60, 40], [30, 70], [95, 5]];
        let of = |aim, role, ends: &[[Goal; 2]], utility| {
            Objective::of_aim(aim, role, &records(30, ends), utility, TWO)
        };
        let constant = UtilityType::ConstantSum { sum: 100 };
        let win = |lead| Aim::Win { lead };
        assert_eq!(of(win(0), 0, &all_or_nothing, constant), Objective::Own);
        assert_eq!(of(win(0), 0, &graded, constant), Objective::Win { by: 0 });
        assert_eq!(of(win(30), 1, &graded, constant), Objective::Win { by: -30 });
        assert_eq!(of(win(100), 0, &graded, constant), Objective::Own, "it is won already");
        assert_eq!(of(Aim::Ahead, 0, &graded, UtilityType::General), Objective::Ahead);
        assert_eq!(of(Aim::Ahead, 0, &graded, constant), Objective::Own);
        assert_eq!(of(Aim::Goals, 0, &graded, UtilityType::General), Objective::Own);
        assert_eq!(of(win(5), 0, &graded, UtilityType::Cooperative), Objective::Own);
        let three = Parties { roles: 3, ..TWO };
        let shared = Objective::of_aim(win(5), 0, &records(30, &graded), UtilityType::General, three);
        assert_eq!(shared, Objective::Own);
    }
}
