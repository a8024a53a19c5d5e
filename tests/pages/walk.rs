//! Page-by-page reads of all lists during insertions and deletions.

use std::collections::BTreeSet;

use inboxd_testkit::{DnsServer, TestServer, encoded};

use super::kind::{Kind, Row, create_rows, remove_row};
use super::stage::Stage;
use super::table::{LISTS, ListCase};
use crate::support::{options, text_fields};

/// Slots of the rows: two groups of equal time, so that a page ends within either group in both directions.
const SLOTS: [u32; 11] = [10, 20, 20, 20, 20, 30, 30, 30, 30, 40, 50];
/// Slots before and after all rows.
const ENDS: [u32; 2] = [5, 60];

/// Number of lists that are read concurrently.
const LANES: usize = 4;

#[tokio::test]
async fn pages_show_every_row_once_in_order_despite_changes() {
    let dns = DnsServer::start().await;
    let server = options().dns(&dns).start().await;
    let read_every = |lane: usize| read_shard(&server, lane);
    tokio::join!(read_every(0), read_every(1), read_every(2), read_every(3));
}

/// Reads the lists of a shard in both directions, each in a separate organization.
async fn read_shard(server: &TestServer, lane: usize) {
    for (number, list) in LISTS.iter().enumerate().skip(lane).step_by(LANES) {
        let stage = Stage::of(server, &format!("stage{number}")).await;
        let mut rows = create_rows(&stage, list, 0, &SLOTS).await;
        read_during_changes(&stage, list, Direction::Onward, &mut rows).await;
        if list.can_ascend() {
            read_during_changes(&stage, list, Direction::Backward, &mut rows).await;
        }
    }
}

/// Direction of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// Default order: newest first, or by name.
    Onward,
    /// Oldest first.
    Backward,
}

async fn read_during_changes(stage: &Stage<'_>, list: &ListCase, direction: Direction, rows: &mut Vec<Row>) {
    let what = format!("{} {} {direction:?}", list.path, list.query);
    let is_rising = direction == Direction::Backward || list.is_by_name();
    rows.sort();
    if !is_rising {
        rows.reverse();
    }
    let made: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let whole = page(stage, list, direction, 200, None).await.0;
    let ours: Vec<&str> = whole.iter().map(String::as_str).filter(|id| made.contains(id)).collect();
    assert_eq!(ours, made, "{what}: by time, then by id");

    let mut seen: Vec<String> = Vec::new();
    let mut changes: Option<Changes> = None;
    let mut token = None;
    loop {
        let (ids, next) = page(stage, list, direction, 2, token.as_deref()).await;
        assert!(ids.len() == 2 || next.is_none(), "{what}: a page before the last is not full: {ids:?}");
        seen.extend(ids);
        assert!(seen.len() < 50, "{what}: the pages do not end: {seen:?}");
        let Some(next) = next else { break };
        token = Some(next);
        if changes.is_none() && rows.iter().filter(|row| seen.contains(&row.id)).count() >= 3 {
            changes = Some(change_rows(stage, list, is_rising, rows, &seen).await);
        }
    }
    let changes = changes.unwrap_or_else(|| panic!("{what}: one page contains all rows: {seen:?}"));

    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len(), "{what}: a row is repeated: {seen:?}");
    let others: Vec<&String> = seen.iter().filter(|id| !changes.came().contains(id)).collect();
    let expected: Vec<&String> = whole.iter().filter(|id| **id != changes.gone_unseen).collect();
    assert_eq!(others, expected, "{what}: constant rows, and rows deleted after they were seen");
    assert!(!seen.contains(&changes.in_front.id), "{what}: a row inserted before the cursor is not seen");
    assert!(seen.contains(&changes.behind.id), "{what}: a row inserted after the cursor is seen");

    let now = page(stage, list, direction, 200, None).await.0;
    assert!(changes.came().iter().all(|id| now.contains(id)), "{what}: the inserted rows exist");
    assert!(
        !now.contains(&changes.gone_seen) && !now.contains(&changes.gone_unseen),
        "{what}: the deleted rows are gone"
    );
    rows.retain(|row| now.contains(&row.id));
    rows.extend([changes.in_front, changes.behind, changes.beside]);
}

/// Inserted and deleted rows.
struct Changes {
    in_front: Row,
    behind: Row,
    /// Row of the same time as the last row that was seen.
    beside: Row,
    /// Last row that was seen.
    gone_seen: String,
    /// Next row that would have been seen.
    gone_unseen: String,
}

impl Changes {
    fn came(&self) -> [&String; 3] {
        [&self.in_front.id, &self.behind.id, &self.beside.id]
    }
}

/// Inserts and deletes rows after the first page was read.
async fn change_rows(stage: &Stage<'_>, list: &ListCase, is_rising: bool, rows: &[Row], seen: &[String]) -> Changes {
    let (seen, unseen): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| seen.contains(&row.id));
    let (passed, coming) = (seen[seen.len() - 1], unseen[0]);
    remove_row(stage, list, passed).await;
    remove_row(stage, list, coming).await;
    let [front, end] = if is_rising { ENDS } else { [ENDS[1], ENDS[0]] };
    // Numbers unused by the rows of either read.
    let first = if is_rising { 20 } else { 30 };
    let came = create_rows(stage, list, first, &[front, end, passed.slot]).await;
    let [in_front, behind, beside]: [Row; 3] = came.try_into().unwrap();
    Changes { in_front, behind, beside, gone_seen: passed.id.clone(), gone_unseen: coming.id.clone() }
}

/// Reads a page and the token of the next one.
async fn page(
    stage: &Stage<'_>,
    list: &ListCase,
    direction: Direction,
    limit: u32,
    token: Option<&str>,
) -> (Vec<String>, Option<String>) {
    let query = list.query.replace("{inbox_id}", &stage.agent.inbox_id);
    let order = if direction == Direction::Backward { "&ascending=true" } else { "" };
    let token = token.map(|token| format!("&page_token={}", encoded(token))).unwrap_or_default();
    let target = format!("{}?limit={limit}{order}{token}&{query}", stage.target(list.path));
    let page = stage.agent.get(&target).await.ok();
    let mut ids: Vec<String> =
        text_fields(&page, list.kind.plural(), list.kind.id()).into_iter().map(str::to_owned).collect();
    assert_eq!(page["count"], ids.len(), "{target}");
    if list.kind == Kind::ApiResponse {
        // The newest page comes first, with the oldest message first in it.
        ids.reverse();
    } else {
        assert_eq!(page["limit"], limit, "{target}");
    }
    (ids, page["next_page_token"].as_str().map(str::to_owned))
}
