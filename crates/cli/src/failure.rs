//! Failures of a command, and the exit codes that they end with.

use std::fmt;

use http::StatusCode;
use serde_json::Value;

use crate::output::text::one_line;

/// Exit codes as `--help` shows them.
pub(crate) const EXIT_CODES: &str = "Exit codes:
  0  done
  1  the server refused the request, or the command failed
  2  wrong usage
  3  not signed in, or the key is not valid
  4  not found, or no message arrived in time
  5  the server cannot be reached, is unavailable, or did not respond in time
  6  too many requests";

/// Exit code of a failed command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// The server refused the request, or something else failed.
    Refused = 1,
    /// The command was called wrongly.
    Usage = 2,
    /// There is no key, or it is not valid.
    SignedOut = 3,
    /// The named thing does not exist.
    NotFound = 4,
    /// The server cannot be reached, is unavailable, or did not respond in time.
    Unreachable = 5,
    /// Too many requests.
    RateLimited = 6,
}

/// Failure of a command: cause, next step and exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandFailure {
    pub(crate) status: ExitStatus,
    message: String,
    fix: Option<String>,
}

impl CommandFailure {
    /// Creates a failure without a next step.
    pub(crate) fn new(status: ExitStatus, message: impl Into<String>) -> Self {
        Self { status, message: message.into(), fix: None }
    }

    /// Creates a failure of wrong usage.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(ExitStatus::Usage, message)
    }

    /// Creates a failure of this machine, such as a file that cannot be read.
    pub(crate) fn local(message: impl Into<String>) -> Self {
        Self::new(ExitStatus::Refused, message)
    }

    /// Returns the failure with a next step.
    pub(crate) fn fix(self, fix: impl Into<String>) -> Self {
        Self { fix: Some(fix.into()), ..self }
    }

    /// Reads the refusal of a server: its envelope, or the text of another server.
    pub(crate) fn from_response(status: StatusCode, body: &[u8]) -> Self {
        let envelope: Value = serde_json::from_slice(body).unwrap_or_default();
        let exit = match status {
            StatusCode::UNAUTHORIZED => ExitStatus::SignedOut,
            StatusCode::NOT_FOUND => ExitStatus::NotFound,
            StatusCode::TOO_MANY_REQUESTS => ExitStatus::RateLimited,
            StatusCode::REQUEST_TIMEOUT
            | StatusCode::BAD_GATEWAY
            | StatusCode::SERVICE_UNAVAILABLE
            | StatusCode::GATEWAY_TIMEOUT => ExitStatus::Unreachable,
            _ => ExitStatus::Refused,
        };
        let Some(message) = envelope["message"].as_str() else {
            let text = String::from_utf8_lossy(body).chars().take(300).collect::<String>();
            return Self::new(exit, format!("the server responded {status}: {text}"));
        };
        let mut message = message.to_owned();
        let problems = envelope["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        // The message of a single problem is that problem.
        for problem in problems.iter().filter(|_| problems.len() > 1) {
            let part = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
            message = format!("{message}\n  {}: {}", part("path"), part("message"));
        }
        if let Some(code) = envelope["code"].as_str() {
            message = format!("{message} ({code})");
        }
        Self { status: exit, message, fix: envelope["fix"].as_str().map(str::to_owned) }
    }
}

impl fmt::Display for CommandFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, line) in self.message.lines().enumerate() {
            let gap = if index == 0 { "" } else { "\n  " };
            write!(formatter, "{gap}{}", one_line(line.trim()))?;
        }
        match &self.fix {
            Some(fix) => write!(formatter, "\n  fix: {}", one_line(fix)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_shows_cause_fields_and_fix() {
        let body = br#"{"code":"validation_error","message":"the body is invalid","fix":"correct the fields",
            "errors":[{"path":"to[0]","message":"not an address"},{"path":"cc","message":"too many"}]}"#;
        let failure = CommandFailure::from_response(StatusCode::UNPROCESSABLE_ENTITY, body);
        assert_eq!(failure.status, ExitStatus::Refused);
        let expected = "the body is invalid\n  to[0]: not an address\n  cc: too many (validation_error)\n  fix: correct the fields";
        assert_eq!(failure.to_string(), expected);
    }

    #[test]
    fn statuses_have_documented_exit_codes() {
        for (status, exit) in [(400, 1), (401, 3), (403, 1), (404, 4), (422, 1), (429, 6), (500, 1), (502, 5), (503, 5)]
        {
            let status = StatusCode::from_u16(status).unwrap_or_default();
            let failure = CommandFailure::from_response(status, b"<html>proxy\x1b[31m</html>");
            assert_eq!(failure.status as u8, exit, "{status}");
            assert!(!failure.to_string().contains('\x1b'));
        }
    }
}
