//! Operations of endpoints that exist in several scopes, with the required permission.

use inboxd_core::model::Breadth;
use utoipa::openapi::path::{HttpMethod, Operation, Parameter, ParameterBuilder, ParameterIn, Paths};
use utoipa::openapi::schema::{Object, Type};
use utoipa::openapi::{RefOr, Required};

use crate::routes::{RouteEndpoint, ScopeOffer};

/// Start of a sentence that names permissions besides the one that the handler requires.
const FURTHER: &str = "Also requires ";

/// Returns the method named in the route table.
fn method(name: &str) -> HttpMethod {
    match name {
        "post" => HttpMethod::Post,
        "patch" => HttpMethod::Patch,
        "put" => HttpMethod::Put,
        "delete" => HttpMethod::Delete,
        _ => HttpMethod::Get,
    }
}

/// Adds an operation to the document.
pub(super) fn add(paths: &mut Paths, path: &str, endpoint: &RouteEndpoint, operation: Operation) {
    paths.add_path_operation(path, vec![method(endpoint.method)], operation);
}

/// Adapts the description by the handler to a path: parameters, scope and permission.
pub(super) fn describe(described: &Paths, path: &str, endpoint: &RouteEndpoint) -> Option<Operation> {
    let mut operation = described.get_path_operation((endpoint.described_at)(), method(endpoint.method))?.clone();
    add_path_parameters(path, &mut operation);
    if let Some(ScopeOffer { scope, scopes }) = endpoint.offer {
        if scope != Breadth::Organization {
            remove_scope_query(&mut operation);
        }
        if scopes.first() != Some(&scope) {
            name_scope(scope, &mut operation);
        }
        if scopes.len() > 1 {
            describe_scope(scope, &mut operation);
        }
    }
    if let Some(permission) = endpoint.permission {
        require(&format!("Requires `{}`.", permission.as_str()), &mut operation);
    }
    Some(operation)
}

/// Adds the path parameters that the handler does not list, in the order of the path.
fn add_path_parameters(path: &str, operation: &mut Operation) {
    let parameters = operation.parameters.get_or_insert_default();
    let names: Vec<&str> = path.split('{').skip(1).filter_map(|rest| rest.split('}').next()).collect();
    let missing = names.iter().filter(|name| !parameters.iter().any(|known| is_named(known, name)));
    let missing: Vec<_> = missing.map(|name| RefOr::T(path_parameter(name))).collect();
    parameters.extend(missing);
    parameters.sort_by_key(|known| names.iter().position(|name| is_named(known, name)).unwrap_or(names.len()));
    if parameters.is_empty() {
        operation.parameters = None;
    }
}

fn path_parameter(name: &str) -> Parameter {
    let description = match name {
        "message_id" => "Id of the message, with or without angle brackets".to_owned(),
        "api_key_id" => "Id of the API key".to_owned(),
        _ => format!("Id of the {}", name.trim_end_matches("_id")),
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(description))
        .schema(Some(Object::with_type(Type::String)))
        .build()
}

fn is_named(parameter: &RefOr<Parameter>, name: &str) -> bool {
    matches!(parameter, RefOr::T(known) if known.name == name && known.parameter_in == ParameterIn::Path)
}

/// Removes the query parameters that select a pod or inbox, which the path already names.
fn remove_scope_query(operation: &mut Operation) {
    if let Some(parameters) = &mut operation.parameters {
        parameters.retain(|parameter| !names_scope(parameter));
    }
}

/// Returns whether a parameter selects a pod or inbox in the query string.
pub(crate) fn names_scope(parameter: &RefOr<Parameter>) -> bool {
    match parameter {
        RefOr::T(Parameter { name, parameter_in: ParameterIn::Query, .. }) => name == "inbox_id" || name == "pod_id",
        _ => false,
    }
}

/// Adds the scope to the operation id, after its verb, and to the summary.
fn name_scope(scope: Breadth, operation: &mut Operation) {
    let (word, of_scope) = match scope {
        Breadth::Organization => ("all", "of the organization"),
        Breadth::Pod => ("pod", "of a pod"),
        Breadth::Inbox => ("inbox", "of an inbox"),
    };
    if let Some((verb, noun)) = operation.operation_id.as_deref().and_then(|id| id.split_once('_')) {
        operation.operation_id = Some(format!("{verb}_{word}_{noun}"));
    }
    if let Some(summary) = &mut operation.summary {
        *summary = format!("{summary} {of_scope}");
    }
    // Inboxes have a group of their own; below a pod they are listed with the pods.
    for tag in operation.tags.iter_mut().flatten().filter(|tag| *tag == "Inboxes") {
        "Pods".clone_into(tag);
    }
}

fn describe_scope(scope: Breadth, operation: &mut Operation) {
    let sentence = match scope {
        Breadth::Organization => "Scope: everything in the scope of the key.",
        Breadth::Pod => "Scope: the pod and its inboxes.",
        Breadth::Inbox => "Scope: the inbox.",
    };
    require(sentence, operation);
}

/// Adds a sentence to a description, before the further permissions.
fn require(sentence: &str, operation: &mut Operation) {
    let description = operation.description.take().unwrap_or_default();
    let (text, further) = match description.find(FURTHER) {
        Some(start) => description.split_at(start),
        None => (description.as_str(), ""),
    };
    let parts = [text.trim(), sentence, further].into_iter().filter(|part| !part.is_empty());
    operation.description = Some(parts.collect::<Vec<_>>().join(" "));
}
