//! What a list is of.

use inboxd_testkit::Mail;
use serde_json::{Value, json};

use super::stage::{Place, ROOT, Stage, within};
use super::table::List;

/// What the rows of a list are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Inbox,
    Message,
    /// A message of one long thread, read with the thread.
    Answer,
    Thread,
    Event,
    LabelEvent,
    Key,
    Pod,
    Member,
    Domain,
    Draft,
    Entry,
    /// An entry, a suppressed address, or both: the one list that has them all.
    Refused,
    Suppression,
    Webhook,
    /// An attempt to deliver an event to a webhook of the first inbox.
    Attempt,
}

/// A row that a test made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Row {
    /// Where it stands in its list: rows of one slot have the same time.
    pub(super) slot: u32,
    /// Its id, which breaks ties.
    pub(super) id: String,
    /// What is deleted to remove it; nothing where only the service removes such rows.
    path: Option<String>,
}

impl Kind {
    /// The name of the rows in the answer.
    pub(super) fn plural(self) -> &'static str {
        match self {
            Self::Inbox => "inboxes",
            Self::Message | Self::Answer => "messages",
            Self::Thread => "threads",
            Self::Event | Self::LabelEvent => "events",
            Self::Key => "api_keys",
            Self::Pod => "pods",
            Self::Member => "members",
            Self::Domain => "domains",
            Self::Draft => "drafts",
            Self::Entry | Self::Refused => "entries",
            Self::Suppression => "suppressions",
            Self::Webhook => "webhooks",
            Self::Attempt => "attempts",
        }
    }

    /// The field that is the id of a row.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Inbox => "inbox_id",
            Self::Message | Self::Answer => "message_id",
            Self::Thread => "thread_id",
            Self::Event | Self::LabelEvent => "event_id",
            Self::Key => "api_key_id",
            Self::Pod => "pod_id",
            Self::Member => "member_id",
            Self::Domain => "domain_id",
            Self::Draft => "draft_id",
            Self::Entry | Self::Refused => "entry",
            Self::Suppression => "address",
            Self::Webhook => "webhook_id",
            Self::Attempt => "attempt_id",
        }
    }

    /// Where its rows are stored.
    fn places(self) -> Vec<Place> {
        match self {
            Self::Inbox => vec![place("inboxes", "created_at", "inbox_id")],
            Self::Message | Self::Answer => {
                vec![place("messages", "timestamp", "message_id"), place("message_labels", "timestamp", "message_id")]
            }
            Self::Thread => {
                vec![place("threads", "timestamp", "thread_id"), place("thread_labels", "timestamp", "thread_id")]
            }
            Self::Event => vec![place("events", "created_at", "event_id")],
            Self::LabelEvent => vec![place("label_history", "event_at", "event_id")],
            Self::Key => vec![place("api_keys", "created_at", "api_key_id")],
            Self::Pod => vec![place("pods", "created_at", "pod_id")],
            Self::Member => vec![place("members", "created_at", "member_id")],
            Self::Domain => vec![place("domains", "created_at", "domain_id")],
            Self::Draft => vec![place("drafts", "updated_at", "draft_id")],
            Self::Entry | Self::Refused => {
                vec![place("list_entries", "created_at", "entry"), place("suppressions", "created_at", "address")]
            }
            Self::Suppression => vec![place("suppressions", "created_at", "address")],
            Self::Webhook => vec![place("webhooks", "created_at", "webhook_id")],
            Self::Attempt => vec![place("webhook_attempts", "attempted_at", "attempt_id")],
        }
    }
}

fn place(table: &'static str, time: &'static str, id: &'static str) -> Place {
    Place { table, time, id }
}

