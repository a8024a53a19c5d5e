//! Parser of SMTP commands (RFC 5321, section 4.1).

use super::path::{self, EnvelopePath};
use super::reply::Reply;

/// Command with its unmodified arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SmtpCommand<'a> {
    Ehlo {
        client: &'a str,
    },
    Helo {
        client: &'a str,
    },
    Mail(EnvelopePath<'a>),
    Rcpt(EnvelopePath<'a>),
    Data,
    /// BDAT (RFC 3030, section 2).
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
    /// Known command that is not offered here.
    NotOffered {
        verb: &'static str,
    },
}

/// Reason for which a line is not a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParseError {
    /// Syntax error with its reply. The session continues.
    Syntax(Reply),
    /// BDAT without a readable size. The start of the next command is unknown.
    OutOfSync(Reply),
    /// Line of an HTTP request, which an attacker may send through the browser of a user.
    Http,
}

/// Parses a line without its CRLF.
pub(super) fn parse(line: &[u8]) -> Result<SmtpCommand<'_>, ParseError> {
    let text = str::from_utf8(line).ok().filter(|text| !text.contains(|c: char| c.is_control()));
    let Some(text) = text else {
        return Err(ParseError::Syntax(Reply::NotText));
    };
    let (verb, argument) = text.split_once(' ').unwrap_or((text, ""));
    let argument = argument.trim_matches(' ');
    match verb.to_ascii_uppercase().as_str() {
        "EHLO" => parse_client_name(argument).map(|client| SmtpCommand::Ehlo { client }),
        "HELO" => parse_client_name(argument).map(|client| SmtpCommand::Helo { client }),
        "MAIL" => match path::parse(argument, "FROM:") {
            Ok(path) => Ok(SmtpCommand::Mail(path)),
            Err(cause) => syntax_error(Reply::SenderAddress { cause: cause.to_owned() }),
        },
        "RCPT" => match path::parse(argument, "TO:") {
            Ok(path) => Ok(SmtpCommand::Rcpt(path)),
            Err(cause) => syntax_error(Reply::RecipientAddress { cause: cause.to_owned() }),
        },
        "BDAT" => parse_chunk(argument),
        "DATA" => without_argument(SmtpCommand::Data, argument),
        "RSET" => without_argument(SmtpCommand::Rset, argument),
        "QUIT" => without_argument(SmtpCommand::Quit, argument),
        "STARTTLS" => without_argument(SmtpCommand::StartTls, argument),
        "NOOP" => Ok(SmtpCommand::Noop),
        "HELP" => Ok(SmtpCommand::Help),
        "VRFY" if argument.is_empty() => {
            syntax_error(Reply::Argument { cause: "VRFY needs an address; send VRFY name" })
        }
        "VRFY" => Ok(SmtpCommand::Vrfy),
        "EXPN" => Ok(SmtpCommand::NotOffered { verb: "EXPN" }),
        "AUTH" => Ok(SmtpCommand::NotOffered { verb: "AUTH" }),
        "ETRN" => Ok(SmtpCommand::NotOffered { verb: "ETRN" }),
        "TURN" => Ok(SmtpCommand::NotOffered { verb: "TURN" }),
        "BURL" => Ok(SmtpCommand::NotOffered { verb: "BURL" }),
        "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS" | "CONNECT" => Err(ParseError::Http),
        _ => syntax_error(Reply::UnknownCommand),
    }
}

fn syntax_error(reply: Reply) -> Result<SmtpCommand<'static>, ParseError> {
    Err(ParseError::Syntax(reply))
}

fn without_argument<'a>(command: SmtpCommand<'a>, argument: &str) -> Result<SmtpCommand<'a>, ParseError> {
    if argument.is_empty() {
        return Ok(command);
    }
    syntax_error(Reply::Argument { cause: "this command takes no argument; send it alone" })
}

/// Validates the name after EHLO or HELO. Any printable word is accepted, because the name is only displayed and must
/// not cause loss of mail.
fn parse_client_name(name: &str) -> Result<&str, ParseError> {
    if name.is_empty() || name.len() > 255 || !name.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(ParseError::Syntax(Reply::Argument {
            cause: "not a host name; send EHLO followed by your domain or [address]",
        }));
    }
    Ok(name)
}

fn parse_chunk(argument: &str) -> Result<SmtpCommand<'_>, ParseError> {
    let (size, rest) = argument.split_once(' ').unwrap_or((argument, ""));
    let rest = rest.trim_start_matches(' ');
    let digits = !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit());
    match size.parse() {
        Ok(size) if digits && (rest.is_empty() || rest.eq_ignore_ascii_case("LAST")) => {
            Ok(SmtpCommand::Bdat { size, last: !rest.is_empty() })
        }
        _ => Err(ParseError::OutOfSync(Reply::Argument {
            cause: "not a chunk; send BDAT followed by its size in octets, and LAST for the last one; closing",
        })),
    }
}
