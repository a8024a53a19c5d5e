#![expect(clippy::unwrap_used, reason = "a test may fail")]

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

use super::frames::{ERROR, LENGTH_BYTES};
use super::*;

const LIMIT: Duration = Duration::from_secs(30);

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + LENGTH_BYTES).unwrap().to_be_bytes();
    [&[kind], &length[..], body].concat()
}

fn error(code: &str, text: &str) -> Vec<u8> {
    message(ERROR, format!("SERROR\0VERROR\0C{code}\0M{text}\0Dmore\0\0").as_bytes())
}

fn wire() -> (WireStream<DuplexStream>, DuplexStream, DiskShortage) {
    let (near, far) = duplex(1 << 16);
    let shortage = DiskShortage::default();
    (WireStream::new(near, Some(LIMIT), shortage.clone()), far, shortage)
}

#[tokio::test]
async fn error_code_precedes_text_however_bytes_are_split() {
    let row = message(b'D', &[b'E'; 300]);
    let sent =
        [row.clone(), error("53100", "no space"), message(READY, b"E"), row.clone(), error("40P01", "x")].concat();
    let expected =
        [row.clone(), error("53100", "53100: no space"), message(READY, b"E"), row, error("40P01", "40P01: x")]
            .concat();
    for size in [1, 2, 3, 7, 64, 311, 4096] {
        let (mut wire, mut far, shortage) = wire();
        let mut read = Vec::new();
        for chunk in sent.chunks(size) {
            far.write_all(chunk).await.unwrap();
            // All bytes that can be read at once.
            while let Ok(Ok(some)) = tokio::time::timeout(Duration::ZERO, wire.read_buf(&mut read)).await {
                assert_ne!(some, 0);
            }
        }
        drop(far);
        wire.read_to_end(&mut read).await.unwrap();
        assert_eq!(read, expected, "{size} bytes at a time");
        assert!(shortage.is_reported());
    }
}

#[tokio::test]
async fn malformed_error_is_passed_on() {
    for body in [&b""[..], b"C53100", b"Mtext\0\0", b"\0"] {
        let (mut wire, mut far, _) = wire();
        far.write_all(&message(ERROR, body)).await.unwrap();
        drop(far);
        let mut read = Vec::new();
        wire.read_to_end(&mut read).await.unwrap();
        assert_eq!(read, message(ERROR, body));
    }
}

/// Sends the startup message and its reply.
async fn start(wire: &mut WireStream<DuplexStream>, far: &mut DuplexStream) {
    wire.write_all(&message(0, b"user").split_off(1)).await.unwrap();
    far.write_all(&message(READY, b"I")).await.unwrap();
    wire.read_exact(&mut [0; 6]).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn silence_after_request_breaks_the_stream() {
    let (mut wire, mut far, _) = wire();
    start(&mut wire, &mut far).await;
    let began = Instant::now();
    // Two requests in one round trip, of which one has a reply.
    wire.write_all(&[message(SYNC, b""), message(QUERY, b"SELECT 1\0")].concat()).await.unwrap();
    far.write_all(&message(READY, b"I")).await.unwrap();
    wire.read_exact(&mut [0; 6]).await.unwrap();
    let error = wire.read_u8().await.unwrap_err();
    assert_eq!((error.kind(), began.elapsed().as_secs()), (io::ErrorKind::TimedOut, LIMIT.as_secs()));
}

#[tokio::test(start_paused = true)]
async fn silence_without_request_is_tolerated() {
    let (mut wire, mut far, _) = wire();
    start(&mut wire, &mut far).await;
    assert!(tokio::time::timeout(LIMIT * 10, wire.read_u8()).await.is_err());
    wire.write_all(&message(SYNC, b"")).await.unwrap();
    assert!(tokio::time::timeout(LIMIT * 9 / 10, wire.read_u8()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn silence_wakes_driver_that_reads_before_it_writes() {
    let (mut wire, mut far, _) = wire();
    start(&mut wire, &mut far).await;
    let request = message(SYNC, b"");
    let mut is_written = false;
    let driven = std::future::poll_fn(|context| {
        let mut bytes = [0; 8];
        let read = pin!(&mut wire).poll_read(context, &mut ReadBuf::new(&mut bytes));
        if !is_written {
            is_written = pin!(&mut wire).poll_write(context, &request).is_ready();
        }
        read
    });
    let ended = tokio::time::timeout(LIMIT * 2, driven).await.unwrap();
    assert_eq!(ended.unwrap_err().kind(), io::ErrorKind::TimedOut);
}

#[tokio::test(start_paused = true)]
async fn stalled_server_breaks_the_stream() {
    let (mut wire, mut far, _) = wire();
    start(&mut wire, &mut far).await;
    let error = wire.write_all(&message(b'B', &vec![0; 1 << 20])).await.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
}

#[tokio::test]
async fn stream_ends_after_all_replies_of_a_server_that_stops_or_accepts_no_writes() {
    for (sqlstate, is_end) in [("25006", true), ("57P01", true), ("57P02", true), ("57P03", true), ("57014", false)] {
        let (mut wire, mut far, _) = wire();
        start(&mut wire, &mut far).await;
        // Two requests in one round trip.
        wire.write_all(&[message(SYNC, b""), message(QUERY, b"COMMIT\0")].concat()).await.unwrap();
        let replies =
            [error(sqlstate, "x"), message(READY, b"E"), message(b'C', b"ROLLBACK\0"), message(READY, b"I")].concat();
        far.write_all(&replies).await.unwrap();
        // The code and a separator precede the text.
        wire.read_exact(&mut vec![0; replies.len() + "57P01: ".len()]).await.unwrap();
        let next = tokio::time::timeout(Duration::from_millis(10), wire.read_u8()).await;
        assert_eq!(matches!(next, Ok(Err(_))), is_end, "{sqlstate}: {next:?}");
    }
}
