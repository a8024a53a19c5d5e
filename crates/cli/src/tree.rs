//! The commands as clap sees them.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint};

use crate::document::{ApiCommand, ApiField, Catalog, CommandScope, FieldPlace, ValueKind};
use crate::failure::EXIT_CODES;
use crate::session::commands as session_commands;

/// Ids and flags of arguments that commands share.
pub(crate) const URL: &str = "server-url";
pub(crate) const PROFILE: &str = "profile";
pub(crate) const JSON: &str = "json";
pub(crate) const INBOX: &str = "inbox";
pub(crate) const POD: &str = "pod";
pub(crate) const ALL: &str = "all";
pub(crate) const BODY: &str = "body";
pub(crate) const ATTACH: &str = "attach";
pub(crate) const OUTPUT: &str = "output";
pub(crate) const DRY_RUN: &str = "dry-run";
/// File that is the body of the request.
pub(crate) const CONTENT_FILE: &str = "file";
/// Field of a body that asks the server for the result of a send.
const DRY_RUN_FIELD: &str = "dry_run";
pub(crate) const FIELD: &str = "field";
/// Fields of bodies that a file may supply.
pub(crate) const TEXT_FIELDS: [&str; 2] = ["text", "html"];

/// Fields that the help shows first, in this order.
const FIRST_FIELDS: [&str; 6] = ["to", "cc", "bcc", "subject", "text", "html"];

/// Place of the commands of the client in the list of all commands.
const FIRST_PLACE: usize = 100;

/// Groups with the words that describe them; others are described by their name.
const GROUPS: [(&str, &str); 32] = [
    ("accounts", "Accounts at apps; none"),
    ("agent", "Sign-up and sign-in as the API has them"),
    ("api-keys", "API keys"),
    ("apps", "Apps that inboxes sign in to; none"),
    ("audit", "Who changed keys, members, lists, domains and webhooks"),
    ("auth", "Caller of a request"),
    ("billing", "Plan and payment"),
    ("calendar", "Events of an inbox: agenda, dates, invitations"),
    ("connections", "Connections of chat clients"),
    ("contacts", "Correspondents of an inbox: trust, block, forget"),
    ("documentation", "Documentation that the server serves"),
    ("domains", "Domains of the organization"),
    ("downloads", "Content of download links"),
    ("drafts", "Drafts"),
    ("events", "Events; `inboxd watch` follows them"),
    ("files", "Files of an inbox"),
    ("inboxes", "Inboxes"),
    ("legal-hold", "Legal hold: nothing of an inbox or the organization is deleted"),
    ("lists", "Allow and block lists"),
    ("members", "Members and invitations"),
    ("messages", "Messages of an inbox: read, send, reply, forward, wait"),
    ("metrics", "Counted events and usage"),
    ("operations", "Health of the server"),
    ("organizations", "The organization"),
    ("pods", "Pods"),
    ("policy", "Policies of sending: allow, hold, refuse"),
    ("providers", "Apps by their former name; none"),
    ("suppressions", "Addresses that nothing is sent to"),
    ("threads", "Threads"),
    ("trace", "What happened to messages: judgement, labels, delivery attempts, webhooks"),
    ("uploads", "Contents of files, by the token of their upload URL"),
    ("webhooks", "Webhooks"),
];

/// Adds the commands of the client to the program.
pub(crate) fn extend(root: Command, catalog: &Catalog) -> Command {
    let mut root = root.args(server_arguments(&[])).after_help(EXIT_CODES);
    let globals: Vec<Arg> = root.get_arguments().filter(|argument| argument.is_global_set()).cloned().collect();
    let mut place = FIRST_PLACE;
    let mut add = |root: Command, command: Command| {
        place += 1;
        root.subcommand(without(command, &globals).display_order(place))
    };
    for command in session_commands() {
        let arguments = server_arguments(&[]);
        root = add(root, command.args(arguments));
    }
    for (name, commands) in catalog.groups() {
        root = add(root, group(name, &commands));
    }
    root
}

/// Hides arguments of the program that mean nothing to a command of the client.
fn without(command: Command, globals: &[Arg]) -> Command {
    let hidden = globals.iter().map(|argument| argument.clone().global(false).hide(true));
    command.args(hidden).mut_subcommands(|inner| without(inner, globals))
}

