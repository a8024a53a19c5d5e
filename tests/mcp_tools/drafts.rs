//! Tools of drafts.

use inboxd_testkit::MailBuilder;
use serde_json::{Value, json};

use super::parameters::World;
use crate::support::{in_seconds, receive};

pub(crate) async fn drafts(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let tools = world.tools.clone();
    let mail = MailBuilder::new("Alice <alice@outside.example>", &inbox_id, "draft me", "Please.")
        .header("Cc", "erin@outside.example")
        .id("<draft-me@outside.example>");
    receive(&world.server, &world.agent, &mail).await;
    let send_at = in_seconds(3_600);
    let whole = json!({
        "inboxId": inbox_id, "to": ["bob@outside.example"], "cc": ["carol@outside.example"],
        "bcc": ["dave@outside.example"], "replyTo": ["desk@elsewhere.example"], "subject": "a draft",
        "text": "draft text", "html": "<p>draft html</p>", "labels": ["later"],
        "attachments": [{"filename": "a.txt", "content": "aGk="}], "sendAt": send_at, "clientId": "draft-1",
    });
    let draft = tools.call("create_draft", whole.clone()).await;
    assert_eq!(tools.call("create_draft", whole).await["draftId"], draft["draftId"]);
    for (field, expected) in [
        ("to", json!(["bob@outside.example"])),
        ("cc", json!(["carol@outside.example"])),
        ("bcc", json!(["dave@outside.example"])),
        ("replyTo", json!(["desk@elsewhere.example"])),
        ("subject", json!("a draft")),
        ("text", json!("draft text")),
        ("html", json!("<p>draft html</p>")),
        ("sendStatus", json!("scheduled")),
        ("clientId", json!("draft-1")),
    ] {
        assert_eq!(draft[field], expected, "{field}: {draft:#}");
    }
    assert!(draft["labels"].as_array().unwrap().contains(&json!("later")));
    assert_eq!(draft["attachments"][0]["filename"], "a.txt");
    assert_eq!(draft["sendAt"].as_str().unwrap()[..19], send_at[..19]);
    let reply = json!({"inboxId": inbox_id, "inReplyTo": "<draft-me@outside.example>", "replyAll": true, "text": "x"});
    let reply = tools.call("create_draft", reply).await;
    assert_eq!(
        (&reply["to"], &reply["cc"]),
        (&json!(["Alice <alice@outside.example>"]), &json!(["erin@outside.example"]))
    );
    let forward =
        json!({"inboxId": inbox_id, "forwardOf": "<draft-me@outside.example>", "to": ["bob@outside.example"]});
    assert_eq!(tools.call("create_draft", forward).await["forwardOf"], "<draft-me@outside.example>");
    world.observed(
        "create_draft",
        "inboxId to cc bcc replyTo subject text html labels attachments inReplyTo replyAll forwardOf sendAt clientId",
    );
    lists(world).await;
    updates(world, &draft).await;
    sends(world).await;
}

async fn lists(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let tools = world.tools.clone();
    let subjects = async |more: Value| {
        let mut arguments = more;
        arguments["inboxId"] = json!(inbox_id);
        tools.texts("list_drafts", arguments, "drafts", "draftId").await
    };
    let all = subjects(json!({})).await;
    assert_eq!(all.len(), 3);
    let reversed: Vec<String> = all.iter().rev().cloned().collect();
    assert_eq!(subjects(json!({"ascending": true})).await, reversed);
    assert_eq!(subjects(json!({"labels": ["later"]})).await, all[2..]);
    let middle = tools.call("list_drafts", json!({"inboxId": inbox_id})).await["drafts"][1]["updatedAt"].clone();
    assert_eq!(subjects(json!({"before": middle})).await, all[2..]);
    assert_eq!(subjects(json!({"after": middle})).await, all[..1]);
    let first = tools.call("list_drafts", json!({"inboxId": inbox_id, "limit": 1})).await;
    let second = json!({"inboxId": inbox_id, "limit": 1, "pageToken": first["nextPageToken"]});
    assert_eq!(tools.call("list_drafts", second).await["drafts"][0]["draftId"], json!(all[1]));
    world.observed("list_drafts", "inboxId limit pageToken labels before after ascending");
}

