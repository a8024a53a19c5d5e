//! What a member may be made of.

use std::collections::BTreeSet;

use inboxd_mail::EmailAddress;

use crate::app::App;
use crate::model::{InboxId, Organization, Role};
use crate::ports::{Destination, Tx};
use crate::rules::names;
use crate::{Error, FieldError};

/// The most inboxes that one member is limited to.
const MOST_INBOXES: usize = 1000;

/// The bad fields of a request, of which there may be several.
#[derive(Default)]
pub(super) struct Problems(Vec<FieldError>);

impl Problems {
    /// Notes what is wrong with a field, if anything is.
    pub(super) fn note<T>(&mut self, path: &str, checked: Result<T, String>) -> Option<T> {
        match checked {
            Ok(value) => Some(value),
            Err(message) => {
                self.0.push(FieldError::new(path, message));
                None
            }
        }
    }

    /// Refuses the request if anything was noted.
    pub(super) fn refuse(self) -> Result<(), Error> {
        if self.0.is_empty() { Ok(()) } else { Err(Error::Invalid(self.0)) }
    }
}

/// The address of a person.
pub(super) fn email(app: &App, text: &str) -> Result<EmailAddress, String> {
    let email: EmailAddress = text.trim().parse().map_err(|error| format!("{error}"))?;
    // An agent could read the code that is mailed to an inbox of its own, and be that person.
    let is_ours = app.settings.hosted_domains().contains(&email.domain().as_str());
    if is_ours { Err("a member's address is a mailbox outside this service".to_owned()) } else { Ok(email) }
}

/// A role that can be given: there is one owner, for ever.
pub(super) fn role(text: &str) -> Result<Role, String> {
    match text.parse() {
        Ok(role @ (Role::Admin | Role::Member)) => Ok(role),
        _ => Err("the roles that can be given are `admin` and `member`".to_owned()),
    }
}

/// A name for people.
pub(super) fn name(text: Option<&str>) -> Result<(), String> {
    text.map_or(Ok(()), names::display_name)
}

/// How many inboxes a member may be limited to.
pub(super) fn inbox_count(inbox_ids: &[InboxId]) -> Result<(), String> {
    if inbox_ids.len() > MOST_INBOXES {
        return Err(format!("a member is limited to at most {MOST_INBOXES} inboxes; leave it empty for all"));
    }
    Ok(())
}

/// The inboxes as a set, once it is known that all of them live in the organization.
pub(super) async fn inboxes(
    tx: &mut dyn Tx,
    organization: &Organization,
    inbox_ids: Vec<InboxId>,
) -> Result<BTreeSet<InboxId>, Error> {
    let Organization { organization_id, default_pod_id, .. } = *organization;
    let wanted: BTreeSet<InboxId> = inbox_ids.iter().cloned().collect();
    if wanted.is_empty() {
        return Ok(wanted);
    }
    let destination =
        |inbox_id: &InboxId| Destination { organization_id, pod_id: default_pod_id, inbox_id: inbox_id.clone() };
    let destinations: Vec<Destination> = wanted.iter().map(destination).collect();
    let held = tx.inboxes().hold(&destinations).await?;
    let lives = |inbox_id: &InboxId| held.iter().any(|held| held.inbox_id == *inbox_id);
    let problems: Vec<FieldError> = inbox_ids
        .iter()
        .enumerate()
        .filter(|(_, inbox_id)| !lives(inbox_id))
        .map(|(place, inbox_id)| {
            FieldError::new(format!("inbox_ids[{place}]"), format!("{inbox_id} is no inbox of this organization"))
        })
        .collect();
    if problems.is_empty() { Ok(wanted) } else { Err(Error::Invalid(problems)) }
}