/// Returns the arguments that select server and output, except those with a taken flag.
fn server_arguments(taken: &[String]) -> Vec<Arg> {
    let all = [
        Arg::new(URL)
            .long("url")
            .value_name("URL")
            .value_hint(ValueHint::Url)
            .help("Base URL of the server; by default INBOXD_URL, that of the profile, or http://127.0.0.1:8080"),
        Arg::new(PROFILE).long("profile").value_name("NAME").help("Profile; by default INBOXD_PROFILE, or `default`"),
        Arg::new(JSON)
            .long("json")
            .action(ArgAction::SetTrue)
            .help("Print JSON: one value, or one line per item of a list"),
    ];
    let is_free = |argument: &Arg| !taken.iter().any(|flag| argument.get_long() == Some(flag));
    all.into_iter().filter(is_free).map(|argument| argument.help_heading("Server and output")).collect()
}

fn group(name: &str, commands: &[&ApiCommand]) -> Command {
    let known = GROUPS.iter().find(|(known, _)| *known == name);
    let about = known.map_or_else(|| name.replace('-', " "), |(_, about)| (*about).to_owned());
    let mut group = Command::new(name.to_owned()).about(about).args(server_arguments(&[]));
    // Without a command, a group lists its items.
    let is_listed = commands
        .iter()
        .any(|command| command.name == "list" && !command.fields().iter().any(|field| field.is_positional()));
    group = group.subcommand_required(!is_listed).arg_required_else_help(!is_listed);
    group.subcommands(commands.iter().map(|command| leaf(command)))
}

/// Returns the command of an operation with its arguments.
fn leaf(command: &ApiCommand) -> Command {
    let mut leaf = Command::new(command.name.clone());
    let Some(widest) = command.widest() else { return leaf };
    leaf = leaf.about(command.summary().to_owned());
    let operations = command.operations().map(|(_, operation)| format!("  {} {}", operation.method, operation.path));
    let operations = operations.collect::<Vec<_>>().join("\n");
    leaf = leaf.long_about(format!("{}\n\n{operations}", widest.description).trim_start().to_owned());
    let mut fields = command.fields();
    let place = |name: &str| FIRST_FIELDS.iter().position(|first| *first == name).unwrap_or(FIRST_FIELDS.len());
    fields.sort_by_key(|field| place(&field.name));
    let mut positionals: Vec<&&ApiField> = fields.iter().filter(|field| field.is_positional()).collect();
    positionals.sort_by_key(|field| field.place);
    let mut taken: Vec<String> = Vec::new();
    for field in positionals {
        leaf = leaf.arg(positional(field));
    }
    for field in fields.iter().filter(|field| !field.is_positional()) {
        taken.push(field.flag());
        leaf = leaf.arg(flag(field, widest.has_body));
    }
    for argument in shared_arguments(command, &fields) {
        if !taken.iter().any(|flag| argument.get_long() == Some(flag)) {
            leaf = leaf.arg(argument);
        }
    }
    leaf.args(server_arguments(&taken))
}

fn positional(field: &ApiField) -> Arg {
    let name = if field.name == "q" { "text" } else { &field.name };
    let argument = Arg::new(field.id()).required(true).value_name(name.to_ascii_uppercase()).help(field.help.clone());
    chosen(argument, field)
}

fn flag(field: &ApiField, has_body: bool) -> Arg {
    let help = if field.is_required { format!("{} (required)", field.help) } else { field.help.clone() };
    let mut argument = Arg::new(field.id()).long(field.flag()).value_name(value_name(field)).help(help);
    if let Some(alias) = ["inbox", "pod"].into_iter().find(|name| *name == field.flag()) {
        argument = argument.alias(format!("{alias}-id"));
    }
    if field.form.is_list || matches!(field.form.kind, ValueKind::TextMap | ValueKind::ScalarMap) {
        argument = argument.action(ArgAction::Append);
    }
    if field.form.kind == ValueKind::Boolean {
        argument = argument.num_args(0..=1).require_equals(true).default_missing_value("true").value_name("true|false");
    }
    if field.is_required && field.place == FieldPlace::Body && has_body {
        let file = TEXT_FIELDS.contains(&field.name.as_str()).then(|| file_flag(&field.name));
        argument = argument.required_unless_present_any(file.into_iter().chain([BODY.to_owned()]));
    } else if field.is_required {
        argument = argument.required(true);
    }
    // A value such as -1 or "--" belongs to its flag.
    chosen(argument.allow_hyphen_values(field.form.kind != ValueKind::Boolean), field)
}

