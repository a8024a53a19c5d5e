//! Profiles: servers with their keys, in a file that only its owner reads.

use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::failure::CommandFailure;

/// Bits of a file mode that let others than the owner in.
const OTHERS: u32 = 0o077;

/// Profile: a server, and the key for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Profile {
    pub(crate) url: String,
    pub(crate) api_key: String,
    /// Inbox of commands that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) inbox: Option<String>,
    /// Whether `login` created the key, so that `logout` revokes it.
    #[serde(default)]
    pub(crate) from_login: bool,
}

/// File of all profiles.
#[derive(Debug)]
pub(crate) struct ProfileFile {
    path: PathBuf,
    profiles: BTreeMap<String, Profile>,
}

impl ProfileFile {
    /// Reads the file in the configuration folder of the user.
    pub(crate) fn load() -> Result<Self, CommandFailure> {
        let folder = |name: &str| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
        let folder = folder("XDG_CONFIG_HOME").or_else(|| folder("HOME").map(|home| home.join(".config")));
        let folder = folder.ok_or_else(|| {
            CommandFailure::usage("there is no folder for profiles")
                .fix("set HOME or XDG_CONFIG_HOME, or INBOXD_API_KEY instead of a profile")
        })?;
        Self::read(folder.join("inboxd").join("profiles.toml"))
    }

    fn read(path: PathBuf) -> Result<Self, CommandFailure> {
        let failed = |cause: String| CommandFailure::local(format!("{}: {cause}", path.display()));
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(Self { path, profiles: BTreeMap::new() });
            }
            Err(error) => return Err(failed(error.to_string())),
        };
        let mode = std::fs::metadata(&path).map_err(|error| failed(error.to_string()))?.permissions().mode();
        if mode & OTHERS != 0 {
            return Err(failed(format!("other users can read the keys in it (mode {:04o})", mode & 0o7777))
                .fix(format!("run `chmod 600 {}`, and revoke the keys if others may have read them", path.display())));
        }
        let profiles = toml::from_str(&text).map_err(|error| failed(error.message().to_owned()))?;
        Ok(Self { path, profiles })
    }

    /// Returns a profile.
    pub(crate) fn get(&self, name: &str) -> Option<&Profile> {
        self.profiles.get(name)
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Stores a profile.
    pub(crate) fn set(&mut self, name: &str, profile: Profile) -> Result<(), CommandFailure> {
        self.profiles.insert(name.to_owned(), profile);
        self.save()
    }

    /// Removes a profile.
    pub(crate) fn remove(&mut self, name: &str) -> Result<Option<Profile>, CommandFailure> {
        let removed = self.profiles.remove(name);
        if removed.is_some() {
            self.save()?;
        }
        Ok(removed)
    }

    /// Replaces the file in one step, so that no reader sees a part of it.
    fn save(&self) -> Result<(), CommandFailure> {
        let write = || {
            let text = toml::to_string(&self.profiles).map_err(std::io::Error::other)?;
            let folder = self.path.parent().unwrap_or(Path::new("."));
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            let new = folder.join(format!(".profiles.toml.{}", std::process::id()));
            let opened = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new);
            opened.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))?;
            std::fs::rename(&new, &self.path)
        };
        write().map_err(|error: std::io::Error| CommandFailure::local(format!("{}: {error}", self.path.display())))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot continue panics")]

    use super::*;

    #[test]
    fn profiles_are_stored_for_their_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inboxd/profiles.toml");
        let profile = Profile {
            url: "https://mail.example".to_owned(),
            api_key: "am_\"quoted\"".to_owned(),
            inbox: Some("scout@mail.example".to_owned()),
            from_login: true,
        };
        let mut file = ProfileFile::read(path.clone()).unwrap();
        file.set("a name", profile.clone()).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);

        let mut again = ProfileFile::read(path.clone()).unwrap();
        assert_eq!(again.get("a name"), Some(&profile));
        assert_eq!(again.remove("a name").unwrap(), Some(profile));
        assert_eq!(ProfileFile::read(path.clone()).unwrap().get("a name"), None);
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn file_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("profiles.toml");
        std::fs::write(&path, "").unwrap();
        for (mode, is_read) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o620, false)] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(ProfileFile::read(path.clone()).is_ok(), is_read, "{mode:o}");
        }
    }
}
