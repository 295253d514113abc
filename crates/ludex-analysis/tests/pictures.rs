//! Pictures for pages: which spots moves name, what can be clicked, what is said of a board in words.

use std::collections::BTreeSet;
use std::path::Path;

use ludex_analysis::{NamedSpots, Picture, PictureStyle, SpotName, Structure, TextStyle};
use ludex_game::{Machine, RuleMachine, RuleMachineOptions};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, TermId};
use ludex_testkit::{program, program_of};

const WITH_SPOTS: PictureStyle =
    PictureStyle { spots: true, marked: Vec::new(), turned: false, possible: Vec::new() };

/// A game with its boards.
struct Shown {
    machine: RuleMachine,
    structure: Structure,
}

impl Shown {
    fn new(game: &GameProgram) -> Self {
        let budget = Budget::unlimited();
        let options = RuleMachineOptions { tune: false, ..RuleMachineOptions::default() };
        let machine = RuleMachine::new(game, &options).unwrap();
        let structure = Structure::find(game, &machine, &budget);
        Self { machine, structure }
    }

    fn bundled(name: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl").join(name);
        Self::new(&program_of(&path).unwrap())
    }

    fn of(text: &str) -> Self {
        Self::new(&program("test", text, None).unwrap())
    }

    /// A term with constants as its arguments, or a constant.
    fn term(&self, words: &str) -> TermId {
        let terms = self.machine.signature().terms();
        let mut words = words.split(' ');
        let functor = words.next().unwrap();
        let arguments: Vec<TermId> = words.map(|word| terms.constant(word)).collect();
        match arguments[..] {
            [] => terms.constant(functor),
            _ => terms.compound(terms.symbol(functor), &arguments),
        }
    }

    /// The picture of a state that has these facts.
    fn picture(&self, facts: &[&str]) -> Picture {
        let facts: Vec<TermId> = facts.iter().map(|fact| self.term(fact)).collect();
        self.structure.picture(&facts, &WITH_SPOTS)
    }

    fn spots(&self, action: &str) -> NamedSpots {
        self.structure.spots_of(self.term(action))
    }
}

/// The labels of the spots of a picture, by the names of the spots.
fn labels(picture: &Picture) -> Vec<(String, String)> {
    let value = |text: &str, name: &str| {
        let text = text.split_once(&format!("{name}=\"")).unwrap().1;
        text.split_once('"').unwrap().0.to_owned()
    };
    let spots = picture.boards.split("class=\"spot\"").skip(1);
    spots.map(|spot| (value(spot, "data-spot"), value(spot, "aria-label"))).collect()
}

fn label(picture: &Picture, spot: SpotName) -> String {
    let found = labels(picture).into_iter().find(|(name, _)| *name == spot.to_string());
    found.unwrap_or_else(|| panic!("{spot} is not drawn")).1
}

#[test]
fn a_move_names_the_spot_whose_coordinates_it_has() {
    let game = Shown::bundled("tic-tac-toe.kif");
    let picture = game.picture(&["cell 1 2 x", "cell 2 2 b"]);
    let named = game.spots("mark 1 2");
    assert_eq!((named.spots.len(), named.any), (1, false));
    assert_eq!(label(&picture, named.spots[0]), "row 1, column 2, x");
    let blank = game.spots("mark 2 2").spots[0];
    assert_eq!(label(&picture, blank), "row 2, column 2, empty");
    let all: BTreeSet<SpotName> = (1..=3)
        .flat_map(|m| (1..=3).flat_map(move |n| [(m, n)]))
        .map(|(m, n)| game.spots(&format!("mark {m} {n}")).spots[0])
        .collect();
    assert_eq!(all.len(), 9, "nine moves, nine spots");
    for other in ["noop", "mark 1 9", "mark 9", "control white"] {
        assert_eq!(game.spots(other), NamedSpots::default(), "{other}");
    }
}

#[test]
fn every_spot_can_be_clicked_and_is_drawn_once() {
    for (name, spots) in [("tic-tac-toe.kif", 9), ("connect-four.kif", 42), ("breakthrough.kif", 64)] {
        let game = Shown::bundled(name);
        let picture = game.picture(&[]);
        let names: BTreeSet<String> = labels(&picture).into_iter().map(|(name, _)| name).collect();
        assert_eq!((names.len(), labels(&picture).len()), (spots, spots), "{name}");
        let without = game.structure.picture(&[], &PictureStyle::default());
        assert!(!without.boards.contains("class=\"spot\""), "{name}");
    }
}

