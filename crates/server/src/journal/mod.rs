//! What the workers of this process have in hand, in a file of the data directory that outlives them.
//!
//! `journal/<process id>.journal` belongs to one process, which holds a lock on it for as long as it lives. A file whose lock is
//! free was left by a process that is dead, and whoever finds it [takes over](FileJournal::take_over) what is open in it.
//!
//! Lines are written with one `write` each and not synced: this is about processes that are killed, and what such a process
//! has written the kernel keeps. After a loss of power the claims in the database, which are synced, run out by
//! themselves.

mod dead;
mod line;
#[cfg(test)]
mod tests;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use inboxd_core::model::{Claim, ClaimedMail, Outcome, Unfinished};
use inboxd_core::ports::WorkJournal;
use uuid::Uuid;

use self::line::Open;

/// The folder below the data directory.
const FOLDER: &str = "journal";
/// What the names of journals end with.
const EXTENSION: &str = "journal";
/// What the names of journals end with while they are made.
const DRAFT: &str = "new";
/// A journal that has grown larger than this, in octets, is written anew with what is open alone.
const LARGE: u64 = 256 * 1024;

/// The journal of this process.
#[derive(Debug)]
pub(crate) struct FileJournal {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// Open, and locked, for as long as the journal is this process's.
    file: File,
    open: Open,
    /// Octets in the file.
    size: u64,
    /// The size beyond which it is written anew.
    large: u64,
    /// Whether the last write failed, and may have left half a line.
    is_torn: bool,
    /// The processes whose journals were taken over.
    ended: Vec<Uuid>,
}

impl FileJournal {
    /// Begins a journal below a data directory.
    ///
    /// # Errors
    /// When the file cannot be made there.
    pub(crate) fn begin(data_dir: &Path, name: Uuid) -> io::Result<Self> {
        let folder = data_dir.join(FOLDER);
        std::fs::create_dir_all(data_dir)?;
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let path = folder.join(name.to_string()).with_extension(EXTENSION);
        let file = make(&path, "")?;
        let state = State { file, open: Open::new(), size: 0, large: LARGE, is_torn: false, ended: Vec::new() };
        Ok(Self { path, state: Mutex::new(state) })
    }

    /// Takes over what dead processes have left open. From here on it is open in this journal, and theirs are gone.
    pub(crate) fn take_over(&self) -> Vec<Unfinished> {
        let mut taken = Vec::new();
        for dead in dead::find(&self.path) {
            let left = dead.unfinished();
            if !left.is_empty() {
                tracing::info!(journal = %dead.path.display(), works = left.len(), "what a dead process left is taken over");
            }
            let of_it = left.iter().map(|work| (work.claim, work.outcomes.clone())).collect();
            let process_id = dead.process_id();
            if self.write(&line::of_open(&of_it), |open| open.extend(of_it)) {
                dead.remove();
            }
            self.state().ended.extend(process_id);
            taken.extend(left);
        }
        taken
    }

    /// Returns whether the last line could be written.
    pub(crate) fn is_writable(&self) -> bool {
        !self.state().is_torn
    }

    /// Takes the ids of the processes whose journals were taken over since the last call.
    pub(crate) fn take_ended(&self) -> Vec<Uuid> {
        std::mem::take(&mut self.state().ended)
    }

    /// The state stays whole even when a holder of the lock has panicked.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes lines and changes what is open with them. Answers whether they are written.
    fn write(&self, lines: &str, change: impl FnOnce(&mut Open)) -> bool {
        let mut state = self.state();
        change(&mut state.open);
        let written = state.append(lines).and_then(|()| state.tidy(&self.path));
        written
            .inspect_err(|error| {
                tracing::error!(journal = %self.path.display(), %error, "what is in hand could not be noted");
            })
            .is_ok()
    }
}

impl State {
    fn append(&mut self, lines: &str) -> io::Result<()> {
        // What follows half a line would be lost with it.
        let mended;
        let lines = if self.is_torn {
            mended = format!("\n{lines}");
            &mended
        } else {
            lines
        };
        self.is_torn = true;
        self.file.write_all(lines.as_bytes())?;
        self.is_torn = false;
        self.size += u64::try_from(lines.len()).unwrap_or(u64::MAX);
        Ok(())
    }

    /// Keeps the file small: empty when nothing is open, else written anew when it is large.
    fn tidy(&mut self, path: &Path) -> io::Result<()> {
        if self.open.is_empty() {
            self.file.set_len(0)?;
            (self.size, self.large) = (0, LARGE);
        } else if self.size > self.large {
            let lines = line::of_open(&self.open);
            self.file = make(path, &lines)?;
            self.size = u64::try_from(lines.len()).unwrap_or(u64::MAX);
            self.large = LARGE.max(self.size.saturating_mul(2));
        }
        Ok(())
    }
}

/// Makes a journal with these lines in place of the one that is there, if there is one. It is locked and complete before it
/// has its name: until then nobody takes it for one that was left.
fn make(path: &Path, lines: &str) -> io::Result<File> {
    let draft = path.with_extension(DRAFT);
    let made = || {
        let mut file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&draft)?;
        file.lock()?;
        file.write_all(lines.as_bytes())?;
        std::fs::rename(&draft, path)?;
        Ok(file)
    };
    made().inspect_err(|error: &io::Error| {
        if error.kind() != ErrorKind::AlreadyExists {
            let _ = std::fs::remove_file(&draft);
        }
    })
}

impl WorkJournal for FileJournal {
    fn begun(&self, claims: &[Claim]) -> bool {
        let lines: String = claims.iter().map(line::begun).collect();
        self.write(&lines, |open| open.extend(claims.iter().map(|claim| (*claim, None))))
    }

    fn answered(&self, mail: ClaimedMail, outcomes: &[Outcome]) {
        let claim = Claim::Mail(mail);
        self.write(&line::answered(&claim, outcomes), |open| {
            open.insert(claim, Some(outcomes.to_vec()));
        });
    }

    fn settled(&self, claim: Claim) {
        self.write(&line::settled(&claim), |open| {
            open.remove(&claim);
        });
    }
}

impl Drop for FileJournal {
    /// A journal in which nothing is open goes with its process. Any other stays for whoever comes next.
    fn drop(&mut self) {
        if self.state().open.is_empty() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
