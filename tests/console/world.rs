//! An organization with something on every page, for the tests in a browser.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use inboxd_testkit::{MailBuilder, Persona, Reaction, TestServer, WebhookReceiver};
use serde_json::{Map, Value, json};

use super::signed_in;
use crate::oauth::insert_connection;
use crate::people::{invite, invite_and_join};
use crate::support::{in_seconds, options, set_plan, uuid};

/// An organization with its persons, signed in.
pub(super) struct World {
    pub(super) server: TestServer,
    /// What the scripts know of it.
    pub(super) facts: Value,
    _receiver: WebhookReceiver,
}

/// A picture of one pixel.
const PIXEL: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0, 0, 1, 8,
    4, 0, 0, 0, 0xb5, 0x1c, 0x0c, 0x02, 0, 0, 0, 0x0b, b'I', b'D', b'A', b'T', 0x78, 0xda, 0x63, 0x64, 0xf8, 0x0f, 0,
    0x01, 0x05, 0x01, 0x01, 0x27, 0x18, 0xe3, 0x66, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];
/// The line that every spam filter takes for spam.
const GTUBE: &str = "XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X";

impl World {
    /// Starts a server and fills the organization.
    pub(super) async fn start() -> Self {
        let server = options()
            .set("INBOXD_OUTBOUND_ALLOW_CIDRS", "127.0.0.1/32")
            .set("INBOXD_OPERATOR_EMAILS", "ada@example.org")
            .start()
            .await;
        let agent = server.verified("ada@example.org", "northwind").await;
        set_plan(&server, &agent, "startup").await;
        let receiver = WebhookReceiver::start_with(|_| Reaction::Status(500)).await;
        agent.post("/v0/webhooks", json!({"url": receiver.url(), "event_types": ["message.received"]})).await.ok();
        let billing = json!({"username": "invoices", "display_name": "Billing agent"});
        agent.post("/v0/inboxes", billing).await.ok();
        invite(&agent, "ben@example.org", "admin", json!(null)).await;
        invite_and_join(&server, &agent, "maria@example.org", "member", json!([agent.inbox_id])).await;
        server.verified("stranger@example.org", "stranger").await;
        fill_settings(&server, &agent).await;
        let thread_id = fill_inbox(&server, &agent).await;
        let complaint = "From: anna@example.org\r\nSubject: Unwanted mail\r\n\r\nPlease stop it.\r\n";
        server.deliver("anna@example.org", &["postmaster"], complaint).await.require_code(250, "2");
        fill_drafts(&agent).await;
        receiver.wait_for_requests(1).await;

        let persons = [
            ("owner", "ada@example.org"),
            ("admin", "ben@example.org"),
            ("member", "maria@example.org"),
            ("stranger", "stranger@example.org"),
        ];
        let sign_ins = persons.map(|(name, email)| {
            let server = &server;
            async move {
                let cookies = signed_in(server, email).await.cookies;
                (name.to_owned(), json!({"email": email, "cookies": cookies}))
            }
        });
        let persons: Map<String, Value> = join_all(sign_ins).await.into_iter().collect();
        let routes = inboxd_http::console_routes();
        let facts = json!({
            "inbox": agent.inbox_id, "key": agent.key, "persons": persons, "routes": routes,
            "organization_id": agent.organization_id, "thread_id": thread_id,
        });
        Self { server, facts, _receiver: receiver }
    }
}

/// Adds keys, a domain, a pod, list entries, a suppression and a connection.
async fn fill_settings(server: &TestServer, agent: &Persona) {
    agent.post("/v0/api-keys", json!({"name": "Triage agent", "expires_at": in_seconds(30 * 86_400)})).await.ok();
    agent.post("/v0/api-keys", json!({"name": "Nightly report", "permissions": {"message_read": true}})).await.ok();
    let domain = agent.post("/v0/domains", json!({"domain": "agents.northwind.example"})).await.ok();
    let verify = format!("/v0/domains/{}/verify", domain["domain_id"].as_str().unwrap());
    agent.post(&verify, json!({})).await.ok();
    agent.post("/v0/pods", json!({"name": "Customer: Contoso"})).await.ok();
    let entry = json!({"entry": "casino@spam.example", "reason": "Spam every day"});
    agent.post("/v0/lists/receive/block", entry).await.ok();
    insert_connection(server, &agent.organization_id).await;
    let organization_id = uuid(&json!(agent.organization_id)).to_owned();
    let suppress =
        format!("INSERT INTO suppressions VALUES ('{organization_id}', 'gone@outside.example', 'bounce', now())");
    server.database().execute(&suppress).await;
}

