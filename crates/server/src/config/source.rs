//! Configured values with their origin: environment, file of a secret, systemd credential or configuration file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::file;
use super::settings::{self, Accepted, Setting};
use crate::failure::{ErrorContext, Failure};

/// Folder of the credentials that systemd passes to the service (systemd.exec, `LoadCredential=`).
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// Suffix of the name of a secret that is in a file: the value is the path.
pub(super) const FILE_SUFFIX: &str = "_FILE";

/// Prefix of all settings.
pub(super) const PREFIX: &str = "INBOXD_";

/// Variables of the command line client and of the example scripts.
const OTHER_VARIABLES: [&str; 6] =
    ["INBOXD_API_KEY", "INBOXD_INBOX", "INBOXD_LOG", "INBOXD_PROFILE", "INBOXD_SMTP", "INBOXD_URL"];

/// Origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Environment variable.
    Environment,
    /// Configuration file.
    File,
    /// File that `…_FILE` or a systemd credential names.
    SecretFile(PathBuf),
    /// Table of settings.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Environment => f.write_str("environment"),
            Self::File => f.write_str("file"),
            Self::SecretFile(path) => write!(f, "{}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// Configured values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source(BTreeMap<&'static str, (String, Origin)>);

impl Source {
    /// Reads the environment and the file, and returns all problems beside the readable values.
    pub(super) fn read(path: Option<&Path>, variable: impl Fn(&str) -> Option<String>) -> (Self, Vec<Failure>) {
        let (file, mut problems) = file::read(path);
        let mut values = BTreeMap::new();
        for setting in settings::all() {
            match find(setting, &file, &variable) {
                Ok(Some(found)) => drop(values.insert(setting.name, found)),
                Ok(None) => {}
                Err(problem) => problems.push(problem),
            }
        }
        (Self(values), problems)
    }

    /// Returns the configured value or the default.
    pub(crate) fn get(&self, name: &str) -> Option<String> {
        let default = || settings::find(name)?.default.map(str::to_owned);
        self.0.get(name).map(|(value, _)| value.clone()).or_else(default)
    }

    /// Returns the origin of the value.
    pub(crate) fn origin(&self, name: &str) -> &Origin {
        self.0.get(name).map_or(&Origin::Default, |(_, origin)| origin)
    }

    /// Returns the configured settings that a text names.
    pub(super) fn named_in(&self, text: &str) -> Vec<&'static str> {
        let is_name_end = |rest: &str| !rest.starts_with(|next: char| next.is_ascii_uppercase() || next == '_');
        let names = |name: &&str| text.match_indices(*name).any(|(at, _)| is_name_end(&text[at + name.len()..]));
        self.0.keys().copied().filter(names).collect()
    }

    /// Removes a configured value.
    pub(super) fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Sets a value as the configuration file does.
    pub(crate) fn set(&mut self, name: &'static str, value: String) {
        self.0.insert(name, (value, Origin::File));
    }

    /// Takes over the value of another source.
    pub(crate) fn accept(&mut self, name: &'static str, other: &Self) {
        match other.0.get(name) {
            Some(value) => drop(self.0.insert(name, value.clone())),
            None => self.remove(name),
        }
    }

    /// Returns the value, or an empty text if there is none.
    pub(super) fn text(&self, name: &str) -> String {
        self.get(name).unwrap_or_default()
    }

    /// Parses the value; an empty one is an error.
    pub(super) fn parsed<T: FromStr>(&self, name: &str) -> Result<T, Failure> {
        self.text(name).trim().parse().map_err(|_| refused(name))
    }

    /// Parses the value if there is one.
    pub(super) fn optional<T: FromStr>(&self, name: &str) -> Result<Option<T>, Failure> {
        self.get(name).map(|_| self.parsed(name)).transpose()
    }

    /// Reads a number within the range of its setting.
    pub(super) fn number<T: TryFrom<u64>>(&self, name: &str) -> Result<T, Failure> {
        let (least, most) = match settings::find(name).map(|setting| setting.accepted) {
            Some(Accepted::Number(least, most)) => (least, most),
            _ => (0, u64::MAX),
        };
        let number: u64 = self.parsed(name)?;
        let number = (least..=most).contains(&number).then_some(number).and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| refused(name))
    }

    /// Reads `on` or `off`.
    pub(super) fn switch(&self, name: &str) -> Result<bool, Failure> {
        match self.text(name).trim() {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(refused(name)),
        }
    }

    /// Reads a list, separated by commas.
    pub(super) fn list<T: FromStr>(&self, name: &str) -> Result<Vec<T>, Failure> {
        let text = self.text(name);
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        items.map(|item| item.parse().map_err(|_| refused(name))).collect()
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&'static str, &str); N]> for Source {
    fn from(pairs: [(&'static str, &str); N]) -> Self {
        Self::from(&pairs[..])
    }
}

#[cfg(test)]
impl From<&[(&'static str, &str)]> for Source {
    fn from(pairs: &[(&'static str, &str)]) -> Self {
        Self(pairs.iter().map(|(name, value)| (*name, ((*value).to_owned(), Origin::Environment))).collect())
    }
}

/// Creates the error of a value that a setting does not accept. It does not show the value, which may be secret.
pub(super) fn refused(name: &str) -> Failure {
    let accepted = settings::find(name).map(|setting| setting.accepted.to_string()).unwrap_or_default();
    bad(name, &accepted)
}

/// Creates the error of a value with the accepted ones.
pub(super) fn bad(name: &str, accepted: &str) -> Failure {
    Failure::new(format!("{name} must be {accepted}"))
}

/// Finds the value of a setting: the environment precedes credentials, which precede the file.
fn find(
    setting: &Setting,
    file: &BTreeMap<String, String>,
    variable: &impl Fn(&str) -> Option<String>,
) -> Result<Option<(String, Origin)>, Failure> {
    if let Some(found) = value_or_file(setting, variable, Origin::Environment)? {
        return Ok(Some(found));
    }
    if let Some(folder) = variable(CREDENTIALS).filter(|_| setting.is_secret) {
        let path = Path::new(&folder).join(credential_name(setting.name));
        if path.exists() {
            return secret(setting.name, path).map(Some);
        }
    }
    let of_file = |name: &str| file.get(name).filter(|value| !value.is_empty()).cloned();
    value_or_file(setting, &of_file, Origin::File)
}

/// Returns the name of the systemd credential of a secret: `secret-key` for `INBOXD_SECRET_KEY`.
fn credential_name(name: &str) -> String {
    name.trim_start_matches(PREFIX).to_ascii_lowercase().replace('_', "-")
}

/// Returns the value, or for a secret the content of the file that `NAME_FILE` names.
fn value_or_file(
    setting: &Setting,
    get: &impl Fn(&str) -> Option<String>,
    origin: Origin,
) -> Result<Option<(String, Origin)>, Failure> {
    let name = setting.name;
    let path = if setting.is_secret { get(&format!("{name}{FILE_SUFFIX}")) } else { None };
    match (get(name), path) {
        (Some(_), Some(_)) => Err(Failure::new(format!("{name} and {name}{FILE_SUFFIX} are both set: remove one"))),
        (Some(value), None) => Ok(Some((value, origin))),
        (None, Some(path)) => secret(&format!("{name}{FILE_SUFFIX}"), path.into()).map(Some),
        (None, None) => Ok(None),
    }
}

/// Reads a secret, without one final newline.
fn secret(name: &str, path: PathBuf) -> Result<(String, Origin), Failure> {
    let text = std::fs::read_to_string(&path).context(format!("{name}: cannot read {}", path.display()))?;
    let text = text.strip_suffix('\n').unwrap_or(&text);
    let text = text.strip_suffix('\r').unwrap_or(text);
    if text.is_empty() {
        return Err(Failure::new(format!("{name}: {} is empty", path.display())));
    }
    Ok((text.to_owned(), Origin::SecretFile(path)))
}

/// Returns whether the file may have this name: a setting, or the file of a secret.
pub(super) fn is_key(name: &str) -> bool {
    let is_secret = |name| settings::find(name).is_some_and(|setting| setting.is_secret);
    settings::find(name).is_some() || name.strip_suffix(FILE_SUFFIX).is_some_and(is_secret)
}

/// Returns the remarks about set variables of the environment that begin with `INBOXD_` and are unknown.
pub(super) fn unknown_variables(variables: impl Iterator<Item = (String, String)>) -> Vec<(String, &'static str)> {
    let mut unknown: Vec<_> = variables
        .filter(|(name, value)| name.starts_with(PREFIX) && !value.is_empty())
        .filter(|(name, _)| !is_key(name) && !OTHER_VARIABLES.contains(&name.as_str()))
        .map(|(name, _)| (nearest(&name), name))
        .map(|(nearest, name)| (name, nearest))
        .collect();
    unknown.sort();
    unknown
}

/// Returns the setting with the most similar name.
pub(super) fn nearest(name: &str) -> &'static str {
    let distance = |setting: &&Setting| strsim::damerau_levenshtein(name, setting.name);
    settings::all().min_by_key(distance).map_or("", |setting| setting.name)
}
