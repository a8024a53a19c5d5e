use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use inboxd_core::ports::{ByteMeter, Fetch as _, FetchError};

use super::server::{Act, Server, fetcher, ok, read, redirect, refusal};

#[tokio::test]
async fn fetch_returns_content_and_media_type() {
    let server = Server::saying(ok("Text/CSV; header=absent", "a,b\n1,2\n")).await;
    let fetched = read(&server.url("/file.csv?signature=x%2Fy#part"), 100).await.unwrap();
    assert_eq!(fetched.content, b"a,b\n1,2\n");
    assert_eq!(fetched.content_type.as_deref(), Some("text/csv"));
    let [head] = server.heads().try_into().unwrap();
    assert!(head.starts_with("GET /file.csv?signature=x%2Fy HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("accept-encoding: identity\r\n"), "{head}");
}

#[tokio::test]
async fn body_ends_with_last_chunk_or_connection() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    let server = Server::saying(chunked).await;
    assert_eq!(read(&server.url("/"), 5).await.unwrap().content, b"abcde");
    let server = Server::saying("HTTP/1.1 200 OK\r\n\r\nabcde").await;
    let fetched = read(&server.url("/"), 5).await.unwrap();
    assert_eq!((fetched.content.as_slice(), fetched.content_type), (b"abcde".as_slice(), None));
    let server = Server::saying("HTTP/1.1 204 No Content\r\n\r\n").await;
    assert_eq!(read(&server.url("/"), 0).await.unwrap().content, b"");
}

#[tokio::test]
async fn body_at_limit_is_read_and_larger_is_refused() {
    let server = Server::saying(ok("a/b", &"x".repeat(100_000))).await;
    assert_eq!(read(&server.url("/"), 100_000).await.unwrap().content.len(), 100_000);
    let refused = "the response exceeds 99999 bytes; give a smaller file";
    assert_eq!(refusal(&server.url("/"), 99_999).await, refused);
}

#[tokio::test]
async fn declared_oversized_body_is_refused_early() {
    // The body never arrives, so the refusal follows from the declared length.
    let server = Server::start(|_| {
        vec![
            Act::Write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n".to_vec()),
            Act::Wait(Duration::from_secs(30)),
        ]
    })
    .await;
    assert!(refusal(&server.url("/"), 1_000).await.contains("exceeds 1000 bytes"));
}

#[tokio::test]
async fn endless_body_is_refused_at_limit() {
    let server = Server::start(|_| {
        let mut acts = vec![Act::Write(b"HTTP/1.1 200 OK\r\n\r\n".to_vec())];
        acts.extend(std::iter::repeat_n(Act::Write(vec![b'x'; 16_384]), 10_000));
        acts
    })
    .await;
    assert!(refusal(&server.url("/"), 100_000).await.contains("exceeds 100000 bytes"));
}

#[tokio::test]
async fn fourth_redirect_is_refused() {
    let server = Server::start(|path| match path {
        "/4" => redirect(308, "/3"),
        "/3" => redirect(301, "2"),
        "/2" => redirect(302, "/1"),
        "/1" => redirect(307, "/0#end"),
        _ => vec![Act::Write(ok("text/plain", "arrived").into_bytes())],
    })
    .await;
    assert_eq!(read(&server.url("/3"), 100).await.unwrap().content, b"arrived");
    let refused = "the URL redirects more than 3 times; give the final address";
    assert_eq!(refusal(&server.url("/4"), 100).await, refused);
}

#[tokio::test]
async fn requiring_200_refuses_other_success() {
    let server = Server::start(|path| {
        let text = ok("text/plain", "part");
        vec![Act::Write(if path == "/" { text } else { text.replace("200 OK", "206 Partial Content") }.into_bytes())]
    })
    .await;
    let exact = fetcher(&["127.0.0.1"]).requiring_200();
    assert_eq!(exact.get(&server.url("/"), 100).await.unwrap().content, b"part");
    let refused = exact.get(&server.url("/part"), 100).await.unwrap_err().to_string();
    assert_eq!(refused, "the URL returned 206 instead of 200");
    assert_eq!(read(&server.url("/part"), 100).await.unwrap().content, b"part");
}

#[tokio::test]
async fn unsuccessful_status_is_named_in_error() {
    for status in [300, 304, 400, 403, 404, 500, 503] {
        let server = Server::saying(format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n")).await;
        let refused = refusal(&server.url("/"), 100).await;
        assert!(refused.starts_with(&format!("the URL returned {status} instead of 2xx")), "{refused}");
    }
    let server = Server::saying("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n").await;
    assert!(refusal(&server.url("/"), 100).await.starts_with("the URL returned 302"), "a redirect to nowhere");
}

#[tokio::test]
async fn unrequested_compression_is_refused() {
    let server = Server::saying("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx").await;
    assert!(refusal(&server.url("/"), 100).await.starts_with("the response is compressed (gzip)"));
    let server = Server::saying("HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Length: 1\r\n\r\nx").await;
    assert_eq!(read(&server.url("/"), 100).await.unwrap().content, b"x");
}

#[tokio::test]
async fn invalid_or_broken_response_is_an_error() {
    for bytes in [
        "220 mail.example.org ESMTP\r\n",
        "",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ] {
        let server = Server::saying(bytes).await;
        let refused = refusal(&server.url("/"), 100).await;
        assert!(refused.starts_with("the URL did not return valid HTTP"), "{bytes:?}: {refused}");
    }
}

#[tokio::test]
async fn oversized_head_is_an_error() {
    let long = format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n", "x".repeat(100_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-Many: y\r\n".repeat(1_000));
    for bytes in [long, many] {
        let server = Server::saying(bytes).await;
        assert!(refusal(&server.url("/"), 100).await.starts_with("the URL did not return valid HTTP"));
    }
}

#[tokio::test]
async fn silent_or_slow_server_times_out() {
    let silent = Server::start(|_| vec![Act::Wait(Duration::from_secs(30))]).await;
    let dribbling = Server::start(|_| {
        let mut acts = vec![Act::Write(b"HTTP/1.1 200 OK\r\n\r\n".to_vec())];
        for _ in 0..300 {
            acts.extend([Act::Write(b"x".to_vec()), Act::Wait(Duration::from_millis(100))]);
        }
        acts
    })
    .await;
    for server in [silent, dribbling] {
        let refused = "the URL did not respond in time; try again, or send the file in `content`";
        assert_eq!(refusal(&server.url("/"), 1_000).await, refused);
    }
}

/// Byte meter with a limit.
struct Room(AtomicUsize);

impl ByteMeter for Room {
    fn count(&self, bytes: usize) -> Result<(), FetchError> {
        let take = |left: usize| left.checked_sub(bytes);
        let taken = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take);
        taken.map(drop).map_err(|_| FetchError("no room".to_owned()))
    }
}

#[tokio::test]
async fn urls_are_fetched_concurrently_and_metered() {
    let server =
        Server::start(|path| vec![Act::Write(ok("text/plain", path.trim_start_matches('/')).into_bytes())]).await;
    let urls: Vec<String> = ["one", "two", "three", "four", "five"].map(|name| server.url(&format!("/{name}"))).into();
    let fetched = fetcher(&["127.0.0.1"]).get_all(&urls, 100, &Room(1000.into())).await;
    let texts: Vec<_> = fetched.into_iter().map(|read| String::from_utf8(read.unwrap().content).unwrap()).collect();
    assert_eq!(texts, ["one", "two", "three", "four", "five"], "in their order");
    let fetched = fetcher(&["127.0.0.1"]).get_all(&urls[..1], 100, &Room(2.into())).await;
    assert_eq!(fetched, [Err(FetchError("no room".to_owned()))]);
}