async fn updates(world: &mut World, draft: &Value) {
    let inbox_id = world.agent.inbox_id.clone();
    let tools = world.tools.clone();
    let named = json!({"inboxId": inbox_id, "draftId": draft["draftId"]});
    let with = |more: Value| {
        let mut arguments = named.clone();
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let changed = with(json!({
        "to": ["ben@outside.example"], "cc": ["cat@outside.example"], "bcc": ["dan@outside.example"],
        "replyTo": ["help@elsewhere.example"], "subject": "changed", "text": "new text", "html": "<p>new</p>",
        "sendAt": in_seconds(7_200), "addLabels": ["now"], "removeLabels": ["later"],
        "addAttachments": [{"filename": "b.txt", "content": "aGk="}],
        "removeAttachments": [draft["attachments"][0]["attachmentId"]],
    }));
    let updated = tools.call("update_draft", changed).await;
    for (field, expected) in [
        ("to", json!(["ben@outside.example"])),
        ("cc", json!(["cat@outside.example"])),
        ("bcc", json!(["dan@outside.example"])),
        ("replyTo", json!(["help@elsewhere.example"])),
        ("subject", json!("changed")),
        ("text", json!("new text")),
        ("html", json!("<p>new</p>")),
    ] {
        assert_eq!(updated[field], expected, "{field}: {updated:#}");
    }
    assert_ne!(updated["sendAt"], draft["sendAt"]);
    let attached = crate::support::text_fields(&updated, "attachments", "filename");
    assert_eq!(attached, ["b.txt"]);
    let labels = updated["labels"].as_array().unwrap();
    assert!(labels.contains(&json!("now")) && !labels.contains(&json!("later")), "{labels:?}");
    let cleared = tools.call("update_draft", with(json!({"cc": null, "sendAt": null, "html": null}))).await;
    assert!(cleared.get("cc").is_none() && cleared.get("sendAt").is_none() && cleared.get("html").is_none());
    world.observed(
        "update_draft",
        "inboxId draftId to cc bcc replyTo subject text html sendAt addAttachments removeAttachments addLabels removeLabels",
    );
    let part = tools.call("get_draft", with(json!({"offset": 4, "maxChars": 2}))).await;
    assert_eq!((&part["text"], &part["next"]["arguments"]["offset"]), (&json!("te"), &json!(6)));
    world.observed("get_draft", "inboxId draftId offset maxChars");
    assert_eq!(tools.call("delete_draft", named.clone()).await["deleted"], true);
    assert_eq!(tools.refused("get_draft", named).await["code"], "not_found");
    world.observed("delete_draft", "inboxId draftId");
}

async fn sends(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let tools = world.tools.clone();
    let automatic = MailBuilder::new("Robot <robot@outside.example>", &inbox_id, "away", "Away.")
        .header("Auto-Submitted", "auto-replied")
        .id("<away@outside.example>");
    receive(&world.server, &world.agent, &automatic).await;
    let draft = json!({
        "inboxId": inbox_id, "inReplyTo": "<away@outside.example>", "subject": "sent draft", "text": "x",
        "labels": ["one", "two"],
    });
    let draft = tools.call("create_draft", draft).await;
    let mut arguments = json!({
        "inboxId": inbox_id, "draftId": draft["draftId"], "addLabels": ["three"], "removeLabels": ["two"],
        "idempotencyKey": "draft-1",
    });
    let key = json!({"name": "drafter", "permissions": {"draft_send": true, "message_read": true}});
    let key = super::client::ToolClient::new(&world.agent.create_key("/v0/api-keys", key).await);
    let refused = key.refused("send_draft", arguments.clone()).await;
    assert!(refused["fix"].as_str().unwrap().contains("allow_automatic"), "{refused:#}");
    arguments["allowAutomatic"] = json!(true);
    let mut dry = arguments.clone();
    dry["dryRun"] = json!(true);
    let shown = tools.call("send_draft", dry).await;
    assert_eq!((&shown["result"], &shown["message"]["subject"]), (&json!("send"), &json!("sent draft")), "{shown:#}");
    let sent = key.call("send_draft", arguments.clone()).await;
    assert_eq!(sent["to"], json!(["Robot <robot@outside.example>"]), "{sent:#}");
    let labels = sent["labels"].as_array().unwrap();
    assert!(labels.contains(&json!("one")) && labels.contains(&json!("three")) && !labels.contains(&json!("two")));
    world.relay.mail_about("sent draft").await;
    assert_eq!(key.call("send_draft", arguments).await["messageId"], sent["messageId"]);
    world.observed("send_draft", "inboxId draftId addLabels removeLabels allowAutomatic idempotencyKey dryRun");
}
