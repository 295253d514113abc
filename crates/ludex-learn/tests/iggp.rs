//! Tasks of the IGGP data set, of which the corpus has five games.

use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;
use ludex_learn::{LearnOptions, Observations, Score, Vocabulary, learn_game, read_iggp};
use ludex_logic::Budget;
use ludex_testkit::corpus::Corpus;

fn read(path: &Path, vocabulary: &mut Vocabulary) -> Observations {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    read_iggp(&text, vocabulary).unwrap()
}

/// What rules that were learned from the training examples of a task say of its test examples.
fn score(corpus: &Corpus, task: &str) -> Score {
    let mut vocabulary = Vocabulary::default();
    let mut part = |kind: &str| read(&corpus.path(&format!("iggp/{task}_{kind}.dat.gz")), &mut vocabulary);
    let (train, test) = (part("train"), part("test"));
    let mut score = Score::default();
    for fit in learn_game(&train, &vocabulary, LearnOptions::default(), 1, &Budget::unlimited()) {
        assert_eq!(fit.stopped, None, "{task}");
        let target = test.targets.iter().find(|target| target.relation == fit.learned.relation()).unwrap();
        score.add(fit.learned.score(&test, target, &vocabulary));
    }
    score
}

#[test]
fn tasks_that_others_made_are_solved() {
    let Some(corpus) = Corpus::find("tasks that others made") else { return };
    // Those that take seconds; `ludex learn --format iggp` solves the others, too.
    for task in [
        "gt_prisoner_goal",
        "gt_prisoner_legal",
        "gt_prisoner_next",
        "gt_prisoner_terminal",
        "horseshoe_goal",
        "horseshoe_legal",
        "horseshoe_next",
        "horseshoe_terminal",
        "lightboard_goal",
        "lightboard_legal",
        "lightboard_next",
        "lightboard_terminal",
        "switches_goal",
        "switches_terminal",
        "tron_goal",
        "tron_legal",
        "tron_next",
        "tron_terminal",
    ] {
        let score = score(&corpus, task);
        // In no example of switches does the match end.
        let is_silent = matches!(task, "switches_goal" | "switches_terminal");
        assert!(score.is_perfect() && (score.true_positives > 0) != is_silent, "{task}: {score:?}");
    }
}
