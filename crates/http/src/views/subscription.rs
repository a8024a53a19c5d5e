//! Scope of a subscription to events: a webhook or a polling webhook.

use inboxd_core::model::{Reach, WebhookTargets};

/// Scope of a subscription, and the pods and inboxes that it selects.
pub(super) struct SubscriptionScope {
    pub(super) pod_id: Option<String>,
    pub(super) inbox_id: Option<String>,
    pub(super) pod_ids: Option<Vec<String>>,
    pub(super) inbox_ids: Option<Vec<String>>,
}

impl SubscriptionScope {
    pub(super) fn new(place: Reach, selection: Option<WebhookTargets>) -> Self {
        let (pod_id, inbox_id) = match place {
            Reach::Organization | Reach::Inboxes(_) => (None, None),
            Reach::Pod(pod_id) => (Some(pod_id.to_string()), None),
            Reach::Inbox { pod_id, inbox_id } => (Some(pod_id.to_string()), Some(inbox_id.to_string())),
        };
        let selection = selection.map(|selection| {
            let pod_ids = selection.pod_ids.iter().map(ToString::to_string).collect();
            (pod_ids, selection.inbox_ids.iter().map(ToString::to_string).collect())
        });
        let (pod_ids, inbox_ids) = selection.unzip();
        Self { pod_id, inbox_id, pod_ids, inbox_ids }
    }
}
