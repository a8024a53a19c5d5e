//! Names and encryption of the files in archives and office documents.
//!
//! It reads tables of contents only and unpacks nothing. Formats: ZIP (APPNOTE), RAR 4 and 5, 7z without its packed names,
//! and the compound files in which office programs wrap encrypted documents (MS-OFFCRYPTO, section 2.3.1). The marks of
//! PDF are not read, because documents that open without a password have them too.

mod rar;

use memchr::memmem;

/// Maximum number of files of an archive that are read.
const MAX_ENTRIES: usize = 1000;
/// Maximum length in bytes of the headers of an archive that are searched.
const MAX_HEADER_BYTES: usize = 64 * 1024;
/// Maximum number of bytes from the end of a name that are read: headers may claim long names that overlap.
const MAX_NAME_BYTES: usize = 1024;
/// Length in bytes of the fixed part of an entry of a ZIP directory, and of a file header.
const ZIP_ENTRY_BYTES: usize = 46;
const ZIP_FILE_BYTES: usize = 30;

/// Table of contents of an archive.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ArchiveEntries {
    /// Names of the files, as far as the archive shows them.
    pub(super) names: Vec<String>,
    /// True if a file opens with a password only.
    pub(super) is_encrypted: bool,
}

impl ArchiveEntries {
    fn add(&mut self, name: &[u8]) {
        let end = name.get(name.len().saturating_sub(MAX_NAME_BYTES)..).unwrap_or_default();
        self.names.push(String::from_utf8_lossy(end).into_owned());
    }
}

/// Reads the table of contents; `None` for content that is no archive.
pub(super) fn entries(content: &[u8]) -> Option<ArchiveEntries> {
    if content.starts_with(b"PK\x03\x04") {
        return Some(zip(content));
    }
    if content.starts_with(b"Rar!\x1a\x07\x00") {
        return Some(rar::entries_of_version_4(content));
    }
    if content.starts_with(b"Rar!\x1a\x07\x01\x00") {
        return Some(rar::entries_of_version_5(content));
    }
    let is_encrypted = if content.starts_with(b"7z\xbc\xaf\x27\x1c") {
        is_encrypted_7z(content)
    } else if content.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        is_encrypted_document(content)
    } else {
        return None;
    };
    Some(ArchiveEntries { names: Vec::new(), is_encrypted })
}

fn u16_at(content: &[u8], at: usize) -> Option<usize> {
    let bytes = content.get(at..at.checked_add(2)?)?;
    Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
}

fn u32_at(content: &[u8], at: usize) -> Option<usize> {
    let bytes = content.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
}

/// Reads the central directory of a ZIP, or the file headers of one without a directory.
fn zip(content: &[u8]) -> ArchiveEntries {
    let mut found = ArchiveEntries::default();
    let tail = content.len().saturating_sub(MAX_HEADER_BYTES + 22);
    let end = memmem::rfind(content.get(tail..).unwrap_or_default(), b"PK\x05\x06").map(|at| tail + at);
    let directory = end.and_then(|end| u32_at(content, end + 16));
    let mut entry = directory.filter(|at| content.get(*at..).is_some_and(|entry| entry.starts_with(b"PK\x01\x02")));
    if entry.is_none() {
        for at in memmem::find_iter(content, b"PK\x03\x04").take(MAX_ENTRIES) {
            add_zip_entry(content, at + 6, at + 26, at + ZIP_FILE_BYTES, &mut found);
        }
    }
    while let Some(at) = entry.filter(|_| found.names.len() < MAX_ENTRIES) {
        if !content.get(at..).is_some_and(|entry| entry.starts_with(b"PK\x01\x02")) {
            break;
        }
        add_zip_entry(content, at + 8, at + 28, at + ZIP_ENTRY_BYTES, &mut found);
        let lengths = [28, 30, 32].map(|field| u16_at(content, at + field).unwrap_or_default());
        entry = Some(at + ZIP_ENTRY_BYTES + lengths.iter().sum::<usize>());
    }
    found
}

