use inboxd_core::model::{Cursor, Page, PageRequest};
use inboxd_core::testing::fixtures::NOW;
use proptest::prelude::*;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "a page is made from references to its rows")]
fn place(row: &u32) -> Cursor {
    Cursor { time: NOW, id: row.to_string() }
}

#[test]
fn extra_row_indicates_next_page() {
    let page = Page::of(vec![1, 2, 3], 2, place);
    assert_eq!(page, Page { items: vec![1, 2], next: Some(place(&2)) });
}

#[test]
fn last_page_has_no_next_token() {
    assert_eq!(Page::of(vec![1, 2], 2, place), Page { items: vec![1, 2], next: None });
    assert_eq!(Page::of(vec![], 2, place), Page { items: vec![], next: None });
}

#[test]
fn page_limit_defaults_to_50_and_is_at_most_200() {
    assert_eq!(PageRequest::default().limit, 50);
    assert_eq!(PageRequest::MAX_LIMIT, 200);
}

proptest! {
    #[test]
    fn consecutive_pages_show_every_row_once(count in 0_u32..60, limit in 1_u32..10) {
        let rows: Vec<u32> = (0..count).collect();
        let mut shown = Vec::new();
        let mut after = None;
        loop {
            let start = after.map_or(0, |row: u32| row + 1);
            let read: Vec<u32> = (start..count).take(limit as usize + 1).collect();
            let page = Page::of(read, limit, place);
            prop_assert!(page.items.len() <= limit as usize);
            shown.extend(page.items);
            match page.next {
                Some(next) => after = Some(next.id.parse().unwrap()),
                None => break,
            }
        }
        prop_assert_eq!(shown, rows);
    }
}
