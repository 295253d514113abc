//! Functions of Python that play.
//!
//! Matches run on threads of their own. Functions are called on the thread that asked for the match, so that they may do
//! what only that thread may, and what they raise is raised there.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::Thread;

use ludex::game::{ActionId, RoleId};
use ludex::logic::{Budget, TermId};
use ludex::players::{self, Choice, News, PlayerError, Report, Seat};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBool;

use crate::belief::Belief;
use crate::failure;
use crate::game::Game;
use crate::players::Thought;
use crate::position::Position;
use crate::work;

/// What guests have to say.
enum Message {
    Question(Question),
    /// This guest has left.
    Gone(u64),
}

/// What a function is asked.
struct Question {
    guest: GuestCard,
    /// What its role was told since it was asked before.
    news: Vec<News>,
    answer: Sender<Result<TermId, String>>,
}

/// Who a guest is.
#[derive(Clone, Copy)]
pub(crate) struct GuestCard {
    /// No two guests have the same.
    number: u64,
    /// Which function it calls, and which game it plays, in the order of those who invited it.
    function: usize,
    game: usize,
    role: RoleId,
    seed: u64,
}

/// How guests reach the thread that calls functions.
#[derive(Clone)]
pub(crate) struct Invitation {
    messages: Sender<Message>,
    /// The thread, to be woken.
    asked: Arc<Mutex<Thread>>,
    invited: Arc<AtomicU64>,
}

impl Invitation {
    /// A guest for one match.
    pub(crate) fn guest(
        &self,
        (function, game): (usize, usize),
        role: RoleId,
        seed: u64,
        cancelled: Arc<AtomicBool>,
    ) -> Guest {
        let number = self.invited.fetch_add(1, Ordering::Relaxed);
        let card = GuestCard { number, function, game, role, seed };
        Guest { card, news: Vec::new(), invitation: self.clone(), cancelled }
    }

    /// Wakes the thread that calls functions.
    pub(crate) fn wake(&self) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).unpark();
    }
}

/// A function at a table: asks the thread of the caller to call it.
pub(crate) struct Guest {
    card: GuestCard,
    news: Vec<News>,
    invitation: Invitation,
    cancelled: Arc<AtomicBool>,
}

impl players::Player for Guest {
    fn prepare(&mut self, _: Seat, _: &Budget) -> Result<(), PlayerError> {
        self.news.clear();
        Ok(())
    }

    fn choose(&mut self, _: &Budget) -> Result<Choice, PlayerError> {
        let gone = || PlayerError::Gone("the match was called off".to_owned());
        let (answer, answered) = channel();
        let question = Question { guest: self.card, news: std::mem::take(&mut self.news), answer };
        self.invitation.messages.send(Message::Question(question)).map_err(|_| gone())?;
        self.invitation.wake();
        loop {
            match answered.recv_timeout(work::LOOK) {
                Ok(Ok(action)) => return Ok(Choice { action, report: Report::default() }),
                Ok(Err(why)) => return Err(PlayerError::Gone(why)),
                // Where a function has raised something, nobody answers any more.
                Err(RecvTimeoutError::Timeout) if !self.cancelled.load(Ordering::Relaxed) => {}
                Err(_) => return Err(gone()),
            }
        }
    }

    fn observe(&mut self, news: &News) {
        self.news.push(news.clone());
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        // Where nobody hears it any more, nobody needs to know.
        let _ = self.invitation.messages.send(Message::Gone(self.card.number));
    }
}

/// Where functions are called.
pub(crate) struct Desk {
    games: Vec<Game>,
    functions: Vec<Py<PyAny>>,
    /// What the roles of the guests know who have asked something.
    views: HashMap<u64, View>,
    // Behind a lock so that the desk can be shared; nobody but the desk ever takes it.
    messages: Mutex<Receiver<Message>>,
    invitation: Invitation,
}

/// What the role of a function knows.
enum View {
    /// Everything.
    Position(Box<ludex::Position>),
    /// What it was told.
    Belief(Py<Belief>),
}

/// So many states are kept for a function that does not see everything.
const BELIEF_STATES: usize = 10_000;

impl Desk {
    pub(crate) fn new(games: Vec<Game>, functions: Vec<Py<PyAny>>) -> Self {
        let (messages, heard) = channel();
        let asked = Arc::new(Mutex::new(std::thread::current()));
        let invitation = Invitation { messages, asked, invited: Arc::default() };
        Self { games, functions, views: HashMap::new(), messages: Mutex::new(heard), invitation }
    }

