//! Rows that change their position while their list is read.
//!
//! Some lists are ordered by the last change, so a change moves a row to the newest end. A reader that has passed that
//! end does not see the row again; a reader that approaches it does. No other row is repeated or skipped.

use inboxd_testkit::{MailBuilder, encoded};
use serde_json::json;

use super::stage::{Stage, item_path};
use crate::support::{server, text_fields};

/// Five rows of a list that the test can move to the newest end.
struct MovingRows<'a> {
    stage: &'a Stage<'a>,
    list: String,
    plural: &'static str,
    /// Paths of drafts; empty for threads.
    drafts: Vec<String>,
}

impl MovingRows<'_> {
    /// Reads a page of two rows and a page of the rest, changes two rows in between, and returns the subjects.
    async fn read(&self, order: &str, changed: [usize; 2]) -> [Vec<String>; 2] {
        let agent = &self.stage.agent;
        let first = agent.get(&format!("{}?limit=2{order}", self.list)).await.ok();
        for number in changed {
            self.change(number).await;
        }
        let token = encoded(first["next_page_token"].as_str().unwrap());
        let rest = agent.get(&format!("{}?limit=10{order}&page_token={token}", self.list)).await.ok();
        assert!(rest.get("next_page_token").is_none(), "{rest:#}");
        [first, rest].map(|page| text_fields(&page, self.plural, "subject").into_iter().map(str::to_owned).collect())
    }

    async fn change(&self, number: usize) {
        if self.drafts.is_empty() {
            let mail = MailBuilder::new("alice@outside.example", "scout@outside.example", &number.to_string(), "again");
            self.stage.receive(0, &mail.header("In-Reply-To", &format!("<{number}@outside.example>"))).await;
        } else {
            self.stage.agent.patch(&self.drafts[number - 1], json!({"text": "again"})).await.ok();
        }
    }
}

async fn threads<'a>(stage: &'a Stage<'a>, list: &str) -> MovingRows<'a> {
    for number in 1..=5 {
        let mail = MailBuilder::new("alice@outside.example", "scout@outside.example", &number.to_string(), "hello");
        stage.receive(0, &mail.id(&format!("<{number}@outside.example>"))).await;
    }
    stage.agent.delete(&stage.target("/v0/threads/{thread_id}")).await.require_no_content();
    MovingRows { stage, list: stage.target(list), plural: "threads", drafts: Vec::new() }
}

async fn drafts<'a>(stage: &'a Stage<'a>, list: &str) -> MovingRows<'a> {
    let mut drafts = Vec::new();
    for number in 1..=5 {
        let draft = stage.agent.post(&stage.inbox(0, "/drafts"), json!({"subject": number.to_string()})).await.ok();
        drafts.push(stage.inbox(0, &format!("/drafts/{}", draft["draft_id"].as_str().unwrap())));
    }
    MovingRows { stage, list: stage.target(list), plural: "drafts", drafts }
}

/// Newest first: a moved row goes to the start, which was read before.
async fn assert_moved_to_start(moving: &MovingRows<'_>) {
    let [first, rest] = moving.read("", [5, 2]).await;
    assert_eq!((first.concat(), rest.concat()), ("54".to_owned(), "31".to_owned()), "{}", moving.list);
    // A new read from the start shows it.
    let [first, rest] = moving.read("", [3, 1]).await;
    assert_eq!((first.concat(), rest.concat()), ("25".to_owned(), "4".to_owned()), "{}", moving.list);
}

/// Oldest first: a moved row goes to the end, which is read later.
async fn assert_moved_to_end(moving: &MovingRows<'_>) {
    let [first, rest] = moving.read("&ascending=true", [1, 3]).await;
    assert_eq!((first.concat(), rest.concat()), ("12".to_owned(), "4513".to_owned()), "{}", moving.list);
}

#[tokio::test]
async fn thread_without_its_newest_message_moves_to_time_of_earlier_one() {
    let server = server().await;
    for (number, list) in ["/v0/inboxes/{inbox_id}/threads", "/v0/threads"].into_iter().enumerate() {
        let stage = Stage::of(&server, &format!("back{number}")).await;
        let moving = threads(&stage, list).await;
        let answer = MailBuilder::new("alice@outside.example", "scout@outside.example", "1", "again");
        let answer = answer.id("<again@outside.example>").header("In-Reply-To", "<1@outside.example>");
        stage.receive(0, &answer).await;
        let first = stage.agent.get(&format!("{}?limit=2", moving.list)).await.ok();
        assert_eq!(text_fields(&first, "threads", "subject"), ["1", "5"]);
        stage
            .agent
            .delete(&item_path(&stage.inbox(0, "/messages"), "<again@outside.example>"))
            .await
            .require_no_content();
        let token = encoded(first["next_page_token"].as_str().unwrap());
        let rest = stage.agent.get(&format!("{}?limit=10&page_token={token}", moving.list)).await.ok();
        // It is now after the cursor, so it appears again in its new state.
        assert_eq!(text_fields(&rest, "threads", "subject"), ["4", "3", "2", "1"]);
    }
}

#[tokio::test]
async fn reply_during_read_moves_only_its_thread() {
    let server = server().await;
    let lists = ["/v0/inboxes/{inbox_id}/threads", "/v0/threads", "/v0/pods/{pod_id}/threads"];
    for (number, list) in lists.into_iter().enumerate() {
        let stage = Stage::of(&server, &format!("down{number}")).await;
        assert_moved_to_start(&threads(&stage, list).await).await;
        let stage = Stage::of(&server, &format!("up{number}")).await;
        assert_moved_to_end(&threads(&stage, list).await).await;
    }
}

#[tokio::test]
async fn change_during_read_moves_only_its_draft() {
    let server = server().await;
    let lists = ["/v0/inboxes/{inbox_id}/drafts", "/v0/drafts", "/v0/pods/{pod_id}/drafts"];
    for (number, list) in lists.into_iter().enumerate() {
        let stage = Stage::of(&server, &format!("down{number}")).await;
        assert_moved_to_start(&drafts(&stage, list).await).await;
        let stage = Stage::of(&server, &format!("up{number}")).await;
        assert_moved_to_end(&drafts(&stage, list).await).await;
    }
}
