//! Memory that is not needed any more goes back to the system.
//!
//! The allocator of GNU systems keeps what was freed between pieces that are in use, in an arena for each of many threads. A
//! server that has shown some hundreds of matches holds three times what it needs in the end, if nobody asks for the rest,
//! and twice where what is in use is spread over many arenas.

/// How often the rest is asked for. It takes some milliseconds.
const PAUSE: std::time::Duration = std::time::Duration::from_secs(20);

/// Gives back what was freed, again and again as long as the process lives, and keeps what is in use together. Does nothing
/// where the allocator is another. To be said before there are other threads.
pub fn give_back_from_now_on() {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return;
    }
    share_arenas();
    let work = || {
        loop {
            std::thread::sleep(PAUSE);
            give_back();
        }
    };
    // Without this thread everything works as well, and takes more memory.
    if let Err(error) = std::thread::Builder::new().name("freed-memory".to_owned()).spawn(work) {
        tracing::warn!(%error, "memory that is not needed any more stays with the process");
    }
}

/// Has all threads share two arenas.
#[allow(unsafe_code, reason = "the allocator of the C library has no other door")]
fn share_arenas() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: a parameter of the allocator is set, which decides where later pieces lie and nothing else. There is one thread.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 2);
    }
}

/// Gives back what was freed.
#[allow(unsafe_code, reason = "the allocator of the C library has no other door")]
fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function may be called at any time by any thread (malloc_trim(3): MT-Safe). It gives pages back in which
    // nothing is that is allocated, so nobody's memory changes.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(all(test, target_os = "linux", target_env = "gnu"))]
mod tests {
    use super::*;

    /// Bytes of this process that are in memory.
    fn held() -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
    }

    #[test]
    fn what_was_freed_between_pieces_in_use_goes_back() {
        // Of each hundred pieces of a kilobyte one stays.
        let mut pieces: Vec<Option<Box<[u8]>>> =
            (0..64 << 10).map(|_| Some(vec![1; 1 << 10].into_boxed_slice())).collect();
        for (number, piece) in pieces.iter_mut().enumerate() {
            if number % 100 != 0 {
                *piece = None;
            }
        }
        let before = held();
        give_back();
        let after = held();
        assert!(after + (32 << 20) < before, "{before} and {after} bytes");
        assert!(pieces.iter().flatten().all(|piece| piece.iter().all(|&byte| byte == 1)));
    }
}
