//! Unresponsive DNS.

use inboxd_testkit::MailBuilder;
use serde_json::json;

use super::{deliver_and_read, server_with_dns};

#[tokio::test]
async fn silent_dns_neither_refuses_nor_labels_mail() {
    let (dns, server, agent) = server_with_dns().await;
    for name in ["silent.example", "_dmarc.silent.example", "_dmarc.example", "k1._domainkey.silent.example"] {
        dns.silence(name);
    }
    let field = "DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/simple; d=silent.example; s=k1; h=from; \
                 bh=47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=; b=AAAA\r\n";
    let mail = MailBuilder::new("ann@silent.example", &agent.inbox_id, "silent", "Hello.").raw();
    let raw = [field.as_bytes(), &mail].concat();
    let message = deliver_and_read(&server, &agent, "a@silent.example", &raw, "silent").await;
    let verdict = &message["authentication"];
    assert_eq!((&verdict["spf"], &verdict["dmarc"]), (&json!("temperror"), &json!("temperror")), "{verdict}");
    assert_eq!(message["labels"], json!(["received", "unread"]));
}

#[tokio::test]
async fn missing_dns_neither_refuses_nor_labels_mail() {
    let (dns, server, agent) = server_with_dns().await;
    drop(dns);
    let mail = MailBuilder::new("ann@gone.example", &agent.inbox_id, "gone", "Hello.").raw();
    let message = deliver_and_read(&server, &agent, "a@gone.example", &mail, "gone").await;
    assert_eq!(message["authentication"], json!({"spf": "temperror", "dkim": "none", "dmarc": "temperror"}));
    assert_eq!(message["labels"], json!(["received", "unread"]));
}
