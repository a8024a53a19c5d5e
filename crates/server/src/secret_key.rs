//! The service's secret: from the configuration, or made once in the data directory.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use inboxd_core::ports::Random;
use inboxd_core::rules::signing::SigningKey;

use crate::config::SecretKey;
use crate::failure::{Failure, While};

const FILE: &str = "secret-key";

/// The keys that follow from the service's one secret. Neither says anything about the other.
pub(crate) struct Keys {
    /// For signatures and keyed hashes.
    pub(crate) signing: SigningKey,
    /// For secrets at rest.
    pub(crate) vault: [u8; 32],
}

/// The configured secret, or that of the data directory, which is made where it is missing.
pub(crate) fn load(configured: Option<&SecretKey>, data_dir: &Path, random: &dyn Random) -> Result<Keys, Failure> {
    let secret = match configured {
        Some(secret) => secret.clone(),
        None => from_file(&data_dir.join(FILE), random)?,
    };
    let root = SigningKey::new(*secret.octets());
    Ok(Keys { signing: SigningKey::new(root.mac("signing", &[])), vault: root.mac("vault", &[]) })
}

fn from_file(path: &Path, random: &dyn Random) -> Result<SecretKey, Failure> {
    make(path, random)?;
    let shown = path.display();
    let text = std::fs::read_to_string(path).trying(format!("cannot read the secret key in {shown}"))?;
    SecretKey::parse(text.trim()).ok_or_else(|| Failure::new(format!("{shown} holds no secret key: 64 hex digits")))
}

/// Makes the file with a fresh secret, complete or not at all: two processes that start at once agree on one.
fn make(path: &Path, random: &dyn Random) -> Result<(), Failure> {
    if path.exists() {
        return Ok(());
    }
    let shown = path.display();
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).trying(format!("cannot make {}", folder.display()))?;
    }
    let secret = SecretKey::from_octets(random.octets()).to_hex();
    let draft = path.with_extension(format!("{}.new", std::process::id()));
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)
        .trying(format!("cannot make the secret key in {shown}"))?;
    let written = writeln!(file, "{secret}").and_then(|()| file.sync_all());
    let linked = written.and_then(|()| std::fs::hard_link(&draft, path));
    let _ = std::fs::remove_file(&draft);
    match linked {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(Failure::new(format!("cannot make the secret key in {shown}: {error}")))
        }
        _ => Ok(()),
    }
}
