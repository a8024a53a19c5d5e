//! `GET /v0/inboxes/{inbox_id}/trace`: what happened to messages.

use inboxd_testkit::{HttpClient, Persona, WebhookReceiver, encoded, eventually};
use serde_json::{Value, json};

use crate::send_methods::receive_question;
use crate::sending::{server_with_relay, server_with_relay_and_options, wait_for_event};
use crate::support::{mail_to, options, read_pages, receive, server_and_agent, text_fields};
use crate::webhooks::delivery::{agent_with_local_webhooks, create_webhook_to};

/// Returns the entries that a query finds, oldest first. Reads, which are recorded seconds later, are left out.
async fn trace(agent: &Persona, query: &str) -> Vec<Value> {
    let mut entries = whole_trace(agent, &agent.inbox_id, query).await;
    entries.retain(|entry| entry["kind"] != "message.read");
    entries
}

async fn whole_trace(client: &HttpClient, inbox_id: &str, query: &str) -> Vec<Value> {
    let target = format!("/v0/inboxes/{}/trace?ascending=true&limit=200&{query}", encoded(inbox_id));
    client.get(&target).await.ok()["trace"].as_array().unwrap().clone()
}

/// Returns the reads that a query finds, oldest first, once there are this many.
async fn reads(client: &HttpClient, inbox_id: &str, query: &str, count: usize) -> Vec<Value> {
    eventually("the reads are recorded", async || {
        let mut entries = whole_trace(client, inbox_id, query).await;
        entries.retain(|entry| entry["kind"] == "message.read");
        (entries.len() == count).then_some(entries)
    })
    .await
}

