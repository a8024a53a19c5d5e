//! Multipart boundaries, deterministic for a message and absent from its parts.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use mail_builder::headers::content_type::ContentType;
use mail_builder::mime::{BodyPart, MimePart};

use super::encoded::EncodedPart;

/// Common prefix of all boundaries of one message.
pub(crate) struct MimeBoundaries(String);

impl MimeBoundaries {
    /// Finds a prefix that occurs in no part.
    ///
    /// It starts with `=_`, which neither quoted-printable nor base64 can contain. Only unencoded parts are searched.
    pub(crate) fn new(seed: &str, parts: &[&EncodedPart]) -> Self {
        let mut attempt = 0_u64;
        loop {
            let mut hasher = DefaultHasher::new();
            (seed, attempt).hash(&mut hasher);
            let mark = format!("=_{:016x}", hasher.finish());
            let finder = memchr::memmem::Finder::new(mark.as_bytes());
            let is_free = parts.iter().all(|part| part.encoding != "7bit" || finder.find(&part.bytes).is_none());
            if is_free {
                return Self(mark);
            }
            attempt += 1;
        }
    }

    /// Builds a multipart of this kind with its own boundary.
    pub(crate) fn multipart(&self, kind: &str, parts: Vec<MimePart<'static>>) -> MimePart<'static> {
        let content_type = ContentType::new(format!("multipart/{kind}"));
        let boundary = format!("{}_{kind}", self.0);
        MimePart::new(content_type.attribute("boundary", boundary), BodyPart::Multipart(parts))
    }
}
