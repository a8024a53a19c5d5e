//! Pages of messages: no row is repeated or skipped in spite of changes between two pages.

use inboxd_testkit::encoded;

use crate::support::{read_pages, receive_all, server_and_agent, text_fields};

const SUBJECTS: [&str; 9] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

#[tokio::test]
async fn pages_contain_every_message_once_in_both_directions() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &SUBJECTS).await;
    let up = read_pages(&agent, &agent.inbox("/messages?ascending=true&limit=2"), "messages", "subject").await;
    assert_eq!(up, SUBJECTS);
    let mut down = read_pages(&agent, &agent.inbox("/messages?limit=4"), "messages", "subject").await;
    down.reverse();
    assert_eq!(down, SUBJECTS);
    let filtered = agent.inbox("/messages?from=alice&labels=unread&limit=1");
    assert_eq!(read_pages(&agent, &filtered, "messages", "subject").await.len(), 9);
}

#[tokio::test]
async fn messages_of_equal_time_are_ordered_by_id() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &SUBJECTS).await;
    let same = "timestamp = '2026-11-20T10:00:00Z'";
    server.database().execute(&format!("UPDATE messages SET {same}; UPDATE message_labels SET {same}")).await;
    for target in ["/messages?limit=2", "/messages?limit=2&ascending=true", "/messages?limit=2&labels=unread"] {
        let mut found = read_pages(&agent, &agent.inbox(target), "messages", "subject").await;
        found.sort();
        assert_eq!(found, SUBJECTS, "{target}");
    }
}

#[tokio::test]
async fn changes_between_pages_move_no_other_row() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &SUBJECTS).await;
    let page = agent.get(&agent.inbox("/messages?limit=3")).await.ok();
    assert_eq!(text_fields(&page, "messages", "subject"), ["9", "8", "7"]);
    // Deletions of the token row, of one before and one after it, and new rows.
    for subject in ["7", "9", "5"] {
        let id = agent.message_about(subject).await["message_id"].clone();
        agent.delete(&agent.message(&id, "")).await.require_no_content();
    }
    receive_all(&server, &agent, &["10", "11"]).await;
    let token = encoded(page["next_page_token"].as_str().unwrap());
    let next = agent.get(&agent.inbox(&format!("/messages?limit=3&page_token={token}"))).await.ok();
    assert_eq!(text_fields(&next, "messages", "subject"), ["6", "4", "3"]);
}

#[tokio::test]
async fn page_token_is_bound_to_filters() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &SUBJECTS).await;
    let page = agent.get(&agent.inbox("/messages?limit=3&from=alice")).await.ok();
    let token = encoded(page["next_page_token"].as_str().unwrap());
    for other in ["from=bob", "from=alice&ascending=true", "from=alice&labels=unread", "from=alice&include_trash=true"]
    {
        let target = agent.inbox(&format!("/messages?limit=3&{other}&page_token={token}"));
        assert_eq!(agent.get(&target).await.bad_fields(), ["page_token"], "{other}");
    }
    let search = agent.inbox(&format!("/messages/search?q=a&page_token={token}"));
    assert_eq!(agent.get(&search).await.bad_fields(), ["page_token"]);
    // The page size may change.
    agent.get(&agent.inbox(&format!("/messages?limit=200&from=alice&page_token={token}"))).await.ok();
}
