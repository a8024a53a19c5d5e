//! Quarantine of received messages: the setting of the organization, release of held messages, feedback on verdicts.

mod feedback;
mod release;
mod update;

pub use feedback::{MAX_FEEDBACK, NewFeedback, give_feedback, problems_of_feedback};
pub use release::{problems_of_release, release};
pub(super) use update::require_change;
pub use update::update;

use crate::FieldError;

/// Maximum characters of a reason or of notes.
const MAX_TEXT_CHARS: usize = 2_048;

/// Returns the problem of a text; an absent text has none.
fn problem_of_text(path: &str, text: Option<&str>) -> Option<FieldError> {
    let text = text?;
    if text.trim().is_empty() || text.chars().count() > MAX_TEXT_CHARS {
        let problem = format!("must have 1 to {MAX_TEXT_CHARS} characters and not be blank");
        return Some(FieldError::new(path, problem));
    }
    text.contains('\0').then(|| FieldError::new(path, "must hold no NUL"))
}
