//! Forged header fields in the name of this server.

use inboxd_testkit::MailBuilder;
use serde_json::json;

use super::dkimpy::Key;
use super::{deliver_and_read, header_values, server_with_dns};

#[tokio::test]
async fn forged_results_in_name_of_server_are_removed() {
    let (dns, server, agent) = server_with_dns().await;
    let key = Key::rsa(2048);
    dns.txt("k1._domainkey.signs.example", &key.record);
    let forged = "Authentication-Results: inboxd.localhost; dmarc=pass\r\n\
                  authentication-results:\r\n (we say) INBOXD.localhost 1;\r\n\tdkim=pass\r\n\
                  Authentication-Results: mx.example.com; spf=pass\r\n";
    let mail = MailBuilder::new("ann@signs.example", &agent.inbox_id, "forged", "Hello.").raw();
    let raw = [forged.as_bytes(), &mail].concat();
    // A signer may sign such fields too: the mail is verified as received.
    let how = json!({"headers": ["from", "subject", "authentication-results"]});
    let raw = key.sign_with("signs.example", "k1", &raw, &how);
    let message = deliver_and_read(&server, &agent, "a@nobody.example", &raw, "forged").await;
    assert_eq!(message["authentication"], json!({"spf": "none", "dkim": "pass", "dmarc": "none"}));
    let ours = "inboxd.localhost; spf=none smtp.mailfrom=nobody.example; \
                dkim=pass header.d=signs.example header.s=k1; dmarc=none header.from=signs.example";
    let kept = header_values(&agent, &message, "Authentication-Results").await;
    assert_eq!(kept, [ours, "mx.example.com; spf=pass"]);
    let shown = message["headers"].to_string();
    assert!(!shown.contains("(we say)") && !shown.contains("dmarc=pass"), "{shown}");
}
