//! Tables of what was measured.

use ludex_benches::peers::{Peers, SameRun, best, geometric_mean};
use ludex_benches::play::Played;
use ludex_benches::{Stopwatch, figure, has_option, table};

use crate::measure::Figures;

type Measured = [(String, Figures)];

/// Prints the tables.
pub fn print(measured: &Measured, peers: &Peers, same_run: &[SameRun]) {
    println!("Random play, one thread, {}.\n", Stopwatch::kind());
    speeds(measured, peers);
    // Of one state alone, nothing else was measured.
    if !has_option("--one-state") {
        backends(measured);
        late(measured);
        sizes(measured);
        setups(measured, peers);
        breakdowns(measured);
        threads(measured);
        side_by_side(measured, same_run);
    }
    for (game, figures) in measured {
        for wrong in figures.wrong.iter().chain(&figures.error) {
            println!("{game}: {wrong}");
        }
    }
}

/// A rate in thousands or millions.
fn rate(per_second: f64) -> String {
    match per_second {
        r if r >= 1e6 => format!("{} M", figure(r / 1e6)),
        r if r >= 1e3 => format!("{} k", figure(r / 1e3)),
        r => figure(r),
    }
}

fn rate_of(played: Option<Played>) -> String {
    played.map_or("-".to_owned(), |played| rate(played.per_second))
}

