//! Ratings that follow from the matches in a store.

use ludex::matches::tournament::FaultCounts;
use ludex_server::model::{
    GameFeatures, GameKind, MatchEnd, MatchStage, PageRequest, PlayerKind, PlayerRating, Population,
    RatingQuery, RatingScope, SeatSummary, StoreError,
};
use ludex_server::store::Store;

use super::{game, match_row};

/// A match between these players with these goals, which is over at some moment.
fn played(store: &dyn Store, id: &str, players: [&str; 2], goals: [u32; 2], ended: u64) {
    store.add_match(&match_row(id, players, ended)).unwrap();
    end(store, id, goals, ended, true);
}

fn end(store: &dyn Store, id: &str, goals: [u32; 2], ended: u64, rated: bool) {
    let found = store.find_match(id).unwrap().summary;
    let seats = found.seats.iter().zip(goals);
    let seats =
        seats.map(|(seat, goal)| (SeatSummary { goal: Some(goal), ..seat.clone() }, FaultCounts::default()));
    let end = MatchEnd {
        id: id.to_owned(),
        stage: MatchStage::Completed,
        ended,
        rated,
        steps: 2,
        aborted: None,
        seats: seats.collect(),
        record: None,
        last_entry: None,
        event: None,
    };
    store.end_match(&end).unwrap();
}

fn register(store: &dyn Store, players: &[&str]) {
    store.put_game(&game("rows", "(role a)", 1)).unwrap();
    for player in players {
        let strategy = PlayerKind::BuiltIn { strategy: "uct".into() };
        let kind = if player.starts_with('P') { PlayerKind::Person } else { strategy };
        store.put_player(player, &kind, 1).unwrap();
    }
}

fn leaderboard(store: &dyn Store, scope: RatingScope, who: Population) -> Vec<PlayerRating> {
    let query = RatingQuery { scope, who, page: PageRequest::default() };
    store.leaderboard(&query).unwrap().items
}

fn names(ratings: &[PlayerRating]) -> Vec<&str> {
    ratings.iter().map(|rating| rating.player.as_str()).collect()
}

pub fn ratings_follow_from_the_matches_that_are_over(store: &dyn Store) {
    register(store, &["Alpha", "Beta", "Paula"]);
    let day = 86_400_000;
    for number in 0..30u64 {
        played(store, &format!("m{number:02}"), ["Alpha", "Beta"], [100, 0], number * day);
        played(store, &format!("n{number:02}"), ["Beta", "Paula"], [75, 25], number * day + 1);
    }
    assert_eq!(store.uncounted_matches().unwrap(), 60);
    assert_eq!(store.count_ended_matches(1_000).unwrap(), 60);
    assert_eq!((store.uncounted_matches().unwrap(), store.count_ended_matches(9).unwrap()), (0, 0));

    let kind = RatingScope::Kind(GameKind::TwoPlayers);
    for scope in [RatingScope::All, kind.clone(), RatingScope::Game("rows".into())] {
        let all = leaderboard(store, scope.clone(), Population::Both);
        assert_eq!(names(&all), ["Alpha", "Beta", "Paula"], "{scope}");
        assert_eq!((all[0].matches, all[1].matches, all[0].last), (30, 60, 29 * day));
        assert!(all[0].skill.rating > 1650.0 && all[2].skill.rating < 1480.0, "{all:?}");
        assert!(all[0].trend.is_some_and(|trend| trend > 0.0), "{all:?}");
        assert!((all[0].low - (all[0].skill.rating - 2.0 * all[0].skill.deviation)).abs() < 1e-9);
    }
    assert_eq!(names(&leaderboard(store, RatingScope::All, Population::People)), ["Paula"]);
    assert_eq!(names(&leaderboard(store, RatingScope::All, Population::Programs)), ["Alpha", "Beta"]);
    assert!(leaderboard(store, RatingScope::Kind(GameKind::Hidden), Population::Both).is_empty());

    let own = store.ratings_of("ALPHA", 9).unwrap();
    assert_eq!(own.len(), 3);
    let moments = store.rating_moments("alpha", &RatingScope::All).unwrap();
    assert_eq!(moments.len(), 30);
    assert_eq!(moments.last().map(|moment| (moment.matches, moment.rating)), Some((30, own[0].skill.rating)));
    let changes = store.match_ratings("m00").unwrap();
    assert_eq!(changes.len(), 6, "two players over three kinds of matches");
    assert!(changes[0].before == 1500.0 && changes[0].after > 1600.0 && changes[0].scope == RatingScope::All);
    assert!(store.match_ratings("m99").unwrap().is_empty());
    // Whoever is retired is in no list, and keeps its ratings.
    store.retire_player("Alpha", true).unwrap();
    assert_eq!(names(&leaderboard(store, kind, Population::Both)), ["Beta", "Paula"]);
    assert_eq!(store.ratings_of("Alpha", 1).unwrap().len(), 1);
}

/// All that ratings are, to the last bit.
fn bits(store: &dyn Store) -> Vec<(String, String, [u64; 4], u64)> {
    let mut bits = Vec::new();
    for player in ["Alpha", "Beta", "Gamma"] {
        for rating in store.ratings_of(player, 99).unwrap() {
            let numbers = [rating.skill.rating, rating.skill.deviation, rating.skill.volatility, rating.low];
            let moments = store.rating_moments(player, &rating.scope).unwrap();
            let sum = moments.iter().fold(rating.matches, |sum, moment| {
                sum.wrapping_mul(31).wrapping_add(moment.rating.to_bits())
            });
            bits.push((player.to_owned(), rating.scope.to_string(), numbers.map(f64::to_bits), sum));
        }
    }
    bits
}

