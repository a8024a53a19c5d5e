//! `POST /console/inboxes/{inbox_id}/threads`: changes of several threads of a list.

use inboxd_core::app::threads::{self, ThreadChange};
use inboxd_core::model::permissions::{MessageDelete, MessageUpdate};
use inboxd_core::model::{PageRequest, ThreadId};
use inboxd_core::rules::labels::LabelChange;
use inboxd_core::{Error, FieldError, Resource};

use crate::console::call::{ConsoleCall, PageResult};
use crate::console::links;
use crate::console::respond::is_own_path;
use crate::error::{ApiError, ErrorCode};

/// Leads from the path of the form to the list that has it.
pub(super) async fn lead_back(call: &ConsoleCall) -> PageResult {
    Ok(call.redirect(&links::inbox(&call.inbox_id())))
}

/// Changes the chosen threads.
pub(super) async fn change(call: &ConsoleCall) -> PageResult {
    let thread_ids = chosen(call)?;
    let back = call.form.one("back").filter(|path| is_own_path(path)).map(str::to_owned);
    let back = back.unwrap_or_else(|| links::inbox(&call.inbox_id()));
    if thread_ids.is_empty() {
        return Ok(call.redirect(&with_notice(&back, "unchosen")));
    }
    let action = call.form.one("action").unwrap_or("label");
    if action == "label" && call.form.one("label").is_none() {
        // The key Enter presses this button wherever the focus is.
        return Ok(call.redirect(&with_notice(&back, "unlabelled")));
    }
    if action == "delete" {
        let (caller, _) = call.authorize_inbox::<MessageDelete>()?;
        let mut is_done = false;
        for thread_id in thread_ids {
            is_done |= has_found(threads::delete(call.app(), &caller, thread_id).await)?;
        }
        return Ok(call.redirect(&with_notice(&back, if is_done { "deleted" } else { "gone" })));
    }
    let (caller, _) = call.authorize_inbox::<MessageUpdate>()?;
    let labels = label_change(action, call.form.one("label"))?;
    let mut is_done = false;
    for thread_id in thread_ids {
        let change = ThreadChange { labels: labels.clone(), assignee: None };
        is_done |= has_found(threads::update(call.app(), &caller, thread_id, change).await.map(drop))?;
    }
    Ok(call.redirect(&with_notice(&back, if is_done { "saved" } else { "gone" })))
}

fn chosen(call: &ConsoleCall) -> Result<Vec<ThreadId>, ApiError> {
    let mut thread_ids = Vec::new();
    for id in call.form.all("thread_ids").take(PageRequest::MAX_LIMIT as usize) {
        let id = id.parse().map_err(|_| Error::not_found(Resource::Thread, crate::path::harmless(id)))?;
        thread_ids.push(id);
    }
    Ok(thread_ids)
}

/// Returns whether there was the thread: it may have been deleted meanwhile.
fn has_found(done: Result<(), Error>) -> Result<bool, Error> {
    match done {
        Err(Error::NotFound { resource: Resource::Thread, .. }) => Ok(false),
        done => done.map(|()| true),
    }
}

/// Returns the labels that an action adds and removes.
pub(super) fn label_change(action: &str, label: Option<&str>) -> Result<LabelChange, ApiError> {
    let named = |label: &str| vec![label.to_owned()];
    let typed = || label.map(|label| vec![label.to_owned()]).unwrap_or_default();
    let (add, remove) = match action {
        "read" => (Vec::new(), named("unread")),
        "unread" => (named("unread"), Vec::new()),
        "trash" => (named("trash"), Vec::new()),
        "restore" => (Vec::new(), named("trash")),
        "label" | "unlabel" if label.is_none_or(|label| label.trim().is_empty()) => {
            return Err(Error::invalid("label", "is empty; type a label first").into());
        }
        "label" => (typed(), Vec::new()),
        "unlabel" => (Vec::new(), typed()),
        _ => {
            let error = ApiError::new(ErrorCode::InvalidRequest, "the form names no known action");
            return Err(error.fix("go back and use a button of the page"));
        }
    };
    Ok(LabelChange::checked(&add, &remove).map_err(of_field)?)
}

/// Names the field of the form, in place of those of the API.
fn of_field(error: Error) -> Error {
    match error {
        Error::Invalid(problems) => Error::Invalid(
            problems.into_iter().map(|problem| FieldError { path: "label".to_owned(), ..problem }).collect(),
        ),
        other => other,
    }
}

/// Adds a notice to a path.
pub(super) fn with_notice(path: &str, notice: &str) -> String {
    let sign = if path.contains('?') { '&' } else { '?' };
    format!("{path}{sign}notice={notice}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(action: &str, label: Option<&str>) -> Option<(Vec<String>, Vec<String>)> {
        label_change(action, label).ok().map(|change| (change.add, change.remove))
    }

    #[test]
    fn actions_change_labels() {
        let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(change("read", None), Some((texts(&[]), texts(&["unread"]))));
        assert_eq!(change("trash", Some("x")), Some((texts(&["trash"]), texts(&[]))));
        assert_eq!(change("label", Some(" Offer ")), Some((texts(&["offer"]), texts(&[]))));
        assert_eq!(change("unlabel", Some("offer")), Some((texts(&[]), texts(&["offer"]))));
        for (action, label) in [("label", None), ("label", Some(" ")), ("label", Some("spam")), ("x", None)] {
            assert_eq!(change(action, label), None, "{action}");
        }
    }

    #[test]
    fn notice_joins_the_query() {
        assert_eq!(with_notice("/console", "saved"), "/console?notice=saved");
        assert_eq!(with_notice("/console?q=a", "saved"), "/console?q=a&notice=saved");
    }
}
