//! Games without a board of their own: cards, dice, lights, things to choose from; and boards that are parts of one.

use std::path::Path;

use ludex_analysis::{PictureStyle, Structure, TextStyle};
use ludex_game::{Machine, RuleMachine, RuleMachineOptions};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, TermId};
use ludex_testkit::{program, program_of};

/// A game with what was found of it.
struct Found {
    machine: RuleMachine,
    structure: Structure,
}

impl Found {
    fn new(game: &GameProgram) -> Self {
        let options = RuleMachineOptions { tune: false, ..RuleMachineOptions::default() };
        let machine = RuleMachine::new(game, &options).unwrap();
        let structure = Structure::find(game, &machine, &Budget::unlimited());
        Self { machine, structure }
    }

    fn bundled(name: &str) -> Self {
        Self::new(&program_of(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(name)).unwrap())
    }

    fn of(text: &str) -> Self {
        Self::new(&program("test", text, None).unwrap())
    }

    fn term(&self, words: &str) -> TermId {
        let terms = self.machine.signature().terms();
        let mut words = words.split(' ');
        let functor = words.next().unwrap();
        let arguments: Vec<TermId> = words.map(|word| terms.constant(word)).collect();
        if arguments.is_empty() {
            return terms.constant(functor);
        }
        terms.compound(terms.symbol(functor), &arguments)
    }

    fn terms(&self, facts: &[&str]) -> Vec<TermId> {
        facts.iter().map(|fact| self.term(fact)).collect()
    }

    /// What a page draws where these facts hold and the others may.
    fn drawn(&self, facts: &[&str], possible: &[&str]) -> String {
        let style = PictureStyle { spots: true, possible: self.terms(possible), ..PictureStyle::default() };
        self.structure.picture(&self.terms(facts), &style).boards
    }

    fn text(&self, facts: &[&str]) -> String {
        self.structure.draw_text(&self.terms(facts), &TextStyle::PLAIN)
    }

    /// How many spots a move names.
    fn named(&self, action: &str) -> usize {
        self.structure.spots_of(self.term(action)).spots.len()
    }

    fn boards(&self) -> Vec<(&str, usize)> {
        self.structure.boards().iter().map(|board| (board.name(), board.spots())).collect()
    }
}

#[test]
fn cards_are_cards_and_hidden_ones_lie_face_down() {
    let game = Found::bundled("gdl-ii/kuhn-poker.gdl");
    assert_eq!(game.boards(), [("holds", 2)]);
    let own = game.drawn(&["holds alice king"], &[]);
    assert!(own.contains(">K</text>") && own.contains("bob, empty"), "{own}");
    let played = game.drawn(&["holds alice king"], &["holds bob jack", "holds bob queen"]);
    assert!(played.contains("hidden") && !played.contains(">J</text>"), "{played}");
    assert!(!own.contains("hidden"), "{own}");
    // The deck has a place for each card.
    assert!(Found::bundled("gdl-ii/high-card.gdl").boards().contains(&("in_deck", 13)));
}

#[test]
fn suits_are_drawn_and_long_hands_have_a_line_for_each() {
    let ranks = ["2", "3", "4", "9", "10", "jack", "queen", "king"];
    let suits = ["clubs", "diamonds", "hearts", "spades"];
    let cards: String =
        suits.iter().flat_map(|suit| ranks.map(|rank| format!("(card {rank} {suit}) "))).collect();
    let game = Found::of(&format!(
        "(role north) (role south) {cards}
         (<= (base (hand ?p ?r ?s)) (role ?p) (card ?r ?s)) (<= (input ?p (play ?r ?s)) (role ?p) (card ?r ?s))
         (<= (init (hand north ?r clubs)) (card ?r clubs)) (<= (init (hand south ?r hearts)) (card ?r hearts))
         (<= (legal ?p (play ?r ?s)) (true (hand ?p ?r ?s)))
         (<= (next (hand ?p ?r ?s)) (true (hand ?p ?r ?s)) (not (does ?p (play ?r ?s))))
         (<= terminal (not open)) (<= open (true (hand ?p ?r ?s))) (<= (goal ?p 50) (role ?p))"
    ));
    assert_eq!(game.boards(), [("hand", 64)]);
    let drawn = game.drawn(&["hand north queen spades"], &[]);
    assert!(drawn.contains(">Q</text>") && drawn.contains(">♠</text>"), "{drawn}");
    assert!(game.text(&["hand south 10 hearts"]).contains("10♥"));
}

#[test]
fn lights_have_buttons_and_the_dark_ones_are_seen() {
    let game = Found::bundled("gdl/buttons-and-lights.gdl");
    assert_eq!(game.boards(), [("lights", 6)]);
    assert_eq!((game.named("a"), game.named("b"), game.named("step 1")), (1, 1, 0));
    let drawn = game.drawn(&["p"], &[]);
    assert_eq!(drawn.matches("#ffd84a").count(), 1, "one is on");
    assert_eq!(drawn.matches("#8f8a80").count(), 2, "two are off");
    // In groups, each has its buttons.
    let groups = Found::bundled("gdl/best-buttons-and-lights.gdl");
    assert_eq!((groups.boards(), groups.named("a 2")), (vec![("lights", 18)], 1));
}

#[test]
fn dice_counters_and_tracks_stand_beside_roles() {
    let dice = Found::bundled("gdl-ii/liars-dice.kif");
    assert_eq!(dice.boards(), [("claim", 12), ("die", 2)]);
    assert_eq!(dice.named("claim 2 5"), 1);
    assert!(dice.drawn(&["die alice 5"], &[]).matches("<circle").count() == 5);
    let race = Found::bundled("gdl/race.kif");
    assert_eq!(race.boards(), [("runner", 26)]);
    assert_eq!(race.named("run 1"), 0, "a pace is no place");
    assert_eq!(Found::bundled("gdl/lowest-unique.kif").boards(), [("score", 6)]);
}

