//! Players on real sockets, who keep what they were told and by which life of the server.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ludex::game::Rng;
use ludex::matches::message::{Last, Request, match_key, read_request};

use crate::server::wait;

/// A message to a player, with what it did about it.
#[derive(Clone, Debug)]
pub struct Heard {
    /// Which life of the server sent it.
    pub life: usize,
    pub request: Request,
    pub answer: String,
}

/// What a player heard of one match, in order.
#[derive(Clone, Debug, Default)]
pub struct Story {
    pub player: String,
    pub messages: Vec<Heard>,
}

/// What all players heard.
#[derive(Debug, Default)]
struct Memory {
    life: usize,
    /// By match and player.
    stories: BTreeMap<(String, usize), Story>,
    /// Matches that a player was told the end of, to catch such a moment.
    ends: usize,
    /// Connections that are not done with.
    open: usize,
    /// What came that is no message.
    rubbish: Vec<String>,
}

/// Players of tic-tac-toe and of the game beside this file.
#[derive(Clone)]
pub struct Stubs {
    memory: Arc<Mutex<Memory>>,
    /// Name and address of each.
    pub players: Vec<(String, SocketAddr)>,
}

/// What is said to a player only to see that it has got round to everything before.
const BARRIER: &str = "(barrier)";
/// A player answers after so many milliseconds at most.
const SLOWEST: u64 = 40;

impl Stubs {
    /// Starts so many players. Their threads end with the test.
    pub fn start(seed: u64, count: usize) -> Self {
        let memory = Arc::<Mutex<Memory>>::default();
        let mut players = Vec::new();
        for number in 0..count {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            players.push((format!("Stub{number}"), listener.local_addr().unwrap()));
            let stub = Stub { seed, number, name: format!("Stub{number}"), memory: Arc::clone(&memory) };
            std::thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    open(&stub.memory).open += 1;
                    let stub = stub.clone();
                    std::thread::spawn(move || {
                        // A server that dies breaks its connections.
                        let _ = stub.serve(stream);
                        open(&stub.memory).open -= 1;
                    });
                }
            });
        }
        Self { memory, players }
    }

    /// How many players were told the end of a match so far.
    pub fn ends(&self) -> usize {
        open(&self.memory).ends
    }

    /// What was heard so far, by match.
    pub fn stories(&self) -> BTreeMap<String, Vec<Story>> {
        let mut stories: BTreeMap<String, Vec<Story>> = BTreeMap::new();
        for ((id, _), story) in &open(&self.memory).stories {
            stories.entry(id.clone()).or_default().push(story.clone());
        }
        stories
    }

    /// The server is gone: waits until all that it sent has been heard, and goes on to its next life.
    pub fn next_life(&self) {
        for (_, address) in &self.players {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "POST / HTTP/1.0\r\nContent-length: {}\r\n\r\n{BARRIER}", BARRIER.len()).unwrap();
            stream.read_to_end(&mut Vec::new()).unwrap();
        }
        wait("the last words of the server", || (open(&self.memory).open == 0).then_some(()));
        open(&self.memory).life += 1;
    }

    /// A server is lost, and others go on: from now on messages may come again.
    pub fn count_life(&self) {
        open(&self.memory).life += 1;
    }

    /// What came that is no message.
    pub fn rubbish(&self) -> Vec<String> {
        open(&self.memory).rubbish.clone()
    }
}

fn open(memory: &Mutex<Memory>) -> MutexGuard<'_, Memory> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One of the players.
#[derive(Clone)]
struct Stub {
    seed: u64,
    number: usize,
    name: String,
    memory: Arc<Mutex<Memory>>,
}

impl Stub {
    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(300)))?;
        let Some(body) = read_body(&mut stream)? else { return Ok(()) };
        let (answer, delay) = if body == BARRIER { (String::new(), 0) } else { self.hear(&body) };
        std::thread::sleep(Duration::from_millis(delay));
        write!(stream, "HTTP/1.0 200 OK\r\nContent-length: {}\r\n\r\n{answer}", answer.len())
    }

    /// What to answer to a message, and after how many milliseconds.
    fn hear(&self, body: &str) -> (String, u64) {
        let request = match read_request(body) {
            Ok(received) => received.request,
            Err(error) => {
                open(&self.memory).rubbish.push(format!("{body}: {error}"));
                return (String::new(), 0);
            }
        };
        let id = match &request {
            Request::Start(start) => match_key(&start.id),
            Request::Play { id, .. } | Request::Stop { id, .. } | Request::Abort { id } => match_key(id),
            Request::Info => return ("((name stub) (status available))".to_owned(), 0),
            Request::Preview { .. } => return ("ready".to_owned(), 0),
        };
        let mut memory = open(&self.memory);
        let life = memory.life;
        if matches!(request, Request::Stop { .. }) {
            memory.ends += 1;
        }
        let story = memory.stories.entry((id.clone(), self.number)).or_default();
        story.player.clone_from(&self.name);
        // Asked again in another life, it answers something else: what was written must stand all the same.
        let mut dice = Rng::from_seed(mixed(&(self.seed, life, &id, self.number, story.messages.len())));
        let answer = answer(story, &request, &mut dice);
        let delay = dice.below(SLOWEST + 1);
        story.messages.push(Heard { life, request, answer: answer.clone() });
        (answer, delay)
    }
}

/// A number that depends on all of this.
fn mixed(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

/// What to answer to a message after those of a story.
fn answer(story: &Story, request: &Request, dice: &mut Rng) -> String {
    match request {
        Request::Play { last: Last::Percepts { .. }, .. } => {
            format!("(show {})", dice.pick(&["red", "green", "blue"]).unwrap_or(&"red"))
        }
        Request::Play { .. } => {
            let joints = joints(story.messages.iter().map(|heard| &heard.request).chain([request]));
            let role = story.messages.iter().find_map(|heard| match &heard.request {
                Request::Start(start) => Some(start.role.as_str()),
                _ => None,
            });
            let turn = if joints.len().is_multiple_of(2) { "white" } else { "black" };
            let taken = |cell: &String| joints.iter().any(|joint| joint.contains(cell));
            let cells = (1..=3).flat_map(|x| (1..=3).map(move |y| format!("(mark {x} {y})")));
            let free: Vec<String> = cells.filter(|cell| !taken(cell)).collect();
            match dice.pick(&free) {
                Some(cell) if role == Some(turn) => cell.clone(),
                _ => "noop".to_owned(),
            }
        }
        Request::Stop { .. } => "done".to_owned(),
        Request::Abort { .. } => "aborted".to_owned(),
        _ => "ready".to_owned(),
    }
}

/// The steps that messages tell of, each once. In tic-tac-toe no two steps are the same.
fn joints<'a>(requests: impl Iterator<Item = &'a Request>) -> Vec<Vec<String>> {
    let mut joints: Vec<Vec<String>> = Vec::new();
    for request in requests {
        if let Request::Play { last: Last::Joint(joint), .. } = request
            && joints.last() != Some(joint)
        {
            joints.push(joint.to_vec());
        }
    }
    joints
}

/// The body of a message; `None` where the connection ends before.
fn read_body(stream: &mut TcpStream) -> std::io::Result<Option<String>> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("Content-length: "));
            if body.len() >= length.and_then(|length| length.parse().ok()).unwrap_or(0) {
                return Ok(Some(body.to_owned()));
            }
        }
        let count = stream.read(&mut piece)?;
        if count == 0 {
            return Ok(None);
        }
        bytes.extend_from_slice(&piece[..count]);
    }
}
