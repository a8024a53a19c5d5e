//! A line becomes a command (RFC 5321 section 4.1).

use super::path::{self, Path};
use super::reply::Reply;

/// A command, with its arguments as they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command<'a> {
    Ehlo {
        client: &'a str,
    },
    Helo {
        client: &'a str,
    },
    Mail(Path<'a>),
    Rcpt(Path<'a>),
    Data,
    /// RFC 3030 section 2.
    Bdat {
        size: u64,
        last: bool,
    },
    Rset,
    Noop,
    Vrfy,
    Help,
    Quit,
    StartTls,
    /// A verb that is known and never offered here.
    NotOffered {
        verb: &'static str,
    },
}

/// Why a line is no command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Misread {
    /// It can be said, and the session goes on.
    Fault(Reply),
    /// It was a BDAT whose size cannot be read: nobody can tell where the next command begins.
    LostTrack(Reply),
    /// It was a line of HTTP: somebody's browser is being used to reach this server.
    Http,
}

/// Reads a line that came without its CRLF.
pub(super) fn parse(line: &[u8]) -> Result<Command<'_>, Misread> {
    let text = str::from_utf8(line).ok().filter(|text| !text.contains(|c: char| c.is_control()));
    let Some(text) = text else {
        return Err(Misread::Fault(Reply::NotText));
    };
    let (verb, argument) = text.split_once(' ').unwrap_or((text, ""));
    let argument = argument.trim_matches(' ');
    match verb.to_ascii_uppercase().as_str() {
        "EHLO" => client(argument).map(|client| Command::Ehlo { client }),
        "HELO" => client(argument).map(|client| Command::Helo { client }),
        "MAIL" => match path::parse(argument, "FROM:") {
            Ok(path) => Ok(Command::Mail(path)),
            Err(cause) => fault(Reply::SenderAddress { cause: cause.to_owned() }),
        },
        "RCPT" => match path::parse(argument, "TO:") {
            Ok(path) => Ok(Command::Rcpt(path)),
            Err(cause) => fault(Reply::RecipientAddress { cause: cause.to_owned() }),
        },
        "BDAT" => chunk(argument),
        "DATA" => alone(Command::Data, argument),
        "RSET" => alone(Command::Rset, argument),
        "QUIT" => alone(Command::Quit, argument),
        "STARTTLS" => alone(Command::StartTls, argument),
        "NOOP" => Ok(Command::Noop),
        "HELP" => Ok(Command::Help),
        "VRFY" if argument.is_empty() => fault(Reply::Argument { cause: "VRFY needs an address; send VRFY name" }),
        "VRFY" => Ok(Command::Vrfy),
        "EXPN" => Ok(Command::NotOffered { verb: "EXPN" }),
        "AUTH" => Ok(Command::NotOffered { verb: "AUTH" }),
        "ETRN" => Ok(Command::NotOffered { verb: "ETRN" }),
        "TURN" => Ok(Command::NotOffered { verb: "TURN" }),
        "BURL" => Ok(Command::NotOffered { verb: "BURL" }),
        "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS" | "CONNECT" => Err(Misread::Http),
        _ => fault(Reply::UnknownCommand),
    }
}

fn fault(reply: Reply) -> Result<Command<'static>, Misread> {
    Err(Misread::Fault(reply))
}

fn alone<'a>(command: Command<'a>, argument: &str) -> Result<Command<'a>, Misread> {
    if argument.is_empty() {
        return Ok(command);
    }
    fault(Reply::Argument { cause: "this command takes no argument; send it alone" })
}

/// The name after EHLO or HELO: a domain or an address literal, but whatever is one printable word is taken, for a name
/// that is only ever shown is no reason to lose mail.
fn client(name: &str) -> Result<&str, Misread> {
    if name.is_empty() || name.len() > 255 || !name.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(Misread::Fault(Reply::Argument {
            cause: "not a host name; send EHLO followed by your domain or [address]",
        }));
    }
    Ok(name)
}

fn chunk(argument: &str) -> Result<Command<'_>, Misread> {
    let (size, rest) = argument.split_once(' ').unwrap_or((argument, ""));
    let rest = rest.trim_start_matches(' ');
    let digits = !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit());
    match size.parse() {
        Ok(size) if digits && (rest.is_empty() || rest.eq_ignore_ascii_case("LAST")) => {
            Ok(Command::Bdat { size, last: !rest.is_empty() })
        }
        _ => Err(Misread::LostTrack(Reply::Argument {
            cause: "not a chunk; send BDAT followed by its size in octets, and LAST for the last one; closing",
        })),
    }
}
