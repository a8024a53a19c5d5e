//! The top-level header: who, when, what about, and in answer to what.

use super::ParsedMail;
use super::date;
use crate::address::{HeaderAddress, parse_address_list};
use crate::message_id;
use crate::sanitize;
use crate::wire::encoded_words;
use crate::wire::fields::{HeaderField, fields};

/// How many fields are kept as they are, and how many octets of them in all.
const MAX_FIELDS: usize = 500;
const MAX_HEADER_BYTES: usize = 256 * 1024;
/// How many addresses are kept of each field, and how many octets of them in all.
const MAX_ADDRESSES: usize = 1000;
const MAX_ADDRESS_LIST_BYTES: usize = 64 * 1024;
/// The most octets of a subject: the longest that can be sent, less the `Fwd: ` that an answer may put in front.
const MAX_SUBJECT_BYTES: usize = 16 * 1024 - 8;
/// How many identifiers are kept of each field.
const MAX_IDS: usize = 100;

/// Fills in everything the header says; `charset` names what octets beyond ASCII may be in. One pass: the cost does not
/// grow faster than the header, whatever is in it.
pub(crate) fn read(header: &[u8], charset: Option<&str>, mail: &mut ParsedMail) {
    let mut bytes = 0;
    let mut seen = SeenFields::default();
    let mut lists = AddressLists::default();
    for field in fields(header) {
        if field.is("Received") {
            mail.received_count += 1;
        }
        known(&field, charset, mail, &mut seen, &mut lists);
        if mail.headers.len() >= MAX_FIELDS || bytes >= MAX_HEADER_BYTES {
            continue;
        }
        let value = sanitize::single_line(&encoded_words::decode(&field.text_in(charset)));
        let name = sanitize::truncate_owned(String::from_utf8_lossy(field.name).into_owned(), MAX_HEADER_BYTES - bytes);
        bytes += name.len();
        let value = sanitize::truncate_owned(value, MAX_HEADER_BYTES - bytes);
        bytes += value.len();
        mail.headers.push((name, value));
    }
    let AddressLists { from, reply_to, to, cc, bcc } = lists;
    (mail.from, mail.reply_to, mail.to, mail.cc, mail.bcc) = (from.list, reply_to.list, to.list, cc.list, bcc.list);
    let surplus = mail.references.len().saturating_sub(MAX_IDS);
    mail.references.drain(..surplus);
    mail.in_reply_to.truncate(MAX_IDS);
}

/// The fields that may stand once and were seen; the first of each counts.
#[derive(Debug, Default)]
struct SeenFields(Vec<&'static str>);

impl SeenFields {
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
struct AddressLists {
    from: AddressList,
    reply_to: AddressList,
    to: AddressList,
    cc: AddressList,
    bcc: AddressList,
}

/// The addresses of all fields of one name.
#[derive(Debug, Default)]
struct AddressList {
    list: Vec<HeaderAddress>,
    /// How many octets they have, those that did not fit included.
    bytes: usize,
}

impl AddressList {
    /// Adds the addresses of one field to those of its like: a mail with two From fields is from all of them.
    fn add(&mut self, field: &HeaderField<'_>, charset: Option<&str>) {
        let capacity = MAX_ADDRESSES.saturating_sub(self.list.len());
        if capacity == 0 || self.bytes >= MAX_ADDRESS_LIST_BYTES {
            return;
        }
        let fits = |address: &HeaderAddress| {
            self.bytes += address.display_len();
            self.bytes <= MAX_ADDRESS_LIST_BYTES
        };
        self.list.extend(parse_address_list(&field.text_in(charset), capacity).into_iter().take_while(fits));
    }
}

fn known(
    field: &HeaderField<'_>,
    charset: Option<&str>,
    mail: &mut ParsedMail,
    seen: &mut SeenFields,
    lists: &mut AddressLists,
) {
    match field.name.to_ascii_lowercase().as_slice() {
        b"from" => lists.from.add(field, charset),
        b"reply-to" => lists.reply_to.add(field, charset),
        b"to" => lists.to.add(field, charset),
        b"cc" => lists.cc.add(field, charset),
        b"bcc" => lists.bcc.add(field, charset),
        b"sender" if mail.sender.is_none() => mail.sender = parse_address_list(&field.text_in(charset), 1).pop(),
        b"message-id" if seen.is_first("message-id") => {
            mail.message_id = message_id::parse_first(&field.text());
        }
        b"in-reply-to" if seen.is_first("in-reply-to") => {
            mail.in_reply_to = message_id::parse_all(&field.text());
        }
        b"references" if seen.is_first("references") => {
            mail.references = message_id::parse_all(&field.text());
        }
        b"subject" if seen.is_first("subject") => {
            let subject = sanitize::single_line(&encoded_words::decode(&field.text_in(charset)));
            let subject = sanitize::truncate(&subject, MAX_SUBJECT_BYTES).trim_end();
            mail.subject = Some(subject.to_owned()).filter(|subject| !subject.is_empty());
        }
        b"date" if seen.is_first("date") => mail.date = date::unix_seconds(&field.text()),
        _ => {}
    }
}