pub fn matches_are_counted_once_and_in_one_order_however_they_are_counted(store: &dyn Store) {
    register(store, &["Alpha", "Beta", "Gamma"]);
    let pairs = [["Alpha", "Beta"], ["Beta", "Gamma"], ["Gamma", "alpha"]];
    // Many end at the same moment, and they are not kept in the order of their names.
    for number in (0..300u64).rev() {
        let goals = if number % 4 == 0 { [50, 50] } else { [100 * (number % 2) as u32, 30] };
        played(store, &format!("m{number:03}"), pairs[number as usize % 3], goals, 1_000 * (number / 10));
    }
    while store.count_ended_matches(7).unwrap() > 0 {}
    // One that ended before, and comes too late, counts after the others for good.
    played(store, "a", ["Alpha", "Gamma"], [100, 0], 5);
    assert_eq!(store.count_ended_matches(7).unwrap(), 1);
    // To be told an end again changes nothing.
    end(store, "m000", [50, 50], 0, true);
    assert_eq!(store.uncounted_matches().unwrap(), 0);
    let before = bits(store);
    assert_eq!(before.len(), 9);

    store.forget_ratings().unwrap();
    assert!(store.ratings_of("Alpha", 9).unwrap().is_empty());
    assert!(store.match_ratings("m001").unwrap().is_empty());
    assert_eq!(store.uncounted_matches().unwrap(), 301);
    while store.count_ended_matches(100).unwrap() > 0 {}
    assert_eq!(bits(store), before);
    // These are the same in every database, and on every machine.
    let alpha = store.ratings_of("Alpha", 1).unwrap().remove(0).skill;
    let known = [alpha.rating.to_bits(), alpha.deviation.to_bits(), alpha.volatility.to_bits()];
    assert_eq!(known, KNOWN, "{alpha:?}");
}

/// The rating of Alpha in the test above, found out once.
const KNOWN: [u64; 3] = [0x4097_87df_65b1_e9a6, 0x403e_0000_0000_0000, 0x3fae_879f_9819_e89d];

pub fn what_shows_no_strength_is_not_rated(store: &dyn Store) {
    register(store, &["Alpha", "Beta"]);
    // As long as nobody has ever got more than another one in a game, all play for the same.
    played(store, "m1", ["Alpha", "Beta"], [80, 80], 1);
    // Guests are many.
    played(store, "m2", ["guest", "Alpha"], [100, 0], 2);
    played(store, "m3", ["Alpha", "Friend"], [100, 0], 3);
    // Nobody is stronger than itself.
    played(store, "m4", ["Alpha", "alpha"], [100, 0], 4);
    // Moves were taken back.
    store.add_match(&match_row("m5", ["Alpha", "Beta"], 5)).unwrap();
    end(store, "m5", [100, 0], 5, false);
    assert_eq!(store.uncounted_matches().unwrap(), 4);
    assert_eq!(store.count_ended_matches(9).unwrap(), 4);
    assert!(store.ratings_of("Alpha", 9).unwrap().is_empty());
    // From then on a draw says that both are as strong.
    played(store, "m6", ["Alpha", "Beta"], [80, 20], 6);
    played(store, "m7", ["Alpha", "Beta"], [80, 80], 7);
    store.count_ended_matches(9).unwrap();
    assert_eq!(store.ratings_of("Alpha", 1).unwrap()[0].matches, 2);
}

pub fn leaderboards_are_gone_through_by_players(store: &dyn Store) {
    let players: Vec<String> = (0..9).map(|number| format!("p{number}")).collect();
    register(store, &players.iter().map(String::as_str).collect::<Vec<_>>());
    // Pairs that are as strong as each other, so that some have the same number.
    for number in 0..4usize {
        let pair = [players[2 * number].as_str(), players[2 * number + 1].as_str()];
        played(store, &format!("a{number}"), pair, [100, 0], 1);
    }
    store.count_ended_matches(99).unwrap();
    let (mut found, mut after) = (Vec::new(), None);
    loop {
        let page = PageRequest { after, size: 3 };
        let page = store.leaderboard(&RatingQuery { page, ..RatingQuery::default() }).unwrap();
        assert_eq!(page.total, 8);
        found.extend(page.items.into_iter().map(|rating| rating.player));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(found, ["p0", "p2", "p4", "p6", "p1", "p3", "p5", "p7"]);
    let page = PageRequest { after: Some("p8".into()), size: 3 };
    let missing = store.leaderboard(&RatingQuery { page, ..RatingQuery::default() });
    assert!(matches!(missing, Err(StoreError::NotFound { what: "rating", .. })), "{missing:?}");
}

pub fn a_kind_of_game_is_what_is_known_of_it(store: &dyn Store) {
    register(store, &["Alpha", "Beta"]);
    played(store, "m1", ["Alpha", "Beta"], [100, 0], 1);
    assert_eq!(store.games_of_unknown_kind(9).unwrap(), [("rows".to_owned(), "hash of (role a)".to_owned())]);
    let features = GameFeatures { seats: 2, chance: true, ..GameFeatures::default() };
    store.keep_features("rows", "hash of (role a)", &features).unwrap();
    assert!(store.games_of_unknown_kind(9).unwrap().is_empty());
    store.count_ended_matches(9).unwrap();
    let chance = RatingScope::Kind(GameKind::Chance);
    assert_eq!(names(&leaderboard(store, chance.clone(), Population::Both)), ["Alpha", "Beta"]);
    // What was found out later changes nothing of what has its place.
    store.keep_features("rows", "hash of (role a)", &GameFeatures { chance: false, ..features }).unwrap();
    store.forget_ratings().unwrap();
    store.count_ended_matches(9).unwrap();
    assert_eq!(leaderboard(store, chance, Population::Both).len(), 2);
}
