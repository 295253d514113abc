//! What searches of the first moves found, added up over matches.

use rusqlite::{Connection, params};

/// The most joint moves behind which searches are remembered: matches that go on differ from each other.
pub(crate) const LONGEST: usize = 12;

/// Where a search was made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The strategy that searched: what visits mean is its business.
    pub strategy: String,
    /// What it played for.
    pub aim: String,
    /// The joint moves before, in the words of the memory.
    pub path: String,
    /// The role that chose, by its number in the memory.
    pub role: usize,
}

/// What is known of a move by searches.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchedMove {
    /// The move, in the words of the memory.
    pub action: String,
    /// How often it was tried.
    pub visits: u64,
    /// What it brought on average, 0 to 100.
    pub value: f64,
}

/// The moves of a place.
pub(crate) fn read(connection: &Connection, game: i64, place: &Place) -> rusqlite::Result<Vec<SearchedMove>> {
    let mut statement = connection.prepare_cached(
        "SELECT move, visits, value FROM searches
         WHERE game = ?1 AND strategy = ?2 AND aim = ?3 AND path = ?4 AND role = ?5",
    )?;
    let row = |row: &rusqlite::Row<'_>| {
        let visits: i64 = row.get(1)?;
        Ok(SearchedMove { action: row.get(0)?, visits: visits.unsigned_abs(), value: row.get(2)? })
    };
    let key = params![game, place.strategy, place.aim, place.path, place.role as i64];
    statement.query_map(key, row)?.collect()
}

/// Adds what a search found.
pub(crate) fn add(
    connection: &Connection,
    game: i64,
    place: &Place,
    found: &[SearchedMove],
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO searches (game, strategy, aim, path, role, move, visits, value)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT DO UPDATE SET
             value = (value * visits + excluded.value * excluded.visits) / (visits + excluded.visits),
             visits = visits + excluded.visits",
    )?;
    for SearchedMove { action, visits, value } in found.iter().filter(|found| found.visits > 0) {
        // What is added up stays far below the largest integer of the database.
        let visits = (*visits).min(1 << 40) as i64;
        let Place { strategy, aim, path, role } = place;
        statement.execute(params![game, strategy, aim, path, *role as i64, action, visits, value])?;
    }
    Ok(())
}

/// What a search found beside what is known already: the move that was tried most in all, and by how much what is known
/// has a part in that. `None` where nothing is known of any of these moves.
pub(crate) fn best_of_all(found: &[SearchedMove], known: &[SearchedMove]) -> Option<(String, f64)> {
    let before =
        |action: &str| known.iter().find(|known| known.action == action).map_or(0, |known| known.visits);
    let of_before: u64 = found.iter().map(|found| before(&found.action)).sum();
    if of_before == 0 {
        return None;
    }
    let all = |found: &SearchedMove| found.visits.saturating_add(before(&found.action));
    // The first of equals: the list has the best of the new search first.
    let best = found.iter().reduce(|best, other| if all(other) > all(best) { other } else { best })?;
    let sum: u64 = found.iter().map(all).fold(0, u64::saturating_add);
    Some((best.action.clone(), of_before as f64 / sum.max(1) as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves(moves: &[(&str, u64)]) -> Vec<SearchedMove> {
        let of =
            |&(action, visits): &(&str, u64)| SearchedMove { action: action.into(), visits, value: 50.0 };
        moves.iter().map(of).collect()
    }

    #[test]
    fn what_was_tried_most_in_all_is_best() {
        let found = moves(&[("a", 60), ("b", 40)]);
        assert_eq!(best_of_all(&found, &[]), None);
        assert_eq!(best_of_all(&found, &moves(&[("c", 1000)])), None, "it is not legal here");
        assert_eq!(best_of_all(&found, &moves(&[("b", 10)])).unwrap().0, "a");
        let (best, part) = best_of_all(&found, &moves(&[("b", 200), ("a", 100)])).unwrap();
        assert_eq!((best.as_str(), part), ("b", 0.75));
        assert_eq!(best_of_all(&found, &moves(&[("b", 20)])).unwrap().0, "a", "the first of equals");
    }
}
