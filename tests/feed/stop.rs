//! The server stops while readers wait: they are told, and the stop does not wait for them.

use inboxd_testkit::Request;
use serde_json::json;
use tokio::io::AsyncReadExt;

use super::{behind, started, until_it_waits};

#[tokio::test]
async fn everybody_who_waits_is_told_that_the_server_stops() {
    let (mut server, agent, first) = started().await;
    let (mut socket, _) = agent.subscribed(json!({})).await;
    let mut silent = agent.socket("/v0").await.unwrap();
    let mut stream = agent.stream(Request::new("GET", &behind(&first))).await.unwrap();
    let mut waiting = agent.begin(Request::new("GET", &format!("{}&wait=60", behind(&first)))).await;
    let mut for_message = agent.begin(Request::new("GET", &agent.inbox("/messages/wait?timeout=60"))).await;
    until_it_waits().await;
    server.ask_to_stop();
    for socket in [&mut socket, &mut silent] {
        assert_eq!(socket.closed().await, (1001, Vec::new()));
    }
    assert_eq!(stream.next().await, None, "the stream ends");
    for (connection, body) in [(&mut waiting, r#"{"count":0,"limit":50,"events":[]}"#), (&mut for_message, "{}")] {
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with(body), "{answer}");
    }
    drop((socket, silent, stream));
    let ended = server.ended().await;
    assert!(ended.success(), "{ended}: {:#?}", server.log().lines());
    // Whoever comes back goes on where they were.
    server.restart().await;
    let agent = agent.at(&server);
    super::mail(&server, &agent.inbox_id, "second").await;
    let (mut socket, _) = agent.subscribed(json!({"after_event_id": first})).await;
    assert_eq!(super::subject(&socket.event().await), "second");
}
