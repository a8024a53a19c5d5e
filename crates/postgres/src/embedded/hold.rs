//! Holds on the server, by which the last user is known.
//!
//! Each holder has the pipe `holders` open with a shared lock on it. The supervisor reads the end of the pipe when the
//! last holder has closed it, also by a crash. A holder is the last one if it gets the lock exclusively.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::account::unreachable;
use super::error::EmbeddedError;
use super::home::ServerFolder;

/// Time limit for another process that starts or stops the server.
const LOCK_TIMEOUT: Duration = Duration::from_mins(2);

/// A hold on a server, released on drop.
#[derive(Debug)]
pub(super) struct ServerHold {
    pipe: File,
    path: Box<Path>,
}

impl ServerHold {
    pub(super) fn take(home: &ServerFolder) -> Result<Self, EmbeddedError> {
        let path = home.holders();
        // Open for both, since opening a pipe for writing alone waits for a reader.
        let pipe = OpenOptions::new().read(true).write(true).open(&path).map_err(EmbeddedError::file("open", &path))?;
        let is_pipe = pipe.metadata().is_ok_and(|it| it.file_type().is_fifo());
        if !is_pipe {
            return Err(unreachable(path, home.account()));
        }
        // Only a process that stops the server requests an exclusive lock, and it then holds the start lock too.
        pipe.lock_shared().map_err(EmbeddedError::file("lock", &path))?;
        Ok(Self { pipe, path: path.into() })
    }

    /// Returns the end of the pipe for the supervisor.
    pub(super) fn reader(&self) -> Result<File, EmbeddedError> {
        File::open(&self.path).map_err(EmbeddedError::file("open", &self.path))
    }

    /// Returns whether others hold the server too. The caller holds the start lock.
    pub(super) fn is_shared(&self) -> Result<bool, EmbeddedError> {
        match self.pipe.try_lock() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(source)) => Err(EmbeddedError::file("lock", &self.path)(source)),
        }
    }
}

/// Exclusive lock for starting or stopping the server.
pub(super) struct StartLock {
    file: File,
}

impl StartLock {
    pub(super) async fn take(home: &ServerFolder) -> Result<Self, EmbeddedError> {
        Ok(Self { file: lock(home, &home.start_lock()).await? })
    }

    /// Duplicates the lock for a child process; it is released when both are closed.
    pub(super) fn share(&self, home: &ServerFolder) -> Result<File, EmbeddedError> {
        let shared = self.file.try_clone();
        shared.map_err(EmbeddedError::file("share", &home.start_lock()))
    }
}

/// Locks a file, and waits for another holder.
async fn lock(home: &ServerFolder, path: &Path) -> Result<File, EmbeddedError> {
    let file = File::open(path).map_err(EmbeddedError::file("open", path))?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_TIMEOUT => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(TryLockError::WouldBlock) => {
                return Err(EmbeddedError::Busy(home.root().to_owned()));
            }
            Err(TryLockError::Error(source)) => {
                return Err(EmbeddedError::file("lock", path)(source));
            }
        }
    }
}

/// Returns the lock that a supervisor holds during its life, to pass to it.
pub(super) async fn lock_for_supervisor(home: &ServerFolder) -> Result<File, EmbeddedError> {
    lock(home, &home.supervisor_lock()).await
}

/// Returns whether a supervisor runs.
pub(super) fn is_supervised(home: &ServerFolder) -> Result<bool, EmbeddedError> {
    let path = home.supervisor_lock();
    let file = File::open(&path).map_err(EmbeddedError::file("open", &path))?;
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(source)) => Err(EmbeddedError::file("lock", &path)(source)),
    }
}
