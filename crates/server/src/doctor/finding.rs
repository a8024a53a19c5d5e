//! Result of a check, printed as one line.

use std::fmt;

/// Severity of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Correct state.
    Ok,
    /// Working state without an optional feature.
    Warn,
    /// State in which serving fails or loses mail.
    Fail,
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// Result of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Name of the check.
    pub(crate) check: String,
    /// Severity of the result.
    pub(crate) level: Level,
    /// Observation.
    found: String,
    /// Remedy; empty if none is needed.
    mend: String,
}

impl Finding {
    pub(crate) fn ok(check: impl Into<String>, found: impl Into<String>) -> Self {
        Self { check: check.into(), level: Level::Ok, found: found.into(), mend: String::new() }
    }

    pub(crate) fn warn(check: impl Into<String>, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { check: check.into(), level: Level::Warn, found: found.into(), mend: mend.into() }
    }

    /// Returns a correct result as a warning with this remedy, and any other unchanged.
    pub(crate) fn or_warn(self, mend: impl Into<String>) -> Self {
        match self.level {
            Level::Ok => Self { level: Level::Warn, mend: mend.into(), ..self },
            Level::Warn | Level::Fail => self,
        }
    }

    pub(crate) fn fail(check: impl Into<String>, found: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { check: check.into(), level: Level::Fail, found: found.into(), mend: mend.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Texts of other programs may contain line breaks, and characters that a terminal obeys.
        let is_shown = |c: &char| !c.is_control() || c.is_whitespace();
        let line = |text: &str| {
            let shown: String = text.chars().filter(is_shown).collect();
            shown.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        write!(f, "{:4}  {:9} {}", self.level.word(), self.check, line(&self.found))?;
        if self.mend.is_empty() { Ok(()) } else { write!(f, ". To mend: {}", line(&self.mend)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_one_line_with_the_way_to_mend_it() {
        assert_eq!(Finding::ok("clock", "agrees").to_string(), "ok    clock     agrees");
        let warning = Finding::warn("SPF", "none at\n\u{1b}example.org", "publish one");
        assert_eq!(warning.to_string(), "warn  SPF       none at example.org. To mend: publish one");
        assert!(Level::Ok < Level::Warn && Level::Warn < Level::Fail);
    }
}
