//! How fast rulesheets are read and checked: all files of the corpus, and the slowest of them.
//!
//! `cargo bench -p ludex-benches --bench parse [-- GAME...]`. Each file is loaded several times and the
//! fastest run counts, since the others were disturbed.

use std::path::PathBuf;
use std::sync::Arc;

use ludex_benches::{Stopwatch, figure, table, wanted};
use ludex_gdl::{LoadOptions, Source, load, parse};
use ludex_testkit::corpus::{Corpus, read_text, stem};

const RUNS: usize = 15;

struct Timed {
    path: PathBuf,
    bytes: usize,
    parse_s: f64,
    load_s: f64,
}

fn main() {
    let Some(corpus) = Corpus::find("the benchmark of reading") else { return };
    println!("One thread, wall time, best of {RUNS} runs a file\n");
    let mut files: Vec<Timed> = Vec::new();
    for path in corpus.rulesheets().into_iter().filter(|path| wanted(&stem(path))) {
        match read_text(&path) {
            Ok(text) => files.push(time(path, &text)),
            Err(error) => eprintln!("skipped {error}"),
        }
    }
    if files.is_empty() {
        eprintln!("no such file");
        return;
    }
    let bytes = files.iter().map(|file| file.bytes).sum::<usize>();
    let megabytes = bytes as f64 / 1e6;
    let parsed: f64 = files.iter().map(|file| file.parse_s).sum();
    let loaded: f64 = files.iter().map(|file| file.load_s).sum();
    let rows = [("parse", parsed), ("parse and check", loaded)]
        .map(|(what, seconds)| vec![what.into(), figure(seconds * 1e3), figure(megabytes / seconds)]);
    println!("{} files, {megabytes:.2} MB\n\n{}", files.len(), table(&["all files", "ms", "MB/s"], &rows));

    files.sort_by(|a, b| b.load_s.total_cmp(&a.load_s));
    let rows: Vec<Vec<String>> = files.iter().take(10).map(row).collect();
    let heading = ["slowest files", "kB", "parse ms", "parse and check ms", "MB/s"];
    println!("{}", table(&heading, &rows));
}

fn time(path: PathBuf, text: &str) -> Timed {
    let (mut parse_s, mut load_s) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..RUNS {
        let source = Arc::new(Source::new("benchmark", text));
        let watch = Stopwatch::start();
        std::hint::black_box(parse(Arc::clone(&source), None));
        parse_s = parse_s.min(watch.wall_seconds());
        let watch = Stopwatch::start();
        std::hint::black_box(load(source, &LoadOptions::default()));
        load_s = load_s.min(watch.wall_seconds());
    }
    Timed { path, bytes: text.len(), parse_s, load_s }
}

fn row(file: &Timed) -> Vec<String> {
    let kilobytes = file.bytes as f64 / 1e3;
    let figures = [kilobytes, file.parse_s * 1e3, file.load_s * 1e3, kilobytes / 1e3 / file.load_s];
    [stem(&file.path)].into_iter().chain(figures.map(figure)).collect()
}
