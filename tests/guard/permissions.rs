//! Permissions of all operations, which equal those in their descriptions.

use std::collections::BTreeMap;

use inboxd_testkit::{HttpClient, TestServer};
use serde_json::{Map, Value, json};

use super::document::{Operation, operations};
use crate::people::sign_in_client;
use crate::support::server_and_agent;

/// Operations without a permission: reading the own identity, and switching organizations.
const FREE: [&str; 2] = ["GET /v0/auth/me", "POST /v0/auth/switch"];

/// Creates a key with a map of permissions.
async fn created(server: &TestServer, owner: &HttpClient, permissions: Map<String, Value>) -> HttpClient {
    let key = owner.post("/v0/api-keys", json!({"permissions": permissions})).await.ok();
    server.http().with_key(key["api_key"].as_str().unwrap())
}

#[tokio::test]
async fn operations_are_refused_exactly_without_their_permission() {
    let (server, _agent) = server_and_agent().await;
    // Only a person can grant what is opt-in.
    let owner = sign_in_client(&server, "owner@example.org").await;
    let operations: Vec<Operation> =
        operations(&server).await.into_iter().filter(|operation| !operation.is_open()).collect();
    let mut names: Vec<&str> =
        operations.iter().flat_map(|operation| &operation.permissions).map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() > 10, "{names:?}");
    for name in &names {
        let others: Map<String, Value> =
            names.iter().filter(|other| *other != name).map(|other| ((*other).to_owned(), json!(true))).collect();
        let lacking = created(&server, &owner, others).await;
        for operation in
            operations.iter().filter(|operation| operation.permissions.first().is_some_and(|first| first == name))
        {
            let refusal = lacking.call(operation.request(&[])).await.require_error(403, "missing_permission");
            let fix = refusal["fix"].as_str().unwrap();
            assert!(fix.contains(name), "{} {}: {fix}", operation.method, operation.path);
        }
    }
    // Operations with the same permissions share a key.
    let mut keys: BTreeMap<&[String], HttpClient> = BTreeMap::new();
    for operation in &operations {
        let permissions = operation.permissions.as_slice();
        let key = if let Some(key) = keys.get(permissions).cloned() {
            key
        } else {
            let granted = permissions.iter().map(|name| (name.clone(), json!(true))).collect();
            let key = created(&server, &owner, granted).await;
            keys.insert(permissions, key.clone());
            key
        };
        let answer = key.call(operation.request(&[])).await;
        let what = format!("{} {}: {}", operation.method, operation.path, answer.text());
        assert!(answer.status < 500 && !answer.text().contains("missing_permission"), "{what}");
    }
    for (permissions, key) in &keys {
        // No operation ended the key of those after it.
        assert_eq!(key.get("/v0/auth/me").await.status, 200, "{permissions:?}");
    }
    for operation in operations.iter().filter(|operation| operation.permissions.is_empty()) {
        let operation = format!("{} {}", operation.method, operation.path);
        assert!(FREE.contains(&operation.as_str()), "the description of {operation} names no permission");
    }
}
