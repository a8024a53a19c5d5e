//! Creation endpoints with `client_id`: a repetition returns the original (`service.md`, section 4; `wire.md`, section
//! 1).

use std::collections::BTreeSet;

use inboxd_testkit::{ApiResponse, Persona};
use serde_json::{Value, json};

use crate::domains::lift_caps;
use crate::support::{count, mail_to, options, receive, run_concurrently};

/// A creation endpoint, and the access to the created resource.
struct Creation {
    /// Path of the endpoint.
    path: String,
    /// Request body without `client_id`.
    body: Value,
    /// Another body, which creates another resource under another `client_id`.
    other: Value,
    /// Field that names the created resource.
    id: &'static str,
    /// Path of the created resource, with `{}` in place of its name.
    made: String,
}

fn creation(path: &str, body: Value, other: Value, id: &'static str, made: &str) -> Creation {
    Creation { path: path.to_owned(), body, other, id, made: made.to_owned() }
}

fn with_client_id(body: &Value, client_id: &str) -> Value {
    let mut body = body.clone();
    body["client_id"] = json!(client_id);
    body
}

/// Every creation endpoint of the document, including those below inboxes and pods.
async fn creations(agent: &Persona) -> Vec<Creation> {
    let inbox = agent.inbox("");
    let pod = format!("/v0/pods/{}", agent.get(&inbox).await.ok()["pod_id"].as_str().unwrap());
    let notes = agent.thread(&agent.message_about("hello").await["thread_id"], "/notes");
    let mut table = vec![
        creation("/v0/pods", json!({}), json!({}), "pod_id", "/v0/pods/{}"),
        creation("/v0/members", member("a"), member("b"), "member_id", "/v0/members/{}"),
        creation(&agent.inbox("/drafts"), json!({}), json!({}), "draft_id", &agent.inbox("/drafts/{}")),
        creation(&notes, json!({"text": "a"}), json!({"text": "b"}), "note_id", &format!("{notes}/{{}}")),
    ];
    for (place, name) in [("/v0", "one"), (pod.as_str(), "two")] {
        let domain = |label: &str| json!({"domain": format!("{label}.{name}.example")});
        let (domains, inboxes) = (format!("{place}/domains"), format!("{place}/inboxes"));
        table.push(creation(&domains, domain("a"), domain("b"), "domain_id", "/v0/domains/{}"));
        table.push(creation(&inboxes, json!({}), json!({}), "inbox_id", "/v0/inboxes/{}"));
    }
    for place in ["/v0", &pod, &inbox] {
        let (keys, list) = (format!("{place}/api-keys"), format!("{place}/lists/receive/allow"));
        table.push(creation(&keys, json!({"name": "a"}), json!({"name": "b"}), "api_key_id", "/v0/api-keys/{}"));
        let webhooks = format!("{place}/webhooks");
        table.push(creation(&webhooks, webhook("a"), webhook("b"), "webhook_id", "/v0/webhooks/{}"));
        let entry = |label: &str| json!({"entry": format!("{label}.example")});
        table.push(creation(&list, entry("a"), entry("b"), "entry", &format!("{list}/{{}}")));
    }
    table
}

fn webhook(name: &str) -> Value {
    json!({"url": format!("https://hooks.example.invalid/{name}")})
}

fn member(name: &str) -> Value {
    json!({"email": format!("{name}@example.org"), "role": "member"})
}

#[tokio::test]
async fn concurrent_equal_client_ids_create_one_resource_until_deleted() {
    let server = options().start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    lift_caps(&server, &agent).await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    for (place, Creation { path, body, other, id, made }) in creations(&agent).await.into_iter().enumerate() {
        let client_id = format!("one-{place}");
        let asked = with_client_id(&body, &client_id);
        let answers = run_concurrently((0..6).map(|_| {
            let (http, path, asked) = (agent.with_key(&agent.key), path.clone(), asked.clone());
            async move { http.post(&path, asked).await }
        }))
        .await;
        let said = || answers.iter().map(ApiResponse::text).collect::<Vec<_>>();
        assert_eq!(count(&answers, 200), 6, "{path}: {:?}", said());
        let ids: BTreeSet<String> = answers.iter().map(|answer| answer.ok()[id].to_string()).collect();
        assert_eq!(ids.len(), 1, "{path}: {:?}", said());
        let original = answers[0].ok()[id].clone();
        // A repetition with another body returns the original.
        let repeat = agent.post(&path, with_client_id(&other, &client_id)).await.ok();
        assert_eq!(repeat[id], original, "{path}");
        let second = agent.post(&path, with_client_id(&other, &format!("two-{place}"))).await.ok();
        assert_ne!(second[id], original, "{path}");
        agent.delete(&made.replace("{}", original.as_str().unwrap())).await.require_no_content();
        agent.post(&path, asked).await.require_error(409, "conflict");
        let bad = agent.post(&path, with_client_id(&body, "a b")).await;
        assert_eq!(bad.bad_fields(), ["client_id"], "{path}");
    }
}

#[tokio::test]
async fn every_creation_endpoint_accepts_client_id() {
    let server = options().start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let tested: Vec<String> =
        creations(&agent).await.into_iter().map(|creation| path_template(&creation.path)).collect();
    let document = agent.get("/openapi.json").await.ok();
    let mut found = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let operation = item["post"]["operationId"].as_str().unwrap_or_default();
        // A polling webhook has a required name, a file a path, and an event an identifier; their own tests repeat the
        // requests. A calendar has one feed.
        let own = ["/webhooks/polling", "/files", "/calendar/events", "/calendar/feed"];
        let has_own_name = own.iter().any(|end| path.ends_with(end));
        if !operation.starts_with("create_") || has_own_name {
            continue;
        }
        found += 1;
        let body = &item["post"]["requestBody"]["content"]["application/json"]["schema"];
        // An optional body is `null` or an object.
        let schema = body["$ref"].as_str().or_else(|| body["oneOf"][1]["$ref"].as_str()).unwrap();
        let name = schema.rsplit('/').next().unwrap();
        let fields = &document["components"]["schemas"][name]["properties"];
        assert!(fields["client_id"].is_object(), "{operation} takes no client_id: {fields:#}");
        assert!(tested.contains(&path_template(path)), "{path} has no row above");
    }
    assert_eq!(found, tested.len());
}

/// Returns a path with its parameters replaced by placeholders.
fn path_template(path: &str) -> String {
    let is_variable = |part: &&str| part.starts_with('{') || part.contains(['@', '_', '%']);
    let part = |part: &str| if is_variable(&part) { "*".to_owned() } else { part.to_owned() };
    path.split('/').map(part).collect::<Vec<_>>().join("/").replace("receive/allow", "*/*")
}
