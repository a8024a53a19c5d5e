//! Somebody who has signed up.

use std::ops::Deref;

use serde_json::{Value, json};

use crate::http::{Http, encoded};
use crate::log::Log;
use crate::server::Server;

/// An agent with its organization, its first inbox and a key. It calls the API like the [`Http`] it is.
#[derive(Debug, Clone)]
pub struct Persona {
    /// Its organization.
    pub organization_id: String,
    /// Its first inbox, which is an address.
    pub inbox_id: String,
    /// Its key.
    pub key: String,
    /// The owner's address.
    pub owner: String,
    http: Http,
    log: Log,
}

impl Deref for Persona {
    type Target = Http;

    fn deref(&self) -> &Http {
        &self.http
    }
}

impl Persona {
    pub(crate) fn of(server: &Server, owner: &str, signed_up: &Value) -> Self {
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

    /// The same persona at a server that was started again.
    #[must_use]
    pub fn at(&self, server: &Server) -> Self {
        Self { http: server.http().with_key(&self.key), log: server.log().clone(), ..self.clone() }
    }

    /// Confirms the owner address with the code that was captured.
    pub async fn verify(&self) -> Value {
        let code = self.log.code_for(&self.owner).await;
        self.verify_with(&code).await
    }

    /// Confirms the owner address.
    pub async fn verify_with(&self, code: &str) -> Value {
        self.post("/v0/agent/verify", json!({"otp_code": code})).await.ok()
    }

    /// A path below its first inbox: `inbox("/messages")`.
    #[must_use]
    pub fn inbox(&self, rest: &str) -> String {
        format!("/v0/inboxes/{}{rest}", self.inbox_id)
    }

    /// The path of a message of its first inbox.
    #[must_use]
    pub fn message(&self, message_id: &Value, rest: &str) -> String {
        self.inbox(&format!("/messages/{}{rest}", encoded(message_id.as_str().unwrap())))
    }

    /// The path of a thread of its first inbox.
    #[must_use]
    pub fn thread(&self, thread_id: &Value, rest: &str) -> String {
        self.inbox(&format!("/threads/{}{rest}", thread_id.as_str().unwrap()))
    }

    /// The messages of its first inbox, as the list shows them, newest first.
    pub async fn messages(&self) -> Vec<Value> {
        self.get(&self.inbox("/messages?limit=200")).await.ok()["messages"].as_array().unwrap().clone()
    }

    /// The newest message of its first inbox with a subject, with its bodies.
    pub async fn message_about(&self, subject: &str) -> Value {
        let item = self.messages().await.into_iter().find(|message| message["subject"] == subject);
        let Some(item) = item else { panic!("no message about {subject:?} in {}", self.inbox_id) };
        self.get(&self.message(&item["message_id"], "")).await.ok()
    }

    /// Sends a mail from its first inbox.
    pub async fn send(&self, body: Value) -> Value {
        self.post(&self.inbox("/messages/send"), body).await.ok()
    }

    /// Makes a key and answers the API called with it.
    pub async fn key_with(&self, path: &str, body: Value) -> Http {
        let made = self.post(path, body).await.ok();
        self.http.with_key(made["api_key"].as_str().unwrap())
    }
}
