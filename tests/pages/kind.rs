//! Kinds of list rows.

use inboxd_testkit::MailBuilder;
use serde_json::{Value, json};

use super::stage::{ROOT, RowTable, Stage, item_path};
use super::table::ListCase;
use crate::oauth::insert_connection;
use crate::send_methods::invitation_to;

/// Kind of the rows of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Inbox,
    /// An inbox whose address begins with the search text.
    FoundInbox,
    Message,
    /// A message of one long thread, read with the thread.
    ApiResponse,
    Thread,
    Event,
    LabelEvent,
    /// An entry of the audit log.
    Audit,
    Key,
    Connection,
    Contact,
    CalendarEvent,
    /// An event in a trace.
    Trace,
    Pod,
    Member,
    Domain,
    Draft,
    Entry,
    /// A list entry, a suppressed address, or both, for the one list with both.
    Refused,
    Suppression,
    Webhook,
    /// An attempt to deliver an event to a webhook of the first inbox.
    Attempt,
}

/// A row created by the test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    /// Position in the list; rows of one slot have the same time.
    pub(super) slot: u32,
    /// Id, which orders rows of the same time.
    pub(super) id: String,
    /// Path to delete it, or `None` when only the service removes such rows.
    path: Option<String>,
}

impl Kind {
    /// Returns the name of the rows in the response.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Inbox | Self::FoundInbox => "inboxes",
            Self::Message | Self::ApiResponse => "messages",
            Self::Thread => "threads",
            Self::Event | Self::LabelEvent | Self::CalendarEvent => "events",
            Self::Key => "api_keys",
            Self::Connection => "connections",
            Self::Contact => "contacts",
            Self::Pod => "pods",
            Self::Member => "members",
            Self::Domain => "domains",
            Self::Draft => "drafts",
            Self::Entry | Self::Refused | Self::Audit => "entries",
            Self::Suppression => "suppressions",
            Self::Trace => "trace",
            Self::Webhook => "webhooks",
            Self::Attempt => "attempts",
        }
    }

    /// Returns the field with the id of a row.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Inbox | Self::FoundInbox => "inbox_id",
            Self::Message | Self::ApiResponse => "message_id",
            Self::Thread => "thread_id",
            Self::Event | Self::LabelEvent | Self::CalendarEvent => "event_id",
            Self::Key => "api_key_id",
            Self::Connection => "connection_id",
            Self::Pod => "pod_id",
            Self::Member => "member_id",
            Self::Domain => "domain_id",
            Self::Draft => "draft_id",
            Self::Audit | Self::Trace => "entry_id",
            Self::Entry | Self::Refused => "entry",
            Self::Suppression | Self::Contact => "address",
            Self::Webhook => "webhook_id",
            Self::Attempt => "attempt_id",
        }
    }

    /// Returns the tables of the rows.
    fn places(self) -> Vec<RowTable> {
        match self {
            Self::Inbox | Self::FoundInbox => vec![row_table("inboxes", "created_at", "inbox_id")],
            Self::Message | Self::ApiResponse => {
                vec![
                    row_table("messages", "timestamp", "message_id"),
                    row_table("message_labels", "timestamp", "message_id"),
                ]
            }
            Self::Thread => {
                vec![
                    row_table("threads", "timestamp", "thread_id"),
                    row_table("thread_labels", "timestamp", "thread_id"),
                ]
            }
            Self::Event | Self::Trace => vec![row_table("events", "created_at", "event_id")],
            Self::LabelEvent => vec![row_table("label_history", "event_at", "event_id")],
            Self::Audit => vec![row_table("audit_log", "created_at", "entry_id")],
            Self::Key => vec![row_table("api_keys", "created_at", "api_key_id")],
            Self::Connection => vec![row_table("oauth_grants", "created_at", "connection_id")],
            Self::CalendarEvent => vec![row_table("calendar_events", "updated_at", "series_id")],
            Self::Contact => vec![row_table("contacts", "created_at", "address")],
            Self::Pod => vec![row_table("pods", "created_at", "pod_id")],
            Self::Member => vec![row_table("members", "created_at", "member_id")],
            Self::Domain => vec![row_table("domains", "created_at", "domain_id")],
            Self::Draft => vec![row_table("drafts", "updated_at", "draft_id")],
            Self::Entry | Self::Refused => {
                vec![
                    row_table("list_entries", "created_at", "entry"),
                    row_table("suppressions", "created_at", "address"),
                ]
            }
            Self::Suppression => vec![row_table("suppressions", "created_at", "address")],
            Self::Webhook => vec![row_table("webhooks", "created_at", "webhook_id")],
            Self::Attempt => vec![row_table("webhook_attempts", "attempted_at", "attempt_id")],
        }
    }
}

