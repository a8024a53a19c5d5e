//! Pods and inboxes that a request lists for a webhook.

use crate::model::{Caller, InboxId, OrganizationId, PodId, Reach, WebhookTargets};
use crate::ports::{Destination, Tx};
use crate::rules::access;
use crate::rules::webhooks::subscription::{MAX_NAMED, lies_within};
use crate::{Error, FieldError};

/// Pods and inboxes in the form of the request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Named<'a> {
    /// Name of the request field with the pods.
    pub(super) pods_field: &'static str,
    /// Pod ids.
    pub(super) pod_ids: &'a [String],
    /// Name of the request field with the inboxes.
    pub(super) inboxes_field: &'static str,
    /// Inbox ids.
    pub(super) inbox_ids: &'a [InboxId],
}

impl Named<'_> {
    /// Returns all violations that are visible without the database.
    pub(super) fn problems(&self) -> Vec<FieldError> {
        let counts = [(self.pods_field, self.pod_ids.len()), (self.inboxes_field, self.inbox_ids.len())];
        let too_many = counts.into_iter().filter(|(_, count)| *count > MAX_NAMED).map(|(field, count)| {
            FieldError::new(field, format!("has {count} values; a webhook names at most {MAX_NAMED}"))
        });
        let unread = self.pod_ids.iter().enumerate().filter_map(|(place, text)| {
            let error = text.parse::<PodId>().err()?;
            Some(FieldError::new(format!("{}[{place}]", self.pods_field), error.to_string()))
        });
        too_many.chain(unread).collect()
    }

    /// Returns the parsed ids without duplicates.
    pub(super) fn selection(&self) -> WebhookTargets {
        let mut selection = WebhookTargets::default();
        let pod_ids = self.pod_ids.iter().filter_map(|text| text.parse().ok());
        add(&mut selection.pod_ids, pod_ids);
        add(&mut selection.inbox_ids, self.inbox_ids.iter().cloned());
        selection
    }

    /// Locks the pods and inboxes against deletion until the unit of work ends. All of them must lie within the
    /// caller's reach and the webhook's scope.
    ///
    /// # Errors
    /// [`Error::PodOutOfScope`], [`Error::InboxOutOfScope`]; [`Error::Invalid`] with each missing pod or inbox.
    pub(super) async fn hold(&self, tx: &mut dyn Tx, caller: &Caller, place: &Reach) -> Result<(), Error> {
        let WebhookTargets { pod_ids, inbox_ids } = self.selection();
        pod_ids.iter().try_for_each(|pod_id| access::require_whole_pod(caller, *pod_id))?;
        inbox_ids.iter().try_for_each(|inbox_id| access::require_inbox(caller, inbox_id))?;
        let organization_id = caller.organization.organization_id;
        let mut missing = Vec::new();
        for pod_id in pod_ids {
            let is_there = lies_within(place, Some(pod_id), None) && tx.pods().hold(organization_id, pod_id).await?;
            missing.extend((!is_there).then(|| pod_id.to_string()));
        }
        let held = self.held_inboxes(tx, organization_id, caller.organization.default_pod_id, &inbox_ids).await?;
        for inbox_id in inbox_ids {
            let found = held.iter().find(|held| held.inbox_id == inbox_id);
            if let (Reach::Pod(own), Some(found)) = (&caller.reach, found)
                && found.pod_id != *own
            {
                return Err(Error::PodOutOfScope);
            }
            let is_there = found.is_some_and(|found| lies_within(place, Some(found.pod_id), Some(&inbox_id)));
            missing.extend((!is_there).then(|| inbox_id.to_string()));
        }
        Error::unless_empty(self.missing(&missing, place))
    }

    async fn held_inboxes(
        &self,
        tx: &mut dyn Tx,
        organization_id: OrganizationId,
        pod_id: PodId,
        inbox_ids: &[InboxId],
    ) -> Result<Vec<Destination>, Error> {
        if inbox_ids.is_empty() {
            return Ok(Vec::new());
        }
        let destination = |inbox_id: &InboxId| Destination { organization_id, pod_id, inbox_id: inbox_id.clone() };
        let wanted: Vec<Destination> = inbox_ids.iter().map(destination).collect();
        Ok(tx.inboxes().hold(&wanted).await?)
    }

    /// Returns the errors for missing pods and inboxes.
    fn missing(&self, missing: &[String], place: &Reach) -> Vec<FieldError> {
        let whole = match place {
            Reach::Organization | Reach::Inboxes(_) => "this organization",
            Reach::Pod(_) => "the pod that the webhook is made for",
            Reach::Inbox { .. } => "the inbox that the webhook is made for",
        };
        let of = |field: &'static str, what: &'static str, texts: Vec<String>| {
            let named = texts.into_iter().enumerate().filter(|(_, text)| missing.contains(text));
            named.map(move |(place, text)| {
                FieldError::new(format!("{field}[{place}]"), format!("{text} is no {what} of {whole}"))
            })
        };
        let pods = of(self.pods_field, "pod", self.pod_ids.to_vec());
        let inboxes = self.inbox_ids.iter().map(ToString::to_string).collect();
        pods.chain(of(self.inboxes_field, "inbox", inboxes)).collect()
    }
}

/// Appends items that the list does not contain yet.
pub(super) fn add<T: PartialEq>(to: &mut Vec<T>, items: impl IntoIterator<Item = T>) {
    for item in items {
        if !to.contains(&item) {
            to.push(item);
        }
    }
}
