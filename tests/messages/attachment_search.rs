//! Searches in the text of attachments.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use inboxd_testkit::{MailBuilder, Persona, TestServer, encoded, eventually};
use serde_json::{Value, json};

use crate::support::{mail_to, options, receive, second_process, server_and_agent, subjects, text_fields};

fn sample(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../documents/tests/samples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn with_files(agent: &Persona, subject: &str, names: &[&str]) -> MailBuilder {
    let mail = mail_to(agent, subject);
    names.iter().fold(mail, |mail, name| mail.attach(name, "application/octet-stream", &sample(name)))
}

/// Returns the subjects that a search by words finds.
async fn found(agent: &Persona, words: &str) -> Vec<String> {
    subjects(agent, &format!("/messages/search?match=words&q={}", encoded(words))).await
}

/// Waits until a search by words finds this mail alone.
async fn wait_for(agent: &Persona, words: &str, subject: &str) {
    eventually(&format!("{words} finds {subject}"), async || (found(agent, words).await == [subject]).then_some(()))
        .await;
}

/// Returns a column of the bodies with attachments, by subject of their message.
async fn states(server: &TestServer, column: &str) -> Vec<String> {
    let query = format!(
        "SELECT m.subject || ' ' || coalesce(({column})::text, '-') AS text FROM message_bodies b
        JOIN messages m USING (organization_id, inbox_id, message_id) WHERE m.attachments <> '[]' ORDER BY m.subject"
    );
    server.database().session().await.texts(&query).await
}

#[tokio::test]
async fn words_of_documents_are_found_with_their_message() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "other").await;
    receive(&server, &agent, &with_files(&agent, "papers", &["invoice.pdf", "report.docx"])).await;
    let file = json!({"filename": "table.xlsx", "content": STANDARD.encode(sample("table.xlsx"))});
    let sent = json!({"to": [other.inbox_id], "subject": "sheet", "text": "See the table.", "attachments": [file]});
    agent.send(sent).await;
    wait_for(&agent, "turnover bolts about", "papers").await;
    for query in ["turn", "\"quarterly report\" papers", "1,234.50", "turnover has:attachment from:alice"] {
        assert_eq!(found(&agent, query).await, ["papers"], "{query}");
    }
    for query in ["turnover -bolts", "subject:turnover", "urnover", "\"footnote quarterly\""] {
        assert_eq!(found(&agent, query).await, Vec::<String>::new(), "{query}");
    }
    let everywhere = |what: &str| ["/v0", &agent.inbox("")].map(|base| format!("{base}/threads/search?q={what}"));
    for path in everywhere("turnover&match=words").into_iter().chain(everywhere("urnover")) {
        let page = agent.get(&path).await.ok();
        assert_eq!(text_fields(&page, "threads", "subject"), ["papers"], "{path}");
        assert_eq!(other.get(&path.replace(&agent.inbox_id, &other.inbox_id)).await.ok()["count"], 0, "{path}");
    }
    assert_eq!(subjects(&agent, "/messages/search?q=URNOVER+OF+M%C3%9CLLER").await, ["papers"]);
    let page = agent.get(&agent.inbox("/messages/search?match=words&q=bolts+invoice")).await.ok();
    let fragments = &page["messages"][0]["highlights"]["attachments"];
    assert!(fragments[0].as_str().unwrap().contains("**Invoice** 4711"), "{fragments}");
    assert!(fragments.to_string().contains("**Bolts** 12.00"), "{fragments}");
    // Sender and receiver of a mail find the words of its table, each in the own copy.
    for persona in [&agent, &other] {
        wait_for(persona, "sales \"far away\"", "sheet").await;
    }

    let message = agent.message_about("papers").await;
    agent.post(&agent.message(&message["message_id"], "/redact"), json!({})).await.ok();
    assert_eq!(found(&agent, "turnover").await, Vec::<String>::new());
    assert_eq!(subjects(&agent, "/messages/search?q=turnover").await, Vec::<String>::new());
    let copies =
        "SELECT subject AS text FROM message_bodies JOIN messages USING (organization_id, inbox_id, message_id)
        WHERE concat(search_text, attachment_texts) ~* 'turnover'";
    assert_eq!(server.database().session().await.texts(copies).await, Vec::<String>::new());
    let message = other.message_about("sheet").await;
    assert_eq!(other.delete(&other.message(&message["message_id"], "")).await.status, 204);
    assert_eq!(found(&other, "sales").await, Vec::<String>::new());
    assert_eq!(found(&agent, "sales").await, ["sheet"]);
}

#[tokio::test]
async fn hostile_documents_are_given_up_without_delay_for_others() {
    let (server, agent) = server_and_agent().await;
    let other = server.verified("other@example.org", "other").await;
    for (subject, bomb) in [("bomb", "huge.pdf"), ("time bomb", "slow.pdf")] {
        receive(&server, &agent, &with_files(&agent, subject, &["report.docx", bomb])).await;
    }
    receive(&server, &other, &with_files(&other, "papers", &["invoice.pdf"])).await;
    wait_for(&other, "bolts", "papers").await;
    assert_eq!(found(&agent, "turnover").await, Vec::<String>::new(), "the documents of the other did not wait");
    // A second attempt that waits is due at once; the claim of one that runs lasts two minutes.
    let hasten = "UPDATE message_bodies SET attachments_due_at = now()
        WHERE attachments_due_at BETWEEN now() AND now() + interval '10 seconds'";
    let mut session = server.database().session().await;
    eventually("the bombs are given up", async || {
        session.execute(hasten).await;
        (states(&server, "unread_attachments").await == ["bomb 1", "papers -", "time bomb 1"]).then_some(())
    })
    .await;
    let is_given_up = |entry: &Value| entry["message"] == "attachments given up";
    let entry = server.log().entry("the state is logged", is_given_up).await;
    assert_eq!((&entry["attempt"], &entry["unread"]), (&json!(2), &json!(1)), "{entry:#}");
    assert_eq!(found(&agent, "turnover").await, ["time bomb", "bomb"], "the readable document is found");
    assert_eq!(states(&server, "attachments_due_at").await, ["bomb -", "papers -", "time bomb -"]);
}

#[tokio::test]
async fn attachments_wait_for_a_worker_that_reads_them() {
    let server = options().set("INBOXD_ATTACHMENT_SEARCH", "off").start().await;
    let agent = server.verified("owner@example.org", "scout").await;
    receive(&server, &agent, &with_files(&agent, "papers", &["report.docx", "scan.pdf"])).await;
    receive(&server, &agent, &mail_to(&agent, "picture").attach("a.png", "image/png", b"turnover")).await;
    tokio::time::sleep(std::time::Duration::from_secs(3)).await;
    assert_eq!(states(&server, "attachments_due_at IS NULL").await, ["papers false", "picture true"]);
    assert_eq!(found(&agent, "turnover").await, Vec::<String>::new());
    let _worker = second_process(&server).set("INBOXD_ATTACHMENT_SEARCH", "on").start().await;
    wait_for(&agent, "turnover", "papers").await;
    assert_eq!(states(&server, "unread_attachments").await, ["papers -", "picture -"]);
}
