//! Writing: composer, drafts, undo, approval.

use inboxd_testkit::{HttpRequest, Persona, eventually};
use serde_json::{Value, json};

use super::signed_in;
use crate::browser::{Browser, Page};
use crate::support::{mail_to, receive, server_and_agent, uuid};

/// Returns the path of a page below the inbox of an agent.
fn path(agent: &Persona, rest: &str) -> String {
    format!("/console/inboxes/{}{rest}", inboxd_testkit::encoded(&agent.inbox_id))
}

/// Returns the drafts of an agent, newest first.
async fn drafts(agent: &Persona) -> Vec<Value> {
    agent.get("/v0/drafts").await.ok()["drafts"].as_array().unwrap().clone()
}

/// Returns the path of the page of the only draft.
async fn draft_page(agent: &Persona) -> String {
    let drafts = drafts(agent).await;
    let [draft] = drafts.as_slice() else { panic!("{drafts:?}") };
    path(agent, &format!("/drafts/{}", draft["draft_id"].as_str().unwrap()))
}

#[tokio::test]
async fn sent_message_can_be_undone_and_leaves_after_ten_seconds() {
    let (server, agent) = server_and_agent().await;
    let mut person = signed_in(&server, "owner@example.org").await;
    let compose = path(&agent, "/compose");
    let page = person.get(&compose).await.require_console(200, "New message");
    page.require_text(&agent.inbox_id);
    page.require_text("owner@example.org");
    let fields = [("to", "Bob <bob@outside.example>"), ("subject", "Hello"), ("text", "First.\r\n\r\nSecond.")];
    let sent = person.submit(&page, &compose, &fields).await;
    let draft = draft_page(&agent).await;
    assert_eq!(sent.location(), format!("{draft}/sending"));
    // A second click finds the same draft.
    assert_eq!(person.submit(&page, &compose, &fields).await.location(), sent.location());
    let sending = person.get(&sent.location()).await.require_console(200, "Sending");
    let undo = format!("{draft}/unschedule");
    assert_eq!(person.submit(&sending, &undo, &[]).await.location(), format!("{draft}?notice=unscheduled"));
    let stopped = drafts(&agent).await.remove(0);
    assert_eq!((&stopped["to"], stopped.get("send_at")), (&json!(["Bob <bob@outside.example>"]), None));
    assert_eq!(agent.messages().await.len(), 0);

    let page = person.get(&draft).await.require_console(200, "Draft");
    assert_eq!(page.form(&draft).iter().find(|(name, _)| name == "text").unwrap().1, "First.\n\nSecond.");
    let sent = person.submit(&page, &draft, &[]).await;
    assert_eq!(sent.location(), format!("{draft}/sending"));
    assert_eq!(agent.messages().await.len(), 0);
    let message = eventually("the message is sent", async || agent.messages().await.pop()).await;
    assert_eq!((&message["subject"], &message["sent_by"]["email"]), (&json!("Hello"), &json!("owner@example.org")));
    person.get(&sent.location()).await.require_console(200, "Sent");
    assert_eq!(agent.messages().await.len(), 1);
}

#[tokio::test]
async fn refusal_keeps_what_was_typed_and_names_the_recipient() {
    let (server, agent) = server_and_agent().await;
    agent.post("/v0/lists/send/block", json!({"entry": "eve@outside.example", "reason": "spy"})).await.ok();
    let mut person = signed_in(&server, "owner@example.org").await;
    let compose = path(&agent, "/compose");
    let page = person.get(&compose).await;
    for (to, words) in [
        ("", "Add at least one recipient"),
        ("bob@outside.example, nobody", "“nobody” is no address"),
        ("eve@outside.example", "eve@outside.example"),
    ] {
        let typed = [("to", to), ("subject", "Kept <b>subject</b>"), ("text", "Kept text")];
        let refused = person.submit(&page, &compose, &typed).await;
        assert_eq!(refused.response.status, 422, "{to}: {}", refused.text());
        refused.require_text(words);
        let form = refused.form(&draft_page(&agent).await);
        for (name, value) in typed {
            assert!(form.contains(&(name.to_owned(), value.to_owned())), "{name}: {form:?}");
        }
    }
    let draft = draft_page(&agent).await;
    for (send_at, offset) in [("", ""), ("2020-01-01T10:00", ""), ("2100-01-01T10:00", "x")] {
        let fields =
            [("to", "bob@outside.example"), ("action", "schedule"), ("send_at", send_at), ("send_at_offset", offset)];
        let page = person_page(&mut person, &draft).await;
        let refused = person.submit(&page, &draft, &fields).await;
        assert_eq!(refused.response.status, 422, "{send_at}: {}", refused.text());
    }
    assert_eq!(drafts(&agent).await[0].get("send_at"), None);
    assert_eq!(agent.messages().await.len(), 0);
}

