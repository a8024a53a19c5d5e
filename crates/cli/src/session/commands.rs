//! The commands that are not made from the document.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, Command, ValueHint, value_parser};

use crate::tree::{FIELD, INBOX, body_argument, dry_run_argument, output_argument};

/// Returns the commands in the order of the help.
pub(crate) fn commands() -> Vec<Command> {
    vec![login(), logout(), whoami(), sign_up(), watch(), api(), completions(), man()]
}

fn login() -> Command {
    Command::new("login")
        .about("Sign in with a mailed code, or with a key, and remember it in the profile")
        .arg(Arg::new("email").value_name("EMAIL").help("Your email address, which receives a six-digit code"))
        .arg(
            Arg::new("organization")
                .long("organization")
                .value_name("ORGANIZATION_ID")
                .help("Organization to sign in to, if you belong to several"),
        )
        .arg(
            Arg::new("with-key")
                .long("with-key")
                .value_name("-")
                .value_parser(PossibleValuesParser::new(["-"]))
                .conflicts_with_all(["email", "organization"])
                .help("Read an API key from standard input instead of mailing a code"),
        )
}

fn logout() -> Command {
    Command::new("logout")
        .about("Forget the key of the profile; a key made by `login` is also revoked")
        .arg(Arg::new("revoke").long("revoke").action(ArgAction::SetTrue).help("Revoke the key wherever it comes from"))
}

fn whoami() -> Command {
    Command::new("whoami").about("Show server, profile, and whom the key acts as")
}

fn sign_up() -> Command {
    Command::new("sign-up")
        .about("Create an organization with an inbox, and remember its key in the profile")
        .arg(Arg::new("email").value_name("EMAIL").required(true).help("Address of the owner, which receives a code"))
        .arg(Arg::new("username").value_name("USERNAME").required(true).help("Username of the first inbox"))
        .arg(
            Arg::new("invitation")
                .long("invitation")
                .value_name("INVITATION")
                .help("Invitation of the operator, where the server requires one"),
        )
        .arg(dry_run_argument())
}

fn watch() -> Command {
    Command::new("watch")
        .about("Follow events as they happen, and resume after a break")
        .arg(
            Arg::new("event-types")
                .long("event-types")
                .value_name("TYPE")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .help("Only events of these types, such as message.received"),
        )
        .arg(
            Arg::new("trust")
                .long("trust")
                .value_name("VERDICT")
                .action(ArgAction::Append)
                .value_delimiter(',')
                .help("Of received mail, only that with one of these verdicts, such as trusted,known"),
        )
        .arg(Arg::new(INBOX).long("inbox").alias("inbox-id").value_name("INBOX_ID").help("Only events of this inbox"))
        .arg(
            Arg::new("after")
                .long("after")
                .value_name("EVENT_ID")
                .help("Begin behind this event; by default with the next event"),
        )
        .arg(
            Arg::new("count")
                .long("count")
                .value_name("NUMBER")
                .value_parser(value_parser!(u64).range(1..))
                .help("End after this number of events"),
        )
}

fn api() -> Command {
    Command::new("api")
        .about("Send any request to the API")
        .arg(Arg::new("method").value_name("METHOD").required(true).help("GET, POST, PATCH, PUT or DELETE"))
        .arg(
            Arg::new("path").value_name("PATH").required(true).help("Path with its query, such as /v0/inboxes?limit=5"),
        )
        .arg(
            Arg::new(FIELD)
                .long("field")
                .short('f')
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .help("Field of the body: text, or a number, true, false, null"),
        )
        .arg(body_argument("Body as JSON, `@FILE`, or `-` for standard input; --field replaces its fields"))
        .arg(
            Arg::new("accept")
                .long("accept")
                .value_name("MEDIA_TYPE")
                .help("Media type of the response; by default application/json"),
        )
        .arg(output_argument())
        .arg(dry_run_argument())
}

fn completions() -> Command {
    Command::new("completions").about("Print completions for a shell").arg(
        Arg::new("shell")
            .value_name("SHELL")
            .required(true)
            .value_parser(PossibleValuesParser::new(["bash", "zsh", "fish"]))
            .help("Shell"),
    )
}

fn man() -> Command {
    Command::new("man").about("Print the man page of inboxd, or write those of all commands to a folder").arg(
        Arg::new("folder").value_name("DIR").value_hint(ValueHint::DirPath).help("Folder for one file per command"),
    )
}
