//! Folders of an inbox.

use inboxd_core::model::{HidingLabels, InboxId, Permission};

use super::rows::ListedPeople;
use crate::console::call::ConsoleCall;
use crate::console::links;

/// A folder: the threads with a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FolderView {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// Label of its threads; `None` for all of them.
    pub(super) label: Option<&'static str>,
    /// Permission without which it is absent.
    permission: Option<Permission>,
    /// Words where it has no threads.
    pub(super) empty: &'static str,
}

const fn view(
    name: &'static str,
    title: &'static str,
    label: Option<&'static str>,
    permission: Option<Permission>,
    empty: &'static str,
) -> FolderView {
    FolderView { name, title, label, permission, empty }
}

/// All folders. The first shows an inbox whose folder is not named.
const VIEWS: [FolderView; 8] = [
    view("inbox", "Inbox", None, None, "No mail yet. Send one to the address of this inbox, or compose one."),
    view("unread", "Unread", Some("unread"), None, "Everything is read."),
    view("sent", "Sent", Some("sent"), None, "Nothing was sent from this inbox yet."),
    view("held", "Held", Some("held"), Some(Permission::LabelHeldRead), "No mail is held."),
    view("spam", "Spam", Some("spam"), Some(Permission::LabelSpamRead), "No spam."),
    view("blocked", "Blocked", Some("blocked"), Some(Permission::LabelBlockedRead), "No list has blocked mail."),
    view(
        "unauthenticated",
        "Unauthenticated",
        Some("unauthenticated"),
        Some(Permission::LabelUnauthenticatedRead),
        "No mail failed the checks of its sender.",
    ),
    view("trash", "Trash", Some("trash"), Some(Permission::LabelTrashRead), "The trash is empty."),
];

impl FolderView {
    /// Names of all folders.
    pub(super) const NAMES: [&'static str; 8] =
        ["inbox", "unread", "sent", "held", "spam", "blocked", "unauthenticated", "trash"];

    /// Returns the folder of a name; the inbox for no name.
    pub(super) fn named(name: Option<&str>) -> Self {
        let [inbox, ..] = VIEWS;
        VIEWS.into_iter().find(|view| Some(view.name) == name).unwrap_or(inbox)
    }

    /// Returns the hiding labels whose mail the folder shows. Mail in the trash is in the trash alone.
    pub(super) fn included(self) -> HidingLabels {
        let [spam, blocked, unauthenticated, trash, held] = HidingLabels::LABELS;
        match self.label {
            Some(label) if label == held => HidingLabels::NONE.with(0).with(1).with(2).or(HidingLabels::HELD),
            Some(label) if label == trash => HidingLabels::ALL,
            Some(label) if [spam, blocked, unauthenticated].contains(&label) => {
                HidingLabels::NONE.with(0).with(1).with(2)
            }
            _ => HidingLabels::NONE,
        }
    }

    /// Returns whether lists name the senders or the recipients.
    pub(super) fn people(self) -> ListedPeople {
        if self.name == "sent" { ListedPeople::Recipients } else { ListedPeople::Senders }
    }

    /// Returns whether its threads may be deleted for ever from the list.
    pub(super) fn is_for_waste(self) -> bool {
        matches!(self.name, "spam" | "trash")
    }

    /// Returns the value of the query parameter; empty for the inbox.
    pub(super) fn parameter(self) -> &'static str {
        if self.name == "inbox" { "" } else { self.name }
    }
}

/// A link to a folder.
pub(super) struct FolderTab {
    pub(super) href: String,
    pub(super) title: &'static str,
    pub(super) is_current: bool,
}

/// Returns the folders that the person may see. Drafts have a list of their own.
pub(super) fn tabs(call: &ConsoleCall, inbox_id: &InboxId, current: FolderView) -> Vec<FolderTab> {
    let path = links::inbox(inbox_id);
    let mut tabs = Vec::new();
    for view in VIEWS {
        if view.permission.is_none_or(|permission| call.may(permission)) {
            let href = links::with_query(&path, &[("view", view.parameter())]);
            tabs.push(FolderTab { href, title: view.title, is_current: view == current });
        }
        if view.name == "sent" && call.may(Permission::DraftRead) {
            let drafts =
                |state| links::with_query("/console/drafts", &[("inbox_id", inbox_id.as_str()), ("state", state)]);
            tabs.push(FolderTab { href: drafts(""), title: "Drafts", is_current: false });
            tabs.push(FolderTab { href: drafts("scheduled"), title: "Scheduled", is_current: false });
        }
    }
    tabs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_found_by_name() {
        assert_eq!(VIEWS.map(|view| view.name), FolderView::NAMES);
        assert_eq!(FolderView::named(Some("spam")).label, Some("spam"));
        assert_eq!(FolderView::named(None).name, "inbox");
        assert_eq!(FolderView::named(Some("x")).name, "inbox");
    }

    #[test]
    fn hidden_mail_is_in_its_folder_alone() {
        let labels = |labels: &[&str]| HidingLabels::of(&labels.iter().copied().collect());
        let inbox = FolderView::named(None).included();
        let spam = FolderView::named(Some("spam")).included();
        assert!(!labels(&["spam"]).shown_to(inbox));
        assert!(labels(&["spam", "unauthenticated"]).shown_to(spam));
        assert!(!labels(&["spam", "trash"]).shown_to(spam));
        assert!(labels(&["spam", "trash"]).shown_to(FolderView::named(Some("trash")).included()));
        let held = FolderView::named(Some("held")).included();
        assert!(labels(&["held", "spam"]).shown_to(held) && !labels(&["held", "trash"]).shown_to(held));
        assert!(!labels(&["held"]).shown_to(inbox) && !labels(&["held", "spam"]).shown_to(spam));
    }
}
