//! Games without a board: dice, counters and tracks of roles, things to choose from, lights and their buttons.

use ludex_logic::{TermId, TermView};
use rustc_hash::FxHashMap;

use super::assemble::{BOARDS, Finder};
use super::board::{Board, BoardShape, Layer, Spot, Use};
use super::figures::{self, Figure};
use super::labels::Sign;
use super::references::{DEEP, flat_term};

/// Games with more kinds of facts are no games of a few things.
const KINDS: usize = 200;
/// The most values of one column to choose from.
const CHOICES: usize = 12;
/// The fewest places of a track, and the most.
const TRACK: (usize, usize) = (6, 40);
/// The most buttons, and how many of them are side by side.
const BUTTONS: usize = 32;
const ACROSS: usize = 9;
/// The most things that wait beside a board.
const SUPPLY: usize = 40;
/// Names up to this length stand above a place, and longer ones beside it.
const SHORT: usize = 4;
/// What numbers are called that are counted and not gone along.
const COUNTED: [&str; 24] = [
    "score", "scores", "points", "point", "money", "cash", "chips", "coins", "gold", "paid", "bid", "bids",
    "bet", "stake", "wins", "won", "lives", "life", "health", "hits", "count", "counter", "goal", "value",
];

impl Finder<'_> {
    /// Adds what can be drawn of a game that has no board with places of its own: see the module.
    pub(super) fn trays(&self, boards: &mut Vec<Board>) {
        if self.kinds.list().len() > KINDS {
            return;
        }
        for kind in 0..self.kinds.list().len() {
            if boards.len() >= BOARDS {
                return;
            }
            if is_drawn(boards, kind) {
                continue;
            }
            let found = self.dice(kind).or_else(|| self.track(kind)).or_else(|| self.counters(kind));
            boards.extend(found.or_else(|| self.pairs(kind)).or_else(|| self.owned(kind)));
        }
        boards.extend(self.lights(boards));
        boards.extend(self.switches(boards));
        for kind in 0..self.kinds.list().len() {
            let open = boards.len() < BOARDS && !is_drawn(boards, kind);
            if open && !self.empty_places(boards, kind) {
                boards.extend(self.things(boards, kind));
            }
        }
    }

    /// Things that moves name and that are put on a board: those that are left, and the one that was chosen.
    pub(super) fn supplies(&self, boards: &mut Vec<Board>) {
        let on_boards =
            boards.iter().flat_map(|board| &board.layers).filter_map(|layer| match &layer.used_as {
                Use::Content(signs) if layer.content.len() == 1 => Some(signs.clone()),
                _ => None,
            });
        let on_boards: Vec<_> = on_boards.collect();
        for kind in 0..self.kinds.list().len() {
            let list = self.kind(kind);
            if list.arity != 1 || is_drawn(boards, kind) || boards.len() >= BOARDS || self.is_roles(kind, 0) {
                continue;
            }
            let domain = &list.domains[0];
            let all = |signs: &&FxHashMap<Vec<TermId>, Sign>| {
                domain.iter().all(|&value| signs.get(&[value][..]).is_some_and(|sign| !sign.glyph.is_empty()))
            };
            let Some(signs) = on_boards.iter().find(all) else { continue };
            if !(3..=SUPPLY).contains(&domain.len()) || !self.named_by_moves(kind, 0) {
                continue;
            }
            let mut board = self.empty_board(kind, BoardShape::Grid);
            let single = self.seen.most(kind) <= 1;
            for (at, &value) in domain.iter().enumerate() {
                let at = at as i32;
                let across = ACROSS as i32 - 1;
                board.add_spot(&[value], (2 * (at % across), at / across), self.terms.shown(value));
            }
            let columns = if single { Vec::new() } else { vec![0] };
            if single {
                board.spots.clear();
                board.places.clear();
                board.add_spot(&[], (0, 0), board.name.clone());
            }
            let used_as = Use::Content(signs.clone());
            board.layers.push(Layer { kind, columns, content: vec![0], used_as, height: None });
            board.axes = if single { Vec::new() } else { vec![domain.clone()] };
            boards.push(board);
        }
    }

    /// The columns of roles and of numbers, where each role has one number.
    fn role_and_number(&self, kind: usize) -> Option<(usize, usize)> {
        let list = self.kind(kind);
        let role = (0..2).find(|&column| list.arity == 2 && self.is_roles(kind, column))?;
        let number = 1 - role;
        let numbers = list.domains[number].iter().all(|&value| self.terms.integer(value).is_some());
        (numbers && self.seen.most(kind) > 0 && self.seen.spread(kind, &[role]).functional)
            .then_some((role, number))
    }

    /// A row of a board for each role.
    fn rows_of_roles(&self, kind: usize, role: usize) -> Board {
        let mut board = self.empty_board(kind, BoardShape::Grid);
        let rows = self.kind(kind).domains[role].iter().enumerate();
        board.panels[0].rows = rows.map(|(y, &value)| (y as i32, self.terms.shown(value))).collect();
        board
    }

    /// One place for each role, and what is there by its number.
    fn one_of_each(&self, kind: usize, (role, number): (usize, usize), sign: impl Fn(u64) -> Sign) -> Board {
        let list = self.kind(kind);
        let mut board = self.rows_of_roles(kind, role);
        for (y, &owner) in list.domains[role].iter().enumerate() {
            board.add_spot(&[owner], (0, y as i32), String::new());
        }
        board.axes = vec![list.domains[role].clone()];
        let signs = list.domains[number].iter().filter_map(|&value| {
            let integer = self.terms.integer(value)?;
            Some((vec![value], sign(integer)))
        });
        let used_as = Use::Content(signs.collect());
        board.layers.push(Layer { kind, columns: vec![role], content: vec![number], used_as, height: None });
        board
    }

    /// What each role has thrown.
    fn dice(&self, kind: usize) -> Option<Board> {
        let columns = self.role_and_number(kind)?;
        let list = self.kind(kind);
        let is_face = |value: &TermId| self.terms.integer(*value).is_some_and(|n| (1..=6).contains(&n));
        let named = has_word(self.terms.name(list.functor), &["die", "dice", "roll", "rolled"]);
        (named && list.domains[columns.1].iter().all(is_face))
            .then(|| self.one_of_each(kind, columns, |n| thing(&n.to_string(), Figure::Die(n.min(6) as u8))))
    }

    /// Whether each role has its number all the time.
    fn always(&self, kind: usize, role: usize) -> bool {
        let roles = self.kind(kind).domains[role].len();
        self.seen.of(kind).iter().all(|rows| rows.len() == roles)
    }

    /// Numbers of roles that only count something.
    fn counters(&self, kind: usize) -> Option<Board> {
        let columns = self.role_and_number(kind).filter(|&(role, _)| self.always(kind, role))?;
        Some(self.one_of_each(kind, columns, |n| thing(&n.to_string(), Figure::Counter)))
    }

    /// A way on which roles go along, a row for each of them.
    fn track(&self, kind: usize) -> Option<Board> {
        let (role, number) = self.role_and_number(kind).filter(|&(role, _)| self.always(kind, role))?;
        let list = self.kind(kind);
        let (order, _) = self.steps.order(self.terms, &list.domains[number])?;
        let counted = has_word(self.terms.name(list.functor), &COUNTED);
        if counted || !(TRACK.0..=TRACK.1).contains(&order.len()) {
            return None;
        }
        let mut board = self.rows_of_roles(kind, role);
        for (y, &owner) in list.domains[role].iter().enumerate() {
            for (x, &value) in order.iter().enumerate() {
                let key = if role == 0 { [owner, value] } else { [value, owner] };
                // The squares say their numbers themselves: a column would be taken for what moves name.
                board.add_spot(&key, (2 * x as i32, y as i32), self.terms.shown(value));
            }
        }
        board.axes = list.domains.clone();
        let used_as = Use::Content(self.signs(kind, &[role, number], &[role]));
        board.layers.push(Layer { kind, columns: vec![0, 1], content: vec![role], used_as, height: None });
        Some(board)
    }

    /// Places that moves name and that may be a role's.
    fn owned(&self, kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        let role = (0..2).find(|&column| list.arity == 2 && self.is_roles(kind, column))?;
        let places = &list.domains[1 - role];
        // Moves may name the places that facts beside these say are empty.
        let alike = |other: usize| self.kind(other).arity == 1 && self.kind(other).domains[0] == *places;
        let mut others = (0..self.kinds.list().len()).filter(|&other| alike(other));
        let named = self.named_by_moves(kind, 1 - role) || others.any(|other| self.named_by_moves(other, 0));
        (named && places.len() > 2).then(|| self.row_or_heaps(kind, 1))?
    }

    /// Pairs of values of which moves name both, such as the number and the face of a claim.
    fn pairs(&self, kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        let fits = |column: usize| {
            let length = list.domains[column].len();
            (1..=CHOICES).contains(&length)
                && !self.is_roles(kind, column)
                && self.named_by_moves(kind, column)
        };
        if list.arity != 2 || list.possible < 4 || !fits(0) || !fits(1) {
            return None;
        }
        let order = |column: usize| {
            let domain = &list.domains[column];
            self.steps.order(self.terms, domain).map_or_else(|| domain.clone(), |found| found.0)
        };
        let (rows, columns) = (order(0), order(1));
        let mut board = self.empty_board(kind, BoardShape::Grid);
        for (y, &row) in rows.iter().enumerate() {
            board.panels[0].rows.push((y as i32, self.terms.shown(row)));
            for (x, &column) in columns.iter().enumerate() {
                board.add_spot(&[row, column], (2 * x as i32, y as i32), String::new());
            }
        }
        let names = columns.iter().enumerate();
        board.panels[0].columns = names.map(|(x, &value)| (2 * x as i32, self.terms.shown(value))).collect();
        board.axes = vec![rows, columns];
        let used_as = Use::Mark(self.mark(kind));
        board.layers.push(Layer { kind, columns: vec![0, 1], content: Vec::new(), used_as, height: None });
        Some(board)
    }

    /// Things of which moves name one, such as doors or wires, with all that is said of them.
    fn things(&self, boards: &[Board], kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        let alike: Vec<usize> = (0..self.kinds.list().len())
            .filter(|&other| {
                let other_list = self.kind(other);
                other_list.arity == 1
                    && list.arity == 1
                    && other_list.domains == list.domains
                    && !is_drawn(boards, other)
            })
            .collect();
        let named = alike.iter().any(|&other| self.named_by_moves(other, 0));
        let several = list.domains.first().is_some_and(|domain| (2..=CHOICES).contains(&domain.len()));
        if !named || !several || self.is_roles(kind, 0) {
            return None;
        }
        let domain = &list.domains[0];
        let order = self.steps.order(self.terms, domain).map_or_else(|| domain.clone(), |found| found.0);
        let names: Vec<String> = order.iter().map(|&value| self.terms.shown(value)).collect();
        let mut board = self.empty_board(kind, BoardShape::Grid);
        board.place_names(&names, &order);
        for (at, name) in names.iter().enumerate() {
            let figure = figures::by_name(name);
            let owner = self.sides.owner(name).filter(|_| figure.is_none());
            if let Some(figure) = figure.or(owner.as_ref().map(|_| Figure::Disc)) {
                board.idle.insert(at, Sign { owner, ..thing(name, figure) });
            }
        }
        board.axes = vec![order];
        for other in alike {
            let (used_as, columns) = (Use::Mark(self.mark(other)), vec![0]);
            board.layers.push(Layer { kind: other, columns, content: Vec::new(), used_as, height: None });
        }
        Some(board)
    }

    /// The sign of facts that mark something: where their name says nothing, a disc for what there is one of, else
    /// letters.
    fn mark(&self, kind: usize) -> Sign {
        let name = self.terms.name(self.kind(kind).functor).to_owned();
        let single = if self.seen.most(kind) <= 1 { Figure::Disc } else { Figure::Letters };
        let figure = figures::by_name(&name).unwrap_or(single);
        Sign { figure, ..Sign::of_mark(name) }
    }

    /// Facts that say which places of a row are empty need no sign.
    fn empty_places(&self, boards: &mut [Board], kind: usize) -> bool {
        let list = self.kind(kind);
        let mut sign = Sign::of_mark(self.terms.name(list.functor).to_owned());
        if list.arity != 1 || !sign.is_named_empty() {
            return false;
        }
        sign.glyph.clear();
        let all = |value: &TermId, board: &Board| board.axes.len() == 1 && board.axes[0].contains(value);
        let row = boards.iter_mut().find(|board| list.domains[0].iter().all(|value| all(value, board)));
        let Some(board) = row else { return false };
        let used_as = Use::Mark(sign);
        board.layers.push(Layer { kind, columns: vec![0], content: Vec::new(), used_as, height: None });
        true
    }

    /// Lights that are on or off and the buttons for them: facts that are called by a letter or are called lights.
    fn lights(&self, boards: &[Board]) -> Option<Board> {
        let kinds = self.kinds.list();
        let is_light = |&kind: &usize| {
            let name = self.terms.name(kinds[kind].functor);
            let called = name.len() == 1 || figures::by_name(name) == Some(Figure::Lamp(true));
            // What there is always one of is a number or a place, and no light.
            let single = kinds[kind].arity == 1 && self.seen.of(kind).iter().all(|rows| rows.len() == 1);
            called && kinds[kind].arity <= 1 && !single && !is_drawn(boards, kind)
        };
        let mut lights: Vec<usize> = (0..kinds.len()).filter(is_light).collect();
        let first = *lights.first()?;
        lights.retain(|&kind| kinds[kind].domains == kinds[first].domains);
        lights.sort_by_key(|&kind| self.terms.name(kinds[kind].functor));
        let domain = kinds[first].domains.first().cloned();
        let length = domain.as_ref().map_or(1, Vec::len);
        if lights.len() * length < 2 || lights.len() < 2 || length > CHOICES || lights.len() > CHOICES {
            return None;
        }
        let mut board = self.empty_board(first, BoardShape::Grid);
        "lights".clone_into(&mut board.name);
        board.panels[0].title.clone_from(&board.name);
        // Lights without arguments are side by side, others in a row for each group.
        for (x, &kind) in lights.iter().enumerate() {
            let name = self.terms.name(kinds[kind].functor).to_owned();
            board.panels[0].columns.push((2 * x as i32, name.clone()));
            for y in 0..length {
                let value = domain.as_ref().map(|domain| domain[y]);
                let key: Vec<TermId> =
                    std::iter::once(self.terms.constant_of(kinds[kind].functor)).chain(value).collect();
                let called = value.map(|value| format!(" {}", self.terms.shown(value))).unwrap_or_default();
                board.idle.insert(board.spots.len(), lamp(false));
                board.add_spot(&key, (2 * x as i32, y as i32), format!("{name}{called}"));
                if let Some(value) = value.filter(|_| x == 0) {
                    board.panels[0].rows.push((y as i32, self.terms.shown(value)));
                }
            }
            let columns = (0..kinds[kind].arity).collect();
            let used_as = Use::Named(self.terms.constant_of(kinds[kind].functor), lamp(true));
            board.layers.push(Layer { kind, columns, content: Vec::new(), used_as, height: None });
        }
        self.add_buttons(&mut board, length as i32);
        Some(board)
    }

    /// Things that facts call on or off.
    fn switches(&self, boards: &[Board]) -> Option<Board> {
        let called = |name: &str| {
            (0..self.kinds.list().len()).find(|&kind| {
                let list = self.kind(kind);
                list.arity == 1 && self.terms.name(list.functor) == name && !is_drawn(boards, kind)
            })
        };
        let (on, off) = (called("on")?, called("off"));
        let mut things = self.kind(on).domains[0].clone();
        if let Some(off) = off {
            let others =
                self.kind(off).domains[0].iter().filter(|value| !self.kind(on).domains[0].contains(value));
            things.extend(others);
        }
        things.sort_unstable_by(|&a, &b| self.terms.compare(a, b));
        if !(2..=CHOICES).contains(&things.len()) || self.is_roles(on, 0) {
            return None;
        }
        let names: Vec<String> = things.iter().map(|&value| self.terms.shown(value)).collect();
        let mut board = self.empty_board(on, BoardShape::Grid);
        "lights".clone_into(&mut board.name);
        board.panels[0].title.clone_from(&board.name);
        board.place_names(&names, &things);
        board.axes = vec![things];
        for (kind, is_on) in std::iter::once((on, true)).chain(off.map(|off| (off, false))) {
            let (used_as, columns) = (Use::Mark(lamp(is_on)), vec![0]);
            board.layers.push(Layer { kind, columns, content: Vec::new(), used_as, height: None });
        }
        Some(board)
    }

    /// Where marks are lights, the others are off; and there are buttons for moves without arguments.
    pub(super) fn show_lamps(&self, board: &mut Board) {
        for layer in &mut board.layers {
            if let Use::Content(signs) = &mut layer.used_as
                && signs.values().any(|sign| sign.figure == Figure::Lamp(true))
            {
                let off = signs.values_mut().filter(|sign| sign.glyph.is_empty());
                off.for_each(|sign| (sign.figure, sign.glyph) = (Figure::Lamp(false), "○".to_owned()));
            }
        }
        let is_light =
            |layer: &Layer| matches!(&layer.used_as, Use::Mark(sign) if sign.figure == Figure::Lamp(true));
        if board.shape != BoardShape::Grid || !board.layers.iter().any(is_light) {
            return;
        }
        let dark = board.spots.iter().enumerate().filter(|(_, spot)| spot.possible);
        board.idle.extend(dark.map(|(at, _)| (at, lamp(false))));
        let plain = self.moves.iter().all(|&action| matches!(self.terms.view(action), TermView::Constant(_)));
        if plain && board.panels.len() == 1 {
            let lowest = board.spots.iter().map(|spot| spot.y).max().unwrap_or(0);
            self.add_buttons(board, lowest + 1);
        }
    }

    /// Buttons for the moves, under what is there so far: a line for each group where there are groups.
    fn add_buttons(&self, board: &mut Board, top: i32) {
        if self.moves.len() > BUTTONS + 2 {
            return;
        }
        let is_button = |action: &&TermId| !["noop", "wait"].contains(&self.terms.shown(**action).as_str());
        let buttons: Vec<TermId> = self.moves.iter().filter(is_button).copied().collect();
        for (at, &action) in buttons.iter().enumerate() {
            let mut leaves = Vec::new();
            flat_term(self.terms, action, DEEP, &mut leaves);
            // What stands on the button has no brackets: `a1` for `(a 1)`.
            let text = match self.terms.view(action) {
                TermView::Compound(functor, _) => {
                    let rest: Vec<String> = leaves.iter().map(|&leaf| self.terms.shown(leaf)).collect();
                    format!("{}{}", self.terms.name(functor), rest.join(" "))
                }
                TermView::Constant(_) => self.terms.shown(action),
            };
            let (spot, place) = (board.spots.len(), (2 * (at % ACROSS) as i32, top + (at / ACROSS) as i32));
            board.idle.insert(spot, thing(&text, Figure::Button));
            board.aliases.insert(action, spot);
            board.spots.push(Spot { panel: 0, x: place.0, y: place.1, possible: true, name: text });
        }
    }
}

