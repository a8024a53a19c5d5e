//! Runs a command: builds the request of its API operation, sends it and shows the response.

use std::io::Read;
use std::path::PathBuf;

use clap::ArgMatches;
use serde_json::{Map, Value};

use crate::document::{ApiCommand, ApiField, ApiOperation, CommandScope, FieldPlace};
use crate::failure::{CommandFailure, ExitStatus};
use crate::http::{ApiClient, ApiRequest, encode_segment};
use crate::output::Presenter;
use crate::output::presenter::list;
use crate::session::Session;
use crate::{attachments, socket, tree, values};

/// Maximum bytes that are read from a file or standard input.
const MAX_INPUT_BYTES: u64 = 64 * 1024 * 1024;

/// Runs a command.
pub(crate) async fn run(
    command: &ApiCommand,
    matches: &ArgMatches,
    session: &Session,
    presenter: Presenter,
) -> Result<(), CommandFailure> {
    let client = session.client()?;
    let (scope, operation) = select(command, matches)?;
    let is_dry = is_set(matches, tree::DRY_RUN);
    let part = match scope {
        CommandScope::Organization => None,
        CommandScope::Pod => text(matches, tree::POD).map(str::to_owned),
        CommandScope::Inbox => Some(inbox(matches, session, &client, is_dry).await?),
    };
    let mut request = build(command, operation, matches, scope.parameter().zip(part.as_deref()))?;
    let output = matches.try_get_one::<String>(tree::OUTPUT).ok().flatten().map(PathBuf::from);
    // People who name a message or attachment want its content; programs get the link that the operation returns.
    let wants_content = operation
        .response
        .content
        .as_ref()
        .filter(|_| !operation.response.is_json || output.is_some() || !presenter.is_json() || is_text(&request));
    if let Some(content) = wants_content {
        request.accept.clone_from(content);
    }
    if is_dry {
        return presenter.dry_run(&client, &request);
    }
    if operation.response.is_socket {
        return socket::talk(&client, request).await;
    }
    if wants_content.is_some() {
        return presenter.content(&client.bytes(&request).await?, output.as_deref());
    }
    if is_set(matches, tree::ALL) {
        return all_pages(&client, request, presenter).await;
    }
    let response = client.json(&request).await?;
    show(operation, &response, presenter)
}

/// Returns whether the parameter `as` requests text in place of JSON.
fn is_text(request: &ApiRequest) -> bool {
    request.query.iter().any(|(name, _)| name == "as")
}

fn is_set(matches: &ArgMatches, id: &str) -> bool {
    matches!(matches.try_get_one::<bool>(id), Ok(Some(true)))
}

fn text<'a>(matches: &'a ArgMatches, id: &str) -> Option<&'a str> {
    matches.try_get_one::<String>(id).ok().flatten().map(String::as_str)
}

/// Returns the operation of the scope that the flags name, or the widest one.
fn select<'a>(
    command: &'a ApiCommand,
    matches: &ArgMatches,
) -> Result<(CommandScope, &'a ApiOperation), CommandFailure> {
    let named = [(CommandScope::Inbox, tree::INBOX), (CommandScope::Pod, tree::POD)];
    let named = named.into_iter().find(|(_, flag)| text(matches, flag).is_some()).map(|(scope, _)| scope);
    let mut operations = command.operations();
    let found = match named {
        Some(scope) => operations.find(|(known, _)| *known == scope),
        None => operations.next(),
    };
    found.ok_or_else(|| CommandFailure::usage("this command knows no such --inbox or --pod"))
}

/// Returns the inbox of a command that needs one.
async fn inbox(
    matches: &ArgMatches,
    session: &Session,
    client: &ApiClient,
    is_dry: bool,
) -> Result<String, CommandFailure> {
    match text(matches, tree::INBOX).or(session.known_inbox()) {
        Some(inbox) => Ok(inbox.to_owned()),
        None if is_dry => Err(CommandFailure::usage("--dry-run sends nothing, so it cannot find out the inbox")
            .fix("name it with --inbox or INBOXD_INBOX")),
        None => session.default_inbox(client).await,
    }
}

/// Builds the request of an operation. `part` is the path parameter that `--inbox` or `--pod` supplies.
pub(crate) fn build(
    command: &ApiCommand,
    operation: &ApiOperation,
    matches: &ArgMatches,
    part: Option<(&str, &str)>,
) -> Result<ApiRequest, CommandFailure> {
    let mut request = ApiRequest::new(operation.method.clone(), operation.path.clone());
    if let Some((parameter, value)) = part {
        request.path = request.path.replace(&format!("{{{parameter}}}"), &encode_segment(value));
    }
    let mut body = Map::new();
    if operation.has_body {
        body.extend(given_body(matches)?);
    }
    let fields = command.fields();
    for field in &fields {
        let Some(given) = matches.try_get_many::<String>(&field.id()).ok().flatten() else { continue };
        let given: Vec<&str> = given.map(String::as_str).collect();
        add(field, &given, &mut request, &mut body)?;
    }
    if operation.has_body {
        add_files(&fields, matches, &mut body)?;
        request.body = Some(Value::Object(body));
    }
    if let Some((content_type, file)) = operation.content_type.as_ref().zip(text(matches, tree::CONTENT_FILE)) {
        request.content = Some((content_type.clone(), read_bytes(file)?.into()));
    }
    Ok(request)
}

