//! `POST /v0/webhooks/{webhook_id}/rotate-secret`, and where secrets are not.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::{later, made, path};
use crate::operations::secrets::nowhere;
use crate::support::server_and_agent;

#[tokio::test]
async fn a_rotated_secret_is_another_one_and_shown_once() {
    let (_server, agent) = server_and_agent().await;
    let webhook = made(&agent, "/v0/webhooks", json!({})).await;
    let rotated = agent.post(&path(&webhook, "/rotate-secret"), json!({})).await.ok();
    assert_ne!(rotated["secret"], webhook["secret"]);
    assert!(rotated["secret"].as_str().unwrap().starts_with("whsec_"));
    assert_eq!(rotated["webhook_id"], webhook["webhook_id"]);
    assert_eq!(agent.get(&path(&webhook, "")).await.ok(), later(&rotated));
}

#[tokio::test]
async fn neither_secrets_nor_header_values_can_be_read_in_the_database_or_the_log() {
    let (server, agent) = server_and_agent().await;
    let headers = json!({"Authorization": "Bearer confidential"});
    let webhook = made(&agent, "/v0/webhooks", json!({"headers": headers})).await;
    let rotated = agent.post(&path(&webhook, "/rotate-secret"), json!({})).await.ok();
    for shown in [&webhook["secret"], &rotated["secret"]] {
        let secret = shown.as_str().unwrap().strip_prefix("whsec_").unwrap();
        let key = STANDARD.decode(secret).unwrap();
        for text in [secret.as_bytes(), &key] {
            server.database().execute(&nowhere(text)).await;
        }
        assert!(!server.log().lines().iter().any(|line| line.contains(secret)));
    }
    server.database().execute(&nowhere(b"confidential")).await;
    // The names are there, so that what is not found is not there.
    assert!(server.database().try_execute(&nowhere(b"Authorization")).await.is_err());
}
