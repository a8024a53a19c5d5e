//! The paths of lists, read and written.

use std::fmt::Write as _;

use inboxd_core::app::lists::ListName;
use inboxd_core::model::{EntryName, ListDirection, ListKey, ListLevel, ListType};
use utoipa::{IntoParams, ToSchema};

use crate::auth::AuthenticatedRequest;
use crate::authorized::ScopeSource;
use crate::error::ApiError;
use crate::path;

/// The scope is in the path, with the direction and the type of a list.
///
/// These two are words of the path like `lists` itself: where they are others, no endpoint has the path.
pub(crate) struct ListPath;

/// Direction and type of a list.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
#[expect(dead_code, reason = "this struct only describes parameters")]
pub(crate) struct ListParams {
    /// Mail that the list applies to: outgoing mail (`send`), incoming mail (`receive`), or incoming replies to mail of
    /// the inbox (`reply`).
    #[param(inline)]
    direction: DirectionWord,
    /// Effect of an entry: only the listed addresses pass (`allow`), or the listed addresses do not pass (`block`).
    #[param(inline)]
    r#type: TypeWord,
}

/// Mail that a list applies to.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "this enum only describes a parameter")]
pub(crate) enum DirectionWord {
    Send,
    Receive,
    Reply,
}

/// Effect of the entries of a list.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "this enum only describes a parameter")]
pub(crate) enum TypeWord {
    Allow,
    Block,
}

impl ScopeSource for ListPath {
    const PARAMETERS: &'static [(&'static str, &'static str)] = &[];

    fn require_path(call: &AuthenticatedRequest) -> Result<(), ApiError> {
        list_name(call).map(drop)
    }
}

/// The list of the path.
pub(crate) fn list_name(call: &AuthenticatedRequest) -> Result<ListName, ApiError> {
    let word = |name: &str| path::value(call.request(), name);
    let direction = ListDirection::named(&word("direction"));
    let list_type = ListType::named(&word("type"));
    match (direction, list_type) {
        (Some(direction), Some(list_type)) => Ok(ListName { direction, list_type }),
        _ => Err(ApiError::route_not_found(call.request().method().as_str(), call.request().path())),
    }
}

/// The entry of the path.
pub(crate) fn entry_of(call: &AuthenticatedRequest) -> String {
    path::value(call.request(), "entry")
}

/// The path of a list.
pub(crate) fn path_of_list(list: &ListKey) -> String {
    let whose = match &list.level {
        ListLevel::Organization => String::new(),
        ListLevel::Pod(pod_id) => format!("/pods/{pod_id}"),
        ListLevel::Inbox { inbox_id, .. } => format!("/inboxes/{}", encoded(inbox_id.as_str())),
    };
    format!("/v0{whose}/lists/{}/{}", list.direction.as_str(), list.list_type.as_str())
}

/// The path of an entry.
pub(crate) fn path_of_entry(list: &ListKey, entry: &EntryName) -> String {
    format!("{}/{}", path_of_list(list), encoded(entry.as_str()))
}

/// A segment of a path, as readable as can be (RFC 3986, section 3.3).
fn encoded(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&byte) {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use inboxd_core::testing::fixtures;

    use super::*;

    #[test]
    fn paths_name_the_list_and_the_entry() {
        let pod_id = fixtures::id(2);
        for (level, entry, expected) in [
            (ListLevel::Organization, "example.org", "/v0/lists/send/block/example.org"),
            (
                ListLevel::Pod(pod_id),
                "a+b@example.org",
                "/v0/pods/pod_00000000000000000000000000000002/lists/send/block/a+b@example.org",
            ),
            (
                ListLevel::Inbox { pod_id, inbox_id: fixtures::inbox().inbox_id },
                "a/b%c?d@example.org",
                "/v0/inboxes/scout@inboxd.example/lists/send/block/a%2Fb%25c%3Fd@example.org",
            ),
        ] {
            let organization_id = fixtures::id(1);
            let (direction, list_type) = (ListDirection::Send, ListType::Block);
            let list = ListKey { organization_id, level, direction, list_type };
            assert_eq!(path_of_entry(&list, &EntryName::stored(entry.to_owned())), expected);
        }
    }
}
