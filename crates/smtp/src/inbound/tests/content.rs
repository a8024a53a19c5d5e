//! Content, dots and the end of the content.

use std::net::IpAddr;

use crate::inbound::ServerOptions;
use crate::inbound::content::{ContentBudget, ContentBuffer, ContentFault};
use crate::inbound::dot_unstuffing::DotUnstuffing;

const NETWORK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 0));

fn content(limit: usize) -> ContentBuffer {
    ContentBuffer::new(limit, &ContentBudget::new(&ServerOptions::default()), NETWORK)
}

fn finished(content: ContentBuffer) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(content.finish(1)).unwrap().raw
}

fn read(input: &[u8], piece: usize) -> Option<(Vec<u8>, usize)> {
    let mut content = content(1000);
    let mut unstuffing = DotUnstuffing::new();
    let mut used = 0;
    for piece in input.chunks(piece) {
        if let Some(end) = unstuffing.feed(piece, &mut content) {
            return Some((finished(content), used + end));
        }
        used += piece.len();
    }
    None
}

#[test]
fn content_is_unstuffed_up_to_its_end() {
    let table: [(&str, Option<(&str, usize)>); 12] = [
        (".\r\n", Some(("", 3))),
        (".\r\nrest", Some(("", 3))),
        ("\r\n.\r\n", Some(("\r\n", 5))),
        ("a\r\n.\r\nrest", Some(("a\r\n", 6))),
        ("..\r\n.\r\n", Some((".\r\n", 7))),
        ("...\r\n.\r\n", Some(("..\r\n", 8))),
        (".a\r\n.\r\n", Some(("a\r\n", 7))),
        ("a.\r\n.\r\n", Some(("a.\r\n", 7))),
        ("a\r\n..b\r\n.\r\n", Some(("a\r\n.b\r\n", 11))),
        ("a\r\n.b.\r\n.\r\n", Some(("a\r\nb.\r\n", 11))),
        ("a", None),
        ("a\r\n.\r", None),
    ];
    for (input, expected) in table {
        let expected = expected.map(|(content, used)| (content.as_bytes().to_vec(), used));
        for piece in 1..=input.len() {
            assert_eq!(read(input.as_bytes(), piece), expected, "{input:?} in pieces of {piece}");
        }
    }
}

#[tokio::test]
async fn cr_at_end_of_content_is_bare() {
    let mut content = content(10);
    content.push(b"a\r");
    assert_eq!(content.fault(), None);
    assert_eq!(content.finish(1).await.unwrap_err(), ContentFault::BareLineEnd);
}

#[test]
fn content_at_limit_is_accepted_and_larger_refused() {
    let mut content = content(4);
    content.push(b"ab\r\n");
    assert_eq!(content.fault(), None);
    content.push(b"c");
    assert_eq!(content.fault(), Some(ContentFault::TooLarge));
}

#[tokio::test]
async fn large_content_is_read_back_from_spool() {
    let folder = tempfile::tempdir().unwrap();
    let spool_folder = Some(folder.path().to_owned());
    let budget = ContentBudget::new(&ServerOptions { spool_folder, ..ServerOptions::default() });
    for length in [1, 32 * 1024, 100_000, 256 * 1024, 256 * 1024 + 1, 3_000_000] {
        let expected: Vec<u8> = (0_u32..).map(|position| position.to_be_bytes()[3] | 0x20).take(length).collect();
        let mut content = ContentBuffer::new(length, &budget, NETWORK);
        for piece in expected.chunks(10_007) {
            content.push(piece);
            content.settle().await;
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the spool file is unlinked");
        assert!(content.finish(1).await.unwrap().raw == expected, "{length}");
    }
}

#[tokio::test]
async fn content_without_a_folder_for_its_spool_is_refused() {
    let spool_folder = Some("/nowhere".into());
    let budget = ContentBudget::new(&ServerOptions { spool_folder, ..ServerOptions::default() });
    let mut content = ContentBuffer::new(1_000_000, &budget, NETWORK);
    content.push(&vec![b'a'; 500_000]);
    content.settle().await;
    assert_eq!(content.fault(), Some(ContentFault::NoCapacity));
}

#[tokio::test]
async fn network_without_memory_spools_small_messages() {
    let options = ServerOptions { max_memory_bytes: 0, ..ServerOptions::default() };
    let budget = ContentBudget::new(&options);
    let mut contents = Vec::new();
    for _ in 0..8 {
        let mut content = ContentBuffer::new(200_000, &budget, NETWORK);
        content.push(&vec![b'a'; 200_000]);
        content.settle().await;
        assert_eq!(content.fault(), None);
        contents.push(content);
    }
    for content in contents {
        assert_eq!(content.finish(1).await.unwrap().raw.len(), 200_000);
    }
}

#[tokio::test]
async fn network_with_its_share_of_the_spool_leaves_room_to_others() {
    let max_message_bytes = 600_000;
    let options = ServerOptions { max_message_bytes, max_spool_bytes: 1_200_000, ..ServerOptions::default() };
    let budget = ContentBudget::new(&options);
    let sent = async |network: IpAddr| {
        let mut content = ContentBuffer::new(max_message_bytes, &budget, network);
        content.push(&vec![b'a'; 500_000]);
        content.settle().await;
        content
    };
    let first = sent(NETWORK).await;
    assert_eq!(first.fault(), None);
    assert_eq!(sent(NETWORK).await.fault(), Some(ContentFault::NoCapacity));
    assert_eq!(sent([198, 51, 100, 0].into()).await.fault(), None);
    drop(first);
    assert_eq!(sent(NETWORK).await.fault(), None);
}
