//! What is wrong with a form, for the page that shows the form again.

use actix_web::http::StatusCode;
use askama::Template;
use inboxd_core::FieldError;

use super::call::{ConsoleCall, PageResult};
use crate::error::{ApiError, ErrorCode, ErrorExtra};
use crate::pages::{add_header_fields, sentence};

/// The refusal of a form, in words for its page.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// The cause.
    pub(crate) message: String,
    /// The next step.
    pub(crate) fix: String,
    /// Fields with their problems, as `name: problem`; empty if the cause says all.
    pub(crate) fields: Vec<String>,
    error: ApiError,
}

impl Problem {
    /// Returns the words about a refusal.
    ///
    /// # Errors
    /// A failure of the server, which no other input mends.
    pub(crate) fn of(error: impl Into<ApiError>) -> Result<Self, ApiError> {
        let error = error.into();
        if error.code.status().is_server_error() {
            return Err(error);
        }
        let of_field = |problem: &FieldError| {
            let name = if problem.path == "url" { "URL".to_owned() } else { problem.path.replace(['_', '.'], " ") };
            sentence(&if name.is_empty() { problem.message.clone() } else { format!("{name}: {}", problem.message) })
        };
        let (message, fix) = (sentence(&error.message), sentence(&error.fix));
        let (message, fix, fields) = match &error.extra {
            // Words about a field say how to correct it.
            ErrorExtra::Fields(problems) if error.code == ErrorCode::ValidationError => match problems.as_slice() {
                [problem] => (of_field(problem), String::new(), Vec::new()),
                problems => (message, String::new(), problems.iter().map(of_field).collect()),
            },
            ErrorExtra::Fields(problems) if problems.len() > 1 => {
                (message, fix, problems.iter().map(of_field).collect())
            }
            _ => (message, fix, Vec::new()),
        };
        Ok(Self { message, fix, fields, error })
    }

    /// Renders the page of the form with the status of the refusal.
    ///
    /// # Errors
    /// When the template fails.
    pub(crate) fn render(&self, call: &ConsoleCall, template: &impl Template) -> PageResult {
        let mut response = call.render_with(self.error.code.status(), template)?;
        add_header_fields(&mut response, &self.error, call.app().clock.now());
        Ok(response)
    }
}

/// Renders a page with a form, with the status of its problem.
///
/// # Errors
/// When the template fails.
pub(crate) fn render_form(call: &ConsoleCall, problem: Option<&Problem>, template: &impl Template) -> PageResult {
    match problem {
        Some(problem) => problem.render(call, template),
        None => call.render_with(StatusCode::OK, template),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

    use inboxd_core::Error;

    use super::*;

    #[test]
    fn refusal_names_its_fields() {
        let problems = vec![FieldError::new("event_types", "names no type"), FieldError::new("", "is empty")];
        let problem = Problem::of(Error::Invalid(problems)).unwrap();
        assert_eq!(problem.fields, ["Event types: names no type.", "Is empty."]);
        let problem = Problem::of(Error::invalid("url", "is no URL")).unwrap();
        assert_eq!((problem.message.as_str(), problem.fix.as_str(), problem.fields.len()), ("URL: is no URL.", "", 0));
        assert!(Problem::of(ApiError::internal("storage failed")).is_err());
    }
}
