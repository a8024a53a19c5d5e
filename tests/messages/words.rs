//! `GET …/messages/search` and `…/threads/search` with `match=words`.

use inboxd_testkit::{MailBuilder, encoded};
use serde_json::json;

use crate::support::{read_pages, receive, receive_all, server_and_agent, subjects, text_fields};

#[tokio::test]
async fn words_match_in_any_order_with_highlights() {
    let (server, agent) = server_and_agent().await;
    let mail = MailBuilder::new(
        "Ålice <alice@outside.example>",
        &agent.inbox_id,
        "Order 100% done",
        "The ÜBER-parcel is on\nits way **today**.",
    )
    .header("Cc", "dispatch@outside.example")
    .attach("plan.txt", "text/plain", b"a plan");
    receive(&server, &agent, &mail).await;
    receive(&server, &agent, &MailBuilder::new("bob@outside.example", &agent.inbox_id, "Other order", "No parcels."))
        .await;
    for (query, found) in [
        ("parcel order", vec!["Other order", "Order 100% done"]),
        ("\"parcel\" order", vec!["Order 100% done"]),
        ("\"is on its way\"", vec!["Order 100% done"]),
        ("order has:attachment", vec!["Order 100% done"]),
        ("order -has:attachment", vec!["Other order"]),
        ("order from:ålice", vec!["Order 100% done"]),
        ("subject:parcel", vec![]),
        ("dispatch", vec!["Order 100% done"]),
        ("order -subject:other", vec!["Order 100% done"]),
        ("rder", vec![]),
    ] {
        let path = format!("/messages/search?match=words&q={}", encoded(query));
        assert_eq!(subjects(&agent, &path).await, found, "{query}");
        let path = format!("/threads/search?match=words&q={}", encoded(query));
        for base in [agent.inbox(""), "/v0".to_owned()] {
            let page = agent.get(&format!("{base}{path}")).await.ok();
            assert_eq!(text_fields(&page, "threads", "subject"), found, "{query}");
        }
    }
    let page = agent.get(&agent.inbox("/messages/search?match=words&q=way+from:alice+to:disp+order")).await.ok();
    assert_eq!(
        page["messages"][0]["highlights"],
        json!({
            "from": ["Ålice <**alice**@outside.example>"],
            "recipients": ["**disp**atch@outside.example"],
            "subject": ["**Order** 100% done"],
            "text": ["The ÜBER-parcel is on its **way** **today**."],
        })
    );
    let page = agent.get(&agent.inbox("/threads/search?match=words&q=way")).await.ok();
    assert_eq!(page["threads"][0]["highlights"], json!({"text": ["The ÜBER-parcel is on its **way** **today**."]}));
    let page = agent.get(&agent.inbox("/messages/search?match=substring&q=way")).await.ok();
    assert!(page["messages"][0].get("highlights").is_none());
}

#[tokio::test]
async fn words_have_pages_and_windows() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["a1", "b", "a2", "a3", "a4"]).await;
    let at = agent.message_about("a2").await["timestamp"].as_str().unwrap().to_owned();
    for (base, list) in [(agent.inbox("/messages"), "messages"), ("/v0/threads".to_owned(), "threads")] {
        let search = format!("{base}/search?match=words&q=about%20subject:a");
        for limit in [1, 2, 3, 4, 200] {
            let walked = read_pages(&agent, &format!("{search}&limit={limit}"), list, "subject").await;
            assert_eq!(walked, ["a4", "a3", "a2", "a1"], "{base} by {limit}");
        }
        let walked = read_pages(&agent, &format!("{search}&limit=1&ascending=true"), list, "subject").await;
        assert_eq!(walked, ["a1", "a2", "a3", "a4"]);
        let walked = read_pages(&agent, &format!("{search}&before={at}"), list, "subject").await;
        assert_eq!(walked, ["a1"]);
        let walked = read_pages(&agent, &format!("{search}&after={at}&labels=received"), list, "subject").await;
        assert_eq!(walked, ["a4", "a3"]);
        let walked = read_pages(&agent, &format!("{search}&labels=sent"), list, "subject").await;
        assert_eq!(walked, [""; 0]);
    }
}

#[tokio::test]
async fn bad_words_are_refused_with_cause() {
    let (_server, agent) = server_and_agent().await;
    for (query, cause) in [
        ("-spam", "no word that must occur"),
        ("\"open", "not closed"),
        ("x \"\"", "quotation without letters"),
        ("x from: y", "from: without a word"),
        ("x has:photo", "has: with another word"),
        (&*"a ".repeat(33), "more than 32 words"),
        (&*"a".repeat(65), "more than 64 characters"),
    ] {
        for path in [agent.inbox("/messages"), "/v0/threads".to_owned()] {
            let refused = agent.get(&format!("{path}/search?match=words&q={}", encoded(query))).await;
            assert_eq!(refused.bad_fields(), ["q"], "{query}");
            assert!(refused.text().contains(cause), "{query}: {}", refused.text());
        }
    }
    let refused = agent.get(&agent.inbox("/messages/search?match=fuzzy&q=a")).await;
    assert_eq!(refused.bad_fields(), ["match"]);
}
