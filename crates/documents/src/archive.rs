//! Lists of the files in archives: ZIP, tar (POSIX.1-1988) and gzip (RFC 1952). Nothing in them is opened.

use inboxd_mail::zip::{ZipArchive, gunzip};

use crate::output::TextOutput;
use crate::{DocumentError, DocumentLimits};

const TAR_BLOCK_BYTES: usize = 512;

/// Writes name and size of each file.
pub(crate) fn read(content: &[u8], limits: &DocumentLimits, output: &mut TextOutput) -> Result<(), DocumentError> {
    if content.starts_with(b"\x1f\x8b") {
        let unpacked = gunzip(content, limits.max_unpacked_bytes)?;
        if is_tar(&unpacked) {
            list_tar(&unpacked, limits, output);
        } else {
            heading(output);
            file(output, &gzip_name(content), unpacked.len(), false);
        }
    } else if is_tar(content) {
        list_tar(content, limits, output);
    } else {
        let archive = ZipArchive::open(content, limits.max_entries, limits.max_unpacked_bytes)?;
        heading(output);
        for entry in &archive.entries {
            file(output, &entry.name, entry.size, entry.is_encrypted);
        }
        if archive.is_cut {
            output.cut();
        }
    }
    Ok(())
}

fn heading(output: &mut TextOutput) {
    output.heading(1, "Files in the archive");
}

fn file(output: &mut TextOutput, name: &str, size: usize, is_encrypted: bool) {
    let note = if is_encrypted { ", needs a password" } else { "" };
    let shown = if name.ends_with('/') { name.to_owned() } else { format!("{name} ({size} bytes{note})") };
    output.item(0, &shown);
}

fn is_tar(content: &[u8]) -> bool {
    content.get(257..262) == Some(b"ustar")
}

/// Returns the name that gzip keeps in its header; it follows the fixed header and an optional extra field.
fn gzip_name(content: &[u8]) -> String {
    let flags = content.get(3).copied().unwrap_or_default();
    let extra = if flags & 4 == 0 {
        0
    } else {
        let length = content.get(10..12).and_then(|bytes| bytes.try_into().ok()).map(u16::from_le_bytes);
        2 + usize::from(length.unwrap_or_default())
    };
    let name = content.get(10 + extra..).filter(|_| flags & 8 != 0).unwrap_or_default();
    let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
    let name = name.get(..255).unwrap_or(name);
    if name.is_empty() { "file without a name".to_owned() } else { String::from_utf8_lossy(name).into_owned() }
}

fn list_tar(content: &[u8], limits: &DocumentLimits, output: &mut TextOutput) {
    heading(output);
    let mut at = 0;
    for _ in 0..limits.max_entries {
        let Some(header) = content.get(at..at + TAR_BLOCK_BYTES).filter(|_| is_tar_at(content, at)) else { return };
        let text = |from: usize, to: usize| {
            let field = header.get(from..to).unwrap_or_default().split(|byte| *byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(field).into_owned()
        };
        let size = usize::from_str_radix(text(124, 136).trim(), 8).unwrap_or_default();
        let (prefix, name) = (text(345, 500), text(0, 100));
        // Headers of other types than files and folders extend the next entry.
        if matches!(header.get(156), Some(b'0' | b'5' | 0)) {
            let name = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
            file(output, &name, size, false);
        }
        at = at.saturating_add(TAR_BLOCK_BYTES).saturating_add(size.div_ceil(TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES);
    }
    output.cut();
}

fn is_tar_at(content: &[u8], at: usize) -> bool {
    content.get(at..).is_some_and(is_tar)
}
