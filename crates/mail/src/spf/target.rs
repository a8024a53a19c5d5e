//! Target names of terms: macros and their expansion (RFC 7208, section 7).

use std::net::IpAddr;

use super::check::SpfCheck;
use super::dns::MAX_NAME_BYTES;

/// Number of pieces of a target. Names of DNS have fewer labels, and each piece may expand to a kilobyte.
const MAX_PIECES: usize = 128;

/// A name with macros.
#[derive(Debug)]
pub(super) struct TargetName(Vec<Piece>);

#[derive(Debug)]
enum Piece {
    Literal(String),
    Macro(Macro),
}

#[derive(Debug)]
struct Macro {
    letter: Letter,
    /// Number of parts that stay, counted from the right.
    kept_parts: Option<usize>,
    is_reversed: bool,
    delimiters: String,
    /// Whether the value is percent-encoded: the letter was in upper case.
    is_escaped: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letter {
    Sender,
    LocalPart,
    SenderDomain,
    Domain,
    Address,
    ValidatedName,
    AddressFamily,
    Helo,
    /// A letter for explanations: the client's address, the receiver, the time.
    OfExplanation,
}

/// Letters that a text may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MacroLetters {
    /// Those of target names.
    OfTarget,
    /// Those of explanations too.
    All,
}

impl TargetName {
    /// Returns the domain whose record is evaluated, `%{d}`.
    pub(super) fn domain() -> Self {
        let domain = Macro {
            letter: Letter::Domain,
            kept_parts: None,
            is_reversed: false,
            delimiters: ".".to_owned(),
            is_escaped: false,
        };
        Self(vec![Piece::Macro(domain)])
    }

    /// Parses a `domain-spec`. Returns `None` for an error of syntax.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let name = Self::parse_macros(text, MacroLetters::OfTarget)?;
        let ends_with_macro = match name.0.last()? {
            Piece::Macro(_) => true,
            Piece::Literal(_) => ["%%", "%_", "%-"].iter().any(|end| text.ends_with(end)),
        };
        (ends_with_macro || ends_with_top_label(text)).then_some(name)
    }

    /// Parses a `macro-string`.
    pub(super) fn parse_macros(text: &str, letters: MacroLetters) -> Option<Self> {
        let (mut pieces, mut literal, mut rest) = (Vec::new(), String::new(), text);
        while let Some(first) = rest.chars().next() {
            if first != '%' {
                if !first.is_ascii_graphic() {
                    return None;
                }
                literal.push(first);
                rest = &rest[1..];
                continue;
            }
            match rest.as_bytes().get(1)? {
                b'%' => literal.push('%'),
                b'_' => literal.push(' '),
                b'-' => literal.push_str("%20"),
                b'{' => {
                    let (inside, after) = rest[2..].split_once('}')?;
                    if !literal.is_empty() {
                        pieces.push(Piece::Literal(std::mem::take(&mut literal)));
                    }
                    pieces.push(Piece::Macro(Macro::parse(inside, letters)?));
                    rest = after;
                    continue;
                }
                _ => return None,
            }
            rest = &rest[2..];
        }
        if !literal.is_empty() {
            pieces.push(Piece::Literal(literal));
        }
        (pieces.len() <= MAX_PIECES).then_some(Self(pieces))
    }

    /// Returns whether the expansion needs the validated name of the client.
    pub(super) fn needs_validated_name(&self) -> bool {
        self.0.iter().any(|piece| matches!(piece, Piece::Macro(Macro { letter: Letter::ValidatedName, .. })))
    }

    /// Returns the name for a check. Labels at the left are dropped while it is longer than DNS permits (RFC 7208,
    /// section 7.3).
    pub(super) fn expand(&self, check: &SpfCheck, domain: &str, validated_name: &str) -> String {
        let expand = |piece: &Piece| match piece {
            Piece::Literal(text) => text.clone(),
            Piece::Macro(of) => of.expand(check, domain, validated_name),
        };
        let name: String = self.0.iter().map(expand).collect();
        let name = name.strip_suffix('.').unwrap_or(&name);
        let mut rest = name;
        while rest.len() > MAX_NAME_BYTES {
            let Some((_, shorter)) = rest.split_once('.') else { break };
            rest = shorter;
        }
        rest.to_owned()
    }
}

