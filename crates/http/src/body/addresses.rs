//! Address fields: `a@b` or `Name <a@b>`, one or many.

use inboxd_mail::Mailbox;
use serde_json::Value;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use super::fields::{one_or_many, one_or_many_schema};
use super::{BodyProblems, BodyValue};

/// One or many mailboxes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AddressList(pub(crate) Vec<Mailbox>);

impl BodyValue for AddressList {
    fn shape(value: Value, path: &str, problems: &mut BodyProblems) -> Option<Self> {
        // An unreadable recipient still counts as a recipient: without it, a second problem would report missing
        // recipients.
        let anybody = |place: Option<usize>| format!("{}@unread.invalid", place.unwrap_or(0)).parse().ok();
        let each = |text: String, path: &str, problems: &mut BodyProblems| mailbox(&text, path, problems);
        Some(Self(one_or_many(value, path, problems, each, anybody)))
    }
}

fn mailbox(text: &str, path: &str, problems: &mut BodyProblems) -> Option<Mailbox> {
    match text.parse() {
        Ok(mailbox) => Some(mailbox),
        Err(error) => {
            let shown: String = text.chars().filter(|c| !c.is_control()).take(100).collect();
            problems.note(path, format!("{shown:?} is no address: {error}"));
            None
        }
    }
}

impl PartialSchema for AddressList {
    fn schema() -> RefOr<Schema> {
        one_or_many_schema(
            "Addresses as `a@example.org` or `Name <a@example.org>`: one string, or an array of strings.",
        )
    }
}

impl ToSchema for AddressList {
    fn name() -> std::borrow::Cow<'static, str> {
        "Addresses".into()
    }
}
