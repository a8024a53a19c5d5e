//! Wire format of messages: header fields, parameters, encoded words, transfer encodings and charsets.

pub(crate) mod auth_results;
pub(crate) mod base64;
pub(crate) mod charset;
pub(crate) mod encoded_words;
pub(crate) mod envelope_lines;
pub(crate) mod fields;
pub(crate) mod lines;
pub(crate) mod params;
pub(crate) mod tokens;
pub(crate) mod transfer;
pub(crate) mod uuencode;
