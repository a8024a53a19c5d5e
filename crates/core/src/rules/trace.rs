//! Merge of the sources of a trace into one timeline.

use uuid::Uuid;

use crate::model::{Cursor, Direction, Page, PageRequest, TraceEntry, TracePlace, TraceSegment, TraceSource};

/// Returns the page that a source is asked for, so that no entry before the cursor of the timeline is repeated.
#[must_use]
pub fn page_of(page: &PageRequest, source: TraceSource) -> PageRequest {
    let after = page.after.as_ref().and_then(TracePlace::of).map(|place| {
        // Entries of the same time precede or follow the cursor by their sources.
        let id = if source == place.source {
            place.id
        } else if (source < place.source) == (page.direction == Direction::Descending) {
            remaining(page.direction)
        } else {
            finished(page.direction)
        };
        Cursor { time: place.at, id: id.to_string() }
    });
    PageRequest { limit: page.limit, after, direction: page.direction }
}

/// Returns the id before all of its time, in the order of the page.
fn remaining(direction: Direction) -> Uuid {
    match direction {
        Direction::Descending => Uuid::max(),
        Direction::Ascending => Uuid::nil(),
    }
}

/// Returns the id behind all of its time, in the order of the page.
fn finished(direction: Direction) -> Uuid {
    match direction {
        Direction::Descending => Uuid::nil(),
        Direction::Ascending => Uuid::max(),
    }
}

/// Merges segments into a page. A segment that was not read to its end bounds the page: its later entries are unknown.
/// A page may therefore be short, or empty, and still have a successor.
#[must_use]
pub fn merge(segments: Vec<TraceSegment>, limit: u32, direction: Direction) -> Page<TraceEntry> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let is_after = |place: &TracePlace, bound: &TracePlace| match direction {
        Direction::Descending => place < bound,
        Direction::Ascending => place > bound,
    };
    let read_to = segments.iter().filter_map(|segment| segment.read_to);
    let bound = read_to.reduce(|nearest, other| if is_after(&nearest, &other) { other } else { nearest });
    let mut items: Vec<TraceEntry> = segments.into_iter().flat_map(|segment| segment.entries).collect();
    items.retain(|entry| bound.is_none_or(|bound| !is_after(&entry.place, &bound)));
    items.sort_by(|one, other| match direction {
        Direction::Descending => other.place.cmp(&one.place),
        Direction::Ascending => one.place.cmp(&other.place),
    });
    let has_more = items.len() > limit;
    items.truncate(limit);
    let next = if has_more { items.last().map(|entry| entry.place) } else { bound };
    Page { items, next: next.map(|place| place.cursor()) }
}
