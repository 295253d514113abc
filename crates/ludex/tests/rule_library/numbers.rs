//! Numbers by arithmetic.

use super::{model, texts};

#[test]
fn numbers_are_as_in_arithmetic() {
    for max in [1, 2, 7] {
        let set = [("max", max)];
        let all = || 0..=max;
        let pairs = || all().flat_map(move |m| (0..=max).map(move |n| [m, n]));
        assert_eq!(model("numbers", "succ", &set), texts((0..max).map(|n| [n, n + 1])));
        assert_eq!(model("numbers", "number", &set), texts(all().map(|n| [n])));
        assert_eq!(model("numbers", "less", &set), texts(pairs().filter(|[m, n]| m < n)));
        let sums = pairs().map(|[m, n]| [m, n, m + n]).filter(|[_, _, k]| *k <= max);
        assert_eq!(model("numbers", "sum", &set), texts(sums));
        let products = pairs().map(|[m, n]| [m, n, m * n]).filter(|[_, _, k]| *k <= max);
        assert_eq!(model("numbers", "product", &set), texts(products));
        let differences = pairs().map(|[m, n]| [m, n, m.abs_diff(n)]);
        assert_eq!(model("numbers", "difference", &set), texts(differences));
    }
}

#[test]
fn there_are_as_many_numbers_as_can_be_asked_for() {
    let set = [("max", 300)];
    assert_eq!(model("numbers", "succ", &set).len(), 300);
    assert_eq!(model("numbers", "sum", &set).len(), 301 * 302 / 2);
}

#[test]
fn the_sides_of_a_die_are_numbered() {
    assert_eq!(model("dice", "side", &[("sides", 2)]), texts([[1], [2]]));
    assert_eq!(model("dice", "side", &[("sides", 100)]).len(), 100);
}

#[test]
fn cards_have_ranks_that_beat_each_other() {
    let beats = (1..=4u32).flat_map(|c| (1..c).map(move |b| [c, b]));
    assert_eq!(model("cards", "beats", &[("ranks", 4)]), texts(beats));
    assert_eq!(model("cards", "card", &[("ranks", 4)]).len(), 8);
    let receives = model("cards", "receives", &[("hand", 2)]);
    let expected = [["0", "white"], ["1", "black"], ["2", "white"], ["3", "black"]];
    assert_eq!(receives, expected.iter().map(|pair| pair.map(str::to_owned).to_vec()).collect());
}
