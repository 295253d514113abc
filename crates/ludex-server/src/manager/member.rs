//! A server as a member of a store that it shares: it renews its lease, removes whoever does not, and when it was removed
//! itself, it begins anew under another number.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::error::ManagerError;
use crate::clock::now;
use crate::journal::{Journal, JournalError, JournalLine};
use crate::lock::{lock, wait_for};
use crate::membership::{Duty, LeaseOptions, Membership};
use crate::model::{Member, MemberKind, MemberNumber, NewMember};
use crate::store::Shared;

/// The lease of this server, for all who have to know whether it may do something that others hear of.
#[derive(Debug)]
pub(super) struct Lease {
    /// Its times are counted from here.
    origin: Instant,
    /// Whose it is, and until when, in milliseconds.
    own: Mutex<(MemberNumber, u64)>,
    servers: AtomicUsize,
    members: Mutex<Vec<Member>>,
}

impl Lease {
    fn new() -> Self {
        Self {
            origin: now(),
            own: Mutex::new((MemberNumber(0), 0)),
            servers: AtomicUsize::new(1),
            members: Mutex::default(),
        }
    }

    fn now(&self) -> Duration {
        self.origin.elapsed()
    }

    fn set(&self, membership: &Membership) {
        let until = u64::try_from(membership.until().as_millis()).unwrap_or(u64::MAX);
        *lock(&self.own) = (membership.number().unwrap_or(MemberNumber(0)), until);
    }

    /// How many servers there are, this one among them.
    pub(super) fn servers(&self) -> usize {
        self.servers.load(Ordering::Relaxed)
    }

    /// All members, as they were lately.
    pub(super) fn members(&self) -> Vec<Member> {
        lock(&self.members).clone()
    }

    /// What was heard of all members last.
    pub(super) fn saw(&self, members: Vec<Member>) {
        let servers = members.iter().filter(|member| member.about.kind == MemberKind::Server).count();
        self.servers.store(servers.max(1), Ordering::Relaxed);
        *lock(&self.members) = members;
    }
}

/// A server that shares its store with others.
#[derive(Clone)]
pub(super) struct Membered {
    pub(super) shared: Arc<dyn Shared>,
    pub(super) number: MemberNumber,
    pub(super) lease: Arc<Lease>,
    pub(super) secret: Arc<[u8]>,
}

impl Membered {
    /// Whether others take this server for alive, under this number.
    pub(super) fn holds(&self) -> bool {
        let (number, until) = *lock(&self.lease.own);
        number == self.number && self.lease.now() < Duration::from_millis(until)
    }
}

/// The thread that keeps the membership.
pub(super) struct MemberThread {
    stop: Arc<(AtomicBool, Mutex<()>, Condvar)>,
    thread: JoinHandle<()>,
}

impl MemberThread {
    /// Registers, and keeps that up. When the server was removed it registers anew, and sends the new number.
    pub(super) fn start(
        shared: Arc<dyn Shared>,
        about: NewMember,
        options: LeaseOptions,
        anew: Sender<MemberNumber>,
    ) -> Result<(Membered, Self), ManagerError> {
        let lease = Arc::new(Lease::new());
        let mut membership = Membership::new(options);
        let mut drawn = [0; 32];
        getrandom::fill(&mut drawn).map_err(std::io::Error::other)?;
        let secret = shared.secret(&drawn)?.into();
        let asked = lease.now();
        let number = shared.register(&about, options.lease)?;
        membership.registered(asked, number);
        lease.set(&membership);
        lease.saw(shared.members()?);
        let stop = Arc::new((AtomicBool::new(false), Mutex::new(()), Condvar::new()));
        let keeper = Keeper {
            shared: Arc::clone(&shared),
            about,
            options,
            membership,
            lease: Arc::clone(&lease),
            anew,
            stop: Arc::clone(&stop),
        };
        let thread = std::thread::Builder::new().name("member".into()).spawn(move || keeper.keep())?;
        Ok((Membered { shared, number, lease, secret }, Self { stop, thread }))
    }