/// Adds the values of one flag to a request.
fn add(
    field: &ApiField,
    given: &[&str],
    request: &mut ApiRequest,
    body: &mut Map<String, Value>,
) -> Result<(), CommandFailure> {
    match field.place {
        FieldPlace::Path => {
            let value = given.first().copied().unwrap_or_default();
            if value.is_empty() {
                return Err(CommandFailure::usage(format!("{} is empty", field.name.to_ascii_uppercase())));
            }
            request.path = request.path.replace(&format!("{{{}}}", field.name), &encode_segment(value));
        }
        FieldPlace::Query => {
            request.query.extend(given.iter().map(|value| (field.name.clone(), (*value).to_owned())));
        }
        FieldPlace::Header => {
            request.headers.extend(given.iter().map(|value| (field.name.clone(), (*value).to_owned())));
        }
        FieldPlace::Body => {
            body.insert(field.name.clone(), values::to_json(field, given)?);
        }
    }
    Ok(())
}

/// Adds the contents of files: texts and attachments.
fn add_files(fields: &[&ApiField], matches: &ArgMatches, body: &mut Map<String, Value>) -> Result<(), CommandFailure> {
    for name in tree::TEXT_FIELDS {
        if let Some(file) = text(matches, &tree::file_flag(name)) {
            body.insert(name.to_owned(), read_text(file)?.into());
        }
    }
    let files = matches.try_get_many::<String>(tree::ATTACH).ok().flatten().into_iter().flatten();
    let files: Vec<Value> = files.map(|path| attachments::read(path.as_ref())).collect::<Result<_, _>>()?;
    let Some(field) = fields.iter().find(|field| field.takes_files()).filter(|_| !files.is_empty()) else {
        return Ok(());
    };
    let attached = body.entry(field.name.clone()).or_insert_with(|| Value::Array(Vec::new()));
    match attached {
        Value::Array(attached) => attached.extend(files),
        other => *other = Value::Array(files),
    }
    Ok(())
}

/// Reads `--body`: JSON, `@FILE`, or `-` for standard input.
pub(crate) fn given_body(matches: &ArgMatches) -> Result<Map<String, Value>, CommandFailure> {
    let Some(given) = text(matches, tree::BODY) else { return Ok(Map::new()) };
    let text = match given.strip_prefix('@') {
        Some(file) => read_text(file)?,
        None if given == "-" => read_text("-")?,
        None => given.to_owned(),
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(CommandFailure::usage("--body is no JSON object")),
        Err(error) => Err(CommandFailure::usage(format!("--body is no JSON: {error}"))),
    }
}

/// Reads a text from a file, or from standard input for `-`.
fn read_text(file: &str) -> Result<String, CommandFailure> {
    let unreadable = |_| CommandFailure::usage(format!("{}: it is no text in UTF-8", input_name(file)));
    String::from_utf8(read_bytes(file)?).map_err(unreadable)
}

/// Reads a file, or standard input for `-`.
fn read_bytes(file: &str) -> Result<Vec<u8>, CommandFailure> {
    let mut bytes = Vec::new();
    let read = if file == "-" {
        std::io::stdin().lock().take(MAX_INPUT_BYTES).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(file).and_then(|opened| opened.take(MAX_INPUT_BYTES).read_to_end(&mut bytes))
    };
    read.map_err(|error| CommandFailure::usage(format!("{}: {error}", input_name(file))))?;
    Ok(bytes)
}

fn input_name(file: &str) -> &str {
    if file == "-" { "standard input" } else { file }
}

/// Shows the items of all pages. JSON appears page by page, a table when all items are known.
async fn all_pages(client: &ApiClient, mut request: ApiRequest, presenter: Presenter) -> Result<(), CommandFailure> {
    let mut shown: Vec<Value> = Vec::new();
    loop {
        let page = client.json(&request).await?;
        let Some((plural, items)) = list(&page) else { return presenter.show(&page) };
        if presenter.is_json() {
            presenter.show_list(plural, items)?;
        } else {
            shown.extend_from_slice(items);
        }
        match page["next_page_token"].as_str() {
            Some(token) => request.set_query("page_token", token),
            None if presenter.is_json() => return Ok(()),
            None => return presenter.show_list(plural, &shown),
        }
    }
}

/// Shows the response of an operation.
fn show(operation: &ApiOperation, response: &Value, presenter: Presenter) -> Result<(), CommandFailure> {
    if response.is_null() {
        return presenter.done(&operation.response.description);
    }
    // After its timeout, an operation that waits for a message returns an empty object.
    if response.as_object().is_some_and(Map::is_empty) && operation.path.ends_with("/wait") {
        return Err(CommandFailure::new(ExitStatus::NotFound, "no message arrived in time")
            .fix("repeat the command, or wait longer with --timeout"));
    }
    presenter.show(response)?;
    if let Some(token) = response["next_page_token"].as_str() {
        crate::session::say(&format!("there are more: add --all, or --page-token {token}"));
    }
    Ok(())
}
