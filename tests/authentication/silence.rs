//! A DNS that does not answer.

use inboxd_testkit::Mail;
use serde_json::json;

use super::{received, server_with_dns};

#[tokio::test]
async fn a_silent_dns_neither_refuses_mail_nor_speaks_against_it() {
    let (dns, server, agent) = server_with_dns().await;
    for name in ["silent.example", "_dmarc.silent.example", "_dmarc.example", "k1._domainkey.silent.example"] {
        dns.silence(name);
    }
    let field = "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/simple; d=silent.example; s=k1; h=from; \
                 bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA\r\n";
    let mail = Mail::new("ann@silent.example", &agent.inbox_id, "silent", "Hello.").raw();
    let raw = [field.as_bytes(), &mail].concat();
    let message = received(&server, &agent, "a@silent.example", &raw, "silent").await;
    let verdict = &message["authentication"];
    assert_eq!((&verdict["spf"], &verdict["dmarc"]), (&json!("temperror"), &json!("temperror")), "{verdict}");
    assert_eq!(message["labels"], json!(["received", "unread"]));
}

#[tokio::test]
async fn nor_does_one_that_is_not_there() {
    let (dns, server, agent) = server_with_dns().await;
    drop(dns);
    let mail = Mail::new("ann@gone.example", &agent.inbox_id, "gone", "Hello.").raw();
    let message = received(&server, &agent, "a@gone.example", &mail, "gone").await;
    assert_eq!(message["authentication"], json!({"spf": "temperror", "dkim": "none", "dmarc": "temperror"}));
    assert_eq!(message["labels"], json!(["received", "unread"]));
}
