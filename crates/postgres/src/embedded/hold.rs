//! Who uses the server. Every holder has the pipe `holders` open with a shared lock on it: the supervisor reads the end
//! of the pipe when the last one has gone, however it went, and the last one can tell by the lock that it is the last.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::{Duration, Instant};

use super::EmbeddedError;
use super::home::Home;

/// How long somebody else may be busy starting or stopping the server.
const PATIENCE: Duration = Duration::from_mins(2);

/// The hold on a server, let go by being dropped.
#[derive(Debug)]
pub(super) struct Hold {
    pipe: File,
    path: Box<Path>,
}

impl Hold {
    pub(super) fn take(home: &Home) -> Result<Self, EmbeddedError> {
        let path = home.holders();
        // Open for both, since opening a pipe for writing alone waits for a reader.
        let pipe = OpenOptions::new().read(true).write(true).open(&path).map_err(EmbeddedError::file("open", &path))?;
        let is_pipe = pipe.metadata().is_ok_and(|it| it.file_type().is_fifo());
        if !is_pipe {
            return Err(super::home::unreachable(path, home.account()));
        }
        // Only whoever stops the server asks for more than a shared lock, and then holds the start lock too.
        pipe.lock_shared().map_err(EmbeddedError::file("lock", &path))?;
        Ok(Self { pipe, path: path.into() })
    }

    /// The end that the supervisor listens at.
    pub(super) fn reader(&self) -> Result<File, EmbeddedError> {
        File::open(&self.path).map_err(EmbeddedError::file("open", &self.path))
    }

    /// Whether others hold the server too. To be asked under the start lock.
    pub(super) fn is_shared(&self) -> Result<bool, EmbeddedError> {
        match self.pipe.try_lock() {
            Ok(()) => Ok(false),
            Err(TryLockError::WouldBlock) => Ok(true),
            Err(TryLockError::Error(source)) => Err(EmbeddedError::file("lock", &self.path)(source)),
        }
    }
}

/// Held by whoever starts or stops the server, so that only one does.
pub(super) struct StartLock {
    file: File,
}

impl StartLock {
    pub(super) async fn take(home: &Home) -> Result<Self, EmbeddedError> {
        Ok(Self { file: lock(home, &home.start_lock()).await? })
    }

    /// Another handle on the same lock, for a child process: the lock is let go when both are closed.
    pub(super) fn share(&self, home: &Home) -> Result<File, EmbeddedError> {
        let shared = self.file.try_clone();
        shared.map_err(EmbeddedError::file("share", &home.start_lock()))
    }
}

/// Locks a file, and waits while somebody else holds it.
async fn lock(home: &Home, path: &Path) -> Result<File, EmbeddedError> {
    let file = File::open(path).map_err(EmbeddedError::file("open", path))?;
    let begun = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => {
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

/// The lock that a supervisor keeps for as long as it lives, to be handed over to it.
pub(super) async fn lock_for_supervisor(home: &Home) -> Result<File, EmbeddedError> {
    lock(home, &home.supervisor_lock()).await
}

/// Whether a supervisor lives.
pub(super) fn is_supervised(home: &Home) -> Result<bool, EmbeddedError> {
    let path = home.supervisor_lock();
    let file = File::open(&path).map_err(EmbeddedError::file("open", &path))?;
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(source)) => Err(EmbeddedError::file("lock", &path)(source)),
    }
}