impl Board {
    /// Places with names in a row, or one below the other where names are long.
    fn place_names(&mut self, names: &[String], keys: &[TermId]) {
        let down = names.iter().any(|name| name.chars().count() > SHORT);
        for (at, (name, &key)) in names.iter().zip(keys).enumerate() {
            let at = at as i32;
            let place = if down { (0, at) } else { (2 * at, 0) };
            self.add_spot(&[key], place, name.clone());
            let frame = &mut self.panels[0];
            if down {
                frame.rows.push((at, name.clone()));
            } else {
                frame.columns.push((2 * at, name.clone()));
            }
        }
    }
}

fn is_drawn(boards: &[Board], kind: usize) -> bool {
    boards.iter().any(|board| board.kinds().any(|drawn| drawn == kind))
}

/// Whether one of the words of a name is among these.
fn has_word(name: &str, words: &[&str]) -> bool {
    name.to_lowercase().split(['_', '-']).any(|part| words.contains(&part))
}

fn thing(name: &str, figure: Figure) -> Sign {
    let (name, glyph) = (name.to_owned(), name.to_owned());
    Sign { name, glyph, owner: None, disc: false, mark: false, figure }
}

/// A light that is on or off.
fn lamp(is_on: bool) -> Sign {
    let (name, glyph) = if is_on { ("on", "●") } else { ("off", "○") };
    Sign { glyph: glyph.to_owned(), ..thing(name, Figure::Lamp(is_on)) }
}