fn add_zip_entry(content: &[u8], flags: usize, length: usize, name: usize, found: &mut ArchiveEntries) {
    found.is_encrypted |= u16_at(content, flags).is_some_and(|flags| flags & 1 != 0);
    let name = u16_at(content, length).and_then(|length| content.get(name..name.checked_add(length)?));
    if let Some(name) = name {
        found.add(name);
    }
}

/// The header, plain or packed, names the method of each stream; AES is 06 F1 07 01.
fn is_encrypted_7z(content: &[u8]) -> bool {
    let offset = content.get(12..20).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
    let start = offset.and_then(|offset| usize::try_from(offset).ok()).and_then(|offset| offset.checked_add(32));
    let header = start.and_then(|start| content.get(start..)).unwrap_or_default();
    let header = header.get(..MAX_HEADER_BYTES).unwrap_or(header);
    memmem::find(header, b"\x06\xf1\x07\x01").is_some()
}

/// The directory of an encrypted document has a stream `EncryptedPackage`.
fn is_encrypted_document(content: &[u8]) -> bool {
    const NAME: &[u8] = b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k\0a\0g\0e\0";
    let sector_bytes = 1_usize << u16_at(content, 30).filter(|power| matches!(power, 9 | 12)).unwrap_or(9);
    let directory = u32_at(content, 48).and_then(|sector| sector.checked_add(1)?.checked_mul(sector_bytes));
    let directory = directory.and_then(|start| content.get(start..)).unwrap_or_default();
    memmem::find(directory.get(..4096).unwrap_or(directory), NAME).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zip_of(name: &str, flags: u16) -> Vec<u8> {
        let length = u16::try_from(name.len()).unwrap_or_default().to_le_bytes();
        let mut content = b"PK\x03\x04\x14\0".to_vec();
        content.extend(flags.to_le_bytes());
        content.resize(26, 0);
        content.extend(length);
        content.extend([0, 0]);
        content.extend(name.as_bytes());
        let directory = u32::try_from(content.len()).unwrap_or_default();
        let mut entry = b"PK\x01\x02\x14\0\x14\0".to_vec();
        entry.extend(flags.to_le_bytes());
        entry.resize(28, 0);
        entry.extend(length);
        entry.resize(46, 0);
        content.extend(entry);
        content.extend(name.as_bytes());
        content.extend(b"PK\x05\x06\0\0\0\0\x01\0\x01\0\0\0\0\0");
        content.extend(directory.to_le_bytes());
        content.extend([0, 0]);
        content
    }

    #[test]
    fn zip_shows_names_and_encryption() {
        let entries_of = |content: &[u8]| entries(content).unwrap_or_default();
        let plain = entries_of(&zip_of("a.exe", 0));
        assert_eq!((plain.names, plain.is_encrypted), (vec!["a.exe".to_owned()], false));
        assert!(entries_of(&zip_of("a.pdf", 1)).is_encrypted);
        // A cut archive has its first file header alone.
        let cut = zip_of("a.pdf", 1);
        assert!(entries_of(&cut[..40]).is_encrypted);
        assert_eq!(entries(b"no archive"), None);
    }

    #[test]
    fn long_names_are_read_from_their_end() {
        let name = format!("{}.exe", "é".repeat(20_000));
        let names = entries(&zip_of(&name, 0)).unwrap_or_default().names;
        assert!(
            names.iter().all(|name| name.len() < 2 * MAX_NAME_BYTES && name.strip_suffix(".exe").is_some()),
            "{names:?}"
        );
        assert_eq!(names.len(), 1);
    }

    #[test]
    fn broken_archives_are_read_without_failure() {
        let samples: [&[u8]; 5] = [
            b"PK\x03\x04\x14\0\0\0PK\x05\x06\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            b"Rar!\x1a\x07\x00\xff\xff\x73\x00\x00\xff\xff",
            b"Rar!\x1a\x07\x01\x00\xff\xff\xff\xff\x80\x80\x80",
            b"7z\xbc\xaf\x27\x1c\x00\x04\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        ];
        for sample in samples {
            assert!(entries(sample).is_some_and(|found| !found.is_encrypted && found.names.is_empty()), "{sample:?}");
        }
    }
}
