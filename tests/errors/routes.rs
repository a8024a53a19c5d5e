//! Unknown paths and methods.

use inboxd_testkit::HttpRequest;

use crate::support::server_and_agent;

#[tokio::test]
async fn wrong_method_lists_allowed_methods() {
    let (_server, agent) = server_and_agent().await;
    let table = [
        ("PUT", "/v0/inboxes".to_owned(), vec!["GET", "POST"]),
        ("GET", "/v0/agent/sign-up".to_owned(), vec!["POST"]),
        ("POST", agent.inbox(""), vec!["DELETE", "GET", "PATCH"]),
        ("DELETE", agent.inbox("/messages"), vec!["GET"]),
        ("GET", agent.inbox("/messages/send"), vec!["POST"]),
        ("PUT", agent.inbox("/messages/a@b.example"), vec!["DELETE", "GET", "PATCH"]),
        ("POST", "/v0/events".to_owned(), vec!["GET"]),
        ("DELETE", "/health".to_owned(), vec!["GET"]),
    ];
    for (method, path, expected) in table {
        let answer = agent.call(HttpRequest::new(method, &path)).await;
        answer.require_error(405, "method_not_allowed");
        let mut allowed: Vec<&str> = answer
            .header("Allow")
            .unwrap()
            .split(", ")
            .filter(|method| !["HEAD", "OPTIONS"].contains(method))
            .collect();
        allowed.sort_unstable();
        assert_eq!(allowed, expected, "{method} {path}");
    }
}

#[tokio::test]
async fn unknown_routes_are_reported() {
    let (server, agent) = server_and_agent().await;
    // Literal paths of client libraries that the service does not offer are no ids.
    let unknown = [
        "/nothing",
        "/v0/",
        "/v1/inboxes",
        "/v0/nothing",
        "/v0/inboxes/",
        "/v0/calendar",
        "/v0/files",
        "/v0/api-keys/public-keys",
        "/docs/nothing",
        "/..%2f..%2fetc/passwd",
    ];
    for path in unknown {
        agent.get(path).await.require_error(404, "route_not_found");
    }
    agent.get(&agent.inbox("/nothing")).await.require_error(404, "route_not_found");
    server.http().get("/v0/nothing").await.envelope().as_object().unwrap();
}

#[tokio::test]
async fn unreadable_paths_and_queries_return_error_envelope() {
    let (_server, agent) = server_and_agent().await;
    for path in
        ["/v0/inboxes/%ff%fe", "/v0/inboxes/%00", "/v0/inboxes/not-an-address", "/v0/inboxes/a@b@c", "/v0/inboxes/%zz"]
    {
        let answer = agent.get(path).await;
        assert!([400, 404, 422].contains(&answer.status), "{path}: {} {}", answer.status, answer.text());
        answer.envelope().as_object().unwrap();
    }
    let answer = agent.get("/v0/events?event_types=%ff").await;
    assert!((400..500).contains(&answer.status), "{}", answer.status);
    answer.envelope().as_object().unwrap();
}
