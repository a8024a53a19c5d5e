//! `GET …/threads/search`: pages and windows, in an inbox and across the organization.

use serde_json::json;

use crate::support::{read_pages, receive_all, server_and_agent, text_fields};

#[tokio::test]
async fn thread_search_has_pages_and_windows() {
    let (server, agent) = server_and_agent().await;
    receive_all(&server, &agent, &["a1", "b", "a2", "a3", "a4"]).await;
    let pod = agent.get(&agent.inbox("")).await.ok()["pod_id"].as_str().unwrap().to_owned();
    let at = agent.message_about("a2").await["timestamp"].as_str().unwrap().to_owned();
    for base in [agent.inbox(""), "/v0".to_owned(), format!("/v0/pods/{pod}")] {
        let search = format!("{base}/threads/search?q=about%20a");
        let found = async |query: &str| {
            let page = agent.get(&format!("{search}{query}")).await.ok();
            text_fields(&page, "threads", "subject").into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        for limit in [1, 2, 3, 4, 200] {
            let walked = read_pages(&agent, &format!("{search}&limit={limit}"), "threads", "subject").await;
            assert_eq!(walked, ["a4", "a3", "a2", "a1"], "{base} by {limit}");
        }
        assert_eq!(found(&format!("&before={at}")).await, ["a1"], "{base}");
        assert_eq!(found(&format!("&after={at}")).await, ["a4", "a3"], "{base}");
        assert_eq!(found(&format!("&after={at}&before={at}")).await, [""; 0], "{base}");
        let first = agent.get(&format!("{search}&limit=1")).await.ok();
        assert_eq!((&first["count"], &first["limit"]), (&json!(1), &json!(1)));
        // A token is bound to its query.
        let token = inboxd_testkit::encoded(first["next_page_token"].as_str().unwrap());
        let other = agent.get(&format!("{base}/threads/search?q=b&page_token={token}")).await;
        assert_eq!(other.bad_fields(), ["page_token"], "{base}");
        assert_eq!(agent.get(&format!("{search}&limit=201")).await.bad_fields(), ["limit"], "{base}");
    }
}
