//! Orphaned journals: those of dead processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use inboxd_core::model::OpenWork;
use uuid::Uuid;

use super::{DRAFT, EXTENSION, line};

/// Bytes of a journal that are read; none grows so large.
const MAX_READ_BYTES: u64 = 64 * 1024 * 1024;
/// The age of a journal in creation whose process is dead.
const DRAFT_TTL: Duration = Duration::from_hours(1);

/// The journal of a dead process. No other process takes it while this value lives.
pub(super) struct OrphanedJournal {
    pub(super) path: PathBuf,
    bytes: Vec<u8>,
    /// The open file with the lock.
    _file: File,
}

/// Returns the orphaned journals beside the own one.
pub(super) fn find(own: &Path) -> Vec<OrphanedJournal> {
    let Some(folder) = own.parent() else { return Vec::new() };
    let entries = std::fs::read_dir(folder).inspect_err(|error| {
        tracing::warn!(folder = %folder.display(), %error, "journal folder unreadable");
    });
    let mut found = Vec::new();
    for path in entries.into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path != own) {
        let has_extension = |extension| path.extension().is_some_and(|own| own == extension);
        if has_extension(EXTENSION) {
            match open(&path) {
                Ok(orphan) => found.extend(orphan),
                // Another process was faster.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => tracing::warn!(journal = %path.display(), %error, "journal unreadable"),
            }
        } else if has_extension(DRAFT) && is_abandoned(&path) {
            let _ = std::fs::remove_file(&path);
        }
    }
    found
}

/// Opens the journal at a path, unless its process is alive.
fn open(path: &Path) -> io::Result<Option<OrphanedJournal>> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // Between opening and locking, its process may have rewritten it, or another taken it: then this file has no name.
    if file.metadata()?.nlink() == 0 {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    (&file).take(MAX_READ_BYTES).read_to_end(&mut bytes)?;
    Ok(Some(OrphanedJournal { path: path.to_owned(), bytes, _file: file }))
}

fn is_abandoned(path: &Path) -> bool {
    let changed = std::fs::metadata(path).and_then(|metadata| metadata.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > DRAFT_TTL))
}

impl OrphanedJournal {
    /// Returns its open work.
    pub(super) fn open_work(&self) -> Vec<OpenWork> {
        line::read(&self.bytes)
    }

    /// Returns the id of its process.
    pub(super) fn process_id(&self) -> Option<Uuid> {
        self.path.file_stem().and_then(|name| Uuid::try_parse(name.to_str()?).ok())
    }

    /// Deletes it, after another journal has its open claims.
    pub(super) fn remove(self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(journal = %self.path.display(), %error, "orphaned journal not deleted");
        }
    }
}