fn heading(words: &'static str) -> Vec<&'static str> {
    words.split('|').map(str::trim).collect()
}

fn speeds(measured: &Measured, peers: &Peers) {
    let (mut rows, mut nets, mut lanes_to_best) = (Vec::new(), Vec::new(), Vec::new());
    for (game, figures) in measured {
        let fastest = best(peers.of(game));
        let auto = figures.lanes.as_ref().map(|lanes| lanes.played);
        let mut row = vec![game.clone(), rate_of(figures.rules), rate_of(figures.net), rate_of(auto)];
        row.push(fastest.map_or("-".to_owned(), |peer| rate(peer.changes)));
        row.push(fastest.map_or("-".to_owned(), |peer| peer.engine.clone()));
        let mut ratio = |played: Option<Played>, ratios: &mut Vec<(f64, String)>| {
            let ratio = played.zip(fastest).map(|(played, peer)| played.per_second / peer.changes);
            ratios.extend(ratio.map(|ratio| (ratio, game.clone())));
            row.push(ratio.map_or("-".to_owned(), figure));
        };
        ratio(figures.net, &mut nets);
        ratio(auto, &mut lanes_to_best);
        row.push(auto.map_or("-".to_owned(), |played| figure(played.lengths.mean())));
        let theirs = fastest.and_then(|peer| peer.mean_length);
        row.push(theirs.map_or("-".to_owned(), |length| length.to_string()));
        rows.push(row);
    }
    let heading = heading(
        "game | rules | net | lanes | best other | which | net to best | lanes to best | mean length | theirs",
    );
    println!("State changes a second:\n\n{}", table(&heading, &rows));
    for (name, ratios) in [("net machine", nets), ("lanes", lanes_to_best)] {
        if let Some((least, game)) = ratios.iter().min_by(|a, b| a.0.total_cmp(&b.0)) {
            let mean = geometric_mean(ratios.iter().map(|(ratio, _)| *ratio));
            println!(
                "{name}: {} times the best other engine in the geometric mean over {} games, {} at least ({game})",
                figure(mean),
                ratios.len(),
                figure(*least)
            );
        }
    }
    println!();
}

fn backends(measured: &Measured) {
    let Some((_, widest)) = measured.iter().max_by_key(|(_, figures)| figures.all.len()) else { return };
    let columns: Vec<(String, usize)> =
        widest.all.iter().map(|lanes| (lanes.backend.clone(), lanes.width)).collect();
    let names: Vec<String> = columns.iter().map(|(backend, width)| format!("{backend} {width}")).collect();
    let mut heading = vec!["game"];
    heading.extend(names.iter().map(String::as_str));
    let row = |(game, figures): &(String, Figures)| {
        let cell = |(backend, width): &(String, usize)| {
            let found = figures.all.iter().find(|lanes| &lanes.backend == backend && lanes.width == *width);
            found.map_or("-".to_owned(), |lanes| figure(lanes.played.per_second / 1e6))
        };
        [game.clone()].into_iter().chain(columns.iter().map(cell)).collect()
    };
    let rows: Vec<Vec<String>> = measured.iter().map(row).collect();
    println!(
        "Millions of state changes a second, by backend and number of lanes:\n\n{}",
        table(&heading, &rows)
    );
}

fn late(measured: &Measured) {
    let mut rows = Vec::new();
    for (game, figures) in measured {
        for late in &figures.late {
            let [whole, specialised] = [late.whole, late.specialised].map(rate);
            let row = [format!("{} %", late.percent), late.steps.to_string(), whole, specialised];
            let times = figure(late.specialised / late.whole);
            rows.push([game.clone()].into_iter().chain(row).chain([times]).collect());
        }
    }
    let heading = heading("game | of a game | steps | whole circuit | specialised | times");
    println!("State changes of lanes a second from states of a random game:\n\n{}", table(&heading, &rows));
}

fn sizes(measured: &Measured) {
    let row = |(game, figures): &(String, Figures)| {
        let size = &figures.size;
        let counts =
            [size.bases, size.moves, size.gates, size.operations, size.decide, size.advance, size.assess];
        let counts = counts.into_iter().chain([size.slots]).map(|count| count.to_string());
        let memory =
            [size.net_mb, size.program_mb, size.engine_mb, size.resident_mb, size.peak_mb].map(figure);
        [game.clone()].into_iter().chain(counts).chain(memory).collect()
    };
    let rows: Vec<Vec<String>> = measured.iter().map(row).collect();
    let heading = heading(
        "game | bases | moves | gates | operations | decide | advance | assess | slots | net MB | program MB | \
         lanes MB | resident MB | peak MB",
    );
    println!("Sizes:\n\n{}", table(&heading, &rows));
}

fn setups(measured: &Measured, peers: &Peers) {
    let mut shares = Vec::new();
    let mut rows = Vec::new();
    for (game, figures) in measured {
        let s = &figures.setup;
        let sancho = peers.of(game).iter().find(|peer| peer.engine == "sancho_step").and_then(|p| p.setup_ms);
        let share = sancho.map(|theirs| s.total() / theirs);
        shares.extend(share.map(|share| (share, game)));
        let times = [s.read, s.ground, s.net, s.passes, s.invariants, s.lanes, s.total()].map(figure);
        let others = [
            sancho.map_or("-".to_owned(), figure),
            share.map_or("-".to_owned(), |share| format!("{:.3}", share)),
        ];
        rows.push([game.clone()].into_iter().chain(times).chain(others).collect());
    }
    let heading =
        heading("game | read | ground | net | passes | invariants | lanes | all | Sancho | to Sancho");
    println!("Set-up in milliseconds, best of several:\n\n{}", table(&heading, &rows));
    let over: Vec<&str> =
        shares.iter().filter(|(share, _)| *share > 0.1).map(|(_, game)| game.as_str()).collect();
    println!(
        "over a tenth of Sancho's in {} of {} games: {}; geometric mean {:.3}\n",
        over.len(),
        shares.len(),
        if over.is_empty() { "none".to_owned() } else { over.join(", ") },
        geometric_mean(shares.iter().map(|(share, _)| *share))
    );
}

fn breakdowns(measured: &Measured) {
    let mut rows = Vec::new();
    for (game, figures) in measured.iter().filter(|(_, figures)| figures.lanes.is_some()) {
        let share = |names: &[&str]| {
            let found = figures.breakdown.shares.iter().filter(|(name, _)| names.contains(&name.as_str()));
            format!("{:.0} %", 100.0 * found.map(|(_, share)| share).sum::<f64>())
        };
        let mut row = vec![game.clone(), figure(figures.breakdown.step_ns)];
        row.extend([share(&["decide"]), share(&["advance"]), share(&["choose"])]);
        row.extend([share(&["assess", "gather"]), share(&["end", "refill"])]);
        row.push(format!("{:.0} %", 100.0 * figures.breakdown.in_use));
        rows.push(row);
    }
    let heading = heading("game | step ns | decide | advance | choose | goals | end, refill | lanes in use");
    println!("Where the time of lanes goes:\n\n{}", table(&heading, &rows));
}

fn threads(measured: &Measured) {
    let (mut rows, mut shares) = (Vec::new(), Vec::new());
    for (game, figures) in measured {
        let [one, all] = figures.threads[..] else { continue };
        let share = all.of_a_thread / one.of_a_thread;
        shares.push(share);
        let rates = [one.of_a_thread, all.of_a_thread, one.on_the_wall, all.on_the_wall].map(rate);
        let row = [figures.size.operations.to_string(), all.threads.to_string()].into_iter().chain(rates);
        rows.push([game.clone()].into_iter().chain(row).chain([format!("{:.0} %", 100.0 * share)]).collect());
    }
    let heading = heading(
        "game | operations | threads | one | each of all | one, on the wall | all, on the wall | each to one",
    );
    println!(
        "State changes in a second of processor time of one thread alone, and of each where all processors have one:\n\n{}",
        table(&heading, &rows)
    );
    println!("each to one: {:.0} % in the geometric mean\n", 100.0 * geometric_mean(shares));
}

/// Beside what was measured of the two fastest others and of an earlier state of this program in one run.
fn side_by_side(measured: &Measured, same_run: &[SameRun]) {
    let mut rows = Vec::new();
    let mut ratios: [Vec<f64>; 4] = Default::default();
    for row in same_run {
        let figures = measured.iter().find(|(game, _)| *game == row.game).map(|(_, figures)| figures);
        let now = |played: Option<Option<Played>>| played.flatten().map(|played| played.per_second);
        let net = now(figures.map(|f| f.net));
        let lanes = now(figures.map(|f| f.lanes.as_ref().map(|lanes| lanes.played)));
        let mut cells = vec![row.game.clone(), row.best.map_or("-".to_owned(), rate)];
        cells.extend([Some(row.net), Some(row.lanes), net, lanes].map(|r| r.map_or("-".to_owned(), rate)));
        for (ours, ratios) in [Some(row.net), Some(row.lanes), net, lanes].into_iter().zip(&mut ratios) {
            let ratio = ours.zip(row.best).map(|(ours, best)| ours / best);
            ratios.extend(ratio);
            cells.push(ratio.map_or("-".to_owned(), figure));
        }
        rows.push(cells);
    }
    let heading = heading(
        "game | best other | net then | lanes then | net now | lanes now | net then to best | lanes then to best | \
         net now to best | lanes now to best",
    );
    println!(
        "Beside the two fastest others. *Then* they and an earlier state of this program were measured in one run on \
         one machine;\n*now* is this run, on this machine:\n\n{}",
        table(&heading, &rows)
    );
    for (name, ratios) in ["net then", "lanes then", "net now", "lanes now"].iter().zip(&ratios) {
        let mean = figure(geometric_mean(ratios.iter().copied()));
        println!(
            "{name}: {mean} times the best other engine in the geometric mean over {} games",
            ratios.len()
        );
    }
    println!();
}
