//! Folder of the unix socket. Its permissions are the only access control of the server.

use std::fs::DirBuilder;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::account::ServerAccount;
use super::error::EmbeddedError;

/// Name of the socket, which PostgreSQL derives from its default port.
const SOCKET_NAME: &str = ".s.PGSQL.5432";

/// Maximum length of a socket path in bytes: Linux allows 107, others a few less.
const MAX_PATH_BYTES: usize = 100;

/// Returns a folder inside the database folder if possible, otherwise one in `/tmp` named after it. A comma separates
/// several folders in PostgreSQL settings and URLs, so a path with a comma is unusable.
pub(super) fn folder(root: &Path) -> PathBuf {
    let inside = root.join("socket");
    let fits = inside.as_os_str().len() + 1 + SOCKET_NAME.len() <= MAX_PATH_BYTES;
    match inside.to_str() {
        Some(text) if fits && !text.contains(',') => inside,
        _ => {
            let name = fnv1a(root.as_os_str().as_encoded_bytes());
            Path::new("/tmp").join(format!("inboxd-{name:016x}"))
        }
    }
}

/// Creates a missing folder in `/tmp`, where on some machines only root may write. An existing one is left to [`check`].
pub(super) fn create(folder: &Path, account: ServerAccount) -> Result<(), EmbeddedError> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => account.change_owner(folder).map_err(EmbeddedError::file("change the owner of", folder)),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(EmbeddedError::file("create", folder)(error)),
    }
}

/// Ensures that the folder belongs to the account and is closed to others: in `/tmp` any user may have created it
/// before.
pub(super) fn check(folder: &Path, account: ServerAccount) -> Result<(), EmbeddedError> {
    let metadata = std::fs::symlink_metadata(folder).map_err(EmbeddedError::file("read", folder))?;
    let private = metadata.mode() & 0o777 == 0o700;
    if metadata.is_dir() && metadata.uid() == account.uid() && private {
        return Ok(());
    }
    Err(EmbeddedError::SocketFolder(folder.to_owned()))
}

/// Removes the socket of a dead server. PostgreSQL does so itself, unless the process id in the lock file was reused.
/// The caller holds the start lock, and no server runs.
pub(super) fn clear(folder: &Path) -> Result<(), EmbeddedError> {
    let lock = folder.join(format!("{SOCKET_NAME}.lock"));
    match std::fs::remove_file(&lock) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(EmbeddedError::file("remove", &lock)(error)),
        _ => Ok(()),
    }
}

/// Returns the 64-bit FNV-1a hash. The name must be equal in all releases, which the hasher of the standard library
/// does not guarantee.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn socket_is_in_database_folder() {
        let folder = folder(Path::new("/srv/inboxd/data/postgres"));
        assert_eq!(folder, Path::new("/srv/inboxd/data/postgres/socket"));
    }

    #[test]
    fn long_path_or_comma_uses_own_short_folder() {
        let long = folder(&Path::new("/srv").join("x".repeat(90)));
        let comma = folder(Path::new("/srv/a,b"));
        assert!(long.starts_with("/tmp") && long.as_os_str().len() < 40);
        assert!(comma.starts_with("/tmp"));
        assert_ne!(long, comma);
        assert_eq!(comma, folder(Path::new("/srv/a,b")));
    }

    #[test]
    fn hash_equals_published_value() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