/// Returns a fresh page, whose revision is the stored one.
async fn person_page(person: &mut Browser, path: &str) -> Page {
    let page = person.get(path).await;
    assert_eq!(page.response.status, 200, "{}", page.text());
    page
}

#[tokio::test]
async fn draft_is_scheduled_in_the_zone_of_the_writer_and_cancelled() {
    let (server, agent) = server_and_agent().await;
    let mut person = signed_in(&server, "owner@example.org").await;
    let compose = path(&agent, "/compose");
    let page = person.get(&compose).await;
    let fields = [
        ("to", "bob@outside.example"),
        ("subject", "Later"),
        ("action", "schedule"),
        ("send_at", "2100-01-01T10:00"),
        ("send_at_offset", "-60"),
    ];
    let scheduled = person.submit(&page, &compose, &fields).await;
    let draft = draft_page(&agent).await;
    assert_eq!(scheduled.location(), format!("{draft}?notice=scheduled"));
    assert_eq!(drafts(&agent).await[0]["send_at"], "2100-01-01T09:00:00.000Z");
    let page = person_page(&mut person, &draft).await;
    page.require_text("2100-01-01 09:00 UTC");
    // Typing alone must not change a scheduled message.
    assert!(!page.text().contains("data-autosave="), "{}", page.text());
    let cancelled = person.submit(&page, &format!("{draft}/unschedule"), &[]).await;
    assert_eq!(cancelled.location(), format!("{draft}?notice=unscheduled"));
    let page = person_page(&mut person, &draft).await;
    assert!(page.text().contains("data-autosave="), "{}", page.text());
    assert_eq!(
        person.submit(&page, &format!("{draft}/delete"), &[]).await.location(),
        "/console/drafts?notice=discarded"
    );
    assert_eq!(drafts(&agent).await, Vec::<Value>::new());
    assert_eq!(person.get(&draft).await.response.status, 404);
}

#[tokio::test]
async fn reply_begins_with_recipients_and_subject_of_its_message() {
    let (server, agent) = server_and_agent().await;
    let mail = mail_to(&agent, "Lunch").id("<lunch@outside.example>").header("Cc", "\"B, Bob\" <bob@outside.example>");
    receive(&server, &agent, &mail).await;
    agent.message_about("Lunch").await;
    let mut person = signed_in(&server, "owner@example.org").await;
    for (kind, title, to, cc, subject) in [
        ("reply", "Reply", "Alice <alice@outside.example>", "", "Re: Lunch"),
        ("reply-all", "Reply to all", "Alice <alice@outside.example>", "\"B, Bob\" <bob@outside.example>", "Re: Lunch"),
        ("forward", "Forward", "", "", "Fwd: Lunch"),
    ] {
        let compose = path(&agent, "/compose");
        let target = format!("{compose}?kind={kind}&message_id=%3Clunch%40outside.example%3E");
        let page = person.get(&target).await.require_console(200, title);
        page.require_text("About Lunch.");
        let form = page.form(&compose);
        for (name, value) in [("to", to), ("cc", cc), ("subject", subject)] {
            assert!(form.contains(&(name.to_owned(), value.to_owned())), "{kind} {name}: {form:?}");
        }
        let fields = [("action", "save"), ("cc", ""), ("text", "Yes.")];
        let saved = person.submit(&page, &compose, &fields).await;
        let draft = drafts(&agent).await.remove(0);
        let id = draft["draft_id"].as_str().unwrap();
        assert_eq!(saved.location(), format!("{}?notice=saved", path(&agent, &format!("/drafts/{id}"))));
        assert_eq!((draft["subject"].as_str(), draft.get("cc")), (Some(subject), None));
        let original = if kind == "forward" { "forward_of" } else { "in_reply_to" };
        assert_eq!(draft[original], "<lunch@outside.example>");
    }
    let unknown = path(&agent, "/compose?kind=reply&message_id=%3Cnone%40outside.example%3E");
    person.get(&unknown).await.require_console(404, "This did not work");
}

