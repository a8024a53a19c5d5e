//! Tools that send: each parameter reaches the mail at a relay.

use base64::Engine as _;
use inboxd_testkit::MailBuilder;
use serde_json::{Value, json};

use super::client::{ToolClient, bad_arguments};
use super::parameters::World;
use crate::drafts::far_future;
use crate::support::{receive, run_concurrently};

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

/// Returns the arguments that all sending tools have.
fn content(subject: &str, name: &str) -> Value {
    json!({
        "subject": subject,
        "text": format!("text of {name}"),
        "html": format!("<p>html of {name}</p>"),
        "labels": ["told"],
        "replyTo": ["desk@elsewhere.example"],
        "attachments": [{
            "filename": format!("{name}.png"), "contentType": "image/png", "contentDisposition": "inline",
            "contentId": "logo", "content": base64(b"\x89PNG"),
        }],
    })
}

fn united(mut left: Value, right: Value) -> Value {
    let Value::Object(right) = right else { panic!("{right}") };
    left.as_object_mut().unwrap().extend(right);
    left
}

/// Checks that a sent mail has the fields of [`content`].
async fn check_content(world: &World, subject: &str, name: &str, sent: &Value) {
    let mail = world.relay.mail_about(subject).await;
    let read = inboxd_mail::parse(&mail.raw);
    assert!(read.text.as_deref().unwrap_or_default().contains(&format!("text of {name}")), "{}", mail.text());
    assert!(read.html.as_deref().unwrap_or_default().contains(&format!("html of {name}")), "{}", mail.text());
    assert!(mail.header("Reply-To").contains("desk@elsewhere.example"), "{}", mail.text());
    let filename = format!("{name}.png");
    let part = read.attachments.iter().find(|part| part.filename.as_deref() == Some(&filename)).unwrap();
    assert_eq!(part.content_type.as_deref(), Some("image/png"));
    assert_eq!(inboxd_mail::attachment_content(&mail.raw, part.part).unwrap(), b"\x89PNG");
    let stored = world.agent.get(&world.agent.message(&sent["messageId"], "")).await.ok();
    assert!(stored["labels"].as_array().unwrap().contains(&json!("told")), "{stored:#}");
    let logo = stored["attachments"].as_array().unwrap().iter().find(|file| file["filename"] == filename.as_str());
    assert_eq!(logo.unwrap()["content_id"], "logo");
    assert_eq!((&stored["to"], &stored["subject"]), (&sent["to"], &sent["subject"]));
}

/// Returns the envelope recipients of the mails about a subject.
async fn recipients(world: &World, subject: &str, count: usize) -> Vec<String> {
    let found = async || {
        let mails = world.relay.mails();
        let about = mails.iter().filter(|mail| mail.header("Subject") == subject);
        let mut found: Vec<String> = about.flat_map(|mail| mail.to.clone()).collect();
        found.sort();
        found.dedup();
        (found.len() >= count).then_some(found)
    };
    inboxd_testkit::eventually(&format!("{count} recipients of {subject}"), found).await
}

/// Checks the parameters that delay a send or only show it.
async fn check_time_and_dry_run(world: &mut World, tool: &str, arguments: Value) {
    let count = world.agent.messages().await.len();
    let shown = world.tools.call(tool, united(arguments.clone(), json!({"dryRun": true}))).await;
    assert_eq!((&shown["dryRun"], &shown["result"]), (&json!(true), &json!("send")), "{shown:#}");
    for time in [json!({"undoSeconds": 3600}), json!({"sendAt": far_future()})] {
        let sent = world.tools.call(tool, united(arguments.clone(), time)).await;
        let named = json!({"inboxId": world.agent.inbox_id, "messageId": sent["messageId"]});
        let cancelled = world.tools.call("cancel_message", named).await;
        assert_eq!(cancelled["messageId"], sent["messageId"], "{cancelled:#}");
        let draft = json!({"inboxId": world.agent.inbox_id, "draftId": cancelled["draftId"]});
        assert_eq!(world.tools.call("delete_draft", draft).await["deleted"], true);
    }
    assert_eq!(world.agent.messages().await.len(), count, "nothing was sent");
    world.observed(tool, "dryRun undoSeconds sendAt");
    world.observed("cancel_message", "inboxId messageId");
}

