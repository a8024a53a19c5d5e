//! Stop of a dump or a restore from another thread.

use std::io;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Ends the programs of a dump or a restore, until the restore begins its commit.
#[derive(Debug, Clone, Default)]
pub struct ArchiveStop(Arc<Mutex<StopState>>);

#[derive(Debug, Default)]
struct StopState {
    is_stopped: bool,
    is_committing: bool,
    children: Vec<Arc<Mutex<Child>>>,
}

impl ArchiveStop {
    /// Kills the programs, waits for their ends and refuses later ones. Returns `false`, without effect, once the commit of a
    /// restore has begun.
    #[must_use]
    pub fn stop(&self) -> bool {
        let mut state = locked(&self.0);
        if state.is_committing {
            return false;
        }
        state.is_stopped = true;
        for child in state.children.drain(..) {
            let mut child = locked(&child);
            // It may have ended, and then this does nothing.
            let _ = child.kill();
            let _ = child.wait();
        }
        true
    }

    /// Starts a program.
    pub(super) fn start(&self, command: &mut Command) -> io::Result<Arc<Mutex<Child>>> {
        let mut state = locked(&self.0);
        if state.is_stopped {
            return Err(stopped());
        }
        let child = Arc::new(Mutex::new(command.spawn()?));
        state.children.push(Arc::clone(&child));
        Ok(child)
    }

    /// Begins the commit of a restore, after which it cannot be stopped.
    pub(super) fn begin_commit(&self) -> io::Result<()> {
        let mut state = locked(&self.0);
        if state.is_stopped {
            return Err(stopped());
        }
        state.is_committing = true;
        Ok(())
    }
}

fn stopped() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "stopped")
}

/// Locks a mutex. No thread leaves these values half changed, so a panic of one does no harm.
pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    fn sleep() -> Command {
        let mut command = Command::new("sleep");
        command.arg("600");
        command
    }

    #[test]
    fn stop_ends_programs_and_refuses_later_ones() {
        let stop = ArchiveStop::default();
        let child = stop.start(&mut sleep()).unwrap();
        assert!(stop.stop());
        assert!(!locked(&child).try_wait().unwrap().unwrap().success(), "the program has ended");
        assert!(stop.start(&mut sleep()).is_err() && stop.begin_commit().is_err());
    }

    #[test]
    fn begun_commit_is_not_stopped() {
        let stop = ArchiveStop::default();
        let child = stop.start(&mut sleep()).unwrap();
        stop.begin_commit().unwrap();
        assert!(!stop.stop());
        assert!(locked(&child).try_wait().unwrap().is_none(), "the program runs on");
        locked(&child).kill().unwrap();
        locked(&child).wait().unwrap();
    }
}
