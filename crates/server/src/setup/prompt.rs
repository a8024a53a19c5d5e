//! Questions to the operator on standard error, with answers from standard input.

use std::io::{BufRead as _, Write as _};

use crate::failure::{ErrorContext, Failure};

/// Maximum bytes of an answer.
const MAX_ANSWER_BYTES: u64 = 4096;

/// Prints a remark.
pub(super) fn say(line: &str) {
    // A closed standard error is no reason to fail.
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Source of answers.
pub(super) struct Prompt {
    /// Whether an operator is expected to answer; false with `--yes`.
    is_interactive: bool,
    /// Whether there may be another answer.
    is_asking: bool,
}

impl Prompt {
    /// Creates a prompt, or one that has no answer but the default.
    pub(super) fn new(is_asking: bool) -> Self {
        Self { is_interactive: is_asking, is_asking }
    }

    /// Returns whether there is anyone to answer.
    pub(super) fn is_asking(&self) -> bool {
        self.is_asking
    }

    /// Returns the answer to a question; an empty answer, or the end of the input, is the default.
    pub(super) fn ask(&mut self, question: &str, default: Option<&str>) -> Result<Option<String>, Failure> {
        let answer = self.read(&match default {
            Some(default) => format!("{question} [{default}]: "),
            None => format!("{question}: "),
        })?;
        Ok(answer.filter(|answer| !answer.is_empty()).or_else(|| default.map(str::to_owned)))
    }

    /// Returns whether the operator confirms; the end of the input does not, and `--yes` does.
    pub(super) fn confirm(&mut self, question: &str) -> Result<bool, Failure> {
        if !self.is_interactive {
            return Ok(true);
        }
        let answer = self.read(&format!("{question} [Y/n]: "))?;
        Ok(answer.is_some_and(|answer| matches!(answer.to_ascii_lowercase().as_str(), "" | "y" | "yes")))
    }

    /// Returns a line without spaces around it; `None` if there is none.
    fn read(&mut self, prompt: &str) -> Result<Option<String>, Failure> {
        if !self.is_asking {
            return Ok(None);
        }
        let _ = write!(std::io::stderr(), "{prompt}");
        let _ = std::io::stderr().flush();
        let mut line = String::new();
        let mut input = std::io::Read::take(std::io::stdin().lock(), MAX_ANSWER_BYTES);
        if input.read_line(&mut line).context("cannot read the answer")? == 0 {
            self.is_asking = false;
            say("");
            return Ok(None);
        }
        Ok(Some(line.trim().to_owned()))
    }
}