fn row_table(table: &'static str, time: &'static str, id: &'static str) -> RowTable {
    RowTable { table, time, id }
}

/// Creates a row in each slot, then sets all their times. Numbers from `first` distinguish them from the other rows.
pub(super) async fn create_rows(stage: &Stage<'_>, list: &ListCase, first: usize, slots: &[u32]) -> Vec<Row> {
    if list.kind == Kind::Audit {
        stage.unlock_audit().await;
    }
    let mut rows = Vec::new();
    for (number, slot) in slots.iter().enumerate() {
        rows.push(create_row(stage, list, first + number, *slot).await);
    }
    let dates: Vec<(&str, u32)> = rows.iter().map(|row| (row.id.as_str(), row.slot)).collect();
    stage.date(&list.kind.places(), &dates).await;
    rows
}

/// Creates a row in a slot with the present time.
async fn create_row(stage: &Stage<'_>, list: &ListCase, number: usize, slot: u32) -> Row {
    // Entries are ordered by name, so the name contains the slot.
    let name = format!("row{slot:02}-{number:02}");
    let turn = if list.is_of_one_inbox() { 0 } else { number };
    let (id, path) = match list.kind {
        Kind::Inbox => post_row(stage, list, json!({})).await,
        Kind::FoundInbox => {
            // An address is unique on the server.
            let username =
                format!("{name}-{}-{}", list.path.len(), stage.agent.organization_id.trim_start_matches("org_"));
            post_row(stage, list, json!({"username": username})).await
        }
        Kind::Key | Kind::Pod => post_row(stage, list, json!({"name": name})).await,
        Kind::Member => {
            post_row(stage, list, json!({"email": format!("{name}@example.org"), "role": "member", "inbox_ids": []}))
                .await
        }
        Kind::Domain => post_row(stage, list, json!({"domain": format!("{name}.example")})).await,
        Kind::Webhook => post_row(stage, list, json!({"url": format!("https://hooks.example.invalid/{name}")})).await,
        Kind::Entry => post_row(stage, list, json!({"entry": format!("{name}@outside.example")})).await,
        Kind::Refused => suppress_row(stage, list, number, &name).await,
        Kind::Connection => {
            let id = insert_connection(stage.server, &stage.agent.organization_id).await;
            (id.clone(), Some(item_path(&stage.target(list.path), &id)))
        }
        Kind::Attempt => (stage.attempt().await, None),
        Kind::Suppression => {
            let address = format!("{name}@outside.example");
            stage.suppress(&address).await;
            (address, None)
        }
        Kind::Contact => {
            let address = format!("{name}@outside.example");
            stage.receive(0, &MailBuilder::new(&address, "scout@outside.example", &name, "hello")).await;
            (address.clone(), Some(item_path(&stage.target(list.path), &address)))
        }
        Kind::CalendarEvent => {
            let object =
                invitation_to("scout@outside.example", "alice@outside.example").replace("oak@", &format!("{name}@"));
            let mail = MailBuilder::new("alice@outside.example", "scout@outside.example", &name, "Please come.");
            stage.receive(0, &mail.attach("invite.ics", "text/calendar", object.as_bytes())).await;
            let newest = stage.agent.get(&stage.inbox(0, "/calendar/events?limit=1")).await.ok()["events"][0].clone();
            (text_field(&newest, "event_id"), None)
        }
        Kind::Draft => {
            let drafts = stage.inbox(turn, "/drafts");
            let draft = stage.agent.post(&drafts, json!({"subject": name})).await.ok();
            let id = text_field(&draft, "draft_id");
            (id.clone(), Some(item_path(&drafts, &id)))
        }
        Kind::Audit => {
            stage.agent.post("/v0/lists/send/block", json!({"entry": format!("{name}@outside.example")})).await.ok();
            let newest = stage.agent.get(&format!("/v0/audit?resource_id={name}@outside.example")).await.ok();
            (text_field(&newest["entries"][0], "entry_id"), None)
        }
        Kind::LabelEvent => {
            let path = item_path(&stage.inbox(0, "/messages"), ROOT);
            stage.agent.patch(&path, json!({"add_labels": [name]})).await.ok();
            let newest = stage.agent.get(&stage.inbox(0, "/events?limit=1")).await.ok()["events"][0].clone();
            assert_eq!(newest["label"], name);
            (text_field(&newest, "event_id"), None)
        }
        Kind::Message | Kind::ApiResponse | Kind::Thread | Kind::Event | Kind::Trace => {
            receive_row(stage, list, turn, &name).await
        }
    };
    if list.is_labelled_trash(number) {
        stage.agent.patch(path.as_ref().unwrap(), json!({"add_labels": ["trash"]})).await.ok();
    }
    Row { slot, id, path }
}

