//! Brackets as trees.

use ludex::tournament::{Decision, EncounterReport, Origin, Side};

use super::course::{number, shortened};
use crate::console::Console;

/// All parts of a bracket, each under its heading.
pub fn brackets(encounters: &[EncounterReport], console: &Console) -> String {
    let mut out = String::new();
    let last = |side: Side| encounters.iter().rposition(|encounter| encounter.side == side);
    let is_double = last(Side::Final).is_some();
    for (side, heading) in [(Side::Winners, "WINNERS"), (Side::Losers, "LOSERS"), (Side::Final, "FINAL")] {
        let Some(mut root) = last(side) else { continue };
        // A second final that was not needed is not there.
        if is_decided(&encounters[root], Decision::Unneeded) && root > 0 {
            root -= 1;
        }
        let rounds = encounters[root].round as usize;
        // A tree is as wide as its names: each column but the last has goals, too, and what joins them.
        let limit = (console.width().saturating_sub(8 * rounds) / (rounds + 1)).max(4);
        let drawing = Drawing { encounters, limit };
        let winner = encounters[root].decided.as_ref().and_then(|decided| decided.winner.as_deref());
        let Some(tree) = drawing.tree(root, drawing.label(winner, None)) else { continue };
        out.push('\n');
        if is_double {
            out.push_str(&console.dim(heading));
            out.push('\n');
        }
        for row in tree.rows {
            out.push_str(row.trim_end());
            out.push('\n');
        }
    }
    out
}

fn is_decided(encounter: &EncounterReport, how: Decision) -> bool {
    encounter.decided.as_ref().is_some_and(|decided| decided.how == how)
}

/// A part of a tree: the row at `anchor` leads to the next round.
struct Tree {
    rows: Vec<String>,
    anchor: usize,
}

struct Drawing<'d> {
    encounters: &'d [EncounterReport],
    limit: usize,
}

impl Drawing<'_> {
    /// A name with what it got, or how it won.
    fn label(&self, name: Option<&str>, more: Option<String>) -> String {
        let name = shortened(name.unwrap_or("?"), self.limit);
        more.map_or_else(|| name.clone(), |more| format!("{name} {more}"))
    }

    /// The encounter and what leads to it, ending in this label; `None` where nobody comes from there.
    fn tree(&self, place: usize, label: String) -> Option<Tree> {
        let encounter = self.encounters.get(place)?;
        let mut branches = (0..2).filter_map(|side| self.branch(encounter, side, &label));
        match (branches.next(), branches.next()) {
            (Some(first), Some(second)) => Some(joined(first, second, &label)),
            (only, _) => only,
        }
    }

    /// What leads to one side of an encounter.
    fn branch(&self, encounter: &EncounterReport, side: usize, label: &str) -> Option<Tree> {
        let name = encounter.players[side].as_deref();
        let decided = encounter.decided.as_ref();
        if decided.is_some() && name.is_none() {
            return None;
        }
        let alone = decided.is_some() && encounter.players[1 - side].is_none();
        let own_label = if alone {
            // A bye is no branch of its own: what led here leads on.
            label.to_owned()
        } else {
            let won = decided.is_some_and(|decided| decided.winner.as_deref() == name);
            let remark = match decided.map(|decided| decided.how) {
                Some(Decision::Lot) if won => Some("lot"),
                Some(Decision::Walkover) if won => Some("walkover"),
                _ => None,
            };
            let goals = (encounter.matches > 0).then(|| number(encounter.goals[side]));
            let more: Vec<String> = goals.into_iter().chain(remark.map(str::to_owned)).collect();
            self.label(name, (!more.is_empty()).then(|| more.join(" ")))
        };
        let same_side = |place: usize| self.encounters.get(place).is_some_and(|e| e.side == encounter.side);
        match encounter.origins[side] {
            Origin::WinnerOf(place) if same_side(place) => self.tree(place, own_label),
            _ => Some(Tree { rows: vec![own_label], anchor: 0 }),
        }
    }
}

/// Two branches and what they lead to.
fn joined(first: Tree, second: Tree, label: &str) -> Tree {
    let width = first.rows.iter().chain(&second.rows).map(|row| row.chars().count()).max().unwrap_or(0);
    let padded = |row: &str, fill: &str, end: &str| {
        let gap = width - row.chars().count();
        format!("{row} {}{end}", fill.repeat(gap + 1))
    };
    let middle = first.rows.len();
    let mut rows = Vec::with_capacity(middle + 1 + second.rows.len());
    for (place, row) in first.rows.iter().enumerate() {
        rows.push(match place.cmp(&first.anchor) {
            std::cmp::Ordering::Less => row.clone(),
            std::cmp::Ordering::Equal => padded(row, "─", "┐"),
            std::cmp::Ordering::Greater => padded(row, " ", "│"),
        });
    }
    rows.push(format!("{}├─ {label}", " ".repeat(width + 2)));
    for (place, row) in second.rows.iter().enumerate() {
        rows.push(match place.cmp(&second.anchor) {
            std::cmp::Ordering::Less => padded(row, " ", "│"),
            std::cmp::Ordering::Equal => padded(row, "─", "┘"),
            std::cmp::Ordering::Greater => row.clone(),
        });
    }
    Tree { rows, anchor: middle }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludex::tournament::Decided;

    fn leaf(name: &str) -> Tree {
        Tree { rows: vec![name.to_owned()], anchor: 0 }
    }

    #[test]
    fn branches_are_joined_where_they_lead_on() {
        let left = joined(leaf("a 100"), leaf("bob 0"), "a 50");
        let tree = joined(left, leaf("c 30"), "a");
        let drawn: Vec<&str> = tree.rows.iter().map(|row| row.trim_end()).collect();
        let expected = [
            "a 100 ─┐",
            "       ├─ a 50 ─┐",
            "bob 0 ─┘        │",
            "                ├─ a",
            "c 30 ───────────┘",
        ];
        assert_eq!((drawn, tree.anchor), (expected.to_vec(), 3));
    }

    #[test]
    fn a_bye_is_no_branch() {
        let names = |names: [Option<&str>; 2]| names.map(|name| name.map(str::to_owned));
        let encounter = |players, decided: Option<(&str, Decision)>, origins| EncounterReport {
            players: names(players),
            decided: decided.map(|(name, how)| Decided { winner: Some(name.to_owned()), how }),
            origins,
            ..EncounterReport::default()
        };
        let placed = [Origin::Placed; 2];
        let encounters = [
            encounter([Some("a"), None], Some(("a", Decision::Bye)), placed),
            encounter([Some("b"), Some("c")], None, placed),
            encounter([Some("a"), None], None, [Origin::WinnerOf(0), Origin::WinnerOf(1)]),
        ];
        let drawing = Drawing { encounters: &encounters, limit: 10 };
        let rows = drawing.tree(2, "?".into()).unwrap().rows;
        let expected = ["a ───────┐", "         ├─ ?", "b ─┐     │", "   ├─ ? ─┘", "c ─┘"];
        assert_eq!(rows.iter().map(|row| row.trim_end()).collect::<Vec<_>>(), expected);
    }
}