pub(crate) async fn sends(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let audience = json!({
        "inboxId": inbox_id, "to": ["Bob <bob@outside.example>"], "cc": ["carol@outside.example"],
        "bcc": ["dave@outside.example"], "idempotencyKey": "send-1",
    });
    let arguments = united(content("tool sends", "send"), audience);
    let sent = world.tools.call("send_message", arguments.clone()).await;
    assert_eq!(sent["to"], json!(["Bob <bob@outside.example>"]), "{sent:#}");
    assert_eq!((&sent["cc"], &sent["bcc"]), (&json!(["carol@outside.example"]), &json!(["dave@outside.example"])));
    assert!(sent["notice"].as_str().unwrap().contains("untrusted"));
    check_content(world, "tool sends", "send", &sent).await;
    let expected = ["bob@outside.example", "carol@outside.example", "dave@outside.example"];
    assert_eq!(recipients(world, "tool sends", 3).await, expected);
    // A repeat with the key sends nothing more, and the key belongs to these arguments.
    assert_eq!(world.tools.call("send_message", arguments.clone()).await["messageId"], sent["messageId"]);
    let other = united(arguments, json!({"subject": "other"}));
    assert_eq!(world.tools.refused("send_message", other).await["code"], "conflict");
    let plain = json!({"inboxId": inbox_id, "to": ["bob@outside.example"], "subject": "later", "text": "x"});
    check_time_and_dry_run(world, "send_message", plain).await;
    world.observed("send_message", "inboxId to cc bcc subject text html labels attachments replyTo idempotencyKey");
}

pub(crate) async fn replies(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let mail = MailBuilder::new("Alice <alice@outside.example>", &inbox_id, "a question", "Shall we?")
        .header("Cc", "erin@outside.example")
        .id("<question@outside.example>");
    receive(&world.server, &world.agent, &mail).await;
    let named = json!({"inboxId": inbox_id, "messageId": "<question@outside.example>"});
    let arguments =
        united(named.clone(), united(content("Re: a question", "reply"), json!({"idempotencyKey": "reply-1"})));
    let sent = world.tools.call("reply_to_message", arguments.clone()).await;
    assert_eq!(sent["to"], json!(["Alice <alice@outside.example>"]), "{sent:#}");
    assert_eq!(sent["inReplyTo"], "<question@outside.example>");
    check_content(world, "Re: a question", "reply", &sent).await;
    assert_eq!(world.tools.call("reply_to_message", arguments).await["messageId"], sent["messageId"]);
    let everyone = united(named.clone(), json!({"subject": "to everyone", "text": "x", "replyAll": true}));
    world.tools.call("reply_to_message", everyone).await;
    assert_eq!(recipients(world, "to everyone", 2).await, ["alice@outside.example", "erin@outside.example"]);
    let chosen = json!({
        "subject": "to chosen", "text": "x", "to": ["frank@outside.example"], "cc": ["grace@outside.example"],
        "bcc": ["heidi@outside.example"],
    });
    let sent = world.tools.call("reply_to_message", united(named.clone(), chosen)).await;
    assert_eq!(sent["to"], json!(["frank@outside.example"]));
    let expected = ["frank@outside.example", "grace@outside.example", "heidi@outside.example"];
    assert_eq!(recipients(world, "to chosen", 3).await, expected);
    let both = united(named, json!({"text": "x", "replyAll": true, "cc": ["grace@outside.example"]}));
    assert_eq!(bad_arguments(&world.tools.refused("reply_to_message", both).await), ["cc"]);
    let automatic = MailBuilder::new("Robot <robot@outside.example>", &inbox_id, "out of office", "Away.")
        .header("Auto-Submitted", "auto-replied")
        .id("<automatic@outside.example>");
    receive(&world.server, &world.agent, &automatic).await;
    let named = json!({"inboxId": inbox_id, "messageId": "<automatic@outside.example>", "text": "x"});
    assert!(
        world.tools.refused("reply_to_message", named.clone()).await["fix"]
            .as_str()
            .unwrap()
            .contains("allow_automatic")
    );
    let allowed = united(named, json!({"allowAutomatic": true}));
    world.tools.call("reply_to_message", allowed.clone()).await;
    check_time_and_dry_run(world, "reply_to_message", allowed).await;
    let mail = MailBuilder::new("Eve <eve@outside.example>", &inbox_id, "elsewhere", "Answer me.")
        .header("Reply-To", "eve@collector.example")
        .id("<elsewhere@outside.example>");
    receive(&world.server, &world.agent, &mail).await;
    let named = json!({"inboxId": inbox_id, "messageId": "<elsewhere@outside.example>", "text": "yes"});
    let refused = world.tools.refused("reply_to_message", named.clone()).await;
    assert_eq!(refused["code"], "reply_to_elsewhere", "{refused:#}");
    world.tools.call("reply_to_message", united(named, json!({"confirmReplyTo": true}))).await;
    world.observed(
        "reply_to_message",
        "inboxId messageId replyAll to cc bcc replyTo subject text html labels attachments allowAutomatic \
         confirmReplyTo idempotencyKey",
    );
}

