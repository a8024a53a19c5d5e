//! Organization with the resources that list paths name.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use inboxd_testkit::{MailBuilder, Persona, TestServer, encoded};
use serde_json::{Value, json};

use crate::guard::document;
use crate::support::in_seconds;

/// First mail, to which the messages of the long thread reply.
pub(crate) const ROOT: &str = "<root@outside.example>";

/// Number of logged attempts.
static ATTEMPTS: AtomicU64 = AtomicU64::new(1);

/// A table of list rows, its time column and its id column.
#[derive(Debug)]
pub(crate) struct RowTable {
    pub(crate) table: &'static str,
    pub(crate) time: &'static str,
    pub(crate) id: &'static str,
}

/// A separate organization without caps, with two inboxes in one pod and a thread in the first inbox.
pub(crate) struct Stage<'a> {
    pub(crate) server: &'a TestServer,
    pub(crate) agent: Persona,
    /// The two inboxes.
    inboxes: [String; 2],
    pod_id: String,
    thread_id: String,
    /// Time of slot 0, an hour ago, before all rows without a slot.
    origin: String,
}

impl<'a> Stage<'a> {
    /// Signs up an organization with a unique name.
    pub(crate) async fn of(server: &'a TestServer, name: &str) -> Self {
        let agent = server.verified(&format!("{name}@example.org"), name).await;
        let whose = format!("organization_id = '{}'", database_id(&agent.organization_id));
        server.database().execute(&format!("UPDATE organizations SET plan = 'enterprise' WHERE {whose}")).await;
        let second = agent.post("/v0/inboxes", json!({"username": format!("{name}.desk")})).await.ok();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut stage = Self {
            server,
            inboxes: [agent.inbox_id.clone(), text(&second["inbox_id"])],
            pod_id: text(&second["pod_id"]),
            agent,
            thread_id: String::new(),
            origin: in_seconds(0),
        };
        let root =
            stage.receive(0, &MailBuilder::new("alice@outside.example", "scout", "root", "first").id(ROOT)).await;
        stage.thread_id = text(&root["thread_id"]);
        stage
    }

    /// Returns the values of all path parameters of lists.
    pub(crate) fn values(&self) -> [(&'static str, &str); 3] {
        [("inbox_id", &self.inboxes[0]), ("pod_id", &self.pod_id), ("thread_id", &self.thread_id)]
    }

    /// Returns the path of a list of this organization.
    pub(crate) fn target(&self, path: &str) -> String {
        document::target(path, &self.values())
    }

    /// Returns a path below one of the two inboxes in turn.
    pub(crate) fn inbox(&self, turn: usize, rest: &str) -> String {
        format!("/v0/inboxes/{}{rest}", self.inboxes[turn % 2])
    }

    /// Delivers a mail with a Message-ID to one of the two inboxes and returns the message.
    pub(crate) async fn receive(&self, turn: usize, mail: &MailBuilder) -> Value {
        let inbox_id = self.inboxes[turn % 2].as_str();
        self.server.deliver("alice@outside.example", &[inbox_id], mail.raw()).await.require_code(250, "2");
        self.agent.get(&self.inbox(turn, "/messages?limit=1")).await.ok()["messages"][0].clone()
    }

    /// Sets the times of rows to their slots in all their tables; slots are one second apart.
    pub(crate) async fn date(&self, places: &[RowTable], rows: &[(&str, u32)]) {
        let mut updates = String::new();
        for (row, slot) in rows {
            let at = format!("'{}'::timestamptz - interval '1 hour' + interval '{slot} seconds'", self.origin);
            for place in places {
                let whose = self.whose(place.id, row);
                writeln!(updates, "UPDATE {} SET {} = {at} WHERE {whose};", place.table, place.time).unwrap();
            }
        }
        self.server.database().execute(&updates).await;
    }

    /// Removes a row that no call removes.
    pub(crate) async fn erase(&self, places: &[RowTable], row: &str) {
        let delete = |place: &RowTable| format!("DELETE FROM {} WHERE {};", place.table, self.whose(place.id, row));
        self.server.database().execute(&places.iter().map(delete).collect::<String>()).await;
    }

    /// Lets this test set times in the audit log, which nothing else changes.
    pub(crate) async fn unlock_audit(&self) {
        self.server.database().execute("ALTER TABLE audit_log DISABLE TRIGGER USER").await;
    }

    /// Suppresses an address, as a bounce does.
    pub(crate) async fn suppress(&self, address: &str) {
        let organization_id = database_id(&self.agent.organization_id);
        let row = format!("'{organization_id}', '{address}', 'bounce', now()");
        self.server.database().execute(&format!("INSERT INTO suppressions VALUES ({row})")).await;
    }

    /// Logs a failed attempt to deliver an event to the webhook of the first inbox and returns its id. The first call
    /// creates the webhook, which subscribes to none of the events here.
    pub(crate) async fn attempt(&self) -> String {
        let hook = json!({
            "url": "https://hooks.example.invalid/inboxd", "event_types": ["domain.verified"], "client_id": "log",
        });
        let webhook = self.agent.post(&self.inbox(0, "/webhooks"), hook).await.ok();
        let id = format!("{:032x}", ATTEMPTS.fetch_add(1, Ordering::Relaxed));
        let (organization_id, webhook_id) =
            (database_id(&self.agent.organization_id), webhook["webhook_id"].as_str().unwrap());
        let row = format!(
            "'{organization_id}', now(), '{id}', '{}', '{id}', 'message.sent', 500, 1, 'no', NULL, NULL",
            database_id(webhook_id)
        );
        self.server.database().execute(&format!("INSERT INTO webhook_attempts VALUES ({row})")).await;
        format!("atm_{id}")
    }

    /// Returns the SQL condition for a row of this organization by its API id.
    fn whose(&self, id: &str, row: &str) -> String {
        format!("organization_id = '{}' AND {id} = '{}'", database_id(&self.agent.organization_id), database_id(row))
    }
}

/// Returns the database form of an id: generated ids lose their prefix.
fn database_id(id: &str) -> &str {
    let number = id.split_once('_').map_or("", |(_, number)| number);
    let is_minted = number.len() == 32 && number.bytes().all(|c| c.is_ascii_hexdigit());
    if is_minted { number } else { id }
}

/// Returns the path of a resource in a collection.
pub(crate) fn item_path(collection: &str, id: &str) -> String {
    format!("{collection}/{}", encoded(id))
}
