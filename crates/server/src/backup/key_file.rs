//! Place of a restored secret key: the file in the data directory.

use std::io::Write as _;
use std::path::PathBuf;

use tempfile::TempPath;

use crate::account;
use crate::config::{Config, SecretKey};
use crate::failure::{ErrorContext, Failure};
use crate::secret_key::{self, Keys};

/// Written secret key under a temporary name, which is removed on drop.
pub(super) struct KeyFile {
    draft: TempPath,
    path: PathBuf,
}

impl KeyFile {
    /// Writes a restored key; `None` if it is configured or in place already.
    ///
    /// # Errors
    /// If another key is configured or in place, or the data directory is not writable.
    pub(super) fn prepare(config: &Config, secret: &SecretKey) -> Result<Option<Self>, Failure> {
        let path = secret_key::file(&config.data_dir);
        let shown = path.display();
        match secret_key::find_secret(config.secret_key.as_ref(), &config.data_dir)? {
            Some(own) if own == *secret => return Ok(None),
            Some(_) if config.secret_key.is_some() => {
                return Err(Failure::new("INBOXD_SECRET_KEY is another secret key than that of the backup: unset it"));
            }
            Some(_) => {
                return Err(Failure::new(format!(
                    "{shown} is another secret key than that of the backup, and is not overwritten: move it away, or set \
                     INBOXD_DATA_DIR to another folder"
                )));
            }
            None => {}
        }
        account::provide_data_dir(config)?;
        let draft = tempfile::Builder::new().prefix(".secret-key-").tempfile_in(&config.data_dir);
        let mut draft = draft.context(format!("cannot create {shown}"))?;
        let written = writeln!(draft, "{}", secret.to_hex()).and_then(|()| draft.as_file().sync_all());
        written.context(format!("cannot write {shown}"))?;
        account::give_to_account(config, draft.as_file(), draft.path())?;
        Ok(Some(Self { draft: draft.into_temp_path(), path }))
    }

    /// Puts the key in place and returns its file.
    pub(super) fn put(self) -> Result<PathBuf, Failure> {
        let placed = self.draft.persist_noclobber(&self.path);
        placed.map_err(|error| Failure::new(format!("cannot create {}: {}", self.path.display(), error.error)))?;
        super::output::sync_folder(&self.path)?;
        Ok(self.path)
    }
}

/// Refuses a key that is not that of the backup. `given` comes from the backup of the key.
pub(super) fn require_match(config: &Config, given: Option<&SecretKey>, check: Option<&str>) -> Result<(), Failure> {
    let Some(check) = check else { return Ok(()) };
    let own = || secret_key::find_secret(config.secret_key.as_ref(), &config.data_dir);
    let secret = match given {
        Some(secret) => Some(secret.clone()),
        None => own()?,
    };
    let lost = "where it is lost for good, --without-secret-key restores without it, and `inboxd admin accept-secret-key` \
                says what that means";
    match secret {
        Some(secret) if super::content::check_digits(&Keys::of(&secret).check) == check => Ok(()),
        Some(_) if given.is_some() => {
            Err(Failure::new("the file of --secret-key has another secret key than that of the backup of the database"))
        }
        Some(_) => Err(Failure::new(format!(
            "the secret key of this configuration is not that of the backup: name its backup with --secret-key; {lost}"
        ))),
        None => Err(Failure::new(format!(
            "the secret key of the backup is missing: name its backup with --secret-key, set INBOXD_SECRET_KEY, or put its \
             file in place as {}; {lost}",
            secret_key::file(&config.data_dir).display()
        ))),
    }
}