#[tokio::test]
async fn draft_of_agent_is_approved_as_it_was_read() {
    let (server, agent) = server_and_agent().await;
    let body = json!({"to": "bob@outside.example", "subject": "Offer", "text": "100 EUR"});
    let draft = agent.create_key("/v0/api-keys", json!({"name": "robot"})).await;
    let made = draft.post(&agent.inbox("/drafts"), body).await.ok();
    let api = agent.inbox(&format!("/drafts/{}", made["draft_id"].as_str().unwrap()));
    let mut person = signed_in(&server, "owner@example.org").await;
    let list = person.get("/console/drafts").await.require_console(200, "Drafts");
    for words in ["Waiting for approval", "Offer", "API key robot", "Approve and send"] {
        list.require_text(words);
    }
    let page = draft_page(&agent).await;
    let approve = format!("{page}/send");
    draft.patch(&api, json!({"text": "100,000 EUR"})).await.ok();
    let refused = person.submit(&list, &approve, &[]).await;
    refused.require_console(409, "Draft").require_text("100,000 EUR");
    assert_eq!(drafts(&agent).await[0].get("send_at"), None);
    let list = person.get("/console/drafts").await;
    assert_eq!(person.submit(&list, &approve, &[]).await.location(), format!("{page}/sending"));
    assert!(!person.get("/console/drafts").await.text().contains("class=\"badge\">Waiting for approval"));
    for (state, is_listed) in [("waiting", false), ("draft", false), ("failed", false), ("scheduled", true)] {
        let list = person.get(&format!("/console/drafts?inbox_id=&state={state}")).await;
        assert_eq!(list.text().contains("Offer"), is_listed, "{state}: {}", list.text());
    }
    // The ten seconds end at once.
    server.database().execute("UPDATE drafts SET send_at = now(), due_at = now()").await;
    let message = eventually("the message is sent", async || agent.messages().await.pop()).await;
    assert_eq!(message["sent_by"]["email"], "owner@example.org");
}

#[tokio::test]
async fn draft_that_its_list_cuts_is_read_before_it_is_sent() {
    let (server, agent) = server_and_agent().await;
    let robot = agent.create_key("/v0/api-keys", json!({"name": "robot"})).await;
    let plain = json!({"to": "bob@outside.example", "subject": "Offer", "text": "100 EUR"});
    let mut person = signed_in(&server, "owner@example.org").await;
    for (field, value) in [
        ("html", json!("<p>1 EUR</p>")),
        ("text", json!("x".repeat(2_000))),
        ("reply_to", json!(["eve@outside.example"])),
        ("attachments", json!([{"filename": "a.txt", "content": "YQ=="}])),
        ("bcc", json!((0..20).map(|number| format!("person-{number}@outside.example")).collect::<Vec<_>>())),
    ] {
        let mut body = plain.clone();
        body[field] = value;
        let made = robot.post(&agent.inbox("/drafts"), body).await.ok();
        let page = draft_page(&agent).await;
        let list = person.get("/console/drafts").await.require_console(200, "Drafts");
        list.require_text("Read and send");
        let approve = format!("{page}/send");
        assert!(!list.text().contains(&approve), "{field}: {}", list.text());
        // A forced form leads to the page of the draft.
        let token = list.values("csrf_token").remove(0);
        let shown = person.get(&page).await;
        let revision = shown.values("revision").remove(0);
        let fields = [("csrf_token".to_owned(), token), ("revision".to_owned(), revision)];
        let refused = person.post(&approve, &fields).await.require_console(409, "Draft");
        refused.require_text("does not show all of this draft");
        assert_eq!(drafts(&agent).await[0].get("send_at"), None, "{field}");
        agent.delete(&agent.inbox(&format!("/drafts/{}", made["draft_id"].as_str().unwrap()))).await;
    }
}