#[test]
fn doors_can_be_chosen() {
    let game = Found::bundled("gdl-ii/monty-hall.gdl");
    assert_eq!((game.boards().len(), game.named("choose 2"), game.named("stay")), (1, 1, 0));
    let drawn = game.drawn(&["closed 1", "closed 2", "car 2"], &[]);
    assert!(drawn.contains("2, car, closed"), "{drawn}");
}

/// Two boards of two by two cells, one over the other on the whole.
const HALVES: &str =
    "(role red) (role black) (index 1) (index 2) (half 1) (half 2) (up 1 2) (up 2 3) (up 3 4)
    (whole 2 1 1 1 1) (whole 2 1 2 1 2) (whole 2 2 1 2 1) (whole 2 2 2 2 2)
    (whole 1 1 1 1 3) (whole 1 1 2 1 4) (whole 1 2 1 2 3) (whole 1 2 2 2 4)
    (<= (base (cell ?h ?x ?y ?p)) (half ?h) (index ?x) (index ?y) (content ?p))
    (content red) (content black) (content empty)
    (<= (input ?p (mark ?h ?x ?y)) (role ?p) (half ?h) (index ?x) (index ?y))
    (<= (init (cell ?h ?x ?y empty)) (half ?h) (index ?x) (index ?y))
    (<= (legal ?p (mark ?h ?x ?y)) (role ?p) (true (cell ?h ?x ?y empty)))
    (<= (marked ?h ?x ?y) (does ?p (mark ?h ?x ?y)))
    (<= (next (cell ?h ?x ?y red)) (does red (mark ?h ?x ?y)))
    (<= (next (cell ?h ?x ?y black)) (does black (mark ?h ?x ?y)) (not (does red (mark ?h ?x ?y))))
    (<= (next (cell ?h ?x ?y ?p)) (true (cell ?h ?x ?y ?p)) (not (marked ?h ?x ?y)))
    (<= open (true (cell ?h ?x ?y empty))) (<= terminal (not open)) (<= (goal ?p 50) (role ?p))";

#[test]
fn boards_that_are_parts_of_one_are_put_together() {
    let game = Found::of(HALVES);
    assert_eq!(game.boards(), [("cell", 8)]);
    let text = game.text(&["cell 1 1 2 red", "cell 2 2 1 black"]);
    assert!(text.starts_with("cell\n  1 2   3 4\n1 ○ . │ . .\n2 . . │ . ●\n"), "{text}");
}

/// Pieces with four attributes each, which are taken from a supply.
const PIECES: &str =
    "(role a) (piece p0000) (piece p0001) (piece p0010) (piece p0011) (piece p1100) (piece p1101)
    (piece p1110) (piece p1111) (index 1) (index 2) (index 3)
    (<= (base (left ?x)) (piece ?x)) (<= (base (cell ?x ?y ?p)) (index ?x) (index ?y) (content ?p))
    (content empty) (<= (content ?p) (piece ?p))
    (<= (input a (put ?p ?x ?y)) (piece ?p) (index ?x) (index ?y))
    (<= (init (left ?p)) (piece ?p)) (<= (init (cell ?x ?y empty)) (index ?x) (index ?y))
    (<= (legal a (put ?p ?x ?y)) (true (left ?p)) (true (cell ?x ?y empty)))
    (<= (next (left ?p)) (true (left ?p)) (not (put ?p))) (<= (put ?p) (does a (put ?p ?x ?y)))
    (<= (filled ?x ?y) (does a (put ?p ?x ?y))) (<= (next (cell ?x ?y ?p)) (does a (put ?p ?x ?y)))
    (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (not (filled ?x ?y)))
    (<= some (true (left ?p))) (<= terminal (not some)) (goal a 50)";

#[test]
fn pieces_with_attributes_have_shapes_and_wait_beside_the_board() {
    let game = Found::of(PIECES);
    assert_eq!(game.boards(), [("cell", 9), ("left", 8)]);
    let drawn = game.drawn(&["cell 1 1 p1101", "left p0010"], &[]);
    assert!(!drawn.contains("p1101</text>") && drawn.contains("aria-label=\"p0010, p0010\""), "{drawn}");
}

/// Numbers that are plain or inked.
const NUMBERS: &str = "(role a) (index 1) (index 2) (index 3) (flag plain) (flag ink)
    (<= (base (cell ?x ?y ?n ?f)) (index ?x) (index ?y) (index ?n) (flag ?f))
    (<= (input a (mark ?x ?y)) (index ?x) (index ?y))
    (<= (init (cell ?x ?y ?x plain)) (index ?x) (index ?y))
    (<= (legal a (mark ?x ?y)) (true (cell ?x ?y ?n plain)))
    (<= (next (cell ?x ?y ?n ink)) (does a (mark ?x ?y)) (true (cell ?x ?y ?n ?f)))
    (<= (next (cell ?x ?y ?n ?f)) (true (cell ?x ?y ?n ?f)) (not (does a (mark ?x ?y))))
    (<= more (true (cell ?x ?y ?n plain))) (<= terminal (not more)) (goal a 50)";

#[test]
fn marked_numbers_are_numbers() {
    let game = Found::of(NUMBERS);
    let drawn = game.drawn(&["cell 1 1 2 plain", "cell 1 2 3 ink"], &[]);
    assert!(drawn.contains(">2</text>") && drawn.contains(">3</text>"), "{drawn}");
    assert!(game.text(&["cell 1 2 3 ink"]).contains("3*"));
}