#[test]
fn spots_of_the_last_move_are_marked() {
    let game = Shown::bundled("tic-tac-toe.kif");
    let marked = game.spots("mark 1 2").spots;
    let picture = game.structure.picture(&[], &PictureStyle { marked, ..PictureStyle::default() });
    assert_eq!(picture.boards.matches("class=\"marked\"").count(), 1);
    assert!(!game.picture(&[]).boards.contains("class=\"marked\""));
}

#[test]
fn a_move_from_one_spot_to_another_names_both_in_order() {
    let game = Shown::bundled("breakthrough.kif");
    let picture = game.picture(&["cell 2 2 white", "cell 3 3 black"]);
    let named = game.spots("move 2 2 3 3");
    let labels: Vec<String> = named.spots.iter().map(|&spot| label(&picture, spot)).collect();
    assert_eq!(labels, ["row 2, column 2, white", "row 3, column 3, black"]);
    assert!(!named.any);
}

#[test]
fn any_spot_of_a_column_stands_for_the_move_that_names_it() {
    let game = Shown::bundled("connect-four.kif");
    let picture = game.picture(&["cell 3 1 red"]);
    let named = game.spots("drop 3");
    assert_eq!((named.spots.len(), named.any), (6, true));
    let labels: Vec<String> = named.spots.iter().map(|&spot| label(&picture, spot)).collect();
    assert!(labels.iter().all(|label| label.contains("column 3")), "{labels:?}");
    assert_eq!(labels.iter().filter(|label| label.ends_with("red")).count(), 1, "{labels:?}");
    assert_eq!(game.spots("drop 9"), NamedSpots::default());
}

#[test]
fn boards_are_said_in_words() {
    let game = Shown::bundled("tic-tac-toe.kif");
    let picture = game.picture(&["cell 1 2 x", "cell 3 3 x", "cell 2 2 o", "cell 1 1 b", "control white"]);
    let words: Vec<(&str, Vec<&str>)> = said(&picture.words);
    assert_eq!(words.len(), 2, "what is empty is left out: {words:?}");
    assert!(words.contains(&("x", vec!["row 1, column 2", "row 3, column 3"])), "{words:?}");
    assert!(words.contains(&("o", vec!["row 2, column 2"])), "{words:?}");
    assert_eq!(said(&picture.facts), [("control", vec!["white"])]);
}

fn said(groups: &[(String, Vec<String>)]) -> Vec<(&str, Vec<&str>)> {
    groups.iter().map(|(name, items)| (name.as_str(), items.iter().map(String::as_str).collect())).collect()
}

#[test]
fn heaps_are_said_in_words_and_can_be_clicked() {
    let game = Shown::bundled("nim.kif");
    let mut facts = Vec::new();
    game.machine.facts(game.machine.initial(), &mut facts);
    let picture = game.structure.picture(&facts, &WITH_SPOTS);
    let spot = game.spots("take c 2").spots[0];
    assert_eq!(label(&picture, spot), "c, 5");
    assert_eq!(labels(&picture).len(), 4);
    let [(_, heaps)] = &picture.words[..] else { panic!("{:?}", picture.words) };
    assert!(heaps.iter().all(|heap| heap.contains(": ")), "{heaps:?}");
    assert!(picture.boards.contains("<circle"));
}

#[test]
fn games_without_a_board_have_facts_only() {
    let game = Shown::of(
        "(role a) (init (step 1)) (init ready) (legal a go) (<= (next (step 2)) (does a go))
         (<= terminal (true (step 2))) (goal a 100)",
    );
    let picture = game.picture(&["step 1", "ready"]);
    assert!(picture.boards.is_empty() && picture.words.is_empty() && picture.legend.is_empty());
    assert_eq!(said(&picture.facts), [("step", vec!["1"]), ("", vec!["ready"])]);
}

