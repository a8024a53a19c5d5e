//! Creation endpoints accept `client_id`: sending the same one again answers the original and makes no second one
//! (`service.md`, section 4; `wire.md`, section 1).

use std::collections::BTreeSet;

use inboxd_testkit::{Answer, Persona};
use serde_json::{Value, json};

use crate::domains::enterprise;
use crate::support::{at_once, count, mail_to, options, receive};

/// A creation, and how what it made is known and deleted.
struct Creation {
    /// Where to ask for it.
    path: String,
    /// What to ask for, the `client_id` apart.
    body: Value,
    /// Another body, which makes something else by another `client_id`.
    other: Value,
    /// The field that names what was made.
    id: &'static str,
    /// The path of what was made, with `{}` in the place of its name.
    made: String,
}

fn creation(path: &str, body: Value, other: Value, id: &'static str, made: &str) -> Creation {
    Creation { path: path.to_owned(), body, other, id, made: made.to_owned() }
}

fn with(body: &Value, client_id: &str) -> Value {
    let mut body = body.clone();
    body["client_id"] = json!(client_id);
    body
}

/// Every creation of the document, those below inboxes and pods too.
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
async fn the_same_client_id_at_once_makes_one_thing_and_is_spent_when_that_is_deleted() {
    let server = options().start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    enterprise(&server, &agent).await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    for (place, Creation { path, body, other, id, made }) in creations(&agent).await.into_iter().enumerate() {
        let client_id = format!("one-{place}");
        let asked = with(&body, &client_id);
        let answers = at_once((0..6).map(|_| {
            let (http, path, asked) = (agent.with_key(&agent.key), path.clone(), asked.clone());
            async move { http.post(&path, asked).await }
        }))
        .await;
        let said = || answers.iter().map(Answer::text).collect::<Vec<_>>();
        assert_eq!(count(&answers, 200), 6, "{path}: {:?}", said());
        let ids: BTreeSet<String> = answers.iter().map(|answer| answer.ok()[id].to_string()).collect();
        assert_eq!(ids.len(), 1, "{path}: {:?}", said());
        let original = answers[0].ok()[id].clone();
        // The original is answered whatever else the repeat asks for.
        let repeat = agent.post(&path, with(&other, &client_id)).await.ok();
        assert_eq!(repeat[id], original, "{path}");
        let second = agent.post(&path, with(&other, &format!("two-{place}"))).await.ok();
        assert_ne!(second[id], original, "{path}");
        agent.delete(&made.replace("{}", original.as_str().unwrap())).await.gone();
        agent.post(&path, asked).await.refused(409, "conflict");
        let bad = agent.post(&path, with(&body, "a b")).await;
        assert_eq!(bad.bad_fields(), ["client_id"], "{path}");
    }
}

#[tokio::test]
async fn every_creation_of_the_document_takes_a_client_id() {
    let server = options().start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    receive(&server, &agent, &mail_to(&agent, "hello")).await;
    let tested: Vec<String> = creations(&agent).await.into_iter().map(|creation| shape(&creation.path)).collect();
    let document = agent.get("/openapi.json").await.ok();
    let mut found = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let operation = item["post"]["operationId"].as_str().unwrap_or_default();
        if !operation.starts_with("create_") {
            continue;
        }
        found += 1;
        let body = &item["post"]["requestBody"]["content"]["application/json"]["schema"];
        // Where the body may be left out, it is one of nothing and the rest.
        let schema = body["$ref"].as_str().or_else(|| body["oneOf"][1]["$ref"].as_str()).unwrap();
        let name = schema.rsplit('/').next().unwrap();
        let fields = &document["components"]["schemas"][name]["properties"];
        assert!(fields["client_id"].is_object(), "{operation} takes no client_id: {fields:#}");
        assert!(tested.contains(&shape(path)), "{path} has no row above");
    }
    assert_eq!(found, tested.len());
}

/// A path without what its variable parts say.
fn shape(path: &str) -> String {
    let is_variable = |part: &&str| part.starts_with('{') || part.contains(['@', '_', '%']);
    let part = |part: &str| if is_variable(&part) { "*".to_owned() } else { part.to_owned() };
    path.split('/').map(part).collect::<Vec<_>>().join("/").replace("receive/allow", "*/*")
}
