//! The top-level header: who, when, what about, and in answer to what.

use super::ParsedMail;
use super::date;
use crate::address::{HeaderAddress, parse_list};
use crate::clean;
use crate::message_id;
use crate::wire::fields::{Field, fields};
use crate::wire::words;

/// How many fields are kept as they are, and how many octets of them in all.
const MAX_FIELDS: usize = 500;
const MAX_OCTETS: usize = 256 * 1024;
/// How many addresses are kept of each field, and how many octets of them in all.
const MAX_ADDRESSES: usize = 1000;
const MAX_ADDRESS_OCTETS: usize = 64 * 1024;
/// The most octets of a subject: the longest that can be sent, less the `Fwd: ` that an answer may put in front.
const MAX_SUBJECT: usize = 16 * 1024 - 8;
/// How many identifiers are kept of each field.
const MAX_IDS: usize = 100;

/// Fills in everything the header says; `charset` names what octets beyond ASCII may be in. One pass: the cost does not
/// grow faster than the header, whatever is in it.
pub(crate) fn read(header: &[u8], charset: Option<&str>, mail: &mut ParsedMail) {
    let mut octets = 0;
    let mut seen = Seen::default();
    let mut lists = Lists::default();
    for field in fields(header) {
        if field.is("Received") {
            mail.received_count += 1;
        }
        known(&field, charset, mail, &mut seen, &mut lists);
        if mail.headers.len() >= MAX_FIELDS || octets >= MAX_OCTETS {
            continue;
        }
        let value = clean::line(&words::decode(&field.text_in(charset)));
        let name = clean::truncated(String::from_utf8_lossy(field.name).into_owned(), MAX_OCTETS - octets);
        octets += name.len();
        let value = clean::truncated(value, MAX_OCTETS - octets);
        octets += value.len();
        mail.headers.push((name, value));
    }
    let Lists { from, reply_to, to, cc, bcc } = lists;
    (mail.from, mail.reply_to, mail.to, mail.cc, mail.bcc) = (from.list, reply_to.list, to.list, cc.list, bcc.list);
    let surplus = mail.references.len().saturating_sub(MAX_IDS);
    mail.references.drain(..surplus);
    mail.in_reply_to.truncate(MAX_IDS);
}

/// The fields that may stand once and were seen; the first of each counts.
#[derive(Debug, Default)]
struct Seen(Vec<&'static str>);

impl Seen {
    fn is_first(&mut self, name: &'static str) -> bool {
        let is_first = !self.0.contains(&name);
        if is_first {
            self.0.push(name);
        }
        is_first
    }
}

/// The addresses of the fields that may stand more than once.
#[derive(Debug, Default)]
struct Lists {
    from: Addresses,
    reply_to: Addresses,
    to: Addresses,
    cc: Addresses,
    bcc: Addresses,
}

/// The addresses of all fields of one name.
#[derive(Debug, Default)]
struct Addresses {
    list: Vec<HeaderAddress>,
    /// How many octets they have, those that did not fit included.
    octets: usize,
}

impl Addresses {
    /// Adds the addresses of one field to those of its like: a mail with two From fields is from all of them.
    fn add(&mut self, field: &Field<'_>, charset: Option<&str>) {
        let room = MAX_ADDRESSES.saturating_sub(self.list.len());
        if room == 0 || self.octets >= MAX_ADDRESS_OCTETS {
            return;
        }
        let fits = |address: &HeaderAddress| {
            self.octets += address.octets();
            self.octets <= MAX_ADDRESS_OCTETS
        };
        self.list.extend(parse_list(&field.text_in(charset), room).into_iter().take_while(fits));
    }
}

fn known(field: &Field<'_>, charset: Option<&str>, mail: &mut ParsedMail, seen: &mut Seen, lists: &mut Lists) {
    match field.name.to_ascii_lowercase().as_slice() {
        b"from" => lists.from.add(field, charset),
        b"reply-to" => lists.reply_to.add(field, charset),
        b"to" => lists.to.add(field, charset),
        b"cc" => lists.cc.add(field, charset),
        b"bcc" => lists.bcc.add(field, charset),
        b"sender" if mail.sender.is_none() => mail.sender = parse_list(&field.text_in(charset), 1).pop(),
        b"message-id" if seen.is_first("message-id") => {
            mail.message_id = message_id::first(&field.text());
        }
        b"in-reply-to" if seen.is_first("in-reply-to") => {
            mail.in_reply_to = message_id::all(&field.text());
        }
        b"references" if seen.is_first("references") => {
            mail.references = message_id::all(&field.text());
        }
        b"subject" if seen.is_first("subject") => {
            let subject = clean::line(&words::decode(&field.text_in(charset)));
            let subject = clean::truncate(&subject, MAX_SUBJECT).trim_end();
            mail.subject = Some(subject.to_owned()).filter(|subject| !subject.is_empty());
        }
        b"date" if seen.is_first("date") => mail.date = date::unix_seconds(&field.text()),
        _ => {}
    }
}