/// Returns whether a text ends with a dot and a top label (`domain-end` of RFC 7208, section 7.1).
fn ends_with_top_label(text: &str) -> bool {
    let text = text.strip_suffix('.').unwrap_or(text);
    let Some((_, label)) = text.rsplit_once('.') else { return false };
    let is_edge = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    is_edge(label.chars().next())
        && is_edge(label.chars().next_back())
        && label.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'-')
        && !label.bytes().all(|c| c.is_ascii_digit())
}

impl Macro {
    /// Parses the text between the braces.
    fn parse(inside: &str, letters: MacroLetters) -> Option<Self> {
        let first = inside.chars().next()?;
        let letter = match first.to_ascii_lowercase() {
            's' => Letter::Sender,
            'l' => Letter::LocalPart,
            'o' => Letter::SenderDomain,
            'd' => Letter::Domain,
            'i' => Letter::Address,
            'p' => Letter::ValidatedName,
            'v' => Letter::AddressFamily,
            'h' => Letter::Helo,
            'c' | 'r' | 't' if letters == MacroLetters::All => Letter::OfExplanation,
            _ => return None,
        };
        let rest = &inside[1..];
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (digits, rest) = rest.split_at(digits);
        let reversed = rest.strip_prefix(['r', 'R']);
        let delimiters = reversed.unwrap_or(rest);
        if !delimiters.bytes().all(|c| b".-+,/_=".contains(&c)) || digits.parse() == Ok(0_u8) {
            return None;
        }
        Some(Self {
            letter,
            // More parts than a value can have keep all of it.
            kept_parts: (!digits.is_empty()).then(|| digits.parse().unwrap_or(usize::MAX)),
            is_reversed: reversed.is_some(),
            delimiters: if delimiters.is_empty() { ".".to_owned() } else { delimiters.to_owned() },
            is_escaped: first.is_ascii_uppercase(),
        })
    }

    fn expand(&self, check: &SpfCheck, domain: &str, validated_name: &str) -> String {
        let value = match self.letter {
            Letter::Sender => format!("{}@{}", check.local_part, check.sender_domain),
            Letter::LocalPart => check.local_part.clone(),
            Letter::SenderDomain => check.sender_domain.clone(),
            Letter::Domain => domain.to_owned(),
            Letter::Address => dotted(check.client),
            Letter::ValidatedName => validated_name.to_owned(),
            Letter::AddressFamily => if check.client.is_ipv4() { "in-addr" } else { "ip6" }.to_owned(),
            Letter::Helo => check.helo.clone(),
            Letter::OfExplanation => String::new(),
        };
        let mut parts: Vec<&str> = value.split(|c| self.delimiters.contains(c)).collect();
        if self.is_reversed {
            parts.reverse();
        }
        let dropped = self.kept_parts.map_or(0, |kept| parts.len().saturating_sub(kept));
        let value = parts[dropped..].join(".");
        if self.is_escaped { percent_encoded(&value) } else { value }
    }
}

/// Returns an address as labels: four numbers, or 32 hexadecimal digits.
fn dotted(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => {
            let digits = format!("{:032x}", address.to_bits());
            digits.chars().map(String::from).collect::<Vec<_>>().join(".")
        }
    }
}

/// Returns the name below which the host names of an address are (RFC 1035, section 3.5, and RFC 3596, section 2.5).
pub(super) fn reverse_name(address: IpAddr) -> String {
    let dotted = dotted(address);
    let labels: Vec<&str> = dotted.rsplit('.').collect();
    let zone = if address.is_ipv4() { "in-addr" } else { "ip6" };
    format!("{}.{zone}.arpa", labels.join("."))
}

/// Encodes all bytes outside the unreserved set (RFC 3986, section 2.3).
fn percent_encoded(text: &str) -> String {
    let is_unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let encode = |byte: u8| if is_unreserved(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(encode).collect()
}
