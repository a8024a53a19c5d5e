//! Pages of lists: `{count, limit, next_page_token?, <plural>: […]}`.

use inboxd_core::model::{self, Page};
use inboxd_core::ports::{MessageMatch, ThreadMatch, WholeEvent};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    ApiKeyView, AuditEntryView, CalendarEventView, ConnectionView, ContactView, DomainView, DraftItemView, EventView,
    FileItemView, InboxView, LabelEventView, ListEntryView, MemberView, MessageItemView, MessageMatchView, PodView,
    PollingWebhookView, SuppressionView, ThreadItemView, ThreadMatchView, TraceEntryView, WebhookAttemptView,
    WebhookView,
};
use crate::query::Paging;

macro_rules! list {
    ($(#[$doc:meta])* $name:ident { $plural:ident: $view:ident }) => {
        $(#[$doc])*
        #[derive(Serialize, ToSchema)]
        pub(crate) struct $name {
            /// Number of items in this page.
            count: usize,
            /// Maximum number of items in a page.
            limit: u32,
            /// Token of the next page, for the parameter `page_token`; absent on the last page.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            next_page_token: Option<String>,
            /// Items of the page.
            $plural: Vec<$view>,
        }

        impl $name {
            fn page<T>(page: Page<T>, paging: &Paging, view: impl FnMut(T) -> $view) -> Self {
                Self {
                    count: page.items.len(),
                    limit: paging.request.limit,
                    next_page_token: paging.next(page.next.as_ref()),
                    $plural: page.items.into_iter().map(view).collect(),
                }
            }
        }
    };
}

list! {
    /// Page of inboxes.
    InboxList { inboxes: InboxView }
}
list! {
    /// Page of messages without bodies.
    MessageList { messages: MessageItemView }
}
list! {
    /// Page of found messages without bodies.
    MessageSearchList { messages: MessageMatchView }
}
list! {
    /// Page of found threads without messages.
    ThreadSearchList { threads: ThreadMatchView }
}
list! {
    /// Page of threads without messages.
    ThreadList { threads: ThreadItemView }
}
list! {
    /// Page of drafts without bodies.
    DraftList { drafts: DraftItemView }
}
list! {
    /// Page of API keys.
    ApiKeyList { api_keys: ApiKeyView }
}
list! {
    /// Page of connections.
    ConnectionList { connections: ConnectionView }
}
list! {
    /// Page of events of a calendar.
    CalendarEventList { events: CalendarEventView }
}
list! {
    /// Page of contacts.
    ContactList { contacts: ContactView }
}
list! {
    /// Page of pods.
    PodList { pods: PodView }
}
list! {
    /// Page of domains.
    DomainList { domains: DomainView }
}
list! {
    /// Page of members.
    MemberList { members: MemberView }
}
list! {
    /// Page of events.
    EventList { events: EventView }
}
list! {
    /// Page of the audit log.
    AuditList { entries: AuditEntryView }
}
list! {
    /// Page of a trace.
    TraceList { trace: TraceEntryView }
}
list! {
    /// Page of the label history.
    LabelEventList { events: LabelEventView }
}

list! {
    /// Page of an allow or block list.
    EntryList { entries: ListEntryView }
}
list! {
    /// Page of suppressed addresses.
    SuppressionList { suppressions: SuppressionView }
}

list! {
    /// Page of webhooks.
    WebhookList { webhooks: WebhookView }
}

impl CalendarEventList {
    pub(crate) fn new(page: Page<model::CalendarDate>, paging: &Paging) -> Self {
        Self::page(page, paging, CalendarEventView::from)
    }

    /// Returns a page of dates without description and attendees.
    pub(crate) fn items(page: Page<model::CalendarDate>, paging: &Paging) -> Self {
        Self::page(page, paging, CalendarEventView::item)
    }
}

list! {
    /// Page of polling webhooks.
    PollingWebhookList { polling_webhooks: PollingWebhookView }
}

impl PollingWebhookList {
    pub(crate) fn new(page: Page<model::PollingWebhook>, paging: &Paging) -> Self {
        Self::page(page, paging, PollingWebhookView::from)
    }
}

list! {
    /// Page of files.
    FileList { files: FileItemView }
}

impl FileList {
    pub(crate) fn new(page: Page<model::InboxFile>, paging: &Paging) -> Self {
        Self::page(page, paging, FileItemView::from)
    }
}

impl InboxList {
    pub(crate) fn new(page: Page<model::Inbox>, paging: &Paging) -> Self {
        Self::page(page, paging, InboxView::from)
    }
}

impl MessageList {
    pub(crate) fn new(page: Page<model::MessageItem>, paging: &Paging) -> Self {
        Self::page(page, paging, MessageItemView::from)
    }
}

impl MessageSearchList {
    pub(crate) fn new(page: Page<MessageMatch>, paging: &Paging) -> Self {
        Self::page(page, paging, MessageMatchView::from)
    }
}

impl ThreadSearchList {
    pub(crate) fn new(page: Page<ThreadMatch>, paging: &Paging) -> Self {
        Self::page(page, paging, ThreadMatchView::from)
    }
}

impl ThreadList {
    pub(crate) fn new(page: Page<model::Thread>, paging: &Paging) -> Self {
        Self::page(page, paging, ThreadItemView::from)
    }
}

impl DraftList {
    pub(crate) fn new(page: Page<model::DraftItem>, paging: &Paging, now: ::time::OffsetDateTime) -> Self {
        Self::page(page, paging, |item| DraftItemView::new(item, now))
    }
}

impl ApiKeyList {
    pub(crate) fn new(page: Page<model::ApiKey>, paging: &Paging, now: ::time::OffsetDateTime) -> Self {
        Self::page(page, paging, |key| ApiKeyView::new(key, now))
    }
}

impl ConnectionList {
    pub(crate) fn new(page: Page<model::Connection>, paging: &Paging) -> Self {
        Self::page(page, paging, ConnectionView::from)
    }
}

impl ContactList {
    pub(crate) fn new(page: Page<model::Contact>, paging: &Paging) -> Self {
        Self::page(page, paging, ContactView::from)
    }
}

impl PodList {
    pub(crate) fn new(page: Page<model::Pod>, paging: &Paging) -> Self {
        Self::page(page, paging, PodView::from)
    }
}

impl DomainList {
    pub(crate) fn new(page: Page<model::Domain>, paging: &Paging) -> Self {
        Self::page(page, paging, DomainView::from)
    }
}

impl MemberList {
    pub(crate) fn new(page: Page<model::Member>, paging: &Paging) -> Self {
        Self::page(page, paging, MemberView::from)
    }
}

impl EventList {
    pub(crate) fn new(page: Page<WholeEvent>, paging: &Paging) -> Self {
        Self::page(page, paging, EventView::from)
    }
}

impl AuditList {
    pub(crate) fn new(page: Page<model::AuditEntry>, paging: &Paging) -> Self {
        Self::page(page, paging, AuditEntryView::from)
    }
}

impl EntryList {
    pub(crate) fn new(page: Page<model::ListEntry>, paging: &Paging) -> Self {
        Self::page(page, paging, ListEntryView::from)
    }
}

impl SuppressionList {
    pub(crate) fn new(page: Page<model::Suppression>, paging: &Paging) -> Self {
        Self::page(page, paging, SuppressionView::from)
    }
}

list! {
    /// Page of delivery attempts.
    WebhookAttemptList { attempts: WebhookAttemptView }
}

impl WebhookAttemptList {
    pub(crate) fn new(page: Page<model::WebhookAttempt>, paging: &Paging) -> Self {
        Self::page(page, paging, WebhookAttemptView::from)
    }
}

impl WebhookList {
    pub(crate) fn new(page: Page<model::Webhook>, paging: &Paging) -> Self {
        Self::page(page, paging, WebhookView::from)
    }
}

impl TraceList {
    pub(crate) fn new(page: Page<model::TraceEntry>, paging: &Paging) -> Self {
        Self::page(page, paging, TraceEntryView::from)
    }
}

impl LabelEventList {
    pub(crate) fn new(page: Page<model::LabelEvent>, paging: &Paging) -> Self {
        Self::page(page, paging, LabelEventView::from)
    }
}
