//! All lists with pages.

use std::collections::BTreeSet;

use super::kind::Kind;
use crate::guard::document::operations;
use crate::support::server;

/// A list.
#[derive(Debug)]
pub(super) struct ListCase {
    /// Path in the document.
    pub(super) path: &'static str,
    /// Query parameters.
    pub(super) query: &'static str,
    pub(super) kind: Kind,
}

const fn list(path: &'static str, query: &'static str, kind: Kind) -> ListCase {
    ListCase { path, query, kind }
}

pub(super) const LISTS: &[ListCase] = &[
    list("/v0/inboxes", "", Kind::Inbox),
    list("/v0/pods/{pod_id}/inboxes", "", Kind::Inbox),
    list("/v0/inboxes/search", "q=row", Kind::FoundInbox),
    list("/v0/pods/{pod_id}/inboxes/search", "q=row", Kind::FoundInbox),
    list("/v0/inboxes/{inbox_id}/messages", "", Kind::Message),
    list("/v0/inboxes/{inbox_id}/messages", "labels=unread", Kind::Message),
    list("/v0/inboxes/{inbox_id}/messages", "include_trash=true", Kind::Message),
    list("/v0/inboxes/{inbox_id}/messages", "subject=row", Kind::Message),
    list("/v0/inboxes/{inbox_id}/messages/search", "q=row", Kind::Message),
    list("/v0/inboxes/{inbox_id}/messages/search", "q=row&include_trash=true", Kind::Message),
    list("/v0/inboxes/{inbox_id}/threads", "", Kind::Thread),
    list("/v0/inboxes/{inbox_id}/threads", "labels=unread&assignee=none", Kind::Thread),
    list("/v0/inboxes/{inbox_id}/threads/search", "q=row", Kind::Thread),
    list("/v0/inboxes/{inbox_id}/threads/{thread_id}", "", Kind::ApiResponse),
    list("/v0/inboxes/{inbox_id}/events", "", Kind::LabelEvent),
    list("/v0/inboxes/{inbox_id}/trace", "", Kind::Trace),
    list("/v0/inboxes/{inbox_id}/contacts", "", Kind::Contact),
    list("/v0/inboxes/{inbox_id}/calendar/events", "", Kind::CalendarEvent),
    list("/v0/inboxes/{inbox_id}/api-keys", "", Kind::Key),
    list("/v0/inboxes/{inbox_id}/drafts", "", Kind::Draft),
    list("/v0/inboxes/{inbox_id}/drafts", "labels=draft", Kind::Draft),
    list("/v0/inboxes/{inbox_id}/lists/{direction}/{type}", "", Kind::Entry),
    list("/v0/threads", "", Kind::Thread),
    list("/v0/threads", "labels=unread", Kind::Thread),
    list("/v0/threads", "inbox_id={inbox_id}", Kind::Thread),
    list("/v0/threads/search", "q=row", Kind::Thread),
    list("/v0/threads/{thread_id}", "", Kind::ApiResponse),
    list("/v0/pods/{pod_id}/threads", "", Kind::Thread),
    list("/v0/pods/{pod_id}/threads", "labels=unread", Kind::Thread),
    list("/v0/pods/{pod_id}/threads/search", "q=row", Kind::Thread),
    list("/v0/pods/{pod_id}/threads/{thread_id}", "", Kind::ApiResponse),
    list("/v0/events", "", Kind::Event),
    list("/v0/events", "inbox_id={inbox_id}&event_types=message.received", Kind::Event),
    list("/v0/audit", "resource_type=list_entry", Kind::Audit),
    list("/v0/audit", "action=list_entry.created", Kind::Audit),
    list("/v0/api-keys", "", Kind::Key),
    list("/v0/pods/{pod_id}/api-keys", "", Kind::Key),
    list("/v0/connections", "", Kind::Connection),
    list("/v0/pods", "", Kind::Pod),
    list("/v0/members", "", Kind::Member),
    list("/v0/domains", "", Kind::Domain),
    list("/v0/pods/{pod_id}/domains", "", Kind::Domain),
    list("/v0/drafts", "", Kind::Draft),
    list("/v0/drafts", "inbox_id={inbox_id}", Kind::Draft),
    list("/v0/pods/{pod_id}/drafts", "", Kind::Draft),
    list("/v0/lists/receive/allow", "", Kind::Entry),
    list("/v0/lists/{direction}/{type}", "", Kind::Refused),
    list("/v0/pods/{pod_id}/lists/{direction}/{type}", "", Kind::Entry),
    list("/v0/suppressions", "", Kind::Suppression),
    list("/v0/webhooks", "", Kind::Webhook),
    list("/v0/inboxes/{inbox_id}/webhooks", "", Kind::Webhook),
    list("/v0/webhooks/attempts", "", Kind::Attempt),
    list("/v0/webhooks/attempts", "status=failed&event_types=message.sent", Kind::Attempt),
    list("/v0/inboxes/{inbox_id}/webhooks/attempts", "", Kind::Attempt),
    list("/v0/pods/{pod_id}/webhooks/attempts", "", Kind::Attempt),
    list("/v0/pods/{pod_id}/webhooks", "", Kind::Webhook),
];

/// Lists whose rows are computed from those of others. `tests/calendar` reads their pages.
const COMPUTED: [&str; 2] =
    ["/v0/inboxes/{inbox_id}/calendar/agenda", "/v0/inboxes/{inbox_id}/calendar/events/{event_id}/instances"];

impl ListCase {
    /// Returns whether the list has a reverse order: entries are ordered by name, and a thread starts with its newest
    /// page.
    pub(super) fn can_ascend(&self) -> bool {
        !self.is_by_name() && self.kind != Kind::ApiResponse
    }

    /// Returns whether the list is ordered by name, from A to Z.
    pub(super) fn is_by_name(&self) -> bool {
        matches!(self.kind, Kind::Entry | Kind::Refused | Kind::FoundInbox)
    }

    /// Returns whether rows get a hiding label.
    pub(super) fn is_labelled_trash(&self, number: usize) -> bool {
        self.query.contains("include_trash") && number.is_multiple_of(3)
    }

    /// Returns whether the list shows the rows of one inbox only.
    pub(super) fn is_of_one_inbox(&self) -> bool {
        self.path.starts_with("/v0/inboxes/") || self.query.contains("inbox_id=") || self.kind == Kind::ApiResponse
    }
}

#[tokio::test]
async fn table_contains_every_list_of_document() {
    let server = server().await;
    let mut documented = BTreeSet::new();
    for operation in operations(&server).await {
        let offers = |parameter: &str| operation.query.iter().any(|other| other == parameter);
        assert_eq!(offers("page_token"), offers("page_token") && offers("limit"), "{operation:?}");
        // A scope has at most ten polling webhooks, and their events are pages for a token: `tests/webhooks/polling.rs`.
        // Files begin with the first path: `tests/files.rs`.
        let is_other = operation.path.contains("/webhooks/polling") || operation.path.ends_with("/files");
        if !offers("page_token") || is_other || COMPUTED.contains(&operation.path.as_str()) {
            continue;
        }
        assert_eq!(operation.method, "GET", "{operation:?}");
        for list in LISTS.iter().filter(|list| list.path == operation.path) {
            assert_eq!(list.can_ascend(), offers("ascending"), "{operation:?}");
        }
        documented.insert(operation.path);
    }
    let table: BTreeSet<String> =
        LISTS.iter().map(|list| list.path.replace("receive/allow", "{direction}/{type}")).collect();
    assert_eq!(table, documented);
}