/// Makes a row of a list in a slot. The number tells it from the other rows.
pub(super) async fn make(stage: &Stage<'_>, list: &List, number: usize, slot: u32) -> Row {
    // Entries are ordered by name, so that the name says the slot as well.
    let name = format!("row{slot:02}-{number:02}");
    let turn = if list.is_of_one_inbox() { 0 } else { number };
    let (id, path) = match list.kind {
        Kind::Inbox => create(stage, list, json!({})).await,
        Kind::Key | Kind::Pod => create(stage, list, json!({"name": name})).await,
        Kind::Member => {
            create(stage, list, json!({"email": format!("{name}@example.org"), "role": "member", "inbox_ids": []}))
                .await
        }
        Kind::Domain => create(stage, list, json!({"domain": format!("{name}.example")})).await,
        Kind::Webhook => create(stage, list, json!({"url": format!("https://hooks.example.invalid/{name}")})).await,
        Kind::Entry => create(stage, list, json!({"entry": format!("{name}@outside.example")})).await,
        Kind::Refused => refuse(stage, list, number, &name).await,
        Kind::Attempt => (stage.attempt().await, None),
        Kind::Suppression => {
            let address = format!("{name}@outside.example");
            stage.suppress(&address).await;
            (address, None)
        }
        Kind::Draft => {
            let drafts = stage.inbox(turn, "/drafts");
            let draft = stage.agent.post(&drafts, json!({"subject": name})).await.ok();
            let id = text(&draft, "draft_id");
            (id.clone(), Some(within(&drafts, &id)))
        }
        Kind::LabelEvent => {
            let path = within(&stage.inbox(0, "/messages"), ROOT);
            stage.agent.patch(&path, json!({"add_labels": [name]})).await.ok();
            let newest = stage.agent.get(&stage.inbox(0, "/events?limit=1")).await.ok()["events"][0].clone();
            assert_eq!(newest["label"], name);
            (text(&newest, "event_id"), None)
        }
        Kind::Message | Kind::Answer | Kind::Thread | Kind::Event => receive(stage, list, turn, &name).await,
    };
    if list.is_labelled_trash(number) {
        stage.agent.patch(path.as_ref().unwrap(), json!({"add_labels": ["trash"]})).await.ok();
    }
    stage.date(&list.kind.places(), &id, slot).await;
    Row { slot, id, path }
}

/// Removes a row as a caller does, or where no caller can, as the service does.
pub(super) async fn remove(stage: &Stage<'_>, list: &List, row: &Row) {
    match &row.path {
        Some(path) => stage.agent.delete(path).await.gone(),
        None => stage.erase(&list.kind.places(), &row.id).await,
    }
}

/// Makes a row by POST to its list.
async fn create(stage: &Stage<'_>, list: &List, body: Value) -> (String, Option<String>) {
    let collection = stage.target(list.path);
    let made = stage.agent.post(&collection, body).await.ok();
    let id = text(&made, list.kind.id());
    (id.clone(), Some(within(&collection, &id)))
}

/// Lets somebody be written to no more: by an entry, as a suppressed address, or both.
async fn refuse(stage: &Stage<'_>, list: &List, number: usize, name: &str) -> (String, Option<String>) {
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

/// Delivers a mail: the message, its thread or its event is the row.
async fn receive(stage: &Stage<'_>, list: &List, turn: usize, name: &str) -> (String, Option<String>) {
    let mail = Mail::new("alice@outside.example", "scout@outside.example", name, "hello");
    let mail = mail.id(&format!("<{name}@outside.example>"));
    let mail = if list.kind == Kind::Answer { mail.header("In-Reply-To", ROOT) } else { mail };
    let message = stage.receive(turn, &mail).await;
    assert_eq!(message["subject"], name);
    let thread_id = text(&message, "thread_id");
    match list.kind {
        Kind::Thread => (thread_id.clone(), Some(within("/v0/threads", &thread_id))),
        Kind::Event => {
            let newest = stage.agent.get("/v0/events?limit=1").await.ok()["events"][0].clone();
            assert_eq!(newest["message_id"], message["message_id"]);
            (text(&newest, "event_id"), None)
        }
        _ => {
            let id = text(&message, "message_id");
            (id.clone(), Some(within(&stage.inbox(turn, "/messages"), &id)))
        }
    }
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_else(|| panic!("no {field}: {value:#}")).to_owned()
}
