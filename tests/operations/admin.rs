//! `inboxd admin`: commands of operators, also while the server runs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inboxd_testkit::eventually;
use serde_json::json;

use crate::support::server;

#[tokio::test]
async fn operators_list_organizations_and_captured_mail() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let code = server.log().code_for("owner@example.org").await;
    let output = server.command(&["admin", "organizations"]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(&agent.organization_id) && text.contains("owner@example.org"), "{text}");
    let output = server.command(&["admin", "captured"]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(&code) && text.contains("to owner@example.org"), "{text}");
}

#[tokio::test]
async fn terminal_is_not_controlled_by_captured_mail() {
    let server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let title = "\u{1b}]0;title\u{7}";
    let forwarded = STANDARD.encode(format!("From: a@outside.example\r\n\r\na{title}b\r\n"));
    let attachments = json!([{"content": forwarded, "content_type": "message/rfc822"}]);
    agent.send(json!({"to": "bob@outside.example", "subject": "controls", "attachments": attachments})).await;
    let output = eventually("the mail is captured", async || {
        let output = server.command(&["admin", "captured", "--limit", "1"]).await;
        Some(String::from_utf8(output.stdout).unwrap()).filter(|text| text.contains("controls"))
    })
    .await;
    assert!(output.contains(title), "{output}");
    let shown = server.command_on_terminal("admin captured --limit 1").await;
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("a]0;titleb") && !shown.contains(['\u{1b}', '\u{7}']), "{shown}");
}

#[tokio::test]
async fn plan_set_by_operator_applies_immediately() {
    let server = server().await;
    let agent = server.verified("owner@example.org", "scout").await;
    let organization = async || agent.get("/v0/organizations").await.ok();
    assert_eq!((&organization().await["plan"], &organization().await["inbox_limit"]), (&"free".into(), &3.into()));
    for (plan, inboxes) in [("startup", 25.into()), ("enterprise", serde_json::Value::Null), ("free", 3.into())] {
        let output = server.command(&["admin", "plan", &agent.organization_id, plan]).await;
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&agent.organization_id) && text.contains(plan), "{text}");
        assert_eq!((&organization().await["plan"], &organization().await["inbox_limit"]), (&plan.into(), &inboxes));
        let listed = server.command(&["admin", "organizations"]).await;
        let listed = String::from_utf8(listed.stdout).unwrap();
        let line = listed.lines().find(|line| line.contains(&agent.organization_id)).unwrap();
        assert!(line.contains(plan) && line.contains(" verified ") && line.contains("owner@example.org"), "{line}");
    }
}

#[tokio::test]
async fn unknown_plan_or_organization_is_named() {
    let server = server().await;
    let agent = server.sign_up("owner@example.org", "scout").await;
    let nobody = "org_00000000000000000000000000000000";
    for (organization_id, plan, word) in
        [(nobody, "startup", nobody), (&agent.organization_id, "gold", "gold"), ("acme", "startup", "acme")]
    {
        let output = server.command(&["admin", "plan", organization_id, plan]).await;
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && text.contains(word), "{text}");
    }
    assert_eq!(agent.get("/v0/organizations").await.ok()["plan"], "free");
}
