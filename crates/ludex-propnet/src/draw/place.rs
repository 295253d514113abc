//! How high each item stands: near its neighbours, as far as the order within its column allows.

use super::layers::Layers;

/// Sweeps over all columns.
const SWEEPS: usize = 24;
/// Room between two nodes, and between two wires.
const NODE_GAP: f64 = 16.0;
const WIRE_GAP: f64 = 9.0;
/// How far an item is moved to make its wire straight.
const STRAIGHTEN: f64 = 24.0;

/// The heights of the items' centres. The columns must be in their final order.
pub(super) fn heights(layers: &Layers, height: &[f64]) -> Vec<f64> {
    let mut y = vec![0.0; layers.items.len()];
    for column in &layers.columns {
        let mut at = 0.0;
        for (number, &item) in column.iter().enumerate() {
            if number > 0 {
                at += distance(layers, height, column[number - 1], item);
            }
            y[item] = at;
        }
        // Columns start out centred on each other.
        column.iter().for_each(|&item| y[item] -= at / 2.0);
    }
    let count = layers.columns.len();
    for sweep in 0..SWEEPS {
        for step in 0..count {
            let column = if sweep % 2 == 0 { step } else { count - 1 - step };
            settle(layers, height, column, &mut y);
        }
    }
    for column in 0..count {
        straighten(layers, height, column, true, &mut y);
    }
    for column in (0..count).rev() {
        straighten(layers, height, column, false, &mut y);
    }
    y.iter_mut().for_each(|y| *y = y.round());
    y
}

/// The least distance of the centres of two items, the first above the second.
fn distance(layers: &Layers, height: &[f64], above: usize, below: usize) -> f64 {
    let wires = layers.items[above].node.is_none() && layers.items[below].node.is_none();
    (height[above] + height[below]) / 2.0 + if wires { WIRE_GAP } else { NODE_GAP }
}

/// Moves a column to where its neighbours on both sides pull it: the least squares under the least
/// distances, by pooling adjacent violators.
fn settle(layers: &Layers, height: &[f64], column: usize, y: &mut [f64]) {
    struct Pool {
        sum: f64,
        weight: f64,
        count: usize,
    }
    let column = &layers.columns[column];
    let mut pools: Vec<Pool> = Vec::with_capacity(column.len());
    let mut offsets = Vec::with_capacity(column.len());
    let mut offset = 0.0;
    for (number, &item) in column.iter().enumerate() {
        if number > 0 {
            offset += distance(layers, height, column[number - 1], item);
        }
        offsets.push(offset);
        let (wish, weight) = pull(layers, item, y);
        let mut pool = Pool { sum: (wish - offset) * weight, weight, count: 1 };
        while let Some(before) = pools.pop() {
            if before.sum / before.weight <= pool.sum / pool.weight {
                pools.push(before);
                break;
            }
            pool.sum += before.sum;
            pool.weight += before.weight;
            pool.count += before.count;
        }
        pools.push(pool);
    }
    let mut places = column.iter().zip(offsets);
    for pool in pools {
        let start = pool.sum / pool.weight;
        places.by_ref().take(pool.count).for_each(|(&item, offset)| y[item] = start + offset);
    }
}

/// Where an item's neighbours would have it, and how strongly. Wires pull most, so that they are
/// straight.
fn pull(layers: &Layers, item: usize, y: &[f64]) -> (f64, f64) {
    let strength = |a: usize, b: usize| {
        let wires = [a, b].into_iter().filter(|&i| layers.items[i].node.is_none()).count();
        [1.0, 2.0, 6.0][wires]
    };
    let this = &layers.items[item];
    let (mut sum, mut weight) = (0.0, 0.0);
    for &neighbour in this.left.iter().chain(&this.right) {
        let strength = strength(item, neighbour);
        sum += strength * y[neighbour];
        weight += strength;
    }
    if weight == 0.0 { (y[item], 0.1) } else { (sum / weight, weight) }
}

/// Gives items the very height of a neighbour where that is near and there is room.
fn straighten(layers: &Layers, height: &[f64], column: usize, to_left: bool, y: &mut [f64]) {
    let column = &layers.columns[column];
    for (number, &item) in column.iter().enumerate() {
        let this = &layers.items[item];
        let neighbours = if to_left { &this.left } else { &this.right };
        // A node with several sources has its ports above and below its middle.
        let (Some(&neighbour), 1) = (neighbours.first(), neighbours.len()) else { continue };
        // A reader with other sources is met at a port.
        if !to_left && layers.items[neighbour].left.len() > 1 {
            continue;
        }
        let upper = number
            .checked_sub(1)
            .map_or(f64::NEG_INFINITY, |n| y[column[n]] + distance(layers, height, column[n], item));
        let lower = column
            .get(number + 1)
            .map_or(f64::INFINITY, |&next| y[next] - distance(layers, height, item, next));
        let wish = y[neighbour];
        if wish >= upper && wish <= lower && (wish - y[item]).abs() <= STRAIGHTEN {
            y[item] = wish;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layers::Item;
    use super::*;

    #[test]
    fn items_keep_their_order_and_distance() {
        let item = |left: &[usize], right: &[usize]| Item {
            node: Some(crate::NodeId(0)),
            left: left.to_vec(),
            right: right.to_vec(),
        };
        let items = vec![item(&[], &[2]), item(&[], &[2]), item(&[0, 1], &[]), item(&[], &[])];
        let layers = Layers { items, columns: vec![vec![0, 1], vec![2, 3]], back: Vec::new() };
        let y = heights(&layers, &[20.0; 4]);
        assert!(y[1] - y[0] >= 36.0 && y[3] - y[2] >= 36.0, "{y:?}");
        assert!((y[2] - (y[0] + y[1]) / 2.0).abs() < 1.0, "between its sources: {y:?}");
    }
}
