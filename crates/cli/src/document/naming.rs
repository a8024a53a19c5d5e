//! Names of commands, derived from paths.

use http::Method;

use super::catalog::CommandScope;
use super::operation::ApiOperation;

/// Group and name of a command, with the scope of the path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommandName {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) scope: CommandScope,
}

/// Returns the name of an operation without the scope of its path.
pub(super) fn scoped(operation: &ApiOperation) -> CommandName {
    let segments = segments(&operation.path);
    match segments.as_slice() {
        ["v0", "pods", "{pod_id}", rest @ ..] if !rest.is_empty() => named(operation, rest, CommandScope::Pod),
        // An action on an inbox is a command of inboxes.
        ["v0", "inboxes", "{inbox_id}", _] if operation.method == Method::POST && !is_creation(operation) => {
            whole(operation)
        }
        ["v0", "inboxes", "{inbox_id}", rest @ ..] if !rest.is_empty() => named(operation, rest, CommandScope::Inbox),
        _ => whole(operation),
    }
}

/// Returns the name of an operation by its whole path.
pub(super) fn whole(operation: &ApiOperation) -> CommandName {
    match segments(&operation.path).as_slice() {
        ["v0", rest @ ..] if !rest.is_empty() => named(operation, rest, CommandScope::Organization),
        _ => CommandName {
            group: operation.tag.clone(),
            name: operation.id.replace('_', "-"),
            scope: CommandScope::Organization,
        },
    }
}

fn is_creation(operation: &ApiOperation) -> bool {
    operation.id.starts_with("create_")
}

fn segments(path: &str) -> Vec<&str> {
    path.split('/').filter(|segment| !segment.is_empty()).collect()
}

fn named(operation: &ApiOperation, segments: &[&str], scope: CommandScope) -> CommandName {
    let is_parameter = |segment: &&str| segment.starts_with('{');
    let group = segments.first().copied().unwrap_or_default().to_owned();
    let words: Vec<&str> = segments.iter().skip(1).copied().filter(|segment| !is_parameter(segment)).collect();
    let ends_in_parameter = segments.last().is_some_and(is_parameter);
    let begins = |verb: &str| operation.id.starts_with(verb);
    let name = if words.is_empty() {
        match (&operation.method, ends_in_parameter) {
            (&Method::POST, _) => "create",
            (&Method::PUT, _) if begins("upload_") => "put",
            (&Method::PUT, _) => "set",
            (&Method::PATCH, _) => "update",
            (&Method::DELETE, _) => "delete",
            _ if begins("list_") => "list",
            _ => "get",
        }
        .to_owned()
    } else {
        let noun = words.join("-");
        let one = noun.strip_suffix('s').unwrap_or(&noun);
        match operation.method {
            Method::POST if begins("create_") => format!("create-{one}"),
            Method::POST if begins("join_") => format!("join-{noun}"),
            Method::PUT => format!("set-{noun}"),
            Method::PATCH if noun == "update" => noun,
            Method::PATCH if ends_in_parameter => format!("update-{one}"),
            Method::PATCH => format!("update-{noun}"),
            Method::DELETE => format!("delete-{one}"),
            Method::GET if ends_in_parameter && one == noun => format!("get-{one}"),
            Method::GET if ends_in_parameter => one.to_owned(),
            _ => noun,
        }
    };
    CommandName { group, name, scope }
}
