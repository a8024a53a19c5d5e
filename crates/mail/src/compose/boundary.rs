//! Boundaries between parts: the same mail always gets the same, and none stands in what it separates.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

/// A boundary that is no part of any of `contents`, all of them already encoded.
///
/// It holds `=_`, which neither quoted-printable nor base64 can; what goes out as it is, is searched.
pub(crate) fn boundary(seed: &str, level: &str, contents: &[&[u8]]) -> String {
    let mut attempt = 0_u64;
    loop {
        let mut hasher = DefaultHasher::new();
        (seed, level, attempt).hash(&mut hasher);
        let boundary = format!("=_{level}_{:016x}", hasher.finish());
        let finder = memchr::memmem::Finder::new(boundary.as_bytes());
        if contents.iter().all(|content| finder.find(content).is_none()) {
            return boundary;
        }
        attempt += 1;
    }
}