#[tokio::test]
async fn reached_quota_is_told_before_the_send() {
    let (server, agent) = server_and_agent().await;
    let organization_id = uuid(&json!(agent.organization_id)).to_owned();
    let use_up = format!("INSERT INTO send_counts SELECT '{organization_id}', (now() AT TIME ZONE 'UTC')::date, 1000");
    server.database().execute(&use_up).await;
    let mut person = signed_in(&server, "owner@example.org").await;
    let compose = path(&agent, "/compose");
    let page = person.get(&compose).await;
    let fields = [("to", "bob@outside.example"), ("subject", "Hello"), ("text", "Hello")];
    let refused = person.submit(&page, &compose, &fields).await.require_console(422, "Draft");
    refused.require_text("The plan allows at most 1000 messages a month. Schedule it for later");
    assert_eq!(drafts(&agent).await[0].get("send_at"), None);
    // The quota of another day is not known yet.
    let draft = draft_page(&agent).await;
    let later = [("action", "schedule"), ("send_at", "2100-01-01T10:00")];
    assert_eq!(person.submit(&refused, &draft, &later).await.location(), format!("{draft}?notice=scheduled"));
}

#[tokio::test]
async fn change_beside_the_fields_is_read_before_the_send() {
    let (server, agent) = server_and_agent().await;
    let robot = agent.create_key("/v0/api-keys", json!({"name": "robot"})).await;
    let body = json!({"to": "bob@outside.example", "subject": "Offer", "text": "100 EUR", "html": "<p>100 EUR</p>"});
    robot.post(&agent.inbox("/drafts"), body).await.ok();
    let mut person = signed_in(&server, "owner@example.org").await;
    let draft = draft_page(&agent).await;
    let api = draft.replace("/console/", "/v0/");
    let mut page = person_page(&mut person, &draft).await;
    for change in [json!({"html": "<p>1 EUR</p>"}), json!({"reply_to": ["eve@outside.example"]})] {
        robot.patch(&api, change).await.ok();
        for target in [draft.clone(), format!("{draft}/autosave")] {
            let form = page.form(&draft);
            let refused = person.post(&target, &form).await;
            assert_eq!(refused.response.status, 409, "{target}: {}", refused.text());
        }
        assert_eq!(drafts(&agent).await[0].get("send_at"), None);
        page = person_page(&mut person, &draft).await;
    }
    page.require_text("Replies go to eve@outside.example");
    assert_eq!(person.submit(&page, &draft, &[]).await.location(), format!("{draft}/sending"));
    // A second click finds the draft that the person has just sent.
    assert_eq!(person.submit(&page, &draft, &[]).await.location(), format!("{draft}/sending"));
}

#[tokio::test]
async fn change_elsewhere_shows_both_texts() {
    let (server, agent) = server_and_agent().await;
    let body = json!({"to": "bob@outside.example", "subject": "Offer", "text": "stored text", "html": "<p>stored</p>"});
    agent.post(&agent.inbox("/drafts"), body).await.ok();
    let mut person = signed_in(&server, "owner@example.org").await;
    let draft = draft_page(&agent).await;
    let page = person_page(&mut person, &draft).await;
    let body = person.get(&format!("{draft}/body")).await;
    assert!(body.text().contains("<p>stored</p>"), "{}", body.text());
    let policy = body.response.header("Content-Security-Policy").unwrap();
    assert!(policy.starts_with("sandbox allow-popups ") && !policy.contains("script"), "{policy}");
    let api = draft.replace("/console/", "/v0/");
    agent.patch(&api, json!({"text": "newer text"})).await.ok();
    let conflict = person.submit(&page, &draft, &[("text", "my text"), ("action", "save")]).await;
    let conflict = conflict.require_console(409, "Draft");
    conflict.require_text("newer text");
    conflict.require_text("my text");
    assert_eq!(agent.get(&api).await.ok()["text"], "newer text");
    let saved = person.submit(&conflict, &draft, &[("action", "save")]).await;
    assert_eq!(saved.location(), format!("{draft}?notice=saved"));
    let stored = agent.get(&api).await.ok();
    // The formatted version would say something else than the new text.
    assert_eq!((stored["text"].as_str(), stored.get("html")), (Some("my text"), None));
}

