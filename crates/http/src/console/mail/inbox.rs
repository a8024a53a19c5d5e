//! `/console/inboxes/{inbox_id}`: the threads of an inbox.

use askama::Template;
use inboxd_core::app::inboxes;
use inboxd_core::app::threads::{self, AssigneeChoice, ThreadFilter};
use inboxd_core::model::permissions::{InboxRead, MessageRead};
use inboxd_core::model::{Direction, InboxId, Permission, Scope};

use super::rows::ThreadRow;
use super::views::{FolderTab, FolderView, tabs};
use crate::console::call::{ConsoleCall, PageResult};
use crate::console::frame::{Frame, Section};
use crate::console::links;
use crate::query::{PAGE_TOKEN, QueryReader};

#[derive(Template)]
#[template(path = "console/inbox.html")]
#[expect(clippy::struct_excessive_bools, reason = "a template asks for each by its name")]
struct InboxPage {
    frame: Frame,
    address: String,
    display_name: Option<String>,
    is_paused: bool,
    tabs: Vec<FolderTab>,
    view: FolderView,
    query: String,
    label: String,
    assignee: String,
    rows: Vec<ThreadRow>,
    /// Path of the page itself, to which forms lead back.
    here: String,
    path: String,
    older: Option<String>,
    is_first: bool,
    may_compose: bool,
    may_update: bool,
    may_delete: bool,
    may_configure: bool,
}

impl InboxPage {
    fn is_filtered(&self) -> bool {
        !self.query.is_empty() || !self.label.is_empty() || !self.assignee.is_empty()
    }
}

/// The filter of a list, as its links and forms repeat it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ListFilter {
    view: FolderView,
    label: String,
    assignee: String,
    query: String,
}

impl ListFilter {
    fn read(reader: &mut QueryReader) -> Self {
        let view = FolderView::named(reader.word("view", &FolderView::NAMES));
        let mut text = |name| reader.text(name).unwrap_or_default();
        Self { view, label: text("label"), assignee: text("assignee"), query: text("q") }
    }

    fn thread_filter(&self) -> ThreadFilter {
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let labels = self.view.label.map(str::to_owned).into_iter().chain(given(&self.label));
        let assignee = given(&self.assignee).map(|assignee| match assignee.as_str() {
            "me" => AssigneeChoice::Me,
            "none" => AssigneeChoice::Nobody,
            _ => AssigneeChoice::Id(assignee),
        });
        ThreadFilter {
            labels: labels.collect(),
            include: self.view.included(),
            search: given(&self.query),
            assignee,
            ..ThreadFilter::default()
        }
    }

    fn href(&self, inbox_id: &InboxId, page_token: &str) -> String {
        let parameters = [
            ("view", self.view.parameter()),
            ("label", &self.label),
            ("assignee", &self.assignee),
            ("q", &self.query),
            (PAGE_TOKEN, page_token),
        ];
        links::with_query(&links::inbox(inbox_id), &parameters)
    }
}

/// Returns a reader of the query string without empty values, which forms send for empty fields.
pub(super) fn filled_query(call: &ConsoleCall) -> QueryReader {
    let pairs = url::form_urlencoded::parse(call.request().query_string().as_bytes()).into_owned();
    let filled = pairs.map(|(name, value)| (name, if value.trim().is_empty() { String::new() } else { value }));
    QueryReader::of_pairs(filled.filter(|(_, value)| !value.is_empty()).collect())
}

/// Shows a page of threads.
pub(super) async fn show(call: &ConsoleCall) -> PageResult {
    let (caller, inbox_id) = call.authorize_inbox::<MessageRead>()?;
    let mut query = filled_query(call);
    let filter = ListFilter::read(&mut query);
    let paging = query.page(call, Direction::Descending)?;
    let (inbox, page) = {
        let reader = call.authorize::<InboxRead>(Scope::Inbox(inbox_id.clone()))?;
        let inbox = inboxes::get(call.app(), &reader, &inbox_id).await?;
        let of_page = ThreadFilter { page: paging.request.clone(), ..filter.thread_filter() };
        (inbox, threads::list(call.app(), &caller, of_page).await?)
    };
    let page_token = call.query.one(PAGE_TOKEN).unwrap_or_default();
    let template = InboxPage {
        frame: call.frame(Section::Mail, inbox_id.as_str()),
        address: inbox_id.to_string(),
        display_name: inbox.display_name,
        is_paused: inbox.paused_at.is_some(),
        tabs: tabs(call, &inbox_id, filter.view),
        rows: page.items.iter().map(|thread| ThreadRow::new(thread, filter.view.people())).collect(),
        here: filter.href(&inbox_id, page_token),
        path: links::inbox(&inbox_id),
        older: paging.next(page.next.as_ref()).map(|token| filter.href(&inbox_id, &token)),
        is_first: page_token.is_empty(),
        may_compose: may_compose(call),
        may_update: call.may(Permission::MessageUpdate),
        may_delete: call.may(Permission::MessageDelete),
        may_configure: call.may(Permission::InboxUpdate) || call.may(Permission::InboxDelete),
        view: filter.view,
        query: filter.query,
        label: filter.label,
        assignee: filter.assignee,
    };
    call.render(&template)
}

/// Returns whether the person may write mail.
pub(super) fn may_compose(call: &ConsoleCall) -> bool {
    call.may(Permission::DraftCreate) || call.may(Permission::MessageSend)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(query: &str) -> ListFilter {
        ListFilter::read(&mut QueryReader::of(query))
    }

    #[test]
    fn filter_is_repeated_by_links() {
        let inbox_id = InboxId::stored("a@b.example".to_owned());
        let path = "/console/inboxes/a%40b.example";
        assert_eq!(filter("").href(&inbox_id, ""), path);
        assert_eq!(filter("view=inbox").href(&inbox_id, ""), path);
        assert_eq!(
            filter("view=spam&q=x+y&label=offer&assignee=me").href(&inbox_id, "t"),
            format!("{path}?view=spam&label=offer&assignee=me&q=x+y&page_token=t")
        );
    }

    #[test]
    fn filter_finds_threads() {
        let found = filter("view=unread&label=Offer&assignee=none&q=hello").thread_filter();
        assert_eq!(found.labels, ["unread", "Offer"]);
        assert_eq!(found.assignee, Some(AssigneeChoice::Nobody));
        assert_eq!(found.search.as_deref(), Some("hello"));
        assert_eq!(filter("").thread_filter(), ThreadFilter::default());
    }
}
