//! Setting: name, default, permitted values and description.

use std::fmt;

/// Values that a setting accepts; displayed in its error.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Accepted {
    /// Whole number of this range.
    Number(u64, u64),
    /// `on` or `off`.
    Switch,
    /// Text of this description.
    Text(&'static str),
}

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Switch => f.write_str("on or off"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// Setting of the operator.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting {
    /// Name in the environment and in the file.
    pub(crate) name: &'static str,
    /// Value without a configured one.
    pub(crate) default: Option<&'static str>,
    /// Meaning of the absence of a value, for a setting without a default.
    pub(crate) absence: &'static str,
    /// Permitted values.
    pub(crate) accepted: Accepted,
    /// Description in one or two sentences.
    pub(crate) about: &'static str,
    /// Whether the value is never shown, and may come from a file or a systemd credential.
    pub(crate) is_secret: bool,
    /// Whether SIGHUP applies a changed value to the running process.
    pub(crate) is_reloaded: bool,
}

impl Setting {
    pub(super) const fn text(
        name: &'static str,
        default: &'static str,
        accepted: &'static str,
        about: &'static str,
    ) -> Self {
        let accepted = Accepted::Text(accepted);
        Self { name, default: Some(default), absence: "", accepted, about, is_secret: false, is_reloaded: false }
    }

    pub(super) const fn number(
        name: &'static str,
        default: &'static str,
        range: (u64, u64),
        about: &'static str,
    ) -> Self {
        let accepted = Accepted::Number(range.0, range.1);
        Self { accepted, ..Self::text(name, default, "", about) }
    }

    pub(super) const fn switch(name: &'static str, default: &'static str, about: &'static str) -> Self {
        Self { accepted: Accepted::Switch, ..Self::text(name, default, "", about) }
    }

    pub(super) const fn optional(
        name: &'static str,
        absence: &'static str,
        accepted: &'static str,
        about: &'static str,
    ) -> Self {
        Self { default: None, absence, ..Self::text(name, "", accepted, about) }
    }

    pub(super) const fn secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    pub(super) const fn reloaded(self) -> Self {
        Self { is_reloaded: true, ..self }
    }
}
