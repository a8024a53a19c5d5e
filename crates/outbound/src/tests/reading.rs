use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use inboxd_core::ports::{ByteMeter, Fetch as _, FetchError};

use super::server::{Act, Server, fetcher, ok, read, redirect, refusal};

#[tokio::test]
async fn the_content_and_its_media_type_are_read() {
    let server = Server::saying(ok("Text/CSV; header=absent", "a,b\n1,2\n")).await;
    let fetched = read(&server.url("/file.csv?signature=x%2Fy#part"), 100).await.unwrap();
    assert_eq!(fetched.content, b"a,b\n1,2\n");
    assert_eq!(fetched.content_type.as_deref(), Some("text/csv"));
    let [head] = server.heads().try_into().unwrap();
    assert!(head.starts_with("GET /file.csv?signature=x%2Fy HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("accept-encoding: identity\r\n"), "{head}");
}

#[tokio::test]
async fn bodies_end_with_their_chunks_or_with_the_connection() {
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
async fn a_body_may_be_as_large_as_the_limit_and_no_larger() {
    let server = Server::saying(ok("a/b", &"x".repeat(100_000))).await;
    assert_eq!(read(&server.url("/"), 100_000).await.unwrap().content.len(), 100_000);
    let refused = "the answer is larger than 99999 octets; give a smaller file";
    assert_eq!(refusal(&server.url("/"), 99_999).await, refused);
}

#[tokio::test]
async fn a_body_that_is_announced_too_large_is_refused_before_it_comes() {
    // The body never comes: only the announcement can have been the reason.
    let server = Server::start(|_| {
        vec![
            Act::Write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n".to_vec()),
            Act::Wait(Duration::from_secs(30)),
        ]
    })
    .await;
    assert!(refusal(&server.url("/"), 1_000).await.contains("larger than 1000 octets"));
}

#[tokio::test]
async fn an_endless_body_is_left_at_the_limit() {
    let server = Server::start(|_| {
        let mut acts = vec![Act::Write(b"HTTP/1.1 200 OK\r\n\r\n".to_vec())];
        acts.extend(std::iter::repeat_n(Act::Write(vec![b'x'; 16_384]), 10_000));
        acts
    })
    .await;
    assert!(refusal(&server.url("/"), 100_000).await.contains("larger than 100000 octets"));
}

#[tokio::test]
async fn three_redirects_are_followed_and_a_fourth_is_not() {
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
async fn who_wants_200_takes_no_other_success() {
    let server = Server::start(|path| {
        let text = ok("text/plain", "part");
        vec![Act::Write(if path == "/" { text } else { text.replace("200 OK", "206 Partial Content") }.into_bytes())]
    })
    .await;
    let exact = fetcher(&["127.0.0.1"]).taking_200_alone();
    assert_eq!(exact.get(&server.url("/"), 100).await.unwrap().content, b"part");
    let refused = exact.get(&server.url("/part"), 100).await.unwrap_err().to_string();
    assert_eq!(refused, "the URL answered 206 instead of 200");
    assert_eq!(read(&server.url("/part"), 100).await.unwrap().content, b"part");
}

#[tokio::test]
async fn any_answer_but_success_is_an_error_that_names_it() {
    for status in [300, 304, 400, 403, 404, 500, 503] {
        let server = Server::saying(format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n")).await;
        let refused = refusal(&server.url("/"), 100).await;
        assert!(refused.starts_with(&format!("the URL answered {status} instead of 2xx")), "{refused}");
    }
    let server = Server::saying("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n").await;
    assert!(refusal(&server.url("/"), 100).await.starts_with("the URL answered 302"), "a redirect to nowhere");
}

#[tokio::test]
async fn content_that_was_compressed_unasked_is_refused_rather_than_passed_on_as_the_file() {
    let server = Server::saying("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx").await;
    assert!(refusal(&server.url("/"), 100).await.starts_with("the answer is compressed (gzip)"));
    let server = Server::saying("HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Length: 1\r\n\r\nx").await;
    assert_eq!(read(&server.url("/"), 100).await.unwrap().content, b"x");
}

#[tokio::test]
async fn what_is_no_http_or_breaks_off_is_an_error() {
    for octets in [
        "220 mail.example.org ESMTP\r\n",
        "",
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ] {
        let server = Server::saying(octets).await;
        let refused = refusal(&server.url("/"), 100).await;
        assert!(refused.starts_with("the URL did not answer in proper HTTP"), "{octets:?}: {refused}");
    }
}

#[tokio::test]
async fn the_head_of_an_answer_is_bounded() {
    let long = format!("HTTP/1.1 200 OK\r\nX-Long: {}\r\n\r\n", "x".repeat(100_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X-Many: y\r\n".repeat(1_000));
    for octets in [long, many] {
        let server = Server::saying(octets).await;
        assert!(refusal(&server.url("/"), 100).await.starts_with("the URL did not answer in proper HTTP"));
    }
}

#[tokio::test]
async fn a_server_that_keeps_silent_or_dribbles_is_given_up() {
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
        let refused = "the URL did not answer in time; try again, or send the file in `content`";
        assert_eq!(refusal(&server.url("/"), 1_000).await, refused);
    }
}

/// Has room for so many bytes.
struct Room(AtomicUsize);

impl ByteMeter for Room {
    fn count(&self, bytes: usize) -> Result<(), FetchError> {
        let take = |left: usize| left.checked_sub(bytes);
        let taken = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take);
        taken.map(drop).map_err(|_| FetchError("no room".to_owned()))
    }
}

#[tokio::test]
async fn urls_are_read_side_by_side_and_counted_as_they_come_in() {
    let server =
        Server::start(|path| vec![Act::Write(ok("text/plain", path.trim_start_matches('/')).into_bytes())]).await;
    let urls: Vec<String> = ["one", "two", "three", "four", "five"].map(|name| server.url(&format!("/{name}"))).into();
    let fetched = fetcher(&["127.0.0.1"]).get_all(&urls, 100, &Room(1000.into())).await;
    let texts: Vec<_> = fetched.into_iter().map(|read| String::from_utf8(read.unwrap().content).unwrap()).collect();
    assert_eq!(texts, ["one", "two", "three", "four", "five"], "in their order");
    let fetched = fetcher(&["127.0.0.1"]).get_all(&urls[..1], 100, &Room(2.into())).await;
    assert_eq!(fetched, [Err(FetchError("no room".to_owned()))]);
}
