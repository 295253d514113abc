//! One address that takes all it can get, and how others are served meanwhile.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinSet;

use super::client::{Connection, connect};
use super::figures::Times;
use super::matches::gone;
use crate::clock;
use crate::failure::Failure;

/// Whom the flood comes from. All of these are this machine.
const FLOOD: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 9));
/// Others, each of whom asks for a page after the other.
const OTHERS: u8 = 8;
const PAUSE: Duration = Duration::from_millis(25);
/// How much is tried of everything: connections with heads that come byte by byte, with answers that nobody reads, with many
/// requests at a time, with live streams, and with wrong tokens.
const SLOW_HEADS: usize = 64;
const SLOW_READS: usize = 32;
const PIPELINES: usize = 16;
const STREAMS: usize = 64;
const LOGINS: usize = 16;
/// So many requests are sent before any answer is read.
const AT_ONCE: usize = 50;
/// Who was refused tries again after this.
const AGAIN: Duration = Duration::from_millis(50);

/// What the others wait for a page, first by themselves and then beside the flood, each for so long.
pub(super) async fn measure(
    server: SocketAddr,
    paths: &[String],
    time: Duration,
    report: &dyn Fn(u64),
) -> Result<(Times, Times, usize), Failure> {
    let alone = others(server, paths, time).await?;
    report(1);
    let flood = begin(server, paths);
    // Until it has all it can have.
    tokio::time::sleep(Duration::from_secs(1).min(time)).await;
    let beside = others(server, paths, time).await?;
    report(2);
    let asked = flood.asked.load(Ordering::Relaxed);
    Ok((alone, beside, asked))
}

/// What others wait for pages.
async fn others(server: SocketAddr, paths: &[String], time: Duration) -> Result<Times, Failure> {
    let mut tasks = JoinSet::new();
    for number in 0..OTHERS {
        let paths = paths.to_vec();
        tasks.spawn(async move {
            let from = IpAddr::V4(Ipv4Addr::new(127, 0, 1, 1 + number));
            let mut connection = Connection::open(Some(from), server).await?;
            let (begun, mut times) = (clock::now(), Times::default());
            let mut next = usize::from(number);
            while begun.elapsed() < time {
                next += 1;
                let asked = clock::now();
                let answer = connection.get(&paths[next % paths.len()]).await?;
                if answer.status != 200 {
                    return Err(std::io::Error::other(format!("{} for somebody else", answer.status)));
                }
                times.add(asked.elapsed().as_secs_f64() * 1000.0);
                tokio::time::sleep(PAUSE).await;
            }
            Ok(times)
        });
    }
    let mut all = Times::default();
    while let Some(times) = tasks.join_next().await {
        all.append(times.map_err(|error| Failure::input(error.to_string()))?.map_err(gone)?);
    }
    Ok(all)
}

/// A flood, until this goes.
struct Flood {
    asked: Arc<std::sync::atomic::AtomicUsize>,
    stop: Arc<AtomicBool>,
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// Begins a flood on a thread of its own, which does not keep those who measure waiting.
fn begin(server: SocketAddr, paths: &[String]) -> Flood {
    let asked = Arc::<std::sync::atomic::AtomicUsize>::default();
    let stop = Arc::<AtomicBool>::default();
    let flood = Flood { asked: Arc::clone(&asked), stop: Arc::clone(&stop) };
    let paths: Arc<Vec<String>> = Arc::new(paths.to_vec());
    std::thread::spawn(move || {
        let Ok(runtime) = super::runtime() else { return };
        runtime.block_on(async move {
            for number in 0..SLOW_HEADS + SLOW_READS + PIPELINES + STREAMS + LOGINS {
                let (asked, paths) = (Arc::clone(&asked), Arc::clone(&paths));
                tokio::spawn(async move {
                    loop {
                        asked.fetch_add(1, Ordering::Relaxed);
                        // Whatever is refused is tried again.
                        let _ = once(server, number, &paths, &asked).await;
                        tokio::time::sleep(AGAIN).await;
                    }
                });
            }
            while !stop.load(Ordering::Relaxed) {
                tokio::time::sleep(AGAIN).await;
            }
        });
    });
    flood
}

/// One connection of the flood, as long as it lasts.
async fn once(
    server: SocketAddr,
    number: usize,
    paths: &[String],
    asked: &std::sync::atomic::AtomicUsize,
) -> std::io::Result<()> {
    let path = &paths[number % paths.len()];
    let first = |kind: usize, count: usize| (kind..kind + count).contains(&number);
    let mut begin = 0;
    let mut next = |count: usize| {
        begin += count;
        first(begin - count, count)
    };
    if next(SLOW_HEADS) {
        let mut stream = connect(Some(FLOOD), server).await?;
        for byte in format!("GET {path} HTTP/1.1\r\nHost: {server}\r\nX: {}", "x".repeat(10_000)).bytes() {
            stream.write_all(&[byte]).await?;
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    } else if next(SLOW_READS) {
        let mut stream = connect(Some(FLOOD), server).await?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {server}\r\n\r\n").repeat(AT_ONCE);
        stream.write_all(request.as_bytes()).await?;
        tokio::time::sleep(Duration::from_secs(60)).await;
    } else if next(PIPELINES) {
        let mut connection = Connection::open(Some(FLOOD), server).await?;
        loop {
            let request = format!("GET {path} HTTP/1.1\r\nHost: {server}\r\n\r\n").repeat(AT_ONCE);
            connection.write(request.as_bytes()).await?;
            for _ in 0..AT_ONCE {
                connection.answer().await?;
                asked.fetch_add(1, Ordering::Relaxed);
            }
        }
    } else if next(STREAMS) {
        let mut stream = connect(Some(FLOOD), server).await?;
        let path = paths.last().unwrap_or(path);
        stream.write_all(format!("GET {path}/live HTTP/1.0\r\nHost: {server}\r\n\r\n").as_bytes()).await?;
        let mut bytes = vec![0; 4096];
        while stream.read(&mut bytes).await? > 0 {}
    } else {
        let mut connection = Connection::open(Some(FLOOD), server).await?;
        let body = "token=what-it-is-not";
        let request = format!(
            "POST /login HTTP/1.1\r\nHost: {server}\r\nContent-Type: application/x-www-form-urlencoded\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        loop {
            connection.write(request.as_bytes()).await?;
            connection.answer().await?;
            asked.fetch_add(1, Ordering::Relaxed);
        }
    }
    Ok(())
}
