//! `POST /v0/webhooks/{webhook_id}/rotate-secret`, and the secrecy of secrets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::{create_webhook, webhook_path, without_secret};
use crate::operations::secrets::absence_check;
use crate::support::server_and_agent;

#[tokio::test]
async fn rotated_secret_is_new_and_shown_once() {
    let (_server, agent) = server_and_agent().await;
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({})).await;
    let rotated = agent.post(&webhook_path(&webhook, "/rotate-secret"), json!({})).await.ok();
    assert_ne!(rotated["secret"], webhook["secret"]);
    assert!(rotated["secret"].as_str().unwrap().starts_with("whsec_"));
    assert_eq!(rotated["webhook_id"], webhook["webhook_id"]);
    assert_eq!(agent.get(&webhook_path(&webhook, "")).await.ok(), without_secret(&rotated));
}

#[tokio::test]
async fn database_and_log_contain_no_secrets_or_header_values() {
    let (server, agent) = server_and_agent().await;
    let headers = json!({"Authorization": "Bearer confidential"});
    let webhook = create_webhook(&agent, "/v0/webhooks", json!({"headers": headers})).await;
    let rotated = agent.post(&webhook_path(&webhook, "/rotate-secret"), json!({})).await.ok();
    for shown in [&webhook["secret"], &rotated["secret"]] {
        let secret = shown.as_str().unwrap().strip_prefix("whsec_").unwrap();
        let key = STANDARD.decode(secret).unwrap();
        for text in [secret.as_bytes(), &key] {
            server.database().execute(&absence_check(text)).await;
        }
        assert!(!server.log().lines().iter().any(|line| line.contains(secret)));
    }
    server.database().execute(&absence_check(b"confidential")).await;
    // The names are found, so the negative results are meaningful.
    assert!(server.database().try_execute(&absence_check(b"Authorization")).await.is_err());
}