/// Delivers mail of all kinds, oldest first, and returns the thread of an exchange with an answer.
async fn fill_inbox(server: &TestServer, agent: &Persona) -> Value {
    let mut client = server.smtp().await;
    client.ehlo().await;
    let mut mails: Vec<MailBuilder> = (1001..1053)
        .map(|number| {
            mail(agent, &format!("Order {number} has shipped"), "Your parcel is on its way. It arrives on Monday.")
        })
        .collect();
    mails.extend([
        mail(agent, "You won a prize", GTUBE),
        MailBuilder::new("casino@spam.example", &agent.inbox_id, "Play now", "Win."),
        MailBuilder::new(
            "\u{202e}gpj.eciovni <attacker@outside.example>",
            &agent.inbox_id,
            "Réunion – 会議 – \u{202e}fdp.exe 🎉 and a subject that goes on and on, much longer than any line on any screen could be",
            &"Averyveryverylongwordwithoutanyspace".repeat(12),
        )
        .attach("\u{202e}fdp.exe", "application/pdf", b"%PDF-"),
        mail(agent, "Autumn news", "See the web version.").html(
            "<h1 style=\"color:#0b57d0\">Autumn news</h1><p>Everything is <b>new</b>.</p>\
             <img src=\"https://images.outside.example/pixel.png\" alt=\"A tree\" width=\"300\" height=\"80\">\
             <p><a href=\"https://shop.outside.example/sale\">To the sale</a></p>",
        ),
        mail(agent, "Your verification code", "Your code is 493027. It works for ten minutes.\n\nhttps://id.outside.example/verify?token=abc"),
        mail(agent, "Photos of the damage", "Here they are.\n\nRegards\nAlice")
            .attach("front.png", "image/png", PIXEL)
            .attach("report.pdf", "application/pdf", &b"%PDF-1.7 ".repeat(2_000)),
    ]);
    mails.push(mail(agent, "Invoice 4711 is wrong", QUESTION).id("<invoice@outside.example>"));
    for mail in &mails {
        client.deliver("alice@outside.example", &[&agent.inbox_id], &mail.raw()).await.require_code(250, "2.0.0");
    }
    let question = agent.message_about("Invoice 4711 is wrong").await;
    let text = "Thank you, Alice. I have asked our billing team and come back to you today.";
    let reply = agent.post(&agent.message(&question["message_id"], "/reply"), json!({"text": text})).await.ok();
    let answer =
        mail(agent, "Re: Invoice 4711 is wrong", &format!("{ANSWER}\n\nOn Friday, northwind wrote:\n> {text}\n"))
            .header("In-Reply-To", reply["message_id"].as_str().unwrap());
    client.deliver("alice@outside.example", &[&agent.inbox_id], &answer.raw()).await.require_code(250, "2.0.0");
    client.quit().await;
    let thread = agent.thread(&question["thread_id"], "");
    agent.patch(&thread, json!({"add_labels": ["urgent"]})).await.ok();
    agent
        .post(&agent.thread(&question["thread_id"], "/notes"), json!({"text": "Billing confirmed the refund."}))
        .await
        .ok();
    question["thread_id"].clone()
}

const QUESTION: &str =
    "Hello,\n\ninvoice 4711 lists 12 licences, but we ordered 10. Could you correct it?\n\nRegards\nAlice";
const ANSWER: &str = "That was fast, thank you! One more thing: please send the corrected invoice to accounting, too.";

fn mail(agent: &Persona, subject: &str, text: &str) -> MailBuilder {
    MailBuilder::new("Alice Smith <alice@outside.example>", &agent.inbox_id, subject, text)
}

/// Adds a draft that waits for a person, and a scheduled one.
async fn fill_drafts(agent: &Persona) {
    let text = "Dear Alice,\n\nthe corrected invoice is attached.";
    let waiting = json!({"to": ["alice@outside.example"], "subject": "Corrected invoice", "text": text});
    let scheduled = json!({
        "to": ["team@outside.example"], "subject": "Weekly report", "text": "All is well.",
        "send_at": in_seconds(6 * 86_400),
    });
    let content = STANDARD.encode("Number,Amount\n4711,10");
    let attachment = json!({"filename": "invoice-4711.csv", "content_type": "text/csv", "content": content});
    let with_file = json!({
        "to": ["accounting@outside.example"], "subject": "Invoice 4711", "text": "The file you asked for.",
        "html": "<p>The <b>file</b> you asked for.</p>", "attachments": [attachment],
    });
    for draft in [waiting, scheduled, with_file] {
        agent.post(&agent.inbox("/drafts"), draft).await.ok();
    }
}
