//! The journal: claimed work of this process, in a file of the data directory that survives a crash.
//!
//! `journal/<process id>.journal` belongs to one process, which holds a lock on it while it lives. A file with a free lock
//! belongs to a dead process, and the next reader [takes over](FileJournal::take_over) its open claims.
//!
//! Lines are written with one `write` each and not synced: the kernel retains the writes of a killed process. After a loss of
//! power the leases in the database, which are synced, expire by themselves.

mod line;
mod orphaned;
#[cfg(test)]
mod tests;

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use inboxd_core::model::{Claim, ClaimedMail, DeliveryOutcome, OpenWork};
use inboxd_core::ports::WorkJournal;
use uuid::Uuid;

use self::line::OpenClaims;

/// The folder in the data directory.
const FOLDER: &str = "journal";
/// The extension of journals.
const EXTENSION: &str = "journal";
/// The extension of journals that are being created.
const DRAFT: &str = "new";
/// Bytes beyond which a journal is rewritten with its open claims alone.
const REWRITE_BYTES: u64 = 256 * 1024;

/// The journal of this process.
#[derive(Debug)]
pub struct FileJournal {
    path: PathBuf,
    state: Mutex<JournalState>,
}

#[derive(Debug)]
struct JournalState {
    /// Open and locked while this process has the journal.
    file: File,
    open: OpenClaims,
    /// Bytes in the file.
    size: u64,
    /// The size beyond which the file is rewritten.
    rewrite_bytes: u64,
    /// Whether the last write failed and may have left half a line.
    is_torn: bool,
    /// Former owners of adopted journals.
    ended: Vec<Uuid>,
}

impl FileJournal {
    /// Creates a journal in a data directory.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn begin(data_dir: &Path, name: Uuid) -> io::Result<Self> {
        let folder = data_dir.join(FOLDER);
        std::fs::create_dir_all(data_dir)?;
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        let path = folder.join(name.to_string()).with_extension(EXTENSION);
        let file = create(&path, "")?;
        let state = JournalState {
            file,
            open: OpenClaims::new(),
            size: 0,
            rewrite_bytes: REWRITE_BYTES,
            is_torn: false,
            ended: Vec::new(),
        };
        Ok(Self { path, state: Mutex::new(state) })
    }

    /// Takes over the open claims of dead processes: moves them to this journal and deletes theirs.
    pub(crate) fn take_over(&self) -> Vec<OpenWork> {
        let mut taken = Vec::new();
        for orphan in orphaned::find(&self.path) {
            let left = orphan.open_work();
            if !left.is_empty() {
                tracing::info!(journal = %orphan.path.display(), works = left.len(), "orphaned journal taken over");
            }
            let claims = left.iter().map(|work| (work.claim, work.outcomes.clone())).collect();
            let process_id = orphan.process_id();
            if self.write(&line::of_open(&claims), |open| open.extend(claims)) {
                orphan.remove();
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

    /// Takes the ids of the former owners of journals adopted since the last call.
    pub(crate) fn take_ended(&self) -> Vec<Uuid> {
        std::mem::take(&mut self.state().ended)
    }

    /// Locks the state, which stays whole even when a holder of the lock has panicked.
    fn state(&self) -> MutexGuard<'_, JournalState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes lines and applies their change to the open claims. Returns whether the lines are written.
    fn write(&self, lines: &str, change: impl FnOnce(&mut OpenClaims)) -> bool {
        let mut state = self.state();
        change(&mut state.open);
        let written = state.append(lines).and_then(|()| state.tidy(&self.path));
        written
            .inspect_err(|error| {
                tracing::error!(journal = %self.path.display(), %error, "journal write failed");
            })
            .is_ok()
    }
}

impl JournalState {
    fn append(&mut self, lines: &str) -> io::Result<()> {
        // Text after half a line would be lost with it.
        let separated;
        let lines = if self.is_torn {
            separated = format!("\n{lines}");
            &separated
        } else {
            lines
        };
        self.is_torn = true;
        self.file.write_all(lines.as_bytes())?;
        self.is_torn = false;
        self.size += u64::try_from(lines.len()).unwrap_or(u64::MAX);
        Ok(())
    }

    /// Empties the file when no claim is open, and rewrites it when it is large.
    fn tidy(&mut self, path: &Path) -> io::Result<()> {
        if self.open.is_empty() {
            self.file.set_len(0)?;
            (self.size, self.rewrite_bytes) = (0, REWRITE_BYTES);
        } else if self.size > self.rewrite_bytes {
            let lines = line::of_open(&self.open);
            self.file = create(path, &lines)?;
            self.size = u64::try_from(lines.len()).unwrap_or(u64::MAX);
            self.rewrite_bytes = REWRITE_BYTES.max(self.size.saturating_mul(2));
        }
        Ok(())
    }
}

/// Creates a journal with these lines, in place of an earlier one. It is locked and complete before it has its name, so that no
/// process takes it for orphaned.
fn create(path: &Path, lines: &str) -> io::Result<File> {
    let draft = path.with_extension(DRAFT);
    let create = || {
        let mut file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(&draft)?;
        file.lock()?;
        file.write_all(lines.as_bytes())?;
        std::fs::rename(&draft, path)?;
        Ok(file)
    };
    create().inspect_err(|error: &io::Error| {
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

    fn answered(&self, mail: ClaimedMail, outcomes: &[DeliveryOutcome]) {
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
    /// Deletes a journal without open claims. Any other stays for the next process.
    fn drop(&mut self) {
        if self.state().open.is_empty() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
