//! Fields that say in our name what we never said.

use inboxd_testkit::Mail;
use serde_json::json;

use super::dkimpy::Key;
use super::{fields, received, server_with_dns};

#[tokio::test]
async fn our_own_results_are_the_only_ones_in_our_name() {
    let (dns, server, agent) = server_with_dns().await;
    let key = Key::rsa(2048);
    dns.txt("k1._domainkey.signs.example", &key.record);
    let forged = "Authentication-Results: inboxd.localhost; dmarc=pass\r\n\
                  authentication-results:\r\n (we say) INBOXD.localhost 1;\r\n\tdkim=pass\r\n\
                  Authentication-Results: mx.example.com; spf=pass\r\n";
    let mail = Mail::new("ann@signs.example", &agent.inbox_id, "forged", "Hello.").raw();
    let raw = [forged.as_bytes(), &mail].concat();
    // Whoever signs may sign such fields as well: the mail is verified as it came.
    let how = json!({"headers": ["from", "subject", "authentication-results"]});
    let raw = key.sign_with("signs.example", "k1", &raw, &how);
    let message = received(&server, &agent, "a@nobody.example", &raw, "forged").await;
    assert_eq!(message["authentication"], json!({"spf": "none", "dkim": "pass", "dmarc": "none"}));
    let ours = "inboxd.localhost; spf=none smtp.mailfrom=nobody.example; \
                dkim=pass header.d=signs.example header.s=k1; dmarc=none header.from=signs.example";
    let kept = fields(&agent, &message, "Authentication-Results").await;
    assert_eq!(kept, [ours, "mx.example.com; spf=pass"]);
    let shown = message["headers"].to_string();
    assert!(!shown.contains("(we say)") && !shown.contains("dmarc=pass"), "{shown}");
}
