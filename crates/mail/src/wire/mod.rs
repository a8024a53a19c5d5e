//! The octets of a mail: header fields, parameters, encoded words, transfer encodings and charsets.

pub(crate) mod base64;
pub(crate) mod charset;
pub(crate) mod fields;
pub(crate) mod lines;
pub(crate) mod params;
pub(crate) mod results;
pub(crate) mod tokens;
pub(crate) mod top;
pub(crate) mod transfer;
pub(crate) mod uuencode;
pub(crate) mod words;