    /// How guests reach this desk.
    pub(crate) fn invitation(&self) -> Invitation {
        self.invitation.clone()
    }

    /// From now on it is this thread that is woken.
    pub(crate) fn attend(&self) {
        *self.invitation.asked.lock().unwrap_or_else(PoisonError::into_inner) = std::thread::current();
    }

    /// What is called here.
    pub(crate) fn functions(&self) -> &[Py<PyAny>] {
        &self.functions
    }

    /// Calls nothing any more.
    pub(crate) fn forget(&mut self) {
        self.functions.clear();
    }

    /// Answers what was asked. What a function raises is an error.
    pub(crate) fn answer_all(&mut self, py: Python<'_>) -> PyResult<()> {
        loop {
            let next = self.messages.get_mut().unwrap_or_else(PoisonError::into_inner).try_recv();
            match next {
                Ok(Message::Question(Question { guest, news, answer })) => {
                    let answered = self.ask(py, guest, &news)?;
                    // Who asked may have been called off meanwhile.
                    let _ = answer.send(answered);
                }
                Ok(Message::Gone(number)) => drop(self.views.remove(&number)),
                Err(_) => return Ok(()),
            }
        }
    }

    /// Calls a function. An answer that means nothing is an error in words.
    fn ask(&mut self, py: Python<'_>, guest: GuestCard, news: &[News]) -> PyResult<Result<TermId, String>> {
        let (game, function) = (&self.games[guest.game], self.functions.get(guest.function));
        let Some(function) = function else { return Ok(Err("nobody is called any more".to_owned())) };
        let rules = &game.inner;
        let view = match self.views.entry(guest.number) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => new.insert(View::new(py, game, guest)?),
        };
        let seen = view.after(py, game, news)?;
        let answer = function.bind(py).call1((seen, rules.role_name(guest.role)))?;
        read_answer(rules, &answer)
    }
}

impl View {
    fn new(py: Python<'_>, game: &Game, guest: GuestCard) -> PyResult<Self> {
        if game.inner.has_perfect_information() {
            return Ok(Self::Position(Box::new(game.inner.start())));
        }
        let (rules, engine) = (game.inner.clone(), game.engine.clone());
        let belief = Belief::of(rules, engine, guest.role, BELIEF_STATES, guest.seed);
        Ok(Self::Belief(Py::new(py, belief)?))
    }

    /// What the role sees after these news.
    fn after(&mut self, py: Python<'_>, game: &Game, news: &[News]) -> PyResult<Py<PyAny>> {
        match self {
            Self::Position(position) => {
                for news in news {
                    let News::Joint(joint) = news else { continue };
                    position.advance(joint).map_err(|error| failure::of_move(py, &error))?;
                }
                // A copy, so that the function may do with it what it wants.
                let copy = Position::new(game.inner.clone(), game.engine.clone(), (**position).clone());
                Ok(Py::new(py, copy)?.into_any())
            }
            Self::Belief(belief) => {
                let told = belief.borrow(py);
                news.iter().for_each(|news| told.hear(news));
                Ok(belief.clone_ref(py).into_any())
            }
        }
    }
}

/// The move that a function answered: its text, its number, or a thought of a player.
fn read_answer(game: &ludex::Game, answer: &Bound<'_, PyAny>) -> PyResult<Result<TermId, String>> {
    let text = match answer.cast::<Thought>() {
        Ok(thought) => Some(thought.get().action.clone()),
        Err(_) => answer.extract::<String>().ok(),
    };
    if let Some(text) = text {
        return Ok(game.read_term(&text).map_err(|error| error.to_string()));
    }
    let number = answer.extract::<i64>().ok().filter(|_| !answer.is_instance_of::<PyBool>());
    let Some(number) = number else {
        let what = answer.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "a player answers with the text of a move or the number of an action, not with `{what}`"
        )));
    };
    let signature = game.signature();
    let known = u32::try_from(number).ok().filter(|&number| (number as usize) < signature.action_count());
    Ok(known
        .map(|number| signature.action(ActionId(number)))
        .ok_or_else(|| format!("there is no action {number}: there are {}", signature.action_count())))
}
