//! Signed-up users of the API.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::http::{HttpClient, encoded};
use crate::log::ServerLog;
use crate::server::TestServer;

/// An agent with its organization, first inbox and API key. It dereferences to [`HttpClient`].
#[derive(Debug, Clone)]
pub struct Persona {
    /// Id of its organization.
    pub organization_id: String,
    /// Id of its first inbox, which is an address.
    pub inbox_id: String,
    /// Its API key.
    pub key: String,
    /// Address of the owner.
    pub owner: String,
    http: HttpClient,
    log: ServerLog,
}

impl Deref for Persona {
    type Target = HttpClient;

    fn deref(&self) -> &HttpClient {
        &self.http
    }
}

impl Persona {
    pub(crate) fn from_sign_up(server: &TestServer, owner: &str, signed_up: &Value) -> Self {
        let text = |name: &str| signed_up[name].as_str().unwrap().to_owned();
        let key = text("api_key");
        Self {
            organization_id: text("organization_id"),
            inbox_id: text("inbox_id"),
            owner: owner.to_owned(),
            http: server.http().with_key(&key),
            log: server.log().clone(),
            key,
        }
    }

    /// Returns the same persona at a restarted or second server.
    #[must_use]
    pub fn at(&self, server: &TestServer) -> Self {
        Self { http: server.http().with_key(&self.key), log: server.log().clone(), ..self.clone() }
    }

    /// Verifies the owner address with the captured code.
    pub async fn verify(&self) -> Value {
        let code = self.log.code_for(&self.owner).await;
        self.verify_with(&code).await
    }

    /// Verifies the owner address with a code.
    pub async fn verify_with(&self, code: &str) -> Value {
        self.post("/v0/agent/verify", json!({"otp_code": code})).await.ok()
    }

    /// Returns a path below its first inbox: `inbox("/messages")`.
    #[must_use]
    pub fn inbox(&self, rest: &str) -> String {
        format!("/v0/inboxes/{}{rest}", self.inbox_id)
    }

    /// Returns the path of a message of its first inbox.
    #[must_use]
    pub fn message(&self, message_id: &Value, rest: &str) -> String {
        self.inbox(&format!("/messages/{}{rest}", encoded(message_id.as_str().unwrap())))
    }

    /// Returns the path of a thread of its first inbox.
    #[must_use]
    pub fn thread(&self, thread_id: &Value, rest: &str) -> String {
        self.inbox(&format!("/threads/{}{rest}", thread_id.as_str().unwrap()))
    }

    /// Lists the messages of its first inbox, newest first.
    pub async fn messages(&self) -> Vec<Value> {
        self.get(&self.inbox("/messages?limit=200")).await.ok()["messages"].as_array().unwrap().clone()
    }

    /// Reads the newest message of its first inbox with a subject, with its bodies.
    pub async fn message_about(&self, subject: &str) -> Value {
        let item = self.messages().await.into_iter().find(|message| message["subject"] == subject);
        let Some(item) = item else { panic!("no message about {subject:?} in {}", self.inbox_id) };
        self.get(&self.message(&item["message_id"], "")).await.ok()
    }

    /// Sends a message from its first inbox.
    pub async fn send(&self, body: Value) -> Value {
        self.post(&self.inbox("/messages/send"), body).await.ok()
    }

    /// Creates an API key and returns a client with it.
    pub async fn create_key(&self, path: &str, body: Value) -> HttpClient {
        let created = self.post(path, body).await.ok();
        self.http.with_key(created["api_key"].as_str().unwrap())
    }
}
