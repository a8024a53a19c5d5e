//! The paths of lists, read and written.

use std::fmt::Write as _;

use inboxd_core::app::lists::{self, ListName, Place};
use inboxd_core::model::{EntryName, ListDirection, ListKey, ListLevel, ListType, Permission, PodId};

use crate::auth::Authenticated;
use crate::error::ApiError;
use crate::path;

/// The list of the path, for a caller whose key reaches it and holds a permission.
///
/// Its direction and type are words of the path like `lists` itself: where they are others, no endpoint has the path.
pub(crate) fn list_of(call: &Authenticated, permission: Permission) -> Result<ListName, ApiError> {
    let word = |name: &str| path::value(call.request(), name);
    let direction = ListDirection::named(&word("direction"));
    let list_type = ListType::named(&word("type"));
    let (Some(direction), Some(list_type)) = (direction, list_type) else {
        let request = call.request();
        return Err(ApiError::route_not_found(request.method().as_str(), request.path()));
    };
    let place = place_of(call);
    lists::require(&call.caller, &place, permission)?;
    Ok(ListName { place, direction, list_type })
}

/// The entry of the path.
pub(crate) fn entry_of(call: &Authenticated) -> String {
    path::value(call.request(), "entry")
}

fn place_of(call: &Authenticated) -> Place {
    let given = |name: &str| call.request().match_info().get(name).map(|_| path::value(call.request(), name));
    if let Some(text) = given("inbox_id") {
        return Place::Inbox(path::inbox_id(&text));
    }
    let Some(text) = given("pod_id") else { return Place::Organization };
    match text.parse::<PodId>() {
        Ok(pod_id) => Place::Pod(pod_id),
        Err(_) => Place::UnknownPod(text),
    }
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
    for octet in segment.bytes() {
        if octet.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@".contains(&octet) {
            text.push(char::from(octet));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{octet:02X}");
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