/// Returns the kinds of the entries that a query finds, oldest first.
async fn kinds(agent: &Persona, query: &str) -> Vec<String> {
    trace(agent, query).await.iter().map(|entry| entry["kind"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn trace_of_sent_message_has_each_attempt_with_words_of_the_server() {
    let (relay, _server, agent) = server_with_relay().await;
    relay.reply_once("busy@outside.example", "451 4.7.1 try again later");
    let sent = agent.send(json!({"to": "busy@outside.example", "subject": "patience", "text": "hello"})).await;
    let id = &sent["message_id"];
    wait_for_event(&agent, "message.delivered", id).await;
    let entries = trace(&agent, &format!("message_id={}", encoded(id.as_str().unwrap()))).await;
    let kinds: Vec<&str> = entries.iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["message.sent", "delivery.attempted", "delivery.attempted", "message.delivered"]);
    for entry in &entries {
        assert_eq!((&entry["message_id"], &entry["thread_id"]), (id, &sent["thread_id"]));
    }
    let message = agent.get(&agent.message(id, "")).await.ok();
    assert_eq!(entries[0]["actor"], message["sent_by"]);
    assert_eq!(entries[0]["detail"]["recipients"], json!([{"address": "busy@outside.example"}]));
    let [deferred, delivered] = [1, 2].map(|place: usize| &entries[place]["detail"]);
    assert_eq!((&deferred["attempt"], &delivered["attempt"]), (&json!(1), &json!(2)));
    assert!(deferred["next_attempt_at"].is_string() && delivered.get("next_attempt_at").is_none());
    let result = &deferred["results"][0];
    assert_eq!((&result["result"], &result["recipients"]), (&json!("deferred"), &json!(["busy@outside.example"])));
    assert!(result["reply"].as_str().unwrap().contains("451 4.7.1 try again later"), "{result:#}");
    let result = &delivered["results"][0];
    assert_eq!((&result["result"], &result["server"]), (&json!("delivered"), &json!("the relay")));
    assert!(result["reply"].as_str().unwrap().starts_with("250"), "{result:#}");
    assert!(result["tls"].is_boolean());
}

#[tokio::test]
async fn trace_has_judgement_labels_answer_bounce_and_webhook_attempts() {
    let options = options().set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32");
    let (relay, server, agent) = server_with_relay_and_options(options).await;
    let receiver = WebhookReceiver::start().await;
    let hook = create_webhook_to(&agent, &receiver, json!({"event_types": ["message.received"]})).await;
    let question = receive_question(&server, &agent, "bob@outside.example").await;
    let id = &question["message_id"];
    agent.patch(&agent.message(id, ""), json!({"add_labels": ["urgent"]})).await.ok();
    relay.set_reply("bob@outside.example", "550 5.1.1 no such user");
    let sent = agent.post(&agent.message(id, "/reply"), json!({"text": "yes"})).await.ok();
    wait_for_event(&agent, "message.bounced", &sent["message_id"]).await;
    let thread = format!("thread_id={}", question["thread_id"].as_str().unwrap());
    let entries = eventually("the webhook was told", async || {
        let entries = trace(&agent, &thread).await;
        entries[0]["detail"]["webhook_attempts"].is_array().then_some(entries)
    })
    .await;
    let kinds: Vec<&str> = entries.iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["message.received", "label.added", "message.sent", "delivery.attempted", "message.bounced"],
        "{entries:#?}"
    );
    let judged = &entries[0]["detail"];
    assert_eq!(judged["trust"], agent.get(&agent.message(id, "")).await.ok()["trust"]);
    assert!(judged["from"].as_str().unwrap().contains("bob@outside.example"));
    let told = &judged["webhook_attempts"][0];
    assert_eq!((&told["webhook_id"], &told["status_code"]), (&hook["webhook_id"], &json!(200)), "{told:#}");
    assert!(told["duration_ms"].is_u64());
    assert_eq!((&entries[1]["detail"]["label"], &entries[1]["actor"]["type"]), (&json!("urgent"), &json!("api_key")));
    assert_eq!(entries[2]["detail"]["in_reply_to"], *id);
    let refused = &entries[3]["detail"]["results"][0];
    assert_eq!((&refused["result"], &refused["status"]), (&json!("refused"), &json!("5.1.1")));
    assert_eq!(refused["reply"], "550 5.1.1 no such user");
    assert_eq!(entries[4]["detail"]["recipients"], json!([{"address": "bob@outside.example", "status": "5.1.1"}]));

    let reader = json!({"name": "reader", "permissions": {"message_read": true}});
    let reader = agent.create_key("/v0/api-keys", reader).await;
    let mut seen = whole_trace(&reader, &agent.inbox_id, &thread).await;
    seen.retain(|entry| entry["kind"] != "message.read");
    assert_eq!(seen.len(), 5);
    assert_eq!(seen[0]["detail"].get("webhook_attempts"), None);
}

#[tokio::test]
async fn filters_select_message_correspondent_and_time() {
    let (server, agent) = server_and_agent().await;
    for name in ["anna", "bob"] {
        let mail = inboxd_testkit::MailBuilder::new(&format!("{name}@outside.example"), "scout", name, "hello");
        receive(&server, &agent, &mail.id(&format!("<{name}@outside.example>"))).await;
    }
    assert_eq!(kinds(&agent, "").await, ["message.received", "message.received"]);
    let with_anna = trace(&agent, "with=Anna@outside.example").await;
    assert_eq!(text_fields(&json!({"entries": with_anna}), "entries", "message_id"), ["<anna@outside.example>"]);
    assert_eq!(kinds(&agent, "with=na@outside.example").await, [""; 0]);
    let of_bob = trace(&agent, &format!("message_id={}", encoded("<bob@outside.example>"))).await;
    assert_eq!(trace(&agent, "message_id=bob@outside.example").await, of_bob, "angle brackets are optional");
    let at = of_bob[0]["at"].as_str().unwrap();
    assert_eq!(trace(&agent, &format!("start={at}")).await, of_bob);
    assert_eq!(trace(&agent, &format!("end={at}")).await, with_anna);
    assert_eq!(kinds(&agent, "message_id=unknown").await, [""; 0]);
    for (query, field) in [("with=nobody", "with"), ("thread_id=x", "thread_id"), ("start=x", "start")] {
        assert_eq!(agent.get(&agent.inbox(&format!("/trace?{query}"))).await.bad_fields(), [field]);
    }
    let pages = read_pages(&agent, &agent.inbox("/trace?limit=1"), "trace", "message_id").await;
    assert_eq!(pages, ["<bob@outside.example>", "<anna@outside.example>"]);
}

#[tokio::test]
async fn trace_shows_no_more_than_its_reader_may_see() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    agent.patch(&agent.message(&json!("<1@outside.example>"), ""), json!({"add_labels": ["trash"]})).await.ok();
    assert_eq!(kinds(&agent, "").await, ["message.received", "label.added"]);
    let key = |permissions: Value| {
        let body = json!({"name": "key", "permissions": permissions});
        agent.create_key("/v0/api-keys", body)
    };
    let reader = key(json!({"message_read": true})).await;
    assert_eq!(reader.get(&agent.inbox("/trace")).await.ok()["count"], 0);
    let reader = key(json!({"message_read": true, "label_trash_read": true})).await;
    assert_eq!(reader.get(&agent.inbox("/trace")).await.ok()["count"], 2);
    let other = key(json!({"event_read": true})).await;
    other.get(&agent.inbox("/trace")).await.require_error(403, "missing_permission");
    let stranger = server.verified("other@example.net", "other").await;
    stranger.get(&agent.inbox("/trace")).await.require_error(404, "not_found");
}

