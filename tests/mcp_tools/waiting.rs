//! Tools of events and the wait for a message.

use std::time::{Duration, Instant};

use inboxd_testkit::MailBuilder;
use serde_json::{Value, json};

use super::client::{ToolClient, bad_arguments};
use super::parameters::World;
use crate::messages::hide;
use crate::support::{in_seconds, mail_to, receive, server_and_agent, text_fields};

pub(crate) async fn events(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let tools = world.tools.clone();
    let other = tools.call("create_inbox", json!({"username": "events"})).await["inboxId"].as_str().unwrap().to_owned();
    let newest = tools.call("list_events", json!({"limit": 1})).await;
    let last = newest["events"][0].clone();
    assert_eq!(newest["count"], 1);
    let second = tools.call("list_events", newest["next"]["arguments"].clone()).await;
    assert_ne!(second["events"][0]["eventId"], last["eventId"]);
    let of = async |arguments: Value| tools.texts("list_events", arguments, "events", "messageId").await;
    for (to, id) in [(&inbox_id, "<event-1@outside.example>"), (&other, "<event-2@outside.example>")] {
        let mail = MailBuilder::new("Alice <alice@outside.example>", to, "an event", "x").id(id);
        world.server.deliver("alice@outside.example", &[to], mail.raw()).await;
    }
    let after = json!({"afterEventId": last["eventId"], "eventTypes": ["message.received"]});
    let received = async || {
        let found = of(after.clone()).await;
        (found.len() == 2).then_some(found)
    };
    let found = inboxd_testkit::eventually("both events", received).await;
    assert_eq!(found, ["<event-1@outside.example>", "<event-2@outside.example>"]);
    let both = json!({"eventTypes": ["message.received"], "limit": 2});
    assert_eq!(of(both).await, ["<event-2@outside.example>", "<event-1@outside.example>"]);
    assert_eq!(of(json!({"inboxId": other, "eventTypes": ["message.received"]})).await, ["<event-2@outside.example>"]);
    let page = tools.call("list_events", json!({"afterEventId": last["eventId"], "limit": 1})).await;
    assert_eq!(page["events"][0]["messageId"], "<event-1@outside.example>");
    let page = tools.call("list_events", page["next"]["arguments"].clone()).await;
    assert_eq!(page["events"][0]["messageId"], "<event-2@outside.example>");
    assert_eq!(page["events"][0]["message"]["subject"], "an event");
    assert!(page["events"][0]["message"].get("text").is_none());
    assert_eq!(of(json!({"start": in_seconds(60), "end": in_seconds(120)})).await, Vec::<String>::new());
    let oldest = json!({"ascending": true, "limit": 200, "eventTypes": ["message.received"]});
    assert_eq!(of(oldest).await.last().unwrap(), "<event-2@outside.example>");
    assert_eq!(tools.refused("list_events", json!({"eventTypes": ["no.such"]})).await["code"], "unknown_event_type");
    world.observed("list_events", "inboxId eventTypes afterEventId limit pageToken start end ascending");
    traces(world).await;
    waits(world).await;
}

