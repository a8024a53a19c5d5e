//! Every operation of the document has a command.

use std::collections::BTreeMap;

use serde_json::Value;
use tokio::task::JoinSet;

use super::program::CliUser;
use crate::support::server_and_agent;

/// Command of an operation, as its man page describes it.
#[derive(Debug, Clone)]
struct PagedCommand {
    words: Vec<String>,
    /// Values of the arguments that it requires.
    required: Vec<String>,
}

/// Returns the command of each operation, named as in `GET /v0/inboxes`.
async fn paged_commands(user: &CliUser) -> BTreeMap<String, PagedCommand> {
    user.run(&["man", "pages"]).await.ok();
    let mut commands = BTreeMap::new();
    for file in std::fs::read_dir(user.file("pages")).unwrap() {
        let page = std::fs::read_to_string(file.unwrap().path()).unwrap().replace("\\-", "-");
        let Some((_, synopsis)) = page.split_once(".SH SYNOPSIS\n") else { continue };
        let (synopsis, rest) = synopsis.split_once(".SH ").unwrap();
        let words = synopsis.split("\\fB").nth(1).unwrap().split("\\fR").next().unwrap();
        let words: Vec<String> = words.split_whitespace().skip(1).map(str::to_owned).collect();
        for line in rest.lines() {
            let line = line.trim();
            let mut parts = line.split(' ');
            let (Some(method), Some(path), None) = (parts.next(), parts.next(), parts.next()) else { continue };
            if matches!(method, "GET" | "POST" | "PATCH" | "PUT" | "DELETE") && path.starts_with('/') {
                let required = required(synopsis);
                commands.insert(line.to_owned(), PagedCommand { words: words.clone(), required });
            }
        }
    }
    commands
}

/// Returns values for the positional arguments of a synopsis, which stand in angle brackets behind the options.
fn required(synopsis: &str) -> Vec<String> {
    let value = |name: &str| match name {
        "DIRECTION" => "send",
        "TYPE" => "block",
        _ => "value",
    };
    synopsis
        .split("<\\fI")
        .skip(1)
        .filter_map(|rest| rest.split("\\fR>").next())
        .map(|name| value(name).to_owned())
        .collect()
}

#[tokio::test]
async fn every_operation_has_a_command_that_sends_its_request() {
    let (server, agent) = server_and_agent().await;
    let document = server.http().get("/openapi.json").await.ok();
    let (user, sender) = (CliUser::at(&server), CliUser::acting_as(&server, &agent));
    let commands = paged_commands(&user).await;
    let mut running = JoinSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = format!("{} {path}", method.to_ascii_uppercase());
            let Some(command) = commands.get(&name) else { panic!("no command for {name}") };
            let arguments = arguments(command, path, operation);
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            // The server itself shows what these would send.
            let asks_server = has_dry_run(&document, operation);
            let mut run = if asks_server { &sender } else { &user }.inboxd(&arguments);
            running.spawn(async move { (name, asks_server, run.output().await.unwrap()) });
            if running.len() > 4 {
                check(running.join_next().await.unwrap().unwrap());
            }
        }
    }
    while let Some(ended) = running.join_next().await {
        check(ended.unwrap());
    }
}

/// Returns the arguments that select an operation and show its request.
fn arguments(command: &PagedCommand, path: &str, operation: &Value) -> Vec<String> {
    let mut arguments = command.words.clone();
    let group = format!("/{}", command.words[0]);
    for (prefix, flag) in [("/v0/inboxes/{inbox_id}/", "--inbox"), ("/v0/pods/{pod_id}/", "--pod")] {
        // Of a command below `inboxes` or `pods`, the inbox or pod is an argument.
        if path.starts_with(prefix) && path[prefix.len() - 1..].starts_with(&group) {
            arguments.extend([flag.to_owned(), "value".to_owned()]);
        }
    }
    match operation["requestBody"]["content"].as_object() {
        Some(contents) if contents.contains_key("application/json") => {
            arguments.extend(["--body".to_owned(), "{}".to_owned()]);
        }
        Some(_) => arguments.extend(["--file".to_owned(), "-".to_owned()]),
        None => {}
    }
    for parameter in operation["parameters"].as_array().into_iter().flatten() {
        if parameter["in"] == "header" && parameter["required"] == true {
            arguments.extend([format!("--{}", parameter["name"].as_str().unwrap().to_lowercase()), "value".to_owned()]);
        }
    }
    arguments.extend(["--dry-run".to_owned(), "--json".to_owned(), "--".to_owned()]);
    arguments.extend(command.required.iter().cloned());
    arguments
}

/// Returns whether the body of an operation has the field `dry_run`.
fn has_dry_run(document: &Value, operation: &Value) -> bool {
    let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
    // An optional body is null or that of the reference.
    let reference = schema["$ref"].as_str().or_else(|| schema["oneOf"][1]["$ref"].as_str());
    let schema = match reference {
        Some(reference) => &document["components"]["schemas"][reference.rsplit('/').next().unwrap()],
        None => schema,
    };
    schema["properties"]["dry_run"].is_object()
}

/// Compares the shown request with the operation, or requires that the server looked for the inbox `value`.
fn check((name, asks_server, output): (String, bool, std::process::Output)) {
    if asks_server {
        let refusal = String::from_utf8_lossy(&output.stderr);
        // Without recipients it refuses the body before it looks for the inbox.
        let is_refused = refusal.contains("(validation_error)") || refusal.contains("value");
        assert!(matches!(output.status.code(), Some(1 | 4)) && is_refused, "{name}: {output:?}");
        return;
    }
    assert!(output.status.success(), "{name}: {output:?}");
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (method, path) = name.split_once(' ').unwrap();
    let path = path.replace("{direction}", "send").replace("{type}", "block");
    let filled =
        path.split('/').map(|part| if part.starts_with('{') { "value" } else { part }).collect::<Vec<_>>().join("/");
    let (_, target) = shown["url"].as_str().unwrap().split_once("://").unwrap();
    let target = target.split_once('/').map(|(_, target)| format!("/{target}")).unwrap();
    let target = target.split('?').next().unwrap();
    assert_eq!((shown["method"].as_str().unwrap(), target), (method, filled.as_str()), "{name}");
}

#[tokio::test]
async fn help_explains_groups_flags_and_exit_codes() {
    let user = CliUser::without_server();
    let help = user.run(&["--help"]).await.ok();
    for word in ["login", "messages", "webhooks", "serve", "Exit codes:", "--profile"] {
        assert!(help.contains(word), "{help}");
    }
    let send = user.run(&["messages", "send", "-h"]).await.ok();
    assert!(send.find("--to").unwrap() < send.find("--labels").unwrap(), "{send}");
    for flag in ["--attach", "--text-file", "--dry-run", "--inbox", "--idempotency-key"] {
        assert!(send.contains(flag), "{send}");
    }
    let unknown = user.run(&["mesages"]).await.failed(2);
    assert!(unknown.contains("messages"), "{unknown}");
}
