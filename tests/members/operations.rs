//! What each role may do with drafts, lists, pods, domains and billing: one row an operation.

use inboxd_testkit::{Http, Persona, Request};
use serde_json::{Value, json};

use crate::people::{joined, person};
use crate::support::{in_seconds, server_and_agent};

/// Whom an operation is for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Whose {
    /// Every role.
    Everybody,
    /// Owner and admins.
    Mighty,
}

struct Row {
    method: &'static str,
    path: String,
    body: Value,
    whose: Whose,
    /// What it answers to those who may.
    status: u16,
}

fn row(method: &'static str, path: impl Into<String>, body: Value, whose: Whose) -> Row {
    let status = if method == "DELETE" { 204 } else { 200 };
    Row { method, path: path.into(), body, whose, status }
}

/// The rows, with things of their own to be changed and deleted. `name` tells those of one caller from another's.
async fn rows(agent: &Persona, name: &str) -> Vec<Row> {
    use Whose::{Everybody, Mighty};
    let made = async |path: &str, body: Value, id: &str| {
        let made = agent.post(path, body).await.ok();
        made[id].as_str().unwrap().to_owned()
    };
    let drafts = agent.inbox("/drafts");
    let mut draft_ids = Vec::new();
    for _ in 0..2 {
        let body = json!({"to": "bob@outside.example", "text": "x"});
        draft_ids.push(made(&drafts, body, "draft_id").await);
    }
    let draft = |number: usize, rest: &str| format!("{drafts}/{}{rest}", draft_ids[number]);
    let pod = format!("/v0/pods/{}", made("/v0/pods", json!({"name": name}), "pod_id").await);
    let domain = json!({"domain": format!("{name}.example")});
    let domain = format!("/v0/domains/{}", made("/v0/domains", domain, "domain_id").await);
    let unconfigured = |row: Row| Row { status: 409, ..row };
    let mut rows = vec![
        row("GET", "/v0/drafts", json!({}), Everybody),
        row("GET", &drafts, json!({}), Everybody),
        row("POST", &drafts, json!({"subject": "hers"}), Everybody),
        row("GET", draft(0, ""), json!({}), Everybody),
        row("PATCH", draft(0, ""), json!({"subject": "changed"}), Everybody),
        row("PATCH", draft(0, ""), json!({"send_at": in_seconds(3600)}), Everybody),
        row("DELETE", draft(0, ""), json!({}), Everybody),
        row("POST", draft(1, "/send"), json!({}), Everybody),
        row("GET", "/v0/pods", json!({}), Everybody),
        row("GET", &pod, json!({}), Everybody),
        row("GET", format!("{pod}/inboxes"), json!({}), Everybody),
        row("GET", format!("{pod}/threads"), json!({}), Everybody),
        row("POST", "/v0/pods", json!({"name": "mine"}), Mighty),
        row("POST", format!("{pod}/api-keys"), json!({"name": "mine"}), Mighty),
        row("PATCH", &pod, json!({"name": "changed"}), Mighty),
        row("GET", "/v0/domains", json!({}), Everybody),
        row("GET", &domain, json!({}), Everybody),
        row("GET", format!("{domain}/zone-file"), json!({}), Everybody),
        row("POST", "/v0/domains", json!({"domain": format!("{name}s.example")}), Mighty),
        row("PATCH", &domain, json!({"feedback_enabled": false}), Mighty),
        row("POST", format!("{domain}/verify"), json!({}), Mighty),
        row("DELETE", &domain, json!({}), Mighty),
        row("GET", "/v0/billing", json!({}), Mighty),
        unconfigured(row("POST", "/v0/billing/checkout", json!({"plan": "startup"}), Mighty)),
        unconfigured(row("POST", "/v0/billing/portal", json!({}), Mighty)),
        row("GET", "/v0/suppressions", json!({}), Everybody),
    ];
    for level in ["/v0".to_owned(), pod.clone(), agent.inbox("")] {
        let list = format!("{level}/lists/receive/block");
        let (entry, theirs) = (format!("{name}.example"), format!("{list}/{name}.example"));
        agent.post(&list, json!({"entry": entry})).await.ok();
        rows.push(row("GET", &list, json!({}), Everybody));
        rows.push(row("GET", &theirs, json!({}), Everybody));
        rows.push(row("POST", &list, json!({"entry": format!("{name}s.example")}), Mighty));
        rows.push(row("DELETE", theirs, json!({}), Mighty));
    }
    rows.push(row("DELETE", pod, json!({}), Mighty));
    rows
}

#[tokio::test]
async fn every_operation_on_drafts_lists_pods_domains_and_billing_is_for_the_roles_it_is_for() {
    let (server, agent) = server_and_agent().await;
    server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    let owner = person(&server, "owner@example.org").await;
    let admin = joined(&server, &agent, "admin@example.org", "admin", json!([])).await;
    let member = joined(&server, &agent, "maria@example.org", "member", json!([])).await;
    let callers: [(&str, &Http); 3] = [("owner", &owner), ("admin", &admin), ("member", &member)];
    for (role, caller) in callers {
        for row in rows(&agent, role).await {
            let request = Request::new(row.method, &row.path);
            let request = if ["POST", "PATCH"].contains(&row.method) { request.json(&row.body) } else { request };
            let answer = caller.call(request).await;
            let what = format!("{role}: {} {}: {}", row.method, row.path, answer.text());
            if role == "member" && row.whose == Whose::Mighty {
                assert_eq!(answer.status, 403, "{what}");
                let envelope = answer.refused(403, "role_not_allowed");
                assert!(envelope["fix"].as_str().unwrap().contains("owner@example.org"), "{what}");
            } else {
                assert_eq!(answer.status, row.status, "{what}");
            }
        }
    }
}
