//! A PostgreSQL server for tests, which ends with them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// A server on a socket in a folder of its own, where only this machine's tests find it.
pub struct Cluster {
    programs: PathBuf,
    folder: tempfile::TempDir,
    flushes: bool,
    server: Mutex<Option<Child>>,
}

/// Ends with whoever started it, also where that is killed: then nobody holds the other end of its input.
const WATCH: &str = r#"
"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c fsync="$3" -c max_connections=200 \
    -c full_page_writes="$3" -c log_min_messages=fatal >"$2/log" 2>&1 </dev/null &
server=$!
read -r rest
kill -QUIT "$server"
wait "$server"
"#;

impl Cluster {
    /// The server that the tests of this process share, as long as one of them has it; `None` where PostgreSQL is not
    /// installed, which is said.
    pub fn shared() -> Option<Arc<Self>> {
        static SHARED: Mutex<Weak<Cluster>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cluster) = shared.upgrade() {
            return Some(cluster);
        }
        let cluster = Arc::new(Self::begin(false)?);
        *shared = Arc::downgrade(&cluster);
        Some(cluster)
    }

    /// A server of one's own, which flushes to the disk if that matters.
    pub fn begin(flushes: bool) -> Option<Self> {
        let Some(programs) = programs() else {
            eprintln!("PostgreSQL is not installed (initdb, postgres): its tests are skipped");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("ludex-pg-").tempdir().unwrap();
        let cluster = Self { programs, folder, flushes, server: Mutex::new(None) };
        let path = cluster.folder.path();
        #[cfg(unix)]
        if let Some((user, group)) = other_user() {
            std::os::unix::fs::chown(path, Some(user), Some(group)).unwrap();
        }
        let mut make = cluster.command(&cluster.programs.join("initdb"));
        make.args([
            "-U",
            "ludex",
            "-A",
            "trust",
            "--no-sync",
            "--no-locale",
            "-E",
            "UTF8",
            "--wal-segsize=1",
        ]);
        let made = make.arg("-D").arg(path.join("data")).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        cluster.start();
        Some(cluster)
    }

    /// Starts the server, and waits until it answers.
    pub fn start(&self) {
        let mut command = self.command(Path::new("/bin/sh"));
        command.arg("-c").arg(WATCH).arg("sh").arg(&self.programs).arg(self.folder.path());
        command.arg(if self.flushes { "on" } else { "off" }).stdin(Stdio::piped());
        *self.server() = Some(command.spawn().unwrap());
        for _ in 0..6000 {
            let mut ask = self.command(&self.programs.join("pg_isready"));
            let asked = ask.arg("-h").arg(self.folder.path()).arg("-q").status();
            if asked.unwrap().success() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{}", std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default());
    }

    /// Ends the server in the midst of whatever it does, as a crash would.
    pub fn crash(&self) {
        if let Some(mut server) = self.server().take() {
            if let Some(mut input) = server.stdin.take() {
                // It may have ended by itself.
                let _ = input.write_all(b"end\n");
            }
            server.wait().unwrap();
        }
    }

    /// The address of its database.
    pub fn address(&self) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://ludex@{folder}/postgres")
    }

    fn server(&self) -> std::sync::MutexGuard<'_, Option<Child>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A program, run as somebody who may run the server.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path());
        #[cfg(unix)]
        if let Some((user, group)) = other_user() {
            use std::os::unix::process::CommandExt;
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.crash();
    }
}

/// Where the programs are.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut installed: Vec<PathBuf> = versions.map(|version| version.path().join("bin")).collect();
    installed.sort();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = installed.into_iter().rev().chain(std::env::split_paths(&path));
    let has_all = |folder: &PathBuf| {
        ["initdb", "postgres", "pg_isready"].iter().all(|name| folder.join(name).is_file())
    };
    folders.find(has_all)
}

/// The server refuses to run as root: who is root runs it as the user `postgres`.
#[cfg(unix)]
fn other_user() -> Option<(u32, u32)> {
    use std::os::unix::fs::MetadataExt;
    if std::fs::metadata("/proc/self").ok()?.uid() != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let user = users.lines().find(|line| line.starts_with("postgres:"))?;
    let mut fields = user.split(':').skip(2).map_while(|field| field.parse().ok());
    Some((fields.next()?, fields.next()?))
}
