//! Boards that can be played on: what moves name can be clicked, and things look like what they are.

use std::path::{Path, PathBuf};

use ludex_analysis::{BoardShape, PictureStyle, Structure};
use ludex_game::{Machine, Rng, RuleMachine, RuleMachineOptions, State};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, TermId};
use ludex_testkit::corpus::Corpus;
use ludex_testkit::{program, program_of};

/// A game with its boards.
struct Played {
    machine: RuleMachine,
    structure: Structure,
}

impl Played {
    fn new(game: &GameProgram) -> Self {
        let options = RuleMachineOptions { tune: false, ..RuleMachineOptions::default() };
        let machine = RuleMachine::new(game, &options).unwrap();
        let structure = Structure::find(game, &machine, &Budget::unlimited());
        Self { machine, structure }
    }

    fn at(path: &Path) -> Self {
        Self::new(&program_of(path).unwrap())
    }

    fn bundled(name: &str) -> Self {
        Self::at(&bundled(name))
    }

    fn initial(&self) -> Vec<TermId> {
        let mut facts = Vec::new();
        self.machine.facts(self.machine.initial(), &mut facts);
        facts
    }

    /// What a page draws of the initial state.
    fn drawn(&self) -> String {
        let style = PictureStyle { spots: true, ..PictureStyle::default() };
        self.structure.picture(&self.initial(), &style).boards
    }

    /// Plays a random game: of the moves that somebody had a choice of, those that cannot be clicked, and how
    /// many there were.
    fn play(&self, steps: usize) -> (Vec<String>, usize) {
        let signature = self.machine.signature();
        let mut runner = self.machine.runner(&Budget::unlimited());
        let mut rng = Rng::from_seed(3);
        let (mut facts, mut state) = (self.initial(), State::default());
        let (mut without, mut all) = (Vec::new(), 0);
        runner.set(self.machine.initial()).unwrap();
        for _ in 0..steps {
            if runner.terminal().unwrap() {
                break;
            }
            let mut joint = Vec::new();
            for role in signature.role_ids() {
                let moves = runner.legal(role).unwrap();
                for &action in moves.iter().filter(|_| moves.len() > 1) {
                    let term = signature.action(action);
                    let role = signature.roles()[role.index()];
                    all += 1;
                    if self.structure.spots_in(&facts, Some(role), term).spots.is_empty() {
                        without.push(signature.terms().shown(term));
                    }
                }
                joint.push(*rng.pick(moves).unwrap());
            }
            runner.step_legal(&joint).unwrap();
            runner.save(&mut state);
            facts.clear();
            self.machine.facts(&state, &mut facts);
        }
        (without, all)
    }
}

fn bundled(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl").join(name)
}

/// The letters that things on a picture are drawn as.
fn letters(drawing: &str) -> Vec<&str> {
    let texts = drawing.split("font-weight=\"bold\"").skip(1);
    texts.map(|text| text.split_once('>').unwrap().1.split_once('<').unwrap().0).collect()
}

#[test]
fn all_moves_of_bundled_games_with_boards_can_be_clicked() {
    let games = [
        "checkers.kif",
        "hanoi.gdl",
        "coins.gdl",
        "nim.kif",
        "8-puzzle.gdl",
        "15-puzzle.gdl",
        "sudoku.kif",
        "knights-tour.kif",
        "goofspiel.kif",
        "light-cycles.kif",
        "blocks-world.gdl",
        "reversi.kif",
    ];
    for name in games {
        let (without, all) = Played::bundled(name).play(20);
        assert!(all > 3, "{name} has {all} moves");
        assert!(without.is_empty(), "{name}: {without:?}");
    }
}

#[test]
fn the_gap_of_a_sliding_puzzle_goes_to_the_spot_that_is_clicked() {
    let game = Played::bundled("8-puzzle.gdl");
    let terms = game.machine.signature().terms();
    let (facts, drawn) = (game.initial(), game.drawn());
    let mut said = Vec::new();
    for way in ["left", "right", "up", "down"] {
        let named = game.structure.spots_in(&facts, None, terms.constant(way));
        for spot in named.spots {
            let label = drawn.split_once(&format!("data-spot=\"{spot}\"")).unwrap().1;
            said.push(label.split_once("aria-label=\"").unwrap().1.split_once('"').unwrap().0);
        }
    }
    assert!(said.len() >= 2 && said.iter().all(|label| !label.ends_with("empty")), "{said:?}");
}

#[test]
fn men_are_drawn_as_shapes() {
    for name in ["checkers.kif", "breakthrough.kif", "connect-four.kif", "coins.gdl", "tic-tac-toe.kif"] {
        let drawn = Played::bundled(name).drawn();
        assert_eq!(letters(&drawn), Vec::<&str>::new(), "{name}");
    }
    let chess = Played::at(&bundled("../sdl/chess.gdl"));
    let drawn = chess.drawn();
    assert_eq!(letters(&drawn), Vec::<&str>::new());
    assert!(drawn.matches("<path").count() >= 64, "each man is a figure on a foot");
}