pub(crate) async fn forwards(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let mail = MailBuilder::new("Alice <alice@outside.example>", &inbox_id, "pass it on", "The news.")
        .attach("news.txt", "text/plain", b"news")
        .id("<news@outside.example>");
    receive(&world.server, &world.agent, &mail).await;
    let audience = json!({
        "inboxId": inbox_id, "messageId": "<news@outside.example>", "to": ["bob@outside.example"],
        "cc": ["carol@outside.example"], "bcc": ["dave@outside.example"], "idempotencyKey": "forward-1",
    });
    let arguments = united(content("the news", "forward"), audience);
    let sent = world.tools.call("forward_message", arguments.clone()).await;
    check_content(world, "the news", "forward", &sent).await;
    let mail = world.relay.mail_about("the news").await;
    assert!(mail.text().contains("The news."), "{}", mail.text());
    let expected = ["bob@outside.example", "carol@outside.example", "dave@outside.example"];
    assert_eq!(recipients(world, "the news", 3).await, expected);
    assert_eq!(world.tools.call("forward_message", arguments).await["messageId"], sent["messageId"]);
    let plain =
        json!({"inboxId": inbox_id, "messageId": "<news@outside.example>", "to": ["bob@outside.example"], "text": "x"});
    check_time_and_dry_run(world, "forward_message", plain).await;
    world.observed(
        "forward_message",
        "inboxId messageId to cc bcc replyTo subject text html labels attachments idempotencyKey",
    );
}

#[tokio::test]
async fn concurrent_repeats_with_a_key_send_one_mail() {
    let world = World::new().await;
    let arguments = json!({
        "inboxId": world.agent.inbox_id, "to": ["bob@outside.example"], "subject": "once", "text": "x",
        "idempotencyKey": "once-1",
    });
    let calls = (0..6).map(|_| {
        let (agent, arguments) = (world.agent.clone(), arguments.clone());
        async move {
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "send_message", "arguments": arguments}});
            let request = inboxd_testkit::HttpRequest::new("POST", "/mcp")
                .header("Accept", "application/json, text/event-stream")
                .header("MCP-Protocol-Version", "2025-11-25")
                .json(&body);
            agent.call(request).await
        }
    });
    let results: Vec<Value> =
        run_concurrently(calls).await.iter().map(|answer| answer.json()["result"].clone()).collect();
    assert!(results.iter().any(|result| result["isError"] != true), "{results:#?}");
    // Later repeats return the one message.
    ToolClient::new(&world.agent).call("send_message", arguments).await;
    world.relay.mail_about("once").await;
    let sent = world.agent.messages().await;
    assert_eq!(sent.iter().filter(|message| message["subject"] == "once").count(), 1);
}

#[tokio::test]
async fn client_that_hung_up_may_repeat_its_call() {
    let world = World::new().await;
    let body = |subject: &str| {
        let arguments = json!({
            "inboxId": world.agent.inbox_id, "to": ["bob@outside.example"], "subject": subject, "text": "x",
        });
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "send_message", "arguments": arguments}})
    };
    let request = |subject: &str| {
        inboxd_testkit::HttpRequest::new("POST", "/mcp")
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", "2025-11-25")
            .json(&body(subject))
    };
    for round in 0..5 {
        let subject = format!("hung up {round}");
        drop(world.agent.start_request(request(&subject)).await);
        let repeated = world.agent.call(request(&subject)).await.json();
        assert_ne!(repeated["result"]["isError"], true, "{repeated:#}");
        let sent = world.agent.messages().await;
        assert_eq!(sent.iter().filter(|message| message["subject"] == subject.as_str()).count(), 1);
    }
    // A result that was read is no reason to hold back an equal mail.
    for _ in 0..2 {
        world.agent.call(request("twice")).await.ok();
    }
    let sent = world.agent.messages().await;
    assert_eq!(sent.iter().filter(|message| message["subject"] == "twice").count(), 2);
}