#[tokio::test]
async fn ordinary_key_sees_rejected_sends_and_webhooks_in_its_scope() {
    let (_server, agent) = agent_with_local_webhooks().await;
    let receiver = WebhookReceiver::start().await;
    create_webhook_to(&agent, &receiver, json!({"event_types": ["message.rejected"]})).await;
    agent.post("/v0/lists/send/block", json!({"entry": "outside.example"})).await.ok();
    let letter = json!({"to": "bob@outside.example", "text": "hello"});
    agent.post(&agent.inbox("/messages/send"), letter).await.require_error(403, "recipient_blocked");
    let mut entries = eventually("the webhook was told", async || {
        let entries = trace(&agent, "").await;
        entries[0]["detail"]["webhook_attempts"].is_array().then_some(entries)
    })
    .await;
    let rejected = &entries[0];
    assert!(rejected["detail"]["reason"].as_str().unwrap().contains("outside.example"), "{rejected:#}");
    let thread = format!("thread_id={}", rejected["thread_id"].as_str().unwrap());
    assert_eq!(kinds(&agent, &thread).await, ["message.rejected"]);
    // The webhook of the organization is outside the scope of a key of the inbox.
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({"name": "of the inbox"})).await;
    entries[0]["detail"].as_object_mut().unwrap().remove("webhook_attempts");
    assert_eq!(whole_trace(&key, &agent.inbox_id, "").await, entries);
}

#[tokio::test]
async fn operator_reads_trace_of_any_inbox() {
    let (relay, server, agent) = server_with_relay().await;
    relay.set_reply("gone@outside.example", "550 5.1.1 no such user");
    let sent = agent.send(json!({"to": "gone@outside.example", "subject": "hello", "text": "hello"})).await;
    let id = sent["message_id"].as_str().unwrap();
    wait_for_event(&agent, "message.bounced", &sent["message_id"]).await;
    let run = async |arguments: &[&str]| {
        let output =
            server.command(&[&["admin", "trace", "--inbox", agent.inbox_id.as_str()][..], arguments].concat()).await;
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = run(&["--message", id]).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(lines[0].contains("message.sent") && lines[0].contains("by API key"), "{text}");
    assert!(lines[1].contains("attempt 1: refused for gone@outside.example at the relay"), "{text}");
    assert!(lines[1].ends_with("550 5.1.1 no such user") && lines[2].contains("message.bounced"), "{text}");
    let objects: Vec<Value> = run(&["--with", "gone@outside.example", "--json"])
        .await
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(objects, trace(&agent, "").await);
    assert_eq!(run(&["--since", "2999-01-01T00:00:00Z"]).await, "");
    let unknown = server.command(&["admin", "trace", "--inbox", "nobody@inboxd.localhost"]).await;
    assert!(!unknown.status.success());
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("no inbox has the address"), "{unknown:?}");
}

/// Returns the refusals that a query finds, oldest first, once there are this many.
async fn refusals(agent: &Persona, query: &str, count: usize) -> Vec<Value> {
    eventually("the refusals are recorded", async || {
        let mut entries = trace(agent, query).await;
        entries.retain(|entry| entry["kind"] == "smtp.refused");
        (entries.len() == count).then_some(entries)
    })
    .await
}

