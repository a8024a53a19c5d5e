//! Reading lists page by page while rows come and go.

use std::collections::BTreeSet;

use inboxd_testkit::{Dns, Server, encoded};

use super::kind::{Kind, Row, make, remove};
use super::stage::Stage;
use super::table::{LISTS, List};
use crate::support::{each, options};

/// The slots of the rows: two crowds of one time each, so that a page ends within either, whichever way one reads.
const SLOTS: [u32; 11] = [10, 20, 20, 20, 20, 30, 30, 30, 30, 40, 50];
/// Before all of them, and behind.
const ENDS: [u32; 2] = [5, 60];

/// How many lists are read at a time.
const LANES: usize = 4;

#[tokio::test]
async fn every_row_is_seen_once_and_in_order_whatever_comes_and_goes_between_pages() {
    let dns = Dns::start().await;
    let server = options().dns(&dns).start().await;
    let read_every = |lane: usize| read_every_nth(&server, lane);
    tokio::join!(read_every(0), read_every(1), read_every(2), read_every(3));
}

/// Reads the lists of a lane, each in an organization of its own and both ways.
async fn read_every_nth(server: &Server, lane: usize) {
    for (number, list) in LISTS.iter().enumerate().skip(lane).step_by(LANES) {
        let stage = Stage::of(server, &format!("stage{number}")).await;
        let mut rows = Vec::new();
        for slot in SLOTS {
            rows.push(make(&stage, list, rows.len(), slot).await);
        }
        read_while_rows_come_and_go(&stage, list, Way::Onward, &mut rows).await;
        if list.can_ascend() {
            read_while_rows_come_and_go(&stage, list, Way::Backward, &mut rows).await;
        }
    }
}

/// Which way a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// As it comes: the newest first, or by name.
    Onward,
    /// The oldest first.
    Backward,
}

async fn read_while_rows_come_and_go(stage: &Stage<'_>, list: &List, way: Way, rows: &mut Vec<Row>) {
    let what = format!("{} {} {way:?}", list.path, list.query);
    let is_rising = way == Way::Backward || list.is_by_name();
    rows.sort();
    if !is_rising {
        rows.reverse();
    }
    let made: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    let whole = page(stage, list, way, 200, None).await.0;
    let ours: Vec<&str> = whole.iter().map(String::as_str).filter(|id| made.contains(id)).collect();
    assert_eq!(ours, made, "{what}: by time, then by id");

    let mut seen: Vec<String> = Vec::new();
    let mut changes: Option<Changes> = None;
    let mut token = None;
    loop {
        let (ids, next) = page(stage, list, way, 2, token.as_deref()).await;
        assert!(ids.len() == 2 || next.is_none(), "{what}: a page is full unless it is the last: {ids:?}");
        seen.extend(ids);
        assert!(seen.len() < 50, "{what}: the pages do not end: {seen:?}");
        let Some(next) = next else { break };
        token = Some(next);
        if changes.is_none() && rows.iter().filter(|row| seen.contains(&row.id)).count() >= 3 {
            changes = Some(change(stage, list, is_rising, rows, &seen).await);
        }
    }
    let changes = changes.unwrap_or_else(|| panic!("{what}: one page held everything: {seen:?}"));

    let distinct: BTreeSet<&String> = seen.iter().collect();
    assert_eq!(distinct.len(), seen.len(), "{what}: nothing comes twice: {seen:?}");
    let others: Vec<&String> = seen.iter().filter(|id| !changes.came().contains(id)).collect();
    let expected: Vec<&String> = whole.iter().filter(|id| **id != changes.gone_unseen).collect();
    assert_eq!(others, expected, "{what}: what was there all the time, and what went after it was seen");
    assert!(!seen.contains(&changes.in_front.id), "{what}: what came in front of the place stays in front");
    assert!(seen.contains(&changes.behind.id), "{what}: what came behind the place is still to come");

    let now = page(stage, list, way, 200, None).await.0;
    assert!(changes.came().iter().all(|id| now.contains(id)), "{what}: they came");
    assert!(!now.contains(&changes.gone_seen) && !now.contains(&changes.gone_unseen), "{what}: they are gone");
    rows.retain(|row| now.contains(&row.id));
    rows.extend([changes.in_front, changes.behind, changes.beside]);
}

/// What came and went.
struct Changes {
    in_front: Row,
    behind: Row,
    /// Of the same time as the last row that was seen.
    beside: Row,
    /// The last row that was seen.
    gone_seen: String,
    /// The next one that would have been.
    gone_unseen: String,
}

impl Changes {
    fn came(&self) -> [&String; 3] {
        [&self.in_front.id, &self.behind.id, &self.beside.id]
    }
}

/// Lets rows come and go in a list whose first rows were seen.
async fn change(stage: &Stage<'_>, list: &List, is_rising: bool, rows: &[Row], seen: &[String]) -> Changes {
    let (seen, unseen): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| seen.contains(&row.id));
    let (passed, coming) = (seen[seen.len() - 1], unseen[0]);
    remove(stage, list, passed).await;
    remove(stage, list, coming).await;
    let [front, end] = if is_rising { ENDS } else { [ENDS[1], ENDS[0]] };
    // Numbers that no row has, of either walk.
    let first = if is_rising { 20 } else { 30 };
    Changes {
        in_front: make(stage, list, first, front).await,
        behind: make(stage, list, first + 1, end).await,
        beside: make(stage, list, first + 2, passed.slot).await,
        gone_seen: passed.id.clone(),
        gone_unseen: coming.id.clone(),
    }
}

/// Reads a page, and where the next one begins.
async fn page(
    stage: &Stage<'_>,
    list: &List,
    way: Way,
    limit: u32,
    token: Option<&str>,
) -> (Vec<String>, Option<String>) {
    let query = list.query.replace("{inbox_id}", &stage.agent.inbox_id);
    let order = if way == Way::Backward { "&ascending=true" } else { "" };
    let token = token.map(|token| format!("&page_token={}", encoded(token))).unwrap_or_default();
    let target = format!("{}?limit={limit}{order}{token}&{query}", stage.target(list.path));
    let page = stage.agent.get(&target).await.ok();
    let mut ids: Vec<String> = each(&page, list.kind.plural(), list.kind.id()).into_iter().map(str::to_owned).collect();
    assert_eq!(page["count"], ids.len(), "{target}");
    if list.kind == Kind::Answer {
        // The newest page comes first, and in it the oldest message.
        ids.reverse();
    } else {
        assert_eq!(page["limit"], limit, "{target}");
    }
    (ids, page["next_page_token"].as_str().map(str::to_owned))
}
