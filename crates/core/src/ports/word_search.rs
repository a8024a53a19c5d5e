//! Searches by words.

use inboxd_port_macros::port;
use time::OffsetDateTime;

use super::StoreError;
use crate::model::{HidingLabels, MessageItem, OrganizationId, Page, PageRequest, Scope, Thread};
use crate::rules::word_search::{Highlights, WordQuery};

/// Maximum number of inboxes that one search reads.
pub const MAX_SEARCHED_INBOXES: usize = 1_000;

/// A search by words and its page. All conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordSearch {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The scope.
    pub scope: Scope,
    /// The words.
    pub words: WordQuery,
    /// Only messages or threads with all of these labels.
    pub labels: Vec<String>,
    /// Only messages or threads before this time, exclusive.
    pub before: Option<OffsetDateTime>,
    /// Only messages or threads after this time, exclusive.
    pub after: Option<OffsetDateTime>,
    /// Excludes messages with other hiding labels than these.
    pub included: HidingLabels,
    /// The envelope recipient of the messages, in lower case.
    pub delivered_to: Option<String>,
    /// The tag of the envelope recipient, in lower case.
    pub tag: Option<String>,
    /// The page, ordered by the times of the matching messages.
    pub page: PageRequest,
}

/// A message that matches a search.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageMatch {
    /// The message.
    pub item: MessageItem,
    /// Its fragments with the words; `None` for a search by substring.
    pub highlights: Option<Highlights>,
}

/// A thread with a message that matches a search.
#[derive(Debug, Clone, PartialEq)]
pub struct ThreadMatch {
    /// The thread.
    pub thread: Thread,
    /// Fragments of the matching message that comes first; `None` for a search by substring.
    pub highlights: Option<Highlights>,
}

/// Searches by words.
///
/// The work of one call is bounded. A page may therefore have fewer items than its limit, or none, and still a next
/// page.
#[port]
pub trait WordSearchReads {
    /// Returns a page of messages. `None` if the scope has more inboxes than [`MAX_SEARCHED_INBOXES`].
    async fn search_messages(&self, search: &WordSearch) -> Result<Option<Page<MessageMatch>>, StoreError>;

    /// Returns a page of threads by the first matching message of each. A thread with more than a thousand messages
    /// since the previous page may occur again. `None` as for messages.
    async fn search_threads(&self, search: &WordSearch) -> Result<Option<Page<ThreadMatch>>, StoreError>;
}
