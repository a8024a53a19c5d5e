//! `GET /v0/inboxes/{inbox_id}/drafts` and `GET /v0/drafts`.

use inboxd_testkit::encoded;
use serde_json::json;

use super::{create_draft, draft_path};
use crate::support::{read_pages, server_and_agent, text_fields};

#[tokio::test]
async fn list_omits_bodies_and_is_ordered_by_last_change() {
    let (_server, agent) = server_and_agent().await;
    let mut drafts = Vec::new();
    for subject in ["1", "2", "3"] {
        drafts.push(
            create_draft(
                &agent,
                json!({"subject": subject, "text": "secret", "html": "<p>secret</p>", "labels": ["all", subject]}),
            )
            .await,
        );
    }
    agent.patch(&draft_path(&agent, &drafts[0], ""), json!({"text": "changed"})).await.ok();
    for list in [agent.inbox("/drafts"), "/v0/drafts".to_owned()] {
        let page = agent.get(&list).await.ok();
        assert_eq!((text_fields(&page, "drafts", "subject"), &page["limit"]), (vec!["1", "3", "2"], &json!(50)));
        assert_eq!(page["drafts"][0]["preview"], "changed");
        assert!(page["drafts"][0].get("text").is_none() && page["drafts"][0].get("html").is_none(), "{page:#}");
        let of = async |query: &str| agent.get(&format!("{list}?{query}")).await.ok();
        assert_eq!(text_fields(&of("ascending=true").await, "drafts", "subject"), ["2", "3", "1"]);
        assert_eq!(text_fields(&of("labels=ALL,2").await, "drafts", "subject"), ["2"]);
        assert_eq!(text_fields(&of("labels=draft&labels=3").await, "drafts", "subject"), ["3"]);
        let (before, after) = (drafts[2]["updated_at"].as_str().unwrap(), drafts[0]["created_at"].as_str().unwrap());
        assert_eq!(text_fields(&of(&format!("before={before}&after={after}")).await, "drafts", "subject"), ["2"]);
        assert_eq!(agent.get(&format!("{list}?limit=201&before=x")).await.bad_fields(), ["before", "limit"]);
    }
}

#[tokio::test]
async fn pages_show_every_draft_once_despite_changes() {
    let (server, agent) = server_and_agent().await;
    let mut drafts = Vec::new();
    for number in 1..=7 {
        drafts.push(create_draft(&agent, json!({"subject": format!("{number}")})).await);
    }
    for (query, expected) in [("limit=3", "7654321"), ("limit=2&ascending=true", "1234567")] {
        for list in [agent.inbox("/drafts"), "/v0/drafts".to_owned()] {
            assert_eq!(read_pages(&agent, &format!("{list}?{query}"), "drafts", "subject").await.concat(), expected);
        }
    }
    let page = agent.get("/v0/drafts?limit=3").await.ok();
    assert_eq!(text_fields(&page, "drafts", "subject"), ["7", "6", "5"]);
    agent.delete(&draft_path(&agent, &drafts[4], "")).await.require_no_content();
    create_draft(&agent, json!({"subject": "8"})).await;
    let token = encoded(page["next_page_token"].as_str().unwrap());
    let next = agent.get(&format!("/v0/drafts?limit=3&page_token={token}")).await.ok();
    assert_eq!(text_fields(&next, "drafts", "subject"), ["4", "3", "2"]);
    assert_eq!(agent.get(&format!("/v0/drafts?ascending=true&page_token={token}")).await.bad_fields(), ["page_token"]);
    server.database().execute("UPDATE drafts SET updated_at = '2026-11-20T10:00:00Z'").await;
    assert_eq!(read_pages(&agent, "/v0/drafts?limit=2", "drafts", "subject").await.len(), 7);
}

#[tokio::test]
async fn drafts_across_inboxes_are_limited_to_key_scope() {
    let (server, agent) = server_and_agent().await;
    let stranger = server.verified("stranger@example.org", "stranger").await;
    agent.post("/v0/inboxes", json!({"username": "desk"})).await.ok();
    let desk = "/v0/inboxes/desk@inboxd.localhost";
    let of_desk = agent.post(&format!("{desk}/drafts"), json!({"subject": "desk"})).await.ok();
    let draft = create_draft(&agent, json!({"subject": "scout"})).await;
    create_draft(&stranger, json!({"subject": "stranger"})).await;
    assert_eq!(text_fields(&agent.get("/v0/drafts").await.ok(), "drafts", "subject"), ["scout", "desk"]);
    assert_eq!(text_fields(&agent.get(&agent.inbox("/drafts")).await.ok(), "drafts", "subject"), ["scout"]);
    let key = agent.create_key(&format!("{desk}/api-keys"), json!({"name": "desk"})).await;
    assert_eq!(text_fields(&key.get("/v0/drafts").await.ok(), "drafts", "subject"), ["desk"]);
    let any = |draft: &serde_json::Value| format!("/v0/drafts/{}", draft["draft_id"].as_str().unwrap());
    key.get(&any(&of_desk)).await.ok();
    // Drafts outside the scope are omitted, and an inbox outside it cannot be named.
    key.get(&any(&draft)).await.require_error(404, "not_found");
    key.get(&format!("/v0/drafts?inbox_id={}", agent.inbox_id)).await.require_error(403, "inbox_out_of_scope");
    assert_eq!(
        text_fields(&agent.get(&format!("/v0/drafts?inbox_id={}", agent.inbox_id)).await.ok(), "drafts", "subject"),
        ["scout"]
    );
    stranger.get(&any(&draft)).await.require_error(404, "not_found");
    // A draft is found only in its own inbox.
    let id = draft["draft_id"].as_str().unwrap();
    agent.get(&format!("{desk}/drafts/{id}")).await.require_error(404, "not_found");
    agent.delete(&format!("{desk}/drafts/{id}")).await.require_error(404, "not_found");
    agent.post(&format!("{desk}/drafts/{id}/send"), json!({})).await.require_error(404, "not_found");
    // The deletion of an inbox deletes its drafts.
    agent.delete(desk).await.require_no_content();
    assert_eq!(text_fields(&agent.get("/v0/drafts").await.ok(), "drafts", "subject"), ["scout"]);
    agent.get(&any(&of_desk)).await.require_error(404, "not_found");
}
