//! Both lifecycles: `initialize` of older revisions, and requests of 2026-07-28 that carry all that they need.

use serde_json::json;

use super::client::{LEGACY, STATELESS, legacy, message, post, require_rpc_error, result, stateless};
use crate::support::server_and_agent;

#[tokio::test]
async fn initialize_agrees_on_the_revision_of_the_client() {
    let (_server, agent) = server_and_agent().await;
    let unknown = ["2024-11-05", "2099-01-01"].map(|revision| (revision, LEGACY[2]));
    for (asked, agreed) in LEGACY.map(|revision| (revision, revision)).into_iter().chain(unknown) {
        let params = json!({
            "protocolVersion": asked,
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let begun = result(&agent, post(&message("initialize", params))).await;
        assert_eq!(begun["protocolVersion"], agreed, "{asked}");
        assert_eq!(begun["serverInfo"]["name"], "inboxd");
        assert!(begun["capabilities"]["tools"].is_object() && begun["capabilities"]["resources"].is_object());
        assert!(begun["capabilities"].get("prompts").is_none(), "{begun:#}");
        assert_ne!(begun["capabilities"]["resources"]["subscribe"], true, "no stream could carry it");
        let instructions = begun["instructions"].as_str().unwrap();
        assert!(instructions.len() <= 2048 && instructions.contains("untrusted"), "{}", instructions.len());
    }
}

#[tokio::test]
async fn discover_names_revisions_and_may_be_cached_by_its_caller() {
    let (_server, agent) = server_and_agent().await;
    let found = result(&agent, stateless("server/discover", json!({}))).await;
    let versions: Vec<&str> =
        found["supportedVersions"].as_array().unwrap().iter().map(|version| version.as_str().unwrap()).collect();
    assert!(versions.contains(&STATELESS) && LEGACY.iter().all(|revision| versions.contains(revision)), "{versions:?}");
    assert_eq!((&found["cacheScope"], &found["resultType"]), (&json!("private"), &json!("complete")));
    assert!(found["ttlMs"].is_u64(), "{found:#}");
    assert_eq!(found["capabilities"]["resources"]["subscribe"], true);
}

#[tokio::test]
async fn lists_are_equal_in_both_lifecycles() {
    let (_server, agent) = server_and_agent().await;
    for (method, field) in
        [("tools/list", "tools"), ("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")]
    {
        let older = result(&agent, legacy(method, json!({}))).await;
        let newer = result(&agent, stateless(method, json!({ "cursor": "" }))).await;
        assert_eq!(older[field], newer[field], "{method}");
        assert!(!newer[field].as_array().unwrap().is_empty(), "{method}");
        assert_eq!(newer["cacheScope"], "private", "{method}");
        assert!(newer["ttlMs"].is_u64() && older.get("resultType").is_none(), "{method}: {older:#}");
        let unknown = agent.call(stateless(method, json!({ "cursor": "unknown" }))).await;
        require_rpc_error(&unknown, 200, -32602);
    }
}

#[tokio::test]
async fn tool_list_is_small_and_states_every_hint() {
    let (_server, agent) = server_and_agent().await;
    let response = agent.call(legacy("tools/list", json!({}))).await;
    let length = response.text().len();
    assert!(length < 40 * 1024, "{length} bytes");
    let tools = response.json()["result"]["tools"].as_array().unwrap().clone();
    assert!(tools.len() <= 40, "{} tools", tools.len());
    for tool in &tools {
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            assert!(tool["annotations"][hint].is_boolean(), "{tool:#}");
        }
        assert!(tool["title"].is_string() && tool["description"].as_str().unwrap().len() <= 2048, "{tool:#}");
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool:#}");
            assert!(tool[schema].get("additionalProperties").is_none(), "{tool:#}");
        }
    }
}

#[tokio::test]
async fn tools_answer_in_every_revision() {
    let (_server, agent) = server_and_agent().await;
    let call = json!({ "name": "list_inboxes", "arguments": {} });
    for revision in LEGACY {
        let request = post(&message("tools/call", call.clone())).header("MCP-Protocol-Version", revision);
        let listed = result(&agent, request).await;
        assert_eq!(listed["structuredContent"]["inboxes"][0]["inboxId"], agent.inbox_id, "{revision}");
    }
    // A client without the header speaks 2025-03-26.
    let listed = result(&agent, post(&message("tools/call", call.clone()))).await;
    assert_eq!(listed["structuredContent"]["count"], 1);
    let listed = result(&agent, stateless("tools/call", call)).await;
    assert_eq!((&listed["structuredContent"]["count"], &listed["resultType"]), (&json!(1), &json!("complete")));
}

#[tokio::test]
async fn unknown_names_are_invalid_parameters_and_bad_arguments_are_results() {
    let (_server, agent) = server_and_agent().await;
    let tool = json!({ "name": "drop_tables", "arguments": {} });
    require_rpc_error(&agent.call(stateless("tools/call", tool.clone())).await, 200, -32602);
    require_rpc_error(&agent.call(legacy("tools/call", tool)).await, 200, -32602);
    for uri in ["inboxd://nothing", "file:///etc/passwd", "inboxd://inboxes/nobody%40nowhere.example"] {
        require_rpc_error(&agent.call(stateless("resources/read", json!({ "uri": uri }))).await, 200, -32602);
        require_rpc_error(&agent.call(legacy("resources/read", json!({ "uri": uri }))).await, 200, -32002);
    }
    let wrong = json!({ "name": "get_message", "arguments": { "inboxId": 7 } });
    let refused = result(&agent, stateless("tools/call", wrong)).await;
    assert_eq!(refused["isError"], true);
    assert!(refused.get("structuredContent").is_none(), "{refused:#}");
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("\"fix\"") && text.contains("validation_error"), "{text}");
}
