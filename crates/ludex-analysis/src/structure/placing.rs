//! Where the spots of a board lie, and what its rows and columns are called.

use ludex_logic::{TermId, Terms};

use super::board::{Board, Panel, Spot};
use super::kinds::Row;
use super::orientation::Orientation;

/// Lays spots out in rows and columns.
pub(crate) fn lay_out(
    board: &mut Board,
    axes: &[Vec<(Row, String)>; 2],
    titles: &[(Row, String)],
    turned: Orientation,
) {
    let (across, down) = if turned.first_across { (&axes[0], &axes[1]) } else { (&axes[1], &axes[0]) };
    let y_of = |at: usize| (if turned.upwards { down.len() - 1 - at } else { at }) as i32;
    for (panel, (panel_key, title)) in titles.iter().enumerate() {
        let columns = across.iter().enumerate().map(|(at, (_, label))| (2 * at as i32, label.clone()));
        let mut rows: Vec<(i32, String)> =
            down.iter().enumerate().map(|(at, (_, label))| (y_of(at), label.clone())).collect();
        rows.sort_by_key(|r| r.0);
        board.panels.push(Panel { title: title.clone(), columns: columns.collect(), rows });
        for (i, (first, first_label)) in axes[0].iter().enumerate() {
            for (j, (second, second_label)) in axes[1].iter().enumerate() {
                let (x, y) = if turned.first_across { (i, j) } else { (j, i) };
                let mut key = first.clone();
                key.extend_from_slice(second);
                key.extend_from_slice(panel_key);
                board.places.insert(key, board.spots.len());
                let name = format!("{first_label} {second_label}");
                board.spots.push(Spot { panel, x: 2 * x as i32, y: y_of(y), possible: false, name });
            }
        }
    }
}

/// Lays spots out where a lattice puts them. Where each row of the picture is one value of a
/// coordinate, that labels it, and the first row is labelled by the other one; else each row carries
/// the names of its first and last cell.
pub(crate) fn place_freely(board: &mut Board, terms: &Terms, keys: &[Row], places: &[(i32, i32)]) {
    board.spots.clear();
    board.places.clear();
    for (at, (key, &(x, y))) in keys.iter().zip(places).enumerate() {
        board.places.insert(key.clone(), at);
        let name: Vec<String> = key.iter().map(|&t| terms.shown(t)).collect();
        board.spots.push(Spot { panel: 0, x, y, possible: true, name: name.join("") });
    }
    let mut panel = Panel { title: board.name.clone(), ..Panel::default() };
    let height = places.iter().map(|p| p.1).max().unwrap_or(0);
    let in_row = |y: i32| {
        let mut row: Vec<usize> = (0..keys.len()).filter(|&k| places[k].1 == y).collect();
        row.sort_by_key(|&k| places[k].0);
        row
    };
    let constant = |axis: usize| {
        (0..=height).all(|y| in_row(y).windows(2).all(|w| keys[w[0]].get(axis) == keys[w[1]].get(axis)))
    };
    let axis = (0..2).find(|&axis| keys.iter().all(|k| k.len() == 2) && constant(axis));
    for y in 0..=height {
        let row = in_row(y);
        let (Some(&first), Some(&last)) = (row.first(), row.last()) else { continue };
        let label = match axis {
            Some(axis) => terms.shown(keys[first][axis]),
            None => format!("{}-{}", board.spots[first].name, board.spots[last].name),
        };
        panel.rows.push((y, label));
        if let Some(axis) = axis.filter(|_| y == 0) {
            panel.columns = row.iter().map(|&k| (places[k].0, terms.shown(keys[k][1 - axis]))).collect();
        }
    }
    // Columns that do not begin in the first row would stay without a name.
    if let Some(axis) = axis {
        let mut others: Vec<TermId> = keys.iter().map(|k| k[1 - axis]).collect();
        others.sort_unstable();
        others.dedup();
        if others.len() != panel.columns.len() {
            panel.columns.clear();
            for (y, label) in &mut panel.rows {
                let row = in_row(*y);
                if let (Some(&first), Some(&last)) = (row.first(), row.last()) {
                    *label = format!("{}-{}", board.spots[first].name, board.spots[last].name);
                }
            }
        }
    }
    board.panels = vec![panel];
}
