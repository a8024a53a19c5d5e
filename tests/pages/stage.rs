//! Where the rows of a list lie.

use std::sync::atomic::{AtomicU64, Ordering};

use inboxd_testkit::{Mail, Persona, Server, encoded};
use serde_json::{Value, json};

use crate::guard::document;
use crate::support::in_seconds;

/// The first mail, which the messages of the one long thread answer.
pub(crate) const ROOT: &str = "<root@outside.example>";

/// How many attempts were logged.
static ATTEMPTS: AtomicU64 = AtomicU64::new(1);

/// A table that rows of a list lie in, the time that the list is ordered by, and the id.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) table: &'static str,
    pub(crate) time: &'static str,
    pub(crate) id: &'static str,
}

/// An organization of its own without caps, with two inboxes in one pod and a thread in the first.
pub(crate) struct Stage<'a> {
    pub(crate) server: &'a Server,
    pub(crate) agent: Persona,
    /// The two inboxes.
    inboxes: [String; 2],
    pod_id: String,
    thread_id: String,
    /// The time of slot 0, an hour ago: before anything that was made without a slot.
    origin: String,
}

impl<'a> Stage<'a> {
    /// Signs up somebody with a name that nobody else has.
    pub(crate) async fn of(server: &'a Server, name: &str) -> Self {
        let agent = server.verified(&format!("{name}@example.org"), name).await;
        let whose = format!("organization_id = '{}'", stored(&agent.organization_id));
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
        let root = stage.receive(0, &Mail::new("alice@outside.example", "scout", "root", "first").id(ROOT)).await;
        stage.thread_id = text(&root["thread_id"]);
        stage
    }

    /// Values for the parameters of every path of a list.
    pub(crate) fn values(&self) -> [(&'static str, &str); 3] {
        [("inbox_id", &self.inboxes[0]), ("pod_id", &self.pod_id), ("thread_id", &self.thread_id)]
    }

    /// The path of a list of this organization.
    pub(crate) fn target(&self, path: &str) -> String {
        document::target(path, &self.values())
    }

    /// A path below one of the two inboxes, in turns.
    pub(crate) fn inbox(&self, turn: usize, rest: &str) -> String {
        format!("/v0/inboxes/{}{rest}", self.inboxes[turn % 2])
    }

    /// Delivers a mail that names its Message-ID to one of the two inboxes, and answers the message.
    pub(crate) async fn receive(&self, turn: usize, mail: &Mail) -> Value {
        let inbox_id = self.inboxes[turn % 2].as_str();
        self.server.deliver("alice@outside.example", &[inbox_id], mail.raw()).await.is(250, "2");
        self.agent.get(&self.inbox(turn, "/messages?limit=1")).await.ok()["messages"][0].clone()
    }

    /// Gives a row the time of a slot in every table that has it: so many seconds after an hour ago.
    pub(crate) async fn date(&self, places: &[Place], row: &str, slot: u32) {
        let at = format!("'{}'::timestamptz - interval '1 hour' + interval '{slot} seconds'", self.origin);
        let update = |place: &Place| {
            format!("UPDATE {} SET {} = {at} WHERE {};", place.table, place.time, self.whose(place.id, row))
        };
        self.server.database().execute(&places.iter().map(update).collect::<String>()).await;
    }

    /// Removes a row that no call removes.
    pub(crate) async fn erase(&self, places: &[Place], row: &str) {
        let delete = |place: &Place| format!("DELETE FROM {} WHERE {};", place.table, self.whose(place.id, row));
        self.server.database().execute(&places.iter().map(delete).collect::<String>()).await;
    }

    /// Suppresses an address, as a bounce would.
    pub(crate) async fn suppress(&self, address: &str) {
        let organization_id = stored(&self.agent.organization_id);
        let row = format!("'{organization_id}', '{address}', 'bounce', now()");
        self.server.database().execute(&format!("INSERT INTO suppressions VALUES ({row})")).await;
    }

    /// Logs a failed attempt to deliver an event to the webhook of the first inbox, and answers its id. The webhook is made
    /// for the first of them; it hears of nothing that happens here.
    pub(crate) async fn attempt(&self) -> String {
        let hook = json!({
            "url": "https://hooks.example.invalid/inboxd", "event_types": ["domain.verified"], "client_id": "log",
        });
        let webhook = self.agent.post(&self.inbox(0, "/webhooks"), hook).await.ok();
        let id = format!("{:032x}", ATTEMPTS.fetch_add(1, Ordering::Relaxed));
        let (organization_id, webhook_id) =
            (stored(&self.agent.organization_id), webhook["webhook_id"].as_str().unwrap());
        let row = format!(
            "'{organization_id}', now(), '{id}', '{}', '{id}', 'message.sent', 500, 1, 'no', NULL, NULL",
            stored(webhook_id)
        );
        self.server.database().execute(&format!("INSERT INTO webhook_attempts VALUES ({row})")).await;
        format!("atm_{id}")
    }

    /// The condition that finds a row of this organization by its id on the wire.
    fn whose(&self, id: &str, row: &str) -> String {
        format!("organization_id = '{}' AND {id} = '{}'", stored(&self.agent.organization_id), stored(row))
    }
}

/// An id as the database has it: of those that the service mints, the number without its prefix.
fn stored(id: &str) -> &str {
    let number = id.split_once('_').map_or("", |(_, number)| number);
    let is_minted = number.len() == 32 && number.bytes().all(|c| c.is_ascii_hexdigit());
    if is_minted { number } else { id }
}

/// The path of something in a collection.
pub(crate) fn within(collection: &str, id: &str) -> String {
    format!("{collection}/{}", encoded(id))
}
