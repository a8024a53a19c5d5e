//! Boundaries between parts: the same mail always gets the same, and none stands in what it separates.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use mail_builder::headers::content_type::ContentType;
use mail_builder::mime::{BodyPart, MimePart};

use super::encoded::EncodedPart;

/// What all boundaries of one mail have in common.
pub(crate) struct MimeBoundaries(String);

impl MimeBoundaries {
    /// Finds a mark that is in none of the parts. It starts with `=_`, which neither quoted-printable nor base64 can
    /// hold; what goes out as it is, is searched.
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

    /// A multipart of the kind, with a boundary of its own.
    pub(crate) fn multipart(&self, kind: &str, parts: Vec<MimePart<'static>>) -> MimePart<'static> {
        let content_type = ContentType::new(format!("multipart/{kind}"));
        let boundary = format!("{}_{kind}", self.0);
        MimePart::new(content_type.attribute("boundary", boundary), BodyPart::Multipart(parts))
    }
}
