//! Rights of each role for drafts, lists, pods, domains and billing: one row for each operation.

use inboxd_testkit::{HttpClient, HttpRequest, Persona};
use serde_json::{Value, json};

use crate::people::{invite_and_join, sign_in_client};
use crate::support::{in_seconds, server_and_agent};

/// Roles that an operation permits.
#[derive(Debug, Clone, Copy, PartialEq)]
enum PermittedRoles {
    /// Every role.
    Everybody,
    /// Owner and admins.
    Mighty,
}

struct OperationRow {
    method: &'static str,
    path: String,
    body: Value,
    whose: PermittedRoles,
    /// Status for permitted callers.
    status: u16,
}

fn row(method: &'static str, path: impl Into<String>, body: Value, whose: PermittedRoles) -> OperationRow {
    let status = if method == "DELETE" { 204 } else { 200 };
    OperationRow { method, path: path.into(), body, whose, status }
}

/// Returns the rows, with separate resources to change and delete. `name` distinguishes those of each caller.
async fn rows(agent: &Persona, name: &str) -> Vec<OperationRow> {
    use PermittedRoles::{Everybody, Mighty};
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
    let unconfigured = |row: OperationRow| OperationRow { status: 409, ..row };
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
async fn operations_are_permitted_to_their_roles_only() {
    let (server, agent) = server_and_agent().await;
    server.command(&["admin", "plan", &agent.organization_id, "startup"]).await;
    let owner = sign_in_client(&server, "owner@example.org").await;
    let admin = invite_and_join(&server, &agent, "admin@example.org", "admin", json!([])).await;
    let member = invite_and_join(&server, &agent, "maria@example.org", "member", json!([])).await;
    let callers: [(&str, &HttpClient); 3] = [("owner", &owner), ("admin", &admin), ("member", &member)];
    for (role, caller) in callers {
        for row in rows(&agent, role).await {
            let request = HttpRequest::new(row.method, &row.path);
            let request = if ["POST", "PATCH"].contains(&row.method) { request.json(&row.body) } else { request };
            let answer = caller.call(request).await;
            let what = format!("{role}: {} {}: {}", row.method, row.path, answer.text());
            if role == "member" && row.whose == PermittedRoles::Mighty {
                assert_eq!(answer.status, 403, "{what}");
                let envelope = answer.require_error(403, "role_not_allowed");
                assert!(envelope["fix"].as_str().unwrap().contains("owner@example.org"), "{what}");
            } else {
                assert_eq!(answer.status, row.status, "{what}");
            }
        }
    }
}