/// Checks the filters of the trace.
async fn traces(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let tools = world.tools.clone();
    let [tina, tom] = ["<tina@outside.example>", "<tom@outside.example>"];
    for (sender, id) in [("tina@outside.example", tina), ("tom@outside.example", tom)] {
        let mail = MailBuilder::new(sender, &inbox_id, "traced", "x").id(id);
        world.server.deliver(sender, &[&inbox_id], mail.raw()).await.require_code(250, "2");
    }
    let traced = async |mut arguments: Value| {
        arguments["inboxId"] = json!(inbox_id);
        tools.call("get_trace", arguments).await
    };
    let ids = async |arguments: Value| {
        let result = traced(arguments).await;
        text_fields(&result, "trace", "messageId").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let entry = traced(json!({"messageId": tom})).await["trace"][0].clone();
    assert_eq!((&entry["kind"], &entry["messageId"]), (&json!("message.received"), &json!(tom)));
    assert_eq!(entry["detail"]["from"], "tom@outside.example");
    assert!(entry["detail"]["trust"]["verdict"].is_string(), "{entry:#}");
    let first = traced(json!({"with": "tina@outside.example"})).await["trace"][0].clone();
    assert_eq!(first["messageId"], tina);
    assert_eq!(ids(json!({"threadId": entry["threadId"]})).await, [tom]);
    let both = json!({"start": first["at"], "ascending": true});
    assert_eq!(ids(both).await, [tina, tom]);
    let page = traced(json!({"start": first["at"], "limit": 1})).await;
    assert_eq!((&page["count"], &page["trace"][0]["messageId"]), (&json!(1), &json!(tom)));
    assert_eq!(page["next"]["tool"], "get_trace");
    let page = tools.call("get_trace", page["next"]["arguments"].clone()).await;
    assert_eq!(page["trace"][0]["messageId"], tina);
    assert_eq!(ids(json!({"start": first["at"], "end": first["at"]})).await, Vec::<String>::new());
    let refused = tools.refused("get_trace", json!({"inboxId": inbox_id, "with": "nobody"})).await;
    assert_eq!(bad_arguments(&refused), ["with"]);
    world.observed("get_trace", "inboxId messageId threadId with limit pageToken start end ascending");
}

/// Checks the filters of a wait with mail that is there already.
async fn waits(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let tools = world.tools.clone();
    let before = "2026-01-01T00:00:00Z";
    let tagged = inbox_id.replace('@', "+code@");
    let mail = MailBuilder::new("Eve <eve@five.example>", &tagged, "your code", "Your verification code is 483920.");
    world.server.deliver("eve@five.example", &[&tagged], mail.raw()).await;
    for found in [
        json!({"from": ["eve", "five.example"]}),
        json!({"subject": ["your code"]}),
        json!({"deliveredTo": tagged, "subject": ["code"]}),
        json!({"tag": "code"}),
    ] {
        let mut arguments = found;
        arguments["inboxId"] = json!(inbox_id);
        let none = tools.call("wait_for_message", {
            let mut now = arguments.clone();
            now["timeoutSeconds"] = json!(0);
            now
        });
        assert_eq!(none.await["found"], false, "mail from before the wait");
        arguments["after"] = json!(before);
        let read = tools.call("wait_for_message", arguments.clone()).await;
        assert_eq!((&read["found"], &read["subject"]), (&json!(true), &json!("your code")), "{arguments}");
        assert_eq!(read["extractedCodes"][0]["code"], "483920");
    }
    let none = json!({"inboxId": inbox_id, "subject": ["never"], "after": before, "timeoutSeconds": 1});
    let started = Instant::now();
    assert_eq!(tools.call("wait_for_message", none).await, json!({"found": false, "waitedSeconds": 1}));
    assert!(started.elapsed() >= Duration::from_secs(1));
    world.observed("wait_for_message", "inboxId from subject after timeoutSeconds deliveredTo tag");
    for label in crate::messages::HIDING {
        let subject = format!("awaited {label}");
        receive(&world.server, &world.agent, &mail_to(&world.agent, &subject)).await;
        let id = world.agent.message_about(&subject).await["message_id"].clone();
        hide(&world.server, &world.agent, &id, label).await;
        let parameter = format!("include{}{}", label[..1].to_uppercase(), &label[1..]);
        let mut arguments = json!({"inboxId": inbox_id, "subject": [subject], "after": before, "timeoutSeconds": 0});
        assert_eq!(tools.call("wait_for_message", arguments.clone()).await["found"], false);
        arguments[&parameter] = json!(true);
        assert_eq!(tools.call("wait_for_message", arguments).await["found"], true, "{parameter}");
        world.observed("wait_for_message", &parameter);
    }
}

#[tokio::test]
async fn wait_ends_with_the_message() {
    let (server, agent) = server_and_agent().await;
    let tools = ToolClient::new(&agent);
    let inbox_id = agent.inbox_id.clone();
    let waiting = tokio::spawn(async move {
        tools.call("wait_for_message", json!({"inboxId": inbox_id, "from": ["alice"], "timeoutSeconds": 30})).await
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    let started = Instant::now();
    receive(&server, &agent, &mail_to(&agent, "here I am")).await;
    let read = waiting.await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!((&read["found"], &read["subject"]), (&json!(true), &json!("here I am")));
    assert!(read["notice"].as_str().unwrap().contains("untrusted"));
}