#[test]
fn things_on_one_spot_are_all_said_and_signs_explained() {
    let game = Shown::of(
        "(role a) (i 1) (i 2) (i 3) (succ 1 2) (succ 2 3)
         (<= (base (cell ?x ?y ?p)) (i ?x) (i ?y) (kind ?p)) (kind wall) (kind treasure)
         (<= (base (hurt ?x ?y)) (i ?x) (i ?y))
         (<= (init (cell ?x ?y wall)) (i ?x) (i ?y)) (init (hurt 2 2)) (legal a go)
         (<= (next (cell ?x ?y treasure)) (true (cell ?x ?y wall)) (does a go))
         (<= (next (hurt ?x ?y)) (true (hurt ?x ?y)))
         (<= terminal (true (cell 1 1 treasure))) (goal a 100)",
    );
    let picture = game.picture(&["cell 2 2 treasure", "hurt 2 2", "cell 1 1 wall"]);
    let place = game.spots("go 2 2").spots[0];
    let said = label(&picture, place);
    assert!(said.contains("treasure") && said.contains("hurt"), "{said}");
    assert!(picture.legend.iter().any(|meaning| meaning.name == "treasure"));
    assert!(picture.legend.iter().all(|meaning| meaning.sign.starts_with("<svg ")));
}

