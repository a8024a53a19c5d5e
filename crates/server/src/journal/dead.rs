//! The journals of processes that are dead.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use inboxd_core::model::Unfinished;
use uuid::Uuid;

use super::{DRAFT, EXTENSION, line};

/// The most octets of a journal that are read; none grows so large.
const MOST: u64 = 64 * 1024 * 1024;
/// A journal that has been in the making for so long is in nobody's.
const GIVEN_UP: Duration = Duration::from_hours(1);

/// A journal that a dead process left. As long as this value lives, nobody else takes it.
pub(super) struct Dead {
    pub(super) path: PathBuf,
    octets: Vec<u8>,
    /// Holds the lock.
    _file: File,
}

/// The journals beside one's own whose processes are dead.
pub(super) fn find(own: &Path) -> Vec<Dead> {
    let Some(folder) = own.parent() else { return Vec::new() };
    let entries = std::fs::read_dir(folder).inspect_err(|error| {
        tracing::warn!(folder = %folder.display(), %error, "the journals of dead processes cannot be looked for");
    });
    let mut found = Vec::new();
    for path in entries.into_iter().flatten().flatten().map(|entry| entry.path()).filter(|path| path != own) {
        let is_called = |extension| path.extension().is_some_and(|own| own == extension);
        if is_called(EXTENSION) {
            match open(&path) {
                Ok(dead) => found.extend(dead),
                // Another process was faster.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => tracing::warn!(journal = %path.display(), %error, "a journal cannot be read"),
            }
        } else if is_called(DRAFT) && is_given_up(&path) {
            let _ = std::fs::remove_file(&path);
        }
    }
    found
}

/// The journal at a path, unless its process is alive.
fn open(path: &Path) -> io::Result<Option<Dead>> {
    let file = OpenOptions::new().read(true).write(true).open(path)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    // Between opening and locking, its process may have written it anew, or another may have taken it: then this file has
    // no name any more.
    if file.metadata()?.nlink() == 0 {
        return Ok(None);
    }
    let mut octets = Vec::new();
    (&file).take(MOST).read_to_end(&mut octets)?;
    Ok(Some(Dead { path: path.to_owned(), octets, _file: file }))
}

fn is_given_up(path: &Path) -> bool {
    let changed = std::fs::metadata(path).and_then(|metadata| metadata.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age > GIVEN_UP))
}

impl Dead {
    /// What is open in it.
    pub(super) fn unfinished(&self) -> Vec<Unfinished> {
        line::read(&self.octets)
    }

    /// Returns the id of its process.
    pub(super) fn process_id(&self) -> Option<Uuid> {
        self.path.file_stem().and_then(|name| Uuid::try_parse(name.to_str()?).ok())
    }

    /// Removes it: somebody else has noted what is open in it.
    pub(super) fn remove(self) {
        if let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(journal = %self.path.display(), %error, "a journal that was taken over cannot be removed");
        }
    }
}
