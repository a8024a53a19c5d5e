//! Relocation of the database below `/var/lib/inboxd`.
//!
//! It applies when the server account may not enter the data directory, for example below `/root`. A link in the data
//! directory points to the database. A moved data directory takes its database along, and a deleted one starts a new
//! database.

use std::fs::{DirBuilder, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::account::{ServerAccount, unreachable};
use super::error::EmbeddedError;

/// Parent of relocated databases, each in its own folder.
const PARENT_FOLDER: &str = "/var/lib/inboxd";

/// Maximum relocated databases of one machine.
const MAX_FOLDERS: u32 = 10_000;

/// Returns the target of the link, if there is one.
pub(super) fn target(place: &Path) -> Option<PathBuf> {
    std::fs::read_link(place).ok()
}

/// Creates a link at `place` and returns its target. Only an empty folder is relocated: a database in it was accessible
/// before, and a second one would hide it.
pub(super) fn relocate(place: &Path, root: &Path, account: ServerAccount) -> Result<PathBuf, EmbeddedError> {
    if root != place || !account.is_switched() || std::fs::remove_dir(place).is_err() {
        return Err(unreachable(root.to_owned(), account));
    }
    let elsewhere = new_folder(Path::new(PARENT_FOLDER))?;
    std::os::unix::fs::symlink(&elsewhere, place).map_err(EmbeddedError::file("create the link", place))?;
    Ok(elsewhere)
}

/// Creates the first free folder of `postgres-1`, `postgres-2` and so on.
fn new_folder(parent: &Path) -> Result<PathBuf, EmbeddedError> {
    std::fs::create_dir_all(parent).map_err(EmbeddedError::file("create", parent))?;
    std::fs::set_permissions(parent, Permissions::from_mode(0o755))
        .map_err(EmbeddedError::file("open to all", parent))?;
    let mut number = 1;
    loop {
        let folder = parent.join(format!("postgres-{number}"));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MAX_FOLDERS => number += 1,
            Err(error) => return Err(EmbeddedError::file("create", &folder)(error)),
        }
    }
}