#[test]
fn names_cannot_leave_their_attribute() {
    let game = Shown::of(
        "(role a) (i 1) (i 2) (i 3) (succ 1 2) (succ 2 3)
         (<= (base (cell ?x ?y ?p)) (i ?x) (i ?y) (kind ?p)) (kind <b>&\"x) (kind other)
         (<= (init (cell ?x ?y other)) (i ?x) (i ?y)) (legal a go)
         (<= (next (cell ?x ?y other)) (true (cell ?x ?y other)))
         (<= terminal (true (cell 1 1 <b>&\"x))) (goal a 100)",
    );
    let picture = game.picture(&["cell 1 1 <b>&\"x"]);
    assert!(!picture.boards.contains("<b>"), "{}", picture.boards);
    let said = label(&picture, game.spots("go 1 1").spots[0]);
    assert!(said.ends_with("&lt;b&gt;&amp;&quot;x"), "{said}");
}

/// The names of the rows of the first board from the top down, and of its columns from the left.
fn axes(game: &Shown) -> (String, String) {
    let mut facts = Vec::new();
    game.machine.facts(game.machine.initial(), &mut facts);
    let text = game.structure.draw_text(&facts, &TextStyle::PLAIN);
    let mut lines = text.lines().skip(1);
    let columns: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let rows: Vec<&str> = lines.map_while(|line| line.split_whitespace().next()).collect();
    (rows.join(""), columns[..rows.len()].join(""))
}

/// A robot on a board of 3x3 cells, with `cell(A,B,robot)` in words of the test's own.
fn robot(moves: &str, clauses: &str) -> Shown {
    Shown::of(&format!(
        "role(r) index(1) index(2) index(3) after(1,2) after(2,3)
         base(cell(A,B,T)) :- index(A) & index(B) & thing(T)
         thing(robot) thing(b)
         base(step(N)) :- index(N)
         init(step(1))
         next(cell(A,B,robot)) :- leads(A,B)
         next(cell(A,B,b)) :- index(A) & index(B) & ~leads(A,B)
         {moves}
         {clauses}
         terminal :- true(cell(3,3,dot))
         goal(r,100)"
    ))
}

/// Four moves, each with what it adds to the first and to the second coordinate.
fn four_moves(names: [&str; 4]) -> String {
    let ways = [
        "after(S,A) & same(T,B)",
        "after(A,S) & same(T,B)",
        "same(S,A) & after(T,B)",
        "same(S,A) & after(B,T)",
    ];
    let mut text = "same(1,1) same(2,2) same(3,3) init(cell(2,2,robot)) init(cell(1,1,b)) init(cell(1,2,b))
         init(cell(1,3,b)) init(cell(2,1,b)) init(cell(2,3,b)) init(cell(3,1,b)) init(cell(3,2,b))
         init(cell(3,3,b)) "
        .to_owned();
    for (name, way) in names.iter().zip(ways) {
        let leads = format!("true(cell(S,T,robot)) & {way}");
        text += &format!("legal(r,{name}) :- {leads} & index(A) & index(B)\n");
        text += &format!("leads(A,B) :- does(r,{name}) & {leads}\n");
    }
    text
}

#[test]
fn boards_are_drawn_as_moves_say() {
    // The first coordinate grows to the right and the second downwards, and the other ways round.
    let down = robot(&four_moves(["right", "left", "down", "up"]), "");
    assert_eq!(axes(&down), ("123".to_owned(), "123".to_owned()));
    let up = robot(&four_moves(["east", "west", "north", "south"]), "");
    assert_eq!(axes(&up), ("321".to_owned(), "123".to_owned()));
    let spot = |game: &Shown, cell: &str| {
        let picture = game.picture(&["cell 1 2 robot"]);
        label(&picture, game.spots(cell).spots[0])
    };
    assert_eq!(spot(&down, "go 1 2"), "row 2, column 1, robot");
    let first_down = robot(&four_moves(["down", "up", "right", "left"]), "");
    assert_eq!(spot(&first_down, "go 1 2"), "row 1, column 2, robot");
    // What moves say counts for more than names.
    let named = robot(&four_moves(["down", "up", "right", "left"]), "p(X,Y) :- true(cell(X,Y,robot))");
    assert_eq!(spot(&named, "go 1 2"), "row 1, column 2, robot");
}

#[test]
fn the_gap_of_the_sliding_puzzles_goes_where_the_move_says() {
    for (name, rows) in [("8-puzzle.gdl", "123"), ("15-puzzle.gdl", "1234")] {
        assert_eq!(axes(&Shown::bundled(name)), (rows.to_owned(), rows.to_owned()), "{name}");
    }
    // Where it is the tile that moves as the move says, the picture is the same.
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl/8-puzzle.gdl"))
            .unwrap();
    let mut tiles = text.clone();
    for (here, there) in [("right", "left"), ("down", "up")] {
        tiles = tiles.replace(&format!("target({here},"), "target(other,");
        tiles = tiles.replace(&format!("target({there},"), &format!("target({here},"));
        tiles = tiles.replace("target(other,", &format!("target({there},"));
    }
    assert_ne!(tiles, text);
    assert_eq!(axes(&Shown::of(&tiles)), ("123".to_owned(), "123".to_owned()));
}

#[test]
fn rows_and_columns_lie_as_they_are_called() {
    let still = |clauses: &str| {
        let game = robot("legal(r,wait) leads(2,2)\ninit(cell(A,B,b)) :- index(A) & index(B)", clauses);
        let picture = game.picture(&["cell 1 2 robot"]);
        label(&picture, game.spots("go 1 2").spots[0])
    };
    // Nothing says so: the first is the row, as in the textbook.
    assert_eq!(still(""), "row 1, column 2, robot");
    assert_eq!(still("p(Row,Col) :- true(cell(Row,Col,robot))"), "row 1, column 2, robot");
    assert_eq!(still("p(Col,Row) :- true(cell(Col,Row,robot))"), "row 2, column 1, robot");
    assert_eq!(still("column(M) :- true(cell(M,1,robot)) & true(cell(M,2,robot))"), "row 2, column 1, robot");
    // Coordinates that are mostly called x and y are those of a diagram; once among others says nothing.
    let letters = ["p", "q", "s"].map(|name| format!("{name}(X,Y) :- true(cell(X,Y,robot))"));
    assert_eq!(still(&letters.join("\n")), "row 2, column 1, robot");
    assert_eq!(still(&letters[0]), "row 1, column 2, robot");
    // A colour is no column, and rows that are called so count for more than one x and y.
    assert_eq!(still("p(Color,B) :- true(cell(Color,B,robot))"), "row 1, column 2, robot");
    let book = "row(M) :- true(cell(M,1,robot)) & true(cell(M,2,robot))\np(X,Y) :- true(cell(X,Y,robot))";
    assert_eq!(still(book), "row 1, column 2, robot");
    for name in ["tic-tac-toe.kif", "tic-tac-toe.gdl"] {
        assert_eq!(axes(&Shown::bundled(name)), ("123".to_owned(), "123".to_owned()), "{name}");
    }
    for name in ["breakthrough.kif", "connect-four.kif"] {
        let (rows, _) = axes(&Shown::bundled(name));
        assert!(rows.ends_with("321"), "the first side is at the bottom of {name}");
    }
}
