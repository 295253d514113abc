//! The shape of brackets: which encounters there are, and who comes to them from where.

use super::encounter::{Origin, Side};

/// A place in a bracket where two players meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) side: Side,
    /// The round in this side, from 1.
    pub(super) round: u32,
    /// Which one of its round, from 1.
    pub(super) number: u32,
    /// The round among all rounds of the bracket, in the order in which they are played, from 1.
    pub(super) stage: u32,
    pub(super) sources: [Source; 2],
    /// The final that this one may follow: it is played if whoever came second into that one won it.
    pub(super) only_after: Option<usize>,
}

/// Where a player comes from. Nodes come before those that they feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// This player; nobody where there are too few.
    Seed(Option<usize>),
    Winner(usize),
    Loser(usize),
}

impl Source {
    pub(super) fn origin(self) -> Origin {
        match self {
            Self::Seed(_) => Origin::Placed,
            Self::Winner(node) => Origin::WinnerOf(node),
            Self::Loser(node) => Origin::LoserOf(node),
        }
    }
}

/// A bracket being built.
#[derive(Default)]
struct Builder {
    nodes: Vec<Node>,
    stages: u32,
    rounds: [u32; 3],
}

impl Builder {
    /// Adds a round; gives the nodes.
    fn round(&mut self, side: Side, pairs: impl IntoIterator<Item = [Source; 2]>) -> Vec<usize> {
        self.stages += 1;
        let round = &mut self.rounds[side as usize];
        *round += 1;
        let (round, first) = (*round, self.nodes.len());
        self.nodes.extend(pairs.into_iter().zip(1..).map(|(sources, number)| Node {
            side,
            round,
            number,
            stage: self.stages,
            sources,
            only_after: None,
        }));
        (first..self.nodes.len()).collect()
    }

    fn first_round(&mut self, players: usize) -> Vec<usize> {
        let source = |&seed: &usize| Source::Seed((seed < players).then_some(seed));
        let seeds = seeding(players);
        self.round(Side::Winners, seeds.chunks_exact(2).map(|pair| [source(&pair[0]), source(&pair[1])]))
    }

    /// A round between the winners of neighbouring nodes.
    fn neighbours(&mut self, side: Side, before: &[usize]) -> Vec<usize> {
        let winners = |pair: &[usize]| [Source::Winner(pair[0]), Source::Winner(pair[1])];
        self.round(side, before.chunks_exact(2).map(winners).collect::<Vec<_>>())
    }
}