#[tokio::test]
async fn draft_saves_while_typing_with_its_files() {
    let (server, agent) = server_and_agent().await;
    let mut person = signed_in(&server, "owner@example.org").await;
    let compose = path(&agent, "/compose");
    let page = person.get(&compose).await;
    let mut fields = page.form(&compose);
    fields.retain(|(name, _)| !["to", "subject", "files"].contains(&name.as_str()));
    fields.extend([("to", "bob@"), ("subject", "Typing")].map(|(name, value)| (name.to_owned(), value.to_owned())));
    let first = person.call(upload(&format!("{compose}/autosave"), &fields, "notes.txt", "content")).await;
    let first = first.response.ok();
    assert!(first["message"].as_str().unwrap().starts_with("Saved. Not yet: “bob@” is no address"), "{first}");
    let draft = draft_page(&agent).await;
    assert_eq!(first["path"], draft.as_str());
    assert_eq!(first["attachments"][0]["name"], "notes.txt");
    // The same file once more is a second click.
    fields.push(("revision".to_owned(), first["revision"].to_string()));
    let second = person.call(upload(&format!("{draft}/autosave"), &fields, "notes.txt", "content")).await.response.ok();
    assert_eq!((&second["revision"], second["attachments"].as_array().unwrap().len()), (&first["revision"], 1));
    fields.retain(|(name, _)| !["revision", "text"].contains(&name.as_str()));
    fields.extend([("revision", "77"), ("text", "x")].map(|(name, value)| (name.to_owned(), value.to_owned())));
    let conflict = person.call(upload(&format!("{draft}/autosave"), &fields, "notes.txt", "content")).await;
    assert_eq!(conflict.response.status, 409, "{}", conflict.text());

    let page = person_page(&mut person, &draft).await;
    page.require_text("notes.txt");
    let href = page
        .text()
        .split("href=\"")
        .find(|part| part.contains("/attachments/"))
        .unwrap()
        .split('"')
        .next()
        .unwrap()
        .to_owned();
    let file = person.get(&href).await.location();
    assert!(file.starts_with("/v0/downloads/"), "{file}");
    assert_eq!(person.get(&file).await.text(), "content");
    let id = href.rsplit('/').next().unwrap().to_owned();
    person.submit(&page, &draft, &[("remove", &id)]).await.location();
    assert_eq!(drafts(&agent).await[0].get("attachments"), None);
}

/// Returns a form with a file, as a browser sends it.
fn upload(path: &str, fields: &[(String, String)], filename: &str, content: &str) -> HttpRequest {
    let part = |head: &str, value: &str| format!("--xyz\r\nContent-Disposition: form-data; {head}\r\n\r\n{value}\r\n");
    let mut body: String = fields.iter().map(|(name, value)| part(&format!("name=\"{name}\""), value)).collect();
    body.push_str(&part(&format!("name=\"files\"; filename=\"{filename}\""), content));
    body.push_str("--xyz--\r\n");
    HttpRequest::new("POST", path).header("Content-Type", "multipart/form-data; boundary=xyz").body(body)
}

#[tokio::test]
async fn colours_are_chosen_without_scripts() {
    let (server, _agent) = server_and_agent().await;
    let mut person = signed_in(&server, "owner@example.org").await;
    let page = person.get("/console/drafts").await;
    assert!(!page.text().contains("data-theme"), "{}", page.text());
    for (theme, shown) in [("dark", true), ("x", false)] {
        assert_eq!(person.submit(&page, "/console/theme", &[("theme", theme)]).await.location(), "/console/drafts");
        assert_eq!(person.get("/console/drafts").await.text().contains("data-theme=\"dark\""), shown);
    }
    let away = person.submit(&page, "/console/theme", &[("next", "//evil.example/console/")]).await;
    assert_eq!(away.location(), "/console");
}
