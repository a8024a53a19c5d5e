//! The way out when the server may not enter the data directory (one below `/root`, say): the database moves below
//! `/var/lib/inboxd`, and a link stays behind. The link is what ties the two together: whoever moves the data directory
//! takes the database along, and whoever deletes it begins afresh.

use std::fs::{DirBuilder, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::EmbeddedError;
use super::account::Account;
use super::home::unreachable;

/// Where such databases go, each into a folder of its own.
const PLACE: &str = "/var/lib/inboxd";

/// How many of them one machine may gather.
const MOST: u32 = 10_000;

/// Where the link leads, if there is one.
pub(super) fn target(place: &Path) -> Option<PathBuf> {
    std::fs::read_link(place).ok()
}

/// Leaves a link at `place` and returns where it leads. Only an empty folder moves: one with a database in it has been
/// reachable before, and to begin a second database beside it would hide the first.
pub(super) fn relocate(place: &Path, root: &Path, account: Account) -> Result<PathBuf, EmbeddedError> {
    if root != place || !account.is_switched() || std::fs::remove_dir(place).is_err() {
        return Err(unreachable(root.to_owned(), account));
    }
    let elsewhere = new_folder(Path::new(PLACE))?;
    std::os::unix::fs::symlink(&elsewhere, place).map_err(EmbeddedError::file("create the link", place))?;
    Ok(elsewhere)
}

/// Makes the first folder of `postgres-1`, `postgres-2` and so on that is free.
fn new_folder(parent: &Path) -> Result<PathBuf, EmbeddedError> {
    std::fs::create_dir_all(parent).map_err(EmbeddedError::file("create", parent))?;
    std::fs::set_permissions(parent, Permissions::from_mode(0o755))
        .map_err(EmbeddedError::file("open to all", parent))?;
    let mut number = 1;
    loop {
        let folder = parent.join(format!("postgres-{number}"));
        match DirBuilder::new().mode(0o700).create(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MOST => number += 1,
            Err(error) => return Err(EmbeddedError::file("create", &folder)(error)),
        }
    }
}