#[test]
fn sudoku_has_boxes_and_other_boards_have_none() {
    // Two lines of nine cells each way.
    assert_eq!(Played::bundled("sudoku.kif").drawn().matches("class=\"part\"").count(), 36);
    for name in ["reversi.kif", "checkers.kif", "connect-four.kif"] {
        assert!(!Played::bundled(name).drawn().contains("class=\"part\""), "{name}");
    }
}

#[test]
fn discs_stand_on_pegs_by_size() {
    let game = Played::bundled("hanoi.gdl");
    assert_eq!(game.structure.boards()[0].shape(), BoardShape::Stacks);
    let picture = game.structure.picture(&game.initial(), &PictureStyle::default());
    let towers = &picture.words[0].1;
    assert_eq!(towers, &["a, 5, 4, 3, 2, 1", "b", "c"]);
}

#[test]
fn a_grid_of_51_by_51_is_cropped_to_its_maze() {
    let numbers: Vec<String> = (1..=51).map(|n| format!("(index {n})")).collect();
    let next: Vec<String> = (1..51).map(|n| format!("(succ {n} {})", n + 1)).collect();
    let walls: Vec<String> =
        (1..=6).map(|n| format!("(init (wall {n} 1 east)) (init (wall 6 {n} north))")).collect();
    let rules = format!(
        "(role r) {} {} {}
         (<= (base (at ?t ?x ?y)) (thing ?t) (index ?x) (index ?y)) (thing r) (thing exit)
         (<= (base (wall ?x ?y ?d)) (index ?x) (index ?y) (way ?d)) (way east) (way north)
         (init (at r 2 2)) (init (at exit 5 5)) (legal r east) (legal r west)
         (<= (next (wall ?x ?y ?d)) (true (wall ?x ?y ?d)))
         (<= (next (at exit ?x ?y)) (true (at exit ?x ?y)))
         (<= (next (at r 3 ?y)) (does r east) (true (at r 2 ?y)))
         (<= (next (at r 2 ?y)) (does r west) (true (at r ?x ?y)))
         (<= (next (at r 3 ?y)) (does r east) (true (at r 3 ?y)))
         (<= terminal (true (at r 5 5))) (goal r 100)",
        numbers.join(" "),
        next.join(" "),
        walls.join(" ")
    );
    let game = Played::new(&program("maze", &rules, None).unwrap());
    assert_eq!(game.structure.boards()[0].spots(), 36);
    assert_eq!(letters(&game.drawn()), Vec::<&str>::new(), "walls are lines");
}

#[test]
fn hints_of_the_author_count() {
    let rules = |hints: &str| {
        let text = format!(
            "{hints}
             (role r) (index 1) (index 2) (index 3) (succ 1 2) (succ 2 3) (kind zug) (kind zog)
             (<= (base (cell ?x ?y ?k)) (index ?x) (index ?y) (kind ?k))
             (<= (init (cell ?x ?y zug)) (index ?x) (index ?y)) (legal r wait)
             (<= (next (cell ?x ?y zog)) (true (cell ?x ?y zug)))
             (<= (next (cell ?x ?y zug)) (true (cell ?x ?y zog)))
             (<= terminal (true (cell 1 1 none))) (goal r 100)"
        );
        Played::new(&program("hints", &text, None).unwrap())
    };
    let plain = rules("");
    assert!(!letters(&plain.drawn()).is_empty());
    let hinted = rules("; ludex: draw zug as gem\n; ludex: rows cell 2 up");
    assert_eq!(letters(&hinted.drawn()), Vec::<&str>::new());
    assert_ne!(plain.drawn(), hinted.drawn());
    assert!(hinted.structure.remarks().is_empty(), "{:?}", hinted.structure.remarks());
    let wrong = rules("; ludex: draw zig as gem\n; ludex: rows cell 3\n; ludex: draw zug as unicorn");
    let remarks = wrong.structure.remarks().join("\n");
    for part in ["nothing is called `zig`", "argument 3 of `cell` is no coordinate", "no figure `unicorn`"] {
        assert!(remarks.contains(part), "{remarks}");
    }
}

#[test]
fn games_of_others_can_be_clicked() {
    let Some(corpus) = Corpus::find("games_of_others_can_be_clicked") else { return };
    let whole = [
        "merrills",
        "pentago",
        "bunk_t",
        "qyshinsu",
        "pacman3p",
        "slidingpieces",
        "sheepAndWolf",
        "snake2p",
        "zhadu",
    ];
    for name in whole {
        let (without, all) = Played::at(&corpus.path(&format!("gdl/{name}.kif"))).play(12);
        assert!(all > 4 && without.is_empty(), "{name}: {without:?}");
    }
}

#[test]
fn boards_of_others_lie_as_they_should() {
    let Some(corpus) = Corpus::find("boards_of_others_lie_as_they_should") else { return };
    let first = |name: &str| {
        let game = Played::at(&corpus.path(&format!("gdl/{name}.kif")));
        let board = &game.structure.boards()[0];
        (board.shape(), board.spots())
    };
    assert_eq!(first("merrills"), (BoardShape::Network, 24), "three rings");
    assert_eq!(first("mummymaze1p"), (BoardShape::Grid, 81), "not 51 by 51");
    assert_eq!(first("knightsTourLarge"), (BoardShape::Grid, 81), "not only where the knight has been");
    assert_eq!(first("qyshinsu"), (BoardShape::Network, 12), "a ring");
}
