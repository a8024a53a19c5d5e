//! Every list that has pages.

use std::collections::BTreeSet;

use super::kind::Kind;
use crate::guard::document::operations;
use crate::support::server;

/// A list.
#[derive(Debug)]
pub(super) struct List {
    /// Its path, as the document has it.
    pub(super) path: &'static str,
    /// Parameters that it is read with.
    pub(super) query: &'static str,
    pub(super) kind: Kind,
}

const fn list(path: &'static str, query: &'static str, kind: Kind) -> List {
    List { path, query, kind }
}

pub(super) const LISTS: &[List] = &[
    list("/v0/inboxes", "", Kind::Inbox),
    list("/v0/pods/{pod_id}/inboxes", "", Kind::Inbox),
    list("/v0/inboxes/{inbox_id}/messages", "", Kind::Message),
    list("/v0/inboxes/{inbox_id}/messages", "labels=unread", Kind::Message),
    list("/v0/inboxes/{inbox_id}/messages", "include_trash=true", Kind::Message),
    list("/v0/inboxes/{inbox_id}/messages", "subject=row", Kind::Message),
    list("/v0/inboxes/{inbox_id}/messages/search", "q=row", Kind::Message),
    list("/v0/inboxes/{inbox_id}/messages/search", "q=row&include_trash=true", Kind::Message),
    list("/v0/inboxes/{inbox_id}/threads", "", Kind::Thread),
    list("/v0/inboxes/{inbox_id}/threads", "labels=unread&assignee=none", Kind::Thread),
    list("/v0/inboxes/{inbox_id}/threads/search", "q=row", Kind::Thread),
    list("/v0/inboxes/{inbox_id}/threads/{thread_id}", "", Kind::Answer),
    list("/v0/inboxes/{inbox_id}/events", "", Kind::LabelEvent),
    list("/v0/inboxes/{inbox_id}/api-keys", "", Kind::Key),
    list("/v0/inboxes/{inbox_id}/drafts", "", Kind::Draft),
    list("/v0/inboxes/{inbox_id}/drafts", "labels=draft", Kind::Draft),
    list("/v0/inboxes/{inbox_id}/lists/{direction}/{type}", "", Kind::Entry),
    list("/v0/threads", "", Kind::Thread),
    list("/v0/threads", "labels=unread", Kind::Thread),
    list("/v0/threads", "inbox_id={inbox_id}", Kind::Thread),
    list("/v0/threads/search", "q=row", Kind::Thread),
    list("/v0/threads/{thread_id}", "", Kind::Answer),
    list("/v0/pods/{pod_id}/threads", "", Kind::Thread),
    list("/v0/pods/{pod_id}/threads", "labels=unread", Kind::Thread),
    list("/v0/pods/{pod_id}/threads/search", "q=row", Kind::Thread),
    list("/v0/pods/{pod_id}/threads/{thread_id}", "", Kind::Answer),
    list("/v0/events", "", Kind::Event),
    list("/v0/events", "inbox_id={inbox_id}&event_types=message.received", Kind::Event),
    list("/v0/api-keys", "", Kind::Key),
    list("/v0/pods/{pod_id}/api-keys", "", Kind::Key),
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

impl List {
    /// Whether it can be read from its other end: entries have an order of their own, and a thread shows its newest page
    /// first.
    pub(super) fn can_ascend(&self) -> bool {
        !self.is_by_name() && self.kind != Kind::Answer
    }

    /// Whether it is ordered by name, from A to Z.
    pub(super) fn is_by_name(&self) -> bool {
        matches!(self.kind, Kind::Entry | Kind::Refused)
    }

    /// Whether a row gets a label that hides it from all who do not ask for it.
    pub(super) fn is_labelled_trash(&self, number: usize) -> bool {
        self.query.contains("include_trash") && number.is_multiple_of(3)
    }

    /// Whether it shows the rows of one inbox alone.
    pub(super) fn is_of_one_inbox(&self) -> bool {
        self.path.starts_with("/v0/inboxes/") || self.query.contains("inbox_id=") || self.kind == Kind::Answer
    }
}

#[tokio::test]
async fn the_table_holds_every_list_of_the_document() {
    let server = server().await;
    let mut documented = BTreeSet::new();
    for operation in operations(&server).await {
        let offers = |parameter: &str| operation.query.iter().any(|other| other == parameter);
        assert_eq!(offers("page_token"), offers("page_token") && offers("limit"), "{operation:?}");
        if !offers("page_token") {
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
