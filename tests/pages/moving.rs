//! Rows that move within their list while it is read: lists are ordered by the last change, and a change moves a row to
//! the end where the newest stand. Whoever has passed that end does not meet it again, whoever comes to it meets it there;
//! no other row is repeated or skipped.

use inboxd_testkit::{Mail, encoded};
use serde_json::json;

use super::stage::{Stage, within};
use crate::support::{each, server};

/// The five rows of a list, and how each is brought to the newest end.
struct Moving<'a> {
    stage: &'a Stage<'a>,
    list: String,
    plural: &'static str,
    /// The paths of drafts; none for threads.
    drafts: Vec<String>,
}

impl Moving<'_> {
    /// Reads two pages, of two and of all the rest, between which two rows are changed, and answers their subjects.
    async fn read(&self, order: &str, changed: [usize; 2]) -> [Vec<String>; 2] {
        let agent = &self.stage.agent;
        let first = agent.get(&format!("{}?limit=2{order}", self.list)).await.ok();
        for number in changed {
            self.change(number).await;
        }
        let token = encoded(first["next_page_token"].as_str().unwrap());
        let rest = agent.get(&format!("{}?limit=10{order}&page_token={token}", self.list)).await.ok();
        assert!(rest.get("next_page_token").is_none(), "{rest:#}");
        [first, rest].map(|page| each(&page, self.plural, "subject").into_iter().map(str::to_owned).collect())
    }

    async fn change(&self, number: usize) {
        if self.drafts.is_empty() {
            let mail = Mail::new("alice@outside.example", "scout@outside.example", &number.to_string(), "again");
            self.stage.receive(0, &mail.header("In-Reply-To", &format!("<{number}@outside.example>"))).await;
        } else {
            self.stage.agent.patch(&self.drafts[number - 1], json!({"text": "again"})).await.ok();
        }
    }
}

async fn threads<'a>(stage: &'a Stage<'a>, list: &str) -> Moving<'a> {
    for number in 1..=5 {
        let mail = Mail::new("alice@outside.example", "scout@outside.example", &number.to_string(), "hello");
        stage.receive(0, &mail.id(&format!("<{number}@outside.example>"))).await;
    }
    stage.agent.delete(&stage.target("/v0/threads/{thread_id}")).await.gone();
    Moving { stage, list: stage.target(list), plural: "threads", drafts: Vec::new() }
}

async fn drafts<'a>(stage: &'a Stage<'a>, list: &str) -> Moving<'a> {
    let mut drafts = Vec::new();
    for number in 1..=5 {
        let draft = stage.agent.post(&stage.inbox(0, "/drafts"), json!({"subject": number.to_string()})).await.ok();
        drafts.push(stage.inbox(0, &format!("/drafts/{}", draft["draft_id"].as_str().unwrap())));
    }
    Moving { stage, list: stage.target(list), plural: "drafts", drafts }
}

/// Newest first: what moves goes to the front, which was read before.
async fn what_moves_to_the_front_is_not_repeated_and_no_longer_to_come(moving: &Moving<'_>) {
    let [first, rest] = moving.read("", [5, 2]).await;
    assert_eq!((first.concat(), rest.concat()), ("54".to_owned(), "31".to_owned()), "{}", moving.list);
    // Whoever begins again finds it.
    let [first, rest] = moving.read("", [3, 1]).await;
    assert_eq!((first.concat(), rest.concat()), ("25".to_owned(), "4".to_owned()), "{}", moving.list);
}

/// Oldest first: what moves goes to the end, which is still to come.
async fn what_moves_to_the_end_comes_there_even_when_it_came_before(moving: &Moving<'_>) {
    let [first, rest] = moving.read("&ascending=true", [1, 3]).await;
    assert_eq!((first.concat(), rest.concat()), ("12".to_owned(), "4513".to_owned()), "{}", moving.list);
}

#[tokio::test]
async fn a_thread_that_loses_its_newest_message_goes_back_to_where_the_one_before_stands() {
    let server = server().await;
    for (number, list) in ["/v0/inboxes/{inbox_id}/threads", "/v0/threads"].into_iter().enumerate() {
        let stage = Stage::of(&server, &format!("back{number}")).await;
        let moving = threads(&stage, list).await;
        let answer = Mail::new("alice@outside.example", "scout@outside.example", "1", "again");
        let answer = answer.id("<again@outside.example>").header("In-Reply-To", "<1@outside.example>");
        stage.receive(0, &answer).await;
        let first = stage.agent.get(&format!("{}?limit=2", moving.list)).await.ok();
        assert_eq!(each(&first, "threads", "subject"), ["1", "5"]);
        stage.agent.delete(&within(&stage.inbox(0, "/messages"), "<again@outside.example>")).await.gone();
        let token = encoded(first["next_page_token"].as_str().unwrap());
        let rest = stage.agent.get(&format!("{}?limit=10&page_token={token}", moving.list)).await.ok();
        // It stands behind the place now, so that it comes once more, as it is now.
        assert_eq!(each(&rest, "threads", "subject"), ["4", "3", "2", "1"]);
    }
}

#[tokio::test]
async fn a_thread_that_is_answered_while_its_list_is_read_moves_and_moves_no_other() {
    let server = server().await;
    let lists = ["/v0/inboxes/{inbox_id}/threads", "/v0/threads", "/v0/pods/{pod_id}/threads"];
    for (number, list) in lists.into_iter().enumerate() {
        let stage = Stage::of(&server, &format!("down{number}")).await;
        what_moves_to_the_front_is_not_repeated_and_no_longer_to_come(&threads(&stage, list).await).await;
        let stage = Stage::of(&server, &format!("up{number}")).await;
        what_moves_to_the_end_comes_there_even_when_it_came_before(&threads(&stage, list).await).await;
    }
}

#[tokio::test]
async fn a_draft_that_is_changed_while_its_list_is_read_moves_and_moves_no_other() {
    let server = server().await;
    let lists = ["/v0/inboxes/{inbox_id}/drafts", "/v0/drafts", "/v0/pods/{pod_id}/drafts"];
    for (number, list) in lists.into_iter().enumerate() {
        let stage = Stage::of(&server, &format!("down{number}")).await;
        what_moves_to_the_front_is_not_repeated_and_no_longer_to_come(&drafts(&stage, list).await).await;
        let stage = Stage::of(&server, &format!("up{number}")).await;
        what_moves_to_the_end_comes_there_even_when_it_came_before(&drafts(&stage, list).await).await;
    }
}
