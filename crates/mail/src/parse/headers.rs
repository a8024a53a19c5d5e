//! Top-level header: author, recipients, date, subject and references.

use super::ParsedMail;
use super::date;
use crate::address::{HeaderAddress, parse_address_list};
use crate::message_id;
use crate::sanitize;
use crate::wire::encoded_words;
use crate::wire::fields::{HeaderField, fields};

/// Maximum number of raw fields stored, and of their bytes in total.
const MAX_FIELDS: usize = 500;
const MAX_HEADER_BYTES: usize = 256 * 1024;
/// Maximum number of addresses stored of each field, and of their bytes in total.
const MAX_ADDRESSES: usize = 1000;
const MAX_ADDRESS_LIST_BYTES: usize = 64 * 1024;
/// Maximum length of a subject in bytes: the longest outgoing one without the `Fwd: ` of a forward.
const MAX_SUBJECT_BYTES: usize = 16 * 1024 - 8;
/// Maximum number of identifiers stored of each field.
const MAX_IDS: usize = 100;

/// Reads all header fields in one pass; the cost is linear in the header. `charset` is the assumed charset of bytes
/// beyond ASCII.
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

/// Names of single-occurrence fields read so far; the first of each counts.
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

/// Addresses of the fields that may occur more than once.
#[derive(Debug, Default)]
struct AddressLists {
    from: AddressList,
    reply_to: AddressList,
    to: AddressList,
    cc: AddressList,
    bcc: AddressList,
}

/// Addresses of all fields of one name.
#[derive(Debug, Default)]
struct AddressList {
    list: Vec<HeaderAddress>,
    /// Total bytes, including addresses that exceeded the limit.
    bytes: usize,
}

impl AddressList {
    /// Adds the addresses of another field of this name: a message with two From fields is from all of them.
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
