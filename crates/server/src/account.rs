//! Change of the account of the process, from root to `INBOXD_USER`.

use std::ffi::CString;
use std::fs::File;
use std::os::unix::fs::{MetadataExt as _, fchown};
use std::path::Path;

use nix::unistd::{Uid, User, geteuid, initgroups, setgid, setuid};

use crate::config::Config;
use crate::failure::{ErrorContext, Failure};

/// Changes to the configured account with its groups, which cannot be undone. The process has no other thread yet.
///
/// # Errors
/// The account does not exist, is root, or cannot be changed to.
pub(crate) fn change(config: &Config) -> Result<(), Failure> {
    let Some(name) = &config.user else { return Ok(()) };
    let user = configured_user(name)?;
    if geteuid() == user.uid {
        return Ok(());
    }
    if user.uid.is_root() {
        return Err(Failure::new(format!("INBOXD_USER: {name} is root; name an account with few rights")));
    }
    if !geteuid().is_root() {
        return Err(Failure::new(format!(
            "INBOXD_USER: only root can change to {name}; start inboxd as root or as {name}"
        )));
    }
    provide_data_dir(config)?;
    let group_member = CString::new(user.name.as_str()).context("INBOXD_USER")?;
    initgroups(&group_member, user.gid).context(format!("INBOXD_USER: cannot take the groups of {name}"))?;
    setgid(user.gid).context(format!("INBOXD_USER: cannot take the group of {name}"))?;
    setuid(user.uid).context(format!("INBOXD_USER: cannot change to {name}"))?;
    // The saved user id must not lead back.
    if setuid(Uid::from_raw(0)).is_ok() {
        return Err(Failure::new(format!("INBOXD_USER: the change to {name} can be undone, which is unsafe")));
    }
    Ok(())
}

fn configured_user(name: &str) -> Result<User, Failure> {
    User::from_name(name).context("INBOXD_USER: cannot read the accounts")?.ok_or_else(|| {
        Failure::new(format!(
            "INBOXD_USER: there is no account {name}; `useradd --system --home-dir /var/lib/inboxd {name}` creates it"
        ))
    })
}

/// Creates a missing data directory for the account.
pub(crate) fn provide_data_dir(config: &Config) -> Result<(), Failure> {
    let folder = &config.data_dir;
    if folder.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(folder).context(format!("INBOXD_DATA_DIR: cannot create {}", folder.display()))?;
    let opened = File::open(folder).context(format!("INBOXD_DATA_DIR: cannot open {}", folder.display()))?;
    give_to_account(config, &opened, folder)
}

/// Gives a file that root created to the account of the service: `INBOXD_USER`, or the owner of the data directory. The file is
/// open, because the account could put a link to another file at its path.
pub(crate) fn give_to_account(config: &Config, file: &File, path: &Path) -> Result<(), Failure> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let (uid, gid) = if let Some(name) = &config.user {
        let user = configured_user(name)?;
        (user.uid.as_raw(), user.gid.as_raw())
    } else {
        let folder = std::fs::metadata(&config.data_dir).context("INBOXD_DATA_DIR")?;
        (folder.uid(), folder.gid())
    };
    fchown(file, Some(uid), Some(gid)).context(format!("cannot give {} to the account {uid}", path.display()))
}