/// Removes a row with a call, or in the database where no call exists.
pub(super) async fn remove_row(stage: &Stage<'_>, list: &ListCase, row: &Row) {
    match &row.path {
        Some(path) => stage.agent.delete(path).await.require_no_content(),
        None => stage.erase(&list.kind.places(), &row.id).await,
    }
}

/// Creates a row with POST to its list.
async fn post_row(stage: &Stage<'_>, list: &ListCase, body: Value) -> (String, Option<String>) {
    let collection = stage.target(list.path.trim_end_matches("/search"));
    let made = stage.agent.post(&collection, body).await.ok();
    let id = text_field(&made, list.kind.id());
    (id.clone(), Some(item_path(&collection, &id)))
}

/// Blocks an address with an entry, a suppression, or both.
async fn suppress_row(stage: &Stage<'_>, list: &ListCase, number: usize, name: &str) -> (String, Option<String>) {
    let address = format!("{name}@outside.example");
    let turn = number % 3;
    if turn != 1 {
        stage.agent.post(&stage.target(list.path), json!({"entry": address})).await.ok();
    }
    if turn != 0 {
        stage.suppress(&address).await;
    }
    (address, None)
}

/// Delivers a mail whose message, thread or event is the row.
async fn receive_row(stage: &Stage<'_>, list: &ListCase, turn: usize, name: &str) -> (String, Option<String>) {
    let mail = MailBuilder::new("alice@outside.example", "scout@outside.example", name, "hello");
    let mail = mail.id(&format!("<{name}@outside.example>"));
    let mail = if list.kind == Kind::ApiResponse { mail.header("In-Reply-To", ROOT) } else { mail };
    let message = stage.receive(turn, &mail).await;
    assert_eq!(message["subject"], name);
    let thread_id = text_field(&message, "thread_id");
    match list.kind {
        Kind::Thread => (thread_id.clone(), Some(item_path("/v0/threads", &thread_id))),
        Kind::Event | Kind::Trace => {
            let newest = stage.agent.get("/v0/events?limit=1").await.ok()["events"][0].clone();
            assert_eq!(newest["message_id"], message["message_id"]);
            (text_field(&newest, "event_id"), None)
        }
        _ => {
            let id = text_field(&message, "message_id");
            (id.clone(), Some(item_path(&stage.inbox(turn, "/messages"), &id)))
        }
    }
}

fn text_field(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_else(|| panic!("no {field}: {value:#}")).to_owned()
}
