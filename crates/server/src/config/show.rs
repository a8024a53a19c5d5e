//! `inboxd config show`: the effective values with their origin.

use std::path::Path;

use serde::Serialize;

use super::settings::{self, Setting};
use super::source::{Origin, Source};
use super::{Config, read, read_source};
use crate::failure::Failure;

/// Text in place of a secret.
const HIDDEN: &str = "(set)";

/// Effective value of a setting.
#[derive(Debug, Serialize)]
pub(crate) struct ShownSetting {
    name: &'static str,
    /// `None` without a value.
    value: Option<String>,
    source: String,
    /// Meaning of the absence of a value.
    #[serde(skip)]
    absence: &'static str,
}

impl ShownSetting {
    /// Returns the line of a table with names of this width.
    pub(crate) fn line(&self, width: usize) -> String {
        let value = self.value.clone().unwrap_or_else(|| format!("({})", self.absence.replace('`', "")));
        format!("{:width$}  {value}  [{}]", self.name, self.source)
    }

    /// Returns the length of the name.
    pub(crate) fn name_len(&self) -> usize {
        self.name.len()
    }
}

/// Returns the settings of this process, or those that differ from the default.
///
/// # Errors
/// The first value that cannot be read.
pub(crate) fn show(file: Option<&Path>, is_changed_only: bool) -> Result<Vec<ShownSetting>, Failure> {
    let (source, problems) = read_source(file);
    if let Some(problem) = problems.into_iter().next() {
        return Err(problem);
    }
    let config = read::config(&source)?;
    let is_shown = |setting: &&Setting| !is_changed_only || source.get(setting.name).as_deref() != setting.default;
    let shown = |setting| effective(setting, &source, &config, file);
    Ok(settings::all().filter(is_shown).map(shown).collect())
}

fn effective(setting: &'static Setting, source: &Source, config: &Config, file: Option<&Path>) -> ShownSetting {
    let derived = || match setting.name {
        "INBOXD_BASE_URL" => Some(config.base_url()),
        "INBOXD_SIGNUP_DOMAIN" => Some(config.signup_domain.clone()),
        _ => None,
    };
    let value = source.get(setting.name).map(|value| if setting.is_secret { HIDDEN.to_owned() } else { value });
    let origin = match (source.origin(setting.name), file) {
        (Origin::File, Some(path)) => path.display().to_string(),
        (origin, _) => origin.to_string(),
    };
    ShownSetting { name: setting.name, value: value.or_else(derived), source: origin, absence: setting.absence }
}