fn chosen(argument: Arg, field: &ApiField) -> Arg {
    if field.form.choices.is_empty() {
        return argument;
    }
    let argument = if field.is_separated() { argument.value_delimiter(',') } else { argument };
    let null = field.is_cleared_by_null().then(|| "null".to_owned());
    argument.value_parser(PossibleValuesParser::new(field.form.choices.iter().cloned().chain(null)))
}

fn value_name(field: &ApiField) -> &'static str {
    match field.form.kind {
        ValueKind::TextMap | ValueKind::ScalarMap => "NAME=VALUE",
        ValueKind::Json => "JSON",
        ValueKind::Integer | ValueKind::Number => "NUMBER",
        ValueKind::Null => "null",
        _ if field.name.ends_with("_at")
            || matches!(field.name.as_str(), "before" | "after" | "start" | "end" | "since") =>
        {
            "TIME"
        }
        _ => "VALUE",
    }
}

/// Returns the flag of a file that supplies a field.
pub(crate) fn file_flag(field: &str) -> String {
    format!("{field}-file")
}

/// Returns the arguments that depend on the kind of operation.
fn shared_arguments(command: &ApiCommand, fields: &[&ApiField]) -> Vec<Arg> {
    let mut arguments = Vec::new();
    let Some(widest) = command.widest() else { return arguments };
    let is_only = |scope| command.operations().all(|(known, _)| known == scope);
    if command.operation(CommandScope::Inbox).is_some() {
        let help = if is_only(CommandScope::Inbox) {
            "Inbox; by default INBOXD_INBOX, that of the profile, or the only one"
        } else {
            "Only this inbox"
        };
        arguments.push(Arg::new(INBOX).long("inbox").alias("inbox-id").value_name("INBOX_ID").help(help));
    }
    if command.operation(CommandScope::Pod).is_some() {
        let pod = Arg::new(POD).long("pod").alias("pod-id").value_name("POD_ID").help("Only this pod");
        arguments.push(pod.conflicts_with_all(command.operation(CommandScope::Inbox).map(|_| INBOX)));
    }
    if widest.is_list() {
        arguments.push(Arg::new(ALL).long("all").action(ArgAction::SetTrue).help("Follow all pages"));
    }
    if widest.has_body {
        for field in TEXT_FIELDS.iter().filter(|name| has_body_field(fields, name)) {
            let help = format!("File with the {field}; `-` reads standard input");
            let argument = Arg::new(file_flag(field)).long(file_flag(field)).value_name("FILE").help(help);
            arguments.push(argument.value_hint(ValueHint::FilePath).conflicts_with(format!("body:{field}")));
        }
        if fields.iter().any(|field| field.takes_files()) {
            let attach = Arg::new(ATTACH).long("attach").value_name("FILE").action(ArgAction::Append);
            arguments.push(attach.value_hint(ValueHint::FilePath).help("File to attach; may be repeated"));
        }
        arguments
            .push(body_argument("Body as JSON, `@FILE`, or `-` for standard input; other flags replace its fields"));
    }
    if widest.content_type.is_some() {
        let file = Arg::new(CONTENT_FILE).long(CONTENT_FILE).value_name("FILE").required(true);
        arguments.push(file.value_hint(ValueHint::FilePath).help("File to send; `-` reads standard input (required)"));
    }
    if widest.response.content.is_some() {
        arguments.push(output_argument());
    }
    if !has_body_field(fields, DRY_RUN_FIELD) {
        arguments.push(dry_run_argument());
    }
    arguments
}

/// Returns whether a command has a body field of this name.
pub(crate) fn has_body_field(fields: &[&ApiField], name: &str) -> bool {
    fields.iter().any(|field| field.place == FieldPlace::Body && field.name == name)
}

/// Returns the argument of a whole body.
pub(crate) fn body_argument(help: &'static str) -> Arg {
    Arg::new(BODY).long("body").value_name("JSON|@FILE|-").help(help)
}

/// Returns the argument of a file for the response.
pub(crate) fn output_argument() -> Arg {
    let argument = Arg::new(OUTPUT).long("output").short('o').value_name("FILE").value_hint(ValueHint::FilePath);
    argument.help("File that the content is written to")
}

/// Returns the argument that shows a request instead of sending it.
pub(crate) fn dry_run_argument() -> Arg {
    Arg::new(DRY_RUN).long("dry-run").action(ArgAction::SetTrue).help("Print the request and send nothing")
}
