//! Tools that read threads and messages.

use inboxd_testkit::{MailBuilder, Persona};
use serde_json::{Value, json};

use super::client::ToolClient;
use super::parameters::World;
use crate::messages::hide;
use crate::support::{mail_to, receive};

/// Receives a mail of a sender to an address of the agent.
async fn mail_from(world: &World, from: &str, to: &str, subject: &str, text: &str) {
    let mail = MailBuilder::new(from, to, subject, text);
    let reply = world.server.deliver("sender@outside.example", &[to], mail.raw()).await;
    assert_eq!(reply.code, 250, "{reply:?}");
}

async fn hidden_mail(world: &World) {
    for label in crate::messages::HIDING {
        receive(&world.server, &world.agent, &mail_to(&world.agent, &format!("of {label}"))).await;
        let message = world.agent.message_about(&format!("of {label}")).await;
        hide(&world.server, &world.agent, &message["message_id"], label).await;
    }
}

/// Checks the parameters of a list of messages or threads that all of them have.
async fn filters(world: &mut World, tool: &str, list: &str, base: &Value) {
    let inbox_id = world.agent.inbox_id.clone();
    let with = |more: Value| {
        let mut arguments = base.clone();
        arguments["inboxId"] = json!(inbox_id);
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let tools = world.tools.clone();
    let subjects = async |more: Value| tools.texts(tool, with(more), list, "subject").await;
    let all = subjects(json!({"limit": 50})).await;
    assert!(all.len() >= 4, "{all:?}");
    let reversed: Vec<String> = all.iter().rev().cloned().collect();
    assert_eq!(subjects(json!({"limit": 50, "ascending": true})).await, reversed);
    let first = tools.call(tool, with(json!({"limit": 1}))).await;
    assert_eq!((&first["count"], &first[list][0]["subject"]), (&json!(1), &json!(all[0])));
    assert_eq!(first["next"]["tool"], tool);
    let second = tools.call(tool, first["next"]["arguments"].clone()).await;
    assert_eq!(second[list][0]["subject"], json!(all[1]));
    let second = tools.call(tool, with(json!({"limit": 1, "pageToken": first["nextPageToken"]}))).await;
    assert_eq!(second[list][0]["subject"], json!(all[1]));
    assert_eq!(subjects(json!({"labels": ["unread"], "limit": 50})).await.len(), all.len());
    assert_eq!(subjects(json!({"labels": ["no-such-label"]})).await, Vec::<String>::new());
    let middle = tools.call(tool, with(json!({"limit": 50}))).await[list][1]["timestamp"].clone();
    assert_eq!(subjects(json!({"before": middle, "limit": 50})).await, all[2..]);
    assert_eq!(subjects(json!({"after": middle})).await, all[..1]);
    for label in crate::messages::HIDING {
        let mut parameter = format!("include_{label}");
        parameter = parameter.replace(&format!("_{label}"), &format!("{}{}", label[..1].to_uppercase(), &label[1..]));
        assert!(!all.contains(&format!("of {label}")));
        assert!(subjects(json!({&parameter: true, "limit": 50})).await.contains(&format!("of {label}")), "{parameter}");
    }
    world.observed(
        tool,
        "inboxId limit pageToken labels before after ascending includeSpam includeBlocked includeUnauthenticated \
         includeTrash",
    );
}

pub(crate) async fn lists(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let tagged = inbox_id.replace('@', "+shop@");
    mail_from(world, "Bob <bob@one.example>", &inbox_id, "first about tea", "green").await;
    mail_from(world, "Carol <carol@two.example>", &inbox_id, "second about coffee", "black").await;
    mail_from(world, "Carol <carol@two.example>", &tagged, "third about tea", "white").await;
    mail_from(world, "Dave <dave@three.example>", &inbox_id, "fourth about water", "clear").await;
    hidden_mail(world).await;
    filters(world, "list_messages", "messages", &json!({})).await;
    filters(world, "list_threads", "threads", &json!({})).await;
    filters(world, "search_messages", "messages", &json!({"q": "about"})).await;
    filters(world, "search_threads", "threads", &json!({"q": "about"})).await;
    let tools = world.tools.clone();
    for (tool, list) in [("search_messages", "messages"), ("search_threads", "threads")] {
        let found = tools.texts(tool, json!({"inboxId": inbox_id, "q": "black"}), list, "subject").await;
        assert_eq!(found, ["second about coffee"], "{tool}");
        let arguments = json!({"inboxId": inbox_id, "q": "blac coffee -tea", "match": "words"});
        assert_eq!(tools.texts(tool, arguments.clone(), list, "subject").await, ["second about coffee"], "{tool}");
        let found = tools.call(tool, arguments).await[list][0]["highlights"].clone();
        assert_eq!(found, json!({"subject": ["second about **coffee**"], "text": ["**blac**k"]}), "{tool}");
        world.observed(tool, "q match");
    }
    for (arguments, expected) in [
        (json!({"from": ["carol"], "subject": ["tea"]}), vec!["third about tea"]),
        (json!({"from": ["carol", "two.example"]}), vec!["third about tea", "second about coffee"]),
        (json!({"to": ["+shop@"]}), vec!["third about tea"]),
        (json!({"deliveredTo": tagged}), vec!["third about tea"]),
        (json!({"tag": "shop"}), vec!["third about tea"]),
    ] {
        let mut arguments = arguments;
        arguments["inboxId"] = json!(inbox_id);
        assert_eq!(
            tools.texts("list_messages", arguments.clone(), "messages", "subject").await,
            expected,
            "{arguments}"
        );
    }
    world.observed("list_messages", "from to subject deliveredTo tag");
    for (arguments, expected) in [
        (json!({"q": "about", "deliveredTo": tagged}), vec!["third about tea"]),
        (json!({"q": "about", "tag": "shop"}), vec!["third about tea"]),
    ] {
        let mut arguments = arguments;
        arguments["inboxId"] = json!(inbox_id);
        assert_eq!(tools.texts("search_messages", arguments.clone(), "messages", "subject").await, expected);
    }
    world.observed("search_messages", "deliveredTo tag");
    let thread = world.agent.message_about("fourth about water").await["thread_id"].clone();
    let assigned = json!({"inboxId": inbox_id, "threadId": thread, "assigneeId": "me", "addLabels": ["hot"]});
    let updated = tools.call("update_thread", assigned).await;
    assert!(updated["labels"].as_array().unwrap().contains(&json!("hot")), "{updated:#}");
    for (arguments, expected) in [
        (json!({"senders": ["carol"], "subject": ["tea"]}), vec!["third about tea"]),
        (json!({"recipients": ["+shop@"]}), vec!["third about tea"]),
        (json!({"assignee": "me"}), vec!["fourth about water"]),
        (json!({"labels": ["hot"]}), vec!["fourth about water"]),
    ] {
        let mut arguments = arguments;
        arguments["inboxId"] = json!(inbox_id);
        assert_eq!(tools.texts("list_threads", arguments.clone(), "threads", "subject").await, expected, "{arguments}");
    }
    world.observed("list_threads", "senders recipients subject assignee");
    let freed = json!({"inboxId": inbox_id, "threadId": thread, "assigneeId": null, "removeLabels": ["hot"]});
    let updated = tools.call("update_thread", freed).await;
    assert_eq!(updated["assignee"], Value::Null);
    assert!(!updated["labels"].as_array().unwrap().contains(&json!("hot")));
    world.observed("update_thread", "inboxId threadId assigneeId addLabels removeLabels");
}

pub(crate) async fn threads(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let tools = world.tools.clone();
    let first = mail_to(&world.agent, "long talk").id("<talk-1@outside.example>");
    receive(&world.server, &world.agent, &first).await;
    let second = mail_to(&world.agent, "Re: long talk").header("In-Reply-To", "<talk-1@outside.example>");
    receive(&world.server, &world.agent, &second).await;
    let thread = world.agent.message_about("long talk").await["thread_id"].clone();
    let arguments = json!({"inboxId": inbox_id, "threadId": thread});
    let read = tools.call("get_thread", arguments.clone()).await;
    let subjects = |read: &Value| -> Vec<String> {
        crate::support::text_fields(read, "messages", "subject").into_iter().map(str::to_owned).collect()
    };
    assert_eq!(subjects(&read), ["long talk", "Re: long talk"]);
    assert_eq!(read["messages"][0]["extractedText"], "About long talk.");
    let newest = tools.call("get_thread", json!({"inboxId": inbox_id, "threadId": thread, "limit": 1})).await;
    assert_eq!(subjects(&newest), ["Re: long talk"]);
    let next = json!({"inboxId": inbox_id, "threadId": thread, "limit": 1, "pageToken": newest["nextPageToken"]});
    assert_eq!(newest["next"], json!({"tool": "get_thread", "arguments": next}));
    assert_eq!(subjects(&tools.call("get_thread", next).await), ["long talk"]);
    world.observed("get_thread", "inboxId threadId limit pageToken");
    let note = json!({"inboxId": inbox_id, "threadId": thread, "text": "call back", "clientId": "note-1"});
    let written = tools.call("create_note", note.clone()).await;
    assert_eq!(tools.call("create_note", note).await["noteId"], written["noteId"]);
    let read = tools.call("get_thread", arguments.clone()).await;
    assert_eq!((&read["notes"][0]["text"], read["notes"].as_array().unwrap().len()), (&json!("call back"), 1));
    world.observed("create_note", "inboxId threadId text clientId");
    let noted = |skipped: u32| json!({"inboxId": inbox_id, "threadId": thread, "notesOffset": skipped});
    let shown = tools.call("get_thread", noted(0)).await;
    assert_eq!((&shown["notes"][0]["text"], &shown["messages"]), (&json!("call back"), &json!([])));
    assert_eq!(tools.call("get_thread", noted(1)).await["notes"], json!([]));
    world.observed("get_thread", "notesOffset");
    let named = json!({"inboxId": inbox_id, "threadId": thread, "noteId": written["noteId"]});
    tools.call("delete_note", named).await;
    assert_eq!(tools.call("get_thread", arguments.clone()).await["notes"], json!([]));
    world.observed("delete_note", "inboxId threadId noteId");
    assert_eq!(tools.call("delete_thread", arguments.clone()).await["deleted"], true);
    assert_eq!(tools.refused("get_thread", arguments).await["code"], "not_found");
    world.observed("delete_thread", "inboxId threadId");
}

pub(crate) async fn messages(world: &mut World) {
    let inbox_id = world.agent.inbox_id.clone();
    let tools = world.tools.clone();
    let text = format!("New words. {}\n\nOn Monday, Scout wrote:\n> Old words.\n", "abcdefghij ".repeat(20));
    let mail = MailBuilder::new("Alice <alice@outside.example>", &inbox_id, "quoted", &text)
        .html("<p>New words.</p>")
        .attach("data.csv", "text/csv", b"a,b\n1,2\n");
    receive(&world.server, &world.agent, &mail).await;
    let message = world.agent.message_about("quoted").await;
    let named = json!({"inboxId": inbox_id, "messageId": message["message_id"]});
    let with = |more: Value| {
        let mut arguments = named.clone();
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        arguments
    };
    let read = tools.call("get_message", named.clone()).await;
    assert!(!read["extractedText"].as_str().unwrap().contains("Old words"), "{read:#}");
    assert!(read.get("html").is_none() && read.get("text").is_none());
    let quoted = tools.call("get_message", with(json!({"includeQuoted": true, "includeHtml": true}))).await;
    assert!(quoted["text"].as_str().unwrap().contains("Old words"), "{quoted:#}");
    assert!(quoted["html"].as_str().unwrap().contains("<p>New words.</p>"));
    let part = tools.call("get_message", with(json!({"maxChars": 20}))).await;
    assert_eq!(part["extractedText"], read["extractedText"].as_str().unwrap()[..20]);
    assert_eq!(part["truncated"][0]["returned"], 20);
    let next = part["next"]["arguments"].clone();
    assert_eq!((&next["offset"], &next["maxChars"]), (&json!(20), &json!(20)));
    let rest = tools.call("get_message", next).await;
    assert_eq!(rest["extractedText"], read["extractedText"].as_str().unwrap()[20..40]);
    world.observed("get_message", "inboxId messageId offset maxChars includeHtml includeQuoted");

    let attachment = &read["attachments"][0];
    assert_eq!((&attachment["filename"], &attachment["contentType"]), (&json!("data.csv"), &json!("text/csv")));
    download(&world.agent, &world.server.base_url(), &attachment["downloadUrl"], b"a,b\n1,2\n").await;
    let file =
        json!({"inboxId": inbox_id, "threadId": message["thread_id"], "attachmentId": attachment["attachmentId"]});
    let got = tools.call("get_attachment", file.clone()).await;
    assert_eq!((&got["text"], &got["messageId"]), (&json!("a,b\n1,2"), &message["message_id"]));
    download(&world.agent, &world.server.base_url(), &got["downloadUrl"], b"a,b\n1,2\n").await;
    let mut part = file.clone();
    part["offset"] = json!(2);
    part["maxChars"] = json!(1);
    let got = tools.call("get_attachment", part).await;
    assert_eq!((&got["text"], &got["next"]["arguments"]["offset"]), (&json!("b"), &json!(3)));
    let linked = tools.try_call("get_attachment", file).await;
    assert_eq!(
        (&linked["content"][1]["type"], &linked["content"][1]["name"]),
        (&json!("resource_link"), &json!("data.csv"))
    );
    world.observed("get_attachment", "inboxId threadId attachmentId offset maxChars");

    let raw = tools.call("get_raw_message", named.clone()).await;
    let answer =
        world.agent.get(raw["downloadUrl"].as_str().unwrap().strip_prefix(&world.server.base_url()).unwrap()).await;
    assert!(answer.text().contains("Subject: quoted"), "{}", answer.text());
    world.observed("get_raw_message", "inboxId messageId");

    let changed = tools.call("update_message", with(json!({"addLabels": ["seen"], "removeLabels": ["unread"]}))).await;
    let labels = changed["labels"].as_array().unwrap();
    assert!(labels.contains(&json!("seen")) && !labels.contains(&json!("unread")), "{changed:#}");
    world.observed("update_message", "inboxId messageId addLabels removeLabels");
    assert_eq!(tools.call("delete_message", named.clone()).await["deleted"], true);
    assert_eq!(tools.refused("get_message", named).await["code"], "not_found");
    world.observed("delete_message", "inboxId messageId");
}

/// Checks the content behind a signed URL, which needs no key.
async fn download(agent: &Persona, base_url: &str, url: &Value, expected: &[u8]) {
    let target = url.as_str().unwrap().strip_prefix(base_url).unwrap_or_else(|| panic!("{url}"));
    let answer = agent.with_key("am_none").get(target).await;
    assert_eq!((answer.status, answer.text()), (200, String::from_utf8_lossy(expected).into_owned()));
}

#[tokio::test]
async fn thread_that_does_not_fit_shows_the_newest_and_leads_to_the_older_messages() {
    let world = World::new().await;
    for number in 0..30 {
        let mail = mail_to(&world.agent, &format!("{number:03} {}", "long subject ".repeat(40)))
            .id(&format!("<long-{number}@outside.example>"));
        let mail = if number == 0 { mail } else { mail.header("In-Reply-To", "<long-0@outside.example>") };
        receive(&world.server, &world.agent, &mail).await;
    }
    let thread = world.agent.messages().await[0]["thread_id"].clone();
    let named = json!({"inboxId": world.agent.inbox_id, "threadId": thread, "limit": 30});
    let (mut arguments, mut found) = (named.clone(), Vec::new());
    loop {
        let page = world.tools.call("get_thread", arguments).await;
        let subjects = crate::support::text_fields(&page, "messages", "subject");
        let part: Vec<String> = subjects.into_iter().map(|text| text[..3].to_owned()).collect();
        if found.is_empty() {
            assert!(part.len() < 30 && part.last().unwrap() == "029", "{part:?}");
            let cut = &page["truncated"][0];
            assert_eq!((&cut["field"], &cut["total"]), (&json!("messages"), &json!(30)), "{cut}");
        }
        found.splice(0..0, part);
        let Some(token) = page["nextPageToken"].as_str() else { break };
        arguments = named.clone();
        arguments["pageToken"] = json!(token);
    }
    assert_eq!(found, (0..30).map(|number| format!("{number:03}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn list_that_does_not_fit_leads_to_its_rest() {
    let mut world = World::new().await;
    let subject = |number: usize| format!("{number:03} {}", "long subject ".repeat(60));
    for number in 0..60 {
        receive(&world.server, &world.agent, &mail_to(&world.agent, &subject(number))).await;
    }
    let tools: ToolClient = world.tools.clone();
    let (mut arguments, mut found, mut calls) = (json!({"inboxId": world.agent.inbox_id, "limit": 60}), Vec::new(), 0);
    loop {
        let page = tools.call("list_messages", arguments).await;
        calls += 1;
        found.extend(
            crate::support::text_fields(&page, "messages", "subject").into_iter().map(|text| text[..3].to_owned()),
        );
        if page.get("nextPageToken").is_none() {
            break;
        }
        if page["count"] != page["limit"] {
            assert_eq!(page["truncated"][0]["field"], "messages", "{}", page["truncated"]);
        }
        arguments = page["next"]["arguments"].clone();
    }
    let expected: Vec<String> = (0..60).rev().map(|number| format!("{number:03}")).collect();
    assert_eq!(found, expected);
    assert!(calls > 1, "the page fits");
    world.observed("list_messages", "limit");
}
