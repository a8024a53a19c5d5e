//! Unpacking of a report, with bounds.

use std::borrow::Cow;

use crate::zip::{ZipArchive, gunzip};

/// Maximum bytes of a packed report.
const MAX_PACKED_BYTES: usize = 1024 * 1024;

/// Returns the content of a packed or plain file of up to `max_bytes`; `None` if it exceeds a bound or cannot be read.
pub(super) fn unpack(packed: &[u8], max_bytes: usize) -> Option<Cow<'_, [u8]>> {
    let (is_gzip, is_archive) = (packed.starts_with(b"\x1f\x8b"), packed.starts_with(b"PK\x03\x04"));
    if (is_gzip || is_archive) && packed.len() > MAX_PACKED_BYTES {
        return None;
    }
    if is_gzip {
        return gunzip(packed, max_bytes).ok().map(Cow::Owned);
    }
    if is_archive {
        // A report is the only file of its archive (RFC 7489, section 7.2.1.1).
        let mut archive = ZipArchive::open(packed, 1, max_bytes).ok()?;
        let name = archive.entries.first()?.name.clone();
        return archive.read(&name).ok().flatten().map(Cow::Owned);
    }
    (packed.len() <= max_bytes).then_some(Cow::Borrowed(packed))
}