#[tokio::test]
async fn mail_refused_at_smtp_is_traced_for_its_inbox() {
    let (server, agent) = server_and_agent().await;
    let stranger = server.verified("other@example.net", "other").await;
    let looping = "Received: from a by b; Fri, 20 Nov 2026 10:00:00 +0000\r\n".repeat(26);
    let looping = format!("{looping}From: bob@outside.example\r\nSubject: again\r\n\r\nhello\r\n");
    let reply = server.deliver("bob@outside.example", &[&agent.inbox_id, &stranger.inbox_id], looping).await;
    assert_eq!(reply.code, 554, "{reply:?}");
    let found = refusals(&agent, "with=bob@outside.example", 1).await;
    assert_eq!((found[0].get("message_id"), found[0].get("actor")), (None, None));
    let refusal = &found[0]["detail"]["refusal"];
    assert_eq!(
        (&refusal["stage"], &refusal["code"], &refusal["status"]),
        (&json!("data"), &json!(554), &json!("5.4.6"))
    );
    assert_eq!((&refusal["client"], &refusal["recipient"]), (&json!("127.0.0.1"), &json!(agent.inbox_id)));
    assert!(refusal["reply"].as_str().unwrap().starts_with("mail loop"), "{refusal:#}");
    assert_eq!(refusals(&stranger, "with=bob@outside.example", 1).await.len(), 1);

    agent.patch(&agent.inbox(""), json!({"status": "paused"})).await.ok();
    let nobody = agent.inbox_id.replace("scout@", "nobody@");
    let reply = server.deliver("eve@outside.example", &[&nobody], "Subject: x\r\n\r\n").await;
    assert_eq!(reply.code, 550, "{reply:?}");
    for _ in 0..3 {
        let reply = server.deliver("anna@outside.example", &[&agent.inbox_id], "Subject: x\r\n\r\n").await;
        assert_eq!(reply.code, 450, "{reply:?}");
    }
    // The clock hour may change between the refusals.
    let counted = eventually("all refusals are counted", async || {
        let found = trace(&agent, "with=anna@outside.example").await;
        let count: u64 = found.iter().map(|entry| entry["detail"]["refusal"]["count"].as_u64().unwrap()).sum();
        (count == 3).then_some(found)
    })
    .await;
    assert!(counted.len() <= 2, "{counted:#?}");
    assert_eq!(counted[0]["detail"]["refusal"]["stage"], "rcpt");
    assert_eq!(counted[0]["detail"]["refusal"]["helo"], found[0]["detail"]["refusal"]["helo"]);
    assert_eq!(trace(&agent, "with=eve@outside.example").await, [] as [Value; 0]);
    assert_eq!(trace(&stranger, "with=anna@outside.example").await, [] as [Value; 0]);
    let of_message = format!("message_id={}", encoded("<1@outside.example>"));
    assert_eq!(trace(&agent, &of_message).await, [] as [Value; 0]);
    let pages = read_pages(&agent, &agent.inbox("/trace?limit=1"), "trace", "entry_id").await;
    assert_eq!(pages.len(), 1 + counted.len());

    let output = server.command(&["admin", "trace", "--inbox", &agent.inbox_id]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("smtp.refused") && text.contains("from <bob@outside.example>"), "{text}");
}

#[tokio::test]
async fn first_read_of_each_reader_is_traced() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "secret").id("<1@outside.example>")).await;
    receive(&server, &agent, &mail_to(&agent, "other").id("<2@outside.example>")).await;
    let id = json!("<1@outside.example>");
    let of_message = format!("message_id={}", encoded("<1@outside.example>"));
    // Lists are no reads.
    let listed = agent.get(&agent.inbox("/messages")).await.ok();
    assert_eq!(listed["count"], 2);
    agent.get(&agent.message(&id, "/raw")).await.ok();
    let message = agent.get(&agent.message(&id, "")).await.ok();
    let reader = agent.create_key("/v0/api-keys", json!({"name": "reader"})).await;
    reader.get(&format!("/v0/threads/{}", message["thread_id"].as_str().unwrap())).await.ok();
    let found = reads(&agent, &agent.inbox_id, &of_message, 2).await;
    for (entry, part) in found.iter().zip(["raw", "message"]) {
        assert_eq!((&entry["detail"], &entry["actor"]["type"]), (&json!({"part": part}), &json!("api_key")));
        assert_eq!((&entry["message_id"], &entry["thread_id"]), (&id, &message["thread_id"]));
        assert!(entry["entry_id"].as_str().unwrap().starts_with("frd_"), "{entry:#}");
    }
    assert_eq!(found[1]["actor"]["name"], "reader");
    assert_eq!(reads(&agent, &agent.inbox_id, "", 2).await, found);
    let output = server.command(&["admin", "trace", "--inbox", &agent.inbox_id]).await;
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("by API key reader; first read of the message"), "{text}");
}

#[tokio::test]
async fn reads_of_hidden_mail_are_hidden() {
    let (server, agent) = server_and_agent().await;
    receive(&server, &agent, &mail_to(&agent, "1").id("<1@outside.example>")).await;
    let id = json!("<1@outside.example>");
    agent.get(&agent.message(&id, "")).await.ok();
    reads(&agent, &agent.inbox_id, "", 1).await;
    let body = json!({"name": "key", "permissions": {"message_read": true}});
    let reader = agent.create_key("/v0/api-keys", body).await;
    assert_eq!(reads(&reader, &agent.inbox_id, "", 1).await.len(), 1);
    agent.patch(&agent.message(&id, ""), json!({"add_labels": ["trash"]})).await.ok();
    assert_eq!(whole_trace(&reader, &agent.inbox_id, "").await, [] as [Value; 0]);
}
