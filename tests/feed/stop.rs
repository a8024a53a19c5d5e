//! Server stop with waiting subscribers: they receive a close and do not delay the stop.

use inboxd_testkit::HttpRequest;
use serde_json::json;
use tokio::io::AsyncReadExt;

use super::{path_after, start_feed, wait_until_waiting};

#[tokio::test]
async fn server_stop_closes_all_waiting_subscribers() {
    let (mut server, agent, first) = start_feed().await;
    let (mut socket, _) = agent.open_subscribed_socket(json!({})).await;
    let mut silent = agent.open_socket("/v0").await.unwrap();
    let mut stream = agent.open_stream(HttpRequest::new("GET", &path_after(&first))).await.unwrap();
    let mut waiting = agent.start_request(HttpRequest::new("GET", &format!("{}&wait=60", path_after(&first)))).await;
    let mut for_message = agent.start_request(HttpRequest::new("GET", &agent.inbox("/messages/wait?timeout=60"))).await;
    wait_until_waiting().await;
    server.send_sigterm();
    for socket in [&mut socket, &mut silent] {
        assert_eq!(socket.read_until_close().await, (1001, Vec::new()));
    }
    assert_eq!(stream.next().await, None, "the stream ends");
    for (connection, body) in [(&mut waiting, r#"{"count":0,"limit":50,"events":[]}"#), (&mut for_message, "{}")] {
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(body), "{answer}");
    }
    drop((socket, silent, stream));
    let ended = server.wait_for_exit().await;
    assert!(ended.success(), "{ended}: {:#?}", server.log().lines());
    // A reconnecting subscriber resumes at its last event.
    server.restart().await;
    let agent = agent.at(&server);
    super::deliver_mail(&server, &agent.inbox_id, "second").await;
    let (mut socket, _) = agent.open_subscribed_socket(json!({"after_event_id": first})).await;
    assert_eq!(super::event_subject(&socket.next_event().await), "second");
}