    /// Has the server go: what it had, others take at once. To be called when it writes nothing more.
    pub(super) fn leave(self) {
        let (stopped, guard, wake) = &*self.stop;
        let waiting = lock(guard);
        stopped.store(true, Ordering::SeqCst);
        wake.notify_all();
        drop(waiting);
        // A thread that is gone has ended; then others find out later.
        let _ = self.thread.join();
    }
}

struct Keeper {
    shared: Arc<dyn Shared>,
    about: NewMember,
    options: LeaseOptions,
    membership: Membership,
    lease: Arc<Lease>,
    anew: Sender<MemberNumber>,
    stop: Arc<(AtomicBool, Mutex<()>, Condvar)>,
}

impl Keeper {
    fn keep(mut self) {
        while !self.stop.0.load(Ordering::SeqCst) {
            let asked = self.lease.now();
            let done = match self.membership.duty(asked) {
                Duty::Rest(until) => {
                    self.rest(until.saturating_sub(asked));
                    continue;
                }
                Duty::Renew(number) => self.renew(asked, number),
                Duty::Register => self.register(asked),
            };
            if let Err(error) = done {
                tracing::warn!(%error, "the database does not take this server for a member");
                self.membership.failed(self.lease.now());
            }
            self.lease.set(&self.membership);
        }
        if let Some(number) = self.membership.number()
            && let Err(error) = self.shared.leave(number)
        {
            tracing::warn!(%error, "others take over later");
        }
    }

    fn rest(&self, time: Duration) {
        let (stopped, guard, wake) = &*self.stop;
        let waiting = lock(guard);
        if !stopped.load(Ordering::SeqCst) {
            drop(wait_for(wake, waiting, time));
        }
    }

    fn renew(&mut self, asked: Duration, number: MemberNumber) -> Result<(), ManagerError> {
        let kept = self.shared.renew(number, self.options.lease)?;
        self.membership.renewed(asked, kept);
        if !kept {
            tracing::error!(%number, "this server was taken for dead: others go on with what it had");
            return Ok(());
        }
        self.lease.set(&self.membership);
        self.look_around()
    }

    fn register(&mut self, asked: Duration) -> Result<(), ManagerError> {
        let number = self.shared.register(&self.about, self.options.lease)?;
        self.membership.registered(asked, number);
        self.lease.set(&self.membership);
        tracing::info!(%number, "this server begins anew");
        // Where nobody hears it, the server ends.
        let _ = self.anew.send(number);
        Ok(())
    }

    /// Removes whoever is dead. One that is just writing waits until the next time.
    fn look_around(&mut self) -> Result<(), ManagerError> {
        let asked = self.lease.now();
        let mut members = self.shared.members()?;
        for (number, renewals) in self.membership.whom_to_remove(asked, &members) {
            match self.shared.remove(number, renewals) {
                Ok(true) => {
                    tracing::warn!(%number, "a member is not heard of any more: others go on with what it had");
                    members.retain(|member| member.number != number);
                }
                Ok(false) => {}
                Err(error) => tracing::warn!(%number, %error, "a dead member cannot be removed yet"),
            }
        }
        self.lease.saw(members);
        Ok(())
    }
}

/// A journal that is not taken for written where others may have taken over meanwhile: whoever waits for it would tell
/// it. What is written of it stays, and is told by whoever goes on.
pub(super) struct LeasedJournal<J> {
    pub(super) journal: J,
    pub(super) membered: Option<Membered>,
}

impl<J: Journal> Journal for LeasedJournal<J> {
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
        let holds = || self.membered.as_ref().is_none_or(Membered::holds);
        if !holds() {
            return Err(JournalError::Lapsed);
        }
        self.journal.append(lines)?;
        if holds() { Ok(()) } else { Err(JournalError::Lapsed) }
    }
}
