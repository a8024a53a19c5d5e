//! `inboxd admin backup` and `inboxd admin restore`: database and secret key in encrypted files ([ADR 40](../../../../docs/adr/0040-backup-format.md)).
//!
//! ```text
//! create       backup
//! restore      restore
//! encryption   age, by passphrase or key pair
//! content      lines and objects of a decrypted file
//! blobs        contents outside the database
//! output       a new file, or standard output
//! key_file     the secret key in its place
//! ```

mod blobs;
mod content;
mod create;
mod encryption;
mod key_file;
mod output;
mod restore;

use std::path::Path;

pub(crate) use create::{BackupOptions, backup};
use inboxd_postgres::ArchiveStop;
pub(crate) use restore::{RestoreOptions, restore};
use tokio::sync::oneshot;

use crate::failure::{ErrorContext, Failure};
use crate::starting::StopSignals;

/// Name of standard input and output.
const STANDARD: &str = "-";

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == STANDARD
}

/// Refuses standard input or output for several files.
fn require_one_stream(file: Option<&Path>, secret_key: Option<&Path>, blobs: Option<&Path>) -> Result<(), Failure> {
    let named = [("FILE", file), ("--secret-key", secret_key), ("--blobs", blobs)];
    let streams = named.into_iter().filter(|(_, path)| path.is_some_and(is_standard));
    match streams.map(|(name, _)| name).collect::<Vec<_>>().as_slice() {
        [first, second, ..] => {
            Err(Failure::new(format!("{first} and {second} are both `-`: name a file for one of them")))
        }
        _ => Ok(()),
    }
}

/// Runs blocking work on a thread of its own until it ends or a stop signal arrives. A signal ends the programs that the work
/// runs before the return, except for a commit in progress, whose outcome is returned. The end of the process ends the thread.
async fn until_signal<T: Send + 'static>(
    signals: &mut StopSignals,
    stop: &ArchiveStop,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (sender, mut outcome) = oneshot::channel();
    // The receiver is gone after a signal.
    std::thread::spawn(move || drop(sender.send(work())));
    tokio::select! {
        done = &mut outcome => return done.context("the work ended early")?,
        () = signals.received() => {}
    }
    if stop.stop() {
        return Err(Failure::new("stopped by a signal, nothing was changed"));
    }
    outcome.await.context("the work ended early")?
}