/// The order in which seeds stand in a bracket, filled up to a power of two: the best two can only meet in
/// the final, the best four in the round before, and so on. Byes go to the best.
fn seeding(players: usize) -> Vec<usize> {
    let size = players.max(2).next_power_of_two();
    let mut seeds = vec![0];
    while seeds.len() < size {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    seeds
}

/// The bracket of a single elimination.
pub(super) fn single(players: usize) -> Vec<Node> {
    let mut builder = Builder::default();
    let mut round = builder.first_round(players);
    while round.len() > 1 {
        round = builder.neighbours(Side::Winners, &round);
    }
    builder.nodes
}

/// The bracket of a double elimination. Who loses for the first time comes to the losers' side, where those
/// whom it has met are far away.
pub(super) fn double(players: usize) -> Vec<Node> {
    let mut builder = Builder::default();
    let mut winners = builder.first_round(players);
    let losers = |pair: &[usize]| [Source::Loser(pair[0]), Source::Loser(pair[1])];
    let mut lost = first_losers(&mut builder, winners.chunks_exact(2).map(losers).collect());
    // For each place on the losers' side, from which round and place of the other side its players come.
    let mut fallen: Vec<Vec<(u32, usize)>> =
        (0..lost.len()).map(|place| vec![(1, 2 * place), (1, 2 * place + 1)]).collect();
    let mut level = 1;
    while winners.len() > 1 {
        winners = builder.neighbours(Side::Winners, &winners);
        level += 1;
        let order = order_of_fall(&fallen, level);
        let pair = |(&node, &from): (&usize, &usize)| [Source::Winner(node), Source::Loser(winners[from])];
        let pairs: Vec<[Source; 2]> = lost.iter().zip(&order).map(pair).collect();
        lost = builder.round(Side::Losers, pairs);
        fallen.iter_mut().zip(order).for_each(|(known, from)| known.push((level, from)));
        if winners.len() > 1 {
            lost = builder.neighbours(Side::Losers, &lost);
            fallen = fallen.chunks_exact(2).map(<[_]>::concat).collect();
        }
    }
    let best = winners[0];
    // With two players there is no losers' side: the final is for the loser to come back.
    let other = lost.first().map_or(Source::Loser(best), |&node| Source::Winner(node));
    let last = builder.round(Side::Final, [[Source::Winner(best), other]])[0];
    let again = builder.round(Side::Final, [[Source::Winner(last), Source::Loser(last)]])[0];
    builder.nodes[again].only_after = Some(last);
    builder.nodes
}

/// Which loser of a round comes to which place of the losers' side: of some simple orders the one in which
/// the fewest can meet again, above all not those who have met of late.
fn order_of_fall(fallen: &[Vec<(u32, usize)>], level: u32) -> Vec<usize> {
    let count = fallen.len();
    let reversed = |place: usize| count - 1 - place;
    let turned = |place: usize| (place + count / 2) % count;
    let orders: [Vec<usize>; 4] = [
        (0..count).map(reversed).collect(),
        (0..count).map(turned).collect(),
        (0..count).map(|place| reversed(turned(place))).collect(),
        (0..count).collect(),
    ];
    // Whoever fell in an earlier round fell to a winner of this one if its place lies below.
    let harm = |order: &Vec<usize>| -> u64 {
        let below = |&(round, place): &(u32, usize), from: usize| place >> (level - round) == from;
        let at = |(known, &from): (&Vec<(u32, usize)>, &usize)| -> u64 {
            known.iter().filter(|fall| below(fall, from)).map(|&(round, _)| 4u64.pow(round)).sum()
        };
        fallen.iter().zip(order).map(at).sum()
    };
    orders.into_iter().min_by_key(harm).unwrap_or_default()
}

/// A round of the losers' side, if anybody is in it.
fn first_losers(builder: &mut Builder, pairs: Vec<[Source; 2]>) -> Vec<usize> {
    if pairs.is_empty() { Vec::new() } else { builder.round(Side::Losers, pairs) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_meet_as_late_as_they_can() {
        assert_eq!(seeding(2), [0, 1]);
        assert_eq!(seeding(4), [0, 3, 1, 2]);
        assert_eq!(seeding(8), [0, 7, 3, 4, 1, 6, 2, 5]);
        assert_eq!(seeding(5), seeding(8));
    }

    #[test]
    fn numbers_of_encounters_are_known() {
        // One less than places; twice that and one more, of which the last may not be needed.
        for (players, single_nodes, double_nodes) in
            [(2, 1, 3), (3, 3, 7), (4, 3, 7), (8, 7, 15), (9, 15, 31)]
        {
            assert_eq!(single(players).len(), single_nodes);
            assert_eq!(double(players).len(), double_nodes, "{players}");
        }
    }

    #[test]
    fn each_winner_and_loser_goes_to_one_place() {
        for players in [2, 3, 5, 8, 16, 33, 64] {
            let nodes = double(players);
            let used =
                |source: Source| nodes.iter().flat_map(|node| node.sources).filter(|s| *s == source).count();
            for (place, node) in nodes.iter().enumerate() {
                let last = place + 1 == nodes.len();
                assert_eq!(used(Source::Winner(place)), usize::from(!last), "{players}: {node:?}");
                let out = node.side == Side::Losers || last;
                assert_eq!(used(Source::Loser(place)), usize::from(!out), "{players}: {node:?}");
                let earlier = node.sources.iter().all(|source| match source {
                    Source::Winner(from) | Source::Loser(from) => *from < place,
                    Source::Seed(_) => node.side == Side::Winners && node.round == 1,
                });
                assert!(earlier);
            }
        }
    }
}
