//! Secret of the service, from the configuration or created once in the data directory.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use inboxd_core::ports::Random;
use inboxd_core::rules::signing::SigningKey;
use subtle::ConstantTimeEq as _;

use crate::config::SecretKey;
use crate::failure::{ErrorContext, Failure};

const FILE: &str = "secret-key";

/// Keys derived from the secret. None of them reveals another.
pub(crate) struct Keys {
    /// Key of signatures and keyed hashes.
    pub(crate) signing: SigningKey,
    /// Key of secrets at rest.
    pub(crate) vault: [u8; 32],
    /// Key of contents outside the database.
    pub(crate) blobs: [u8; 32],
    /// Check value in the database, which detects another secret.
    pub(crate) check: [u8; 32],
}

impl Keys {
    /// Returns whether a check value belongs to this secret.
    pub(crate) fn is_of(&self, check: &[u8; 32]) -> bool {
        self.check.ct_eq(check).into()
    }

    /// Derives the keys of a secret.
    pub(crate) fn of(secret: &SecretKey) -> Self {
        let root = SigningKey::new(*secret.bytes());
        Self {
            signing: SigningKey::new(root.mac("signing", &[])),
            vault: root.mac("vault", &[]),
            blobs: root.mac("blobs", &[]),
            check: root.mac("check", &[]),
        }
    }
}

/// Returns the keys of the configured secret or that of the data directory, which is created if missing.
pub(crate) fn load(configured: Option<&SecretKey>, data_dir: &Path, random: &dyn Random) -> Result<Keys, Failure> {
    let secret = match configured {
        Some(secret) => secret.clone(),
        None => from_file(&data_dir.join(FILE), random)?,
    };
    Ok(Keys::of(&secret))
}

/// Returns the keys of the configured secret or that of the data directory; `None` if neither exists.
pub(crate) fn find(configured: Option<&SecretKey>, data_dir: &Path) -> Result<Option<Keys>, Failure> {
    Ok(find_secret(configured, data_dir)?.map(|secret| Keys::of(&secret)))
}

/// Returns the configured secret or that of the data directory; `None` if neither exists.
pub(crate) fn find_secret(configured: Option<&SecretKey>, data_dir: &Path) -> Result<Option<SecretKey>, Failure> {
    let path = file(data_dir);
    match configured {
        Some(secret) => Ok(Some(secret.clone())),
        None if path.exists() => read(&path).map(Some),
        None => Ok(None),
    }
}

/// Returns the file of the secret in a data directory.
pub(crate) fn file(data_dir: &Path) -> PathBuf {
    data_dir.join(FILE)
}

/// Refuses a secret key whose check value differs from the one in the database.
pub(crate) fn require_same(keys: &Keys, stored: [u8; 32], data_dir: &Path) -> Result<(), Failure> {
    if keys.is_of(&stored) {
        return Ok(());
    }
    Err(Failure::new(format!(
        "INBOXD_SECRET_KEY: this database is used with another secret key; set INBOXD_SECRET_KEY to that one, or put its \
         file in place as {}; where it is lost for good, `inboxd admin accept-secret-key` says what that means",
        data_dir.join(FILE).display()
    )))
}

fn from_file(path: &Path, random: &dyn Random) -> Result<SecretKey, Failure> {
    make(path, random)?;
    read(path)
}

fn read(path: &Path) -> Result<SecretKey, Failure> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).context(format!("cannot read the secret key in {shown}"))?;
    SecretKey::parse(text.trim())
        .ok_or_else(|| Failure::new(format!("{shown} has no secret key, which is 64 hex digits")))
}

/// Creates the file atomically: processes that start at the same time use one secret.
fn make(path: &Path, random: &dyn Random) -> Result<(), Failure> {
    if path.exists() {
        return Ok(());
    }
    let shown = path.display();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).context(format!("cannot create {}", folder.display()))?;
    }
    let secret = SecretKey::from_bytes(random.bytes()).to_hex();
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)
        .context(format!("cannot create the secret key in {shown}"))?;
    let written = writeln!(file, "{secret}").and_then(|()| file.sync_all());
    let linked = written.and_then(|()| std::fs::hard_link(&draft, path));
    let _ = std::fs::remove_file(&draft);
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(Failure::new(format!("cannot create the secret key in {shown}: {error}")))
        }
        _ => Ok(()),
    }
}
