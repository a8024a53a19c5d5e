//! `GET /v0/inboxes/search`.

use serde_json::json;

use crate::support::{read_pages, server_and_agent, set_plan, text_fields};

#[tokio::test]
async fn words_match_beginnings_in_address_and_display_name_best_first() {
    let (server, agent) = server_and_agent().await;
    set_plan(&server, &agent, "startup").await;
    for (username, name) in
        [("supply", "Help desk"), ("supply.emea", "Europe"), ("airport", "Ground supply"), ("hundred", "100% real")]
    {
        agent.post("/v0/inboxes", json!({"username": username, "display_name": name})).await.ok();
    }
    let find = async |q: &str| {
        let found = agent.get(&format!("/v0/inboxes/search?q={q}")).await.ok();
        text_fields(&found, "inboxes", "username").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(find("sup").await, ["supply.emea", "supply", "airport"]);
    assert_eq!(find("SUPPLY@inboxd.localhost").await, ["supply", "airport", "supply.emea"]);
    assert_eq!(find("port").await, Vec::<String>::new());
    assert_eq!(find("desk%20help").await, ["supply"]);
    assert_eq!(find("emea").await, ["supply.emea"]);
    assert_eq!(find("100%25%25").await, ["hundred"]);
    assert_eq!(find("1_0").await, Vec::<String>::new());
    let paged = read_pages(&agent, "/v0/inboxes/search?q=sup&limit=1", "inboxes", "username").await;
    assert_eq!(paged, ["supply.emea", "supply", "airport"]);
}

#[tokio::test]
async fn search_reaches_as_far_as_the_key_and_refuses_bad_texts() {
    let (server, agent) = server_and_agent().await;
    server.verified("other@example.org", "scouting").await;
    agent.post("/v0/inboxes", json!({"username": "scout-two"})).await.ok();
    let key = agent.create_key(&agent.inbox("/api-keys"), json!({})).await;
    assert_eq!(agent.get("/v0/inboxes/search?q=scout").await.ok()["count"], 2);
    let own = key.get("/v0/inboxes/search?q=scout").await.ok();
    assert_eq!(text_fields(&own, "inboxes", "inbox_id"), [agent.inbox_id.as_str()]);
    for bad in ["", "q=", "q=..", "q=%00"] {
        assert_eq!(agent.get(&format!("/v0/inboxes/search?{bad}")).await.bad_fields(), ["q"], "{bad}");
    }
    let long = format!("/v0/inboxes/search?q={}", "x".repeat(257));
    assert_eq!(agent.get(&long).await.bad_fields(), ["q"]);
}
