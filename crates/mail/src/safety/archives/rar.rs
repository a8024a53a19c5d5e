//! Names and encryption of the files in RAR archives.

use super::{ArchiveEntries, MAX_ENTRIES, u16_at, u32_at};

/// Maximum number of records of a file that are read.
const MAX_RECORDS: usize = 16;
/// Length in bytes of the signatures, behind which the blocks begin.
const SIGNATURE_4_BYTES: usize = 7;
const SIGNATURE_5_BYTES: usize = 8;
/// Types of blocks of version 4.
const MAIN_4: u8 = 0x73;
const FILE_4: u8 = 0x74;
/// Flags of a file block of version 4 that is about a folder. Names of folders, such as "shop.com", have no extension.
const FOLDER_4: usize = 0xe0;
/// Types of blocks of version 5.
const FILE_5: usize = 2;
const ENCRYPTION_5: usize = 4;

/// Reads the blocks of an archive of version 4. Flag 0x80 of the main block encrypts all others, flag 4 its file.
pub(super) fn entries_of_version_4(content: &[u8]) -> ArchiveEntries {
    let mut found = ArchiveEntries::default();
    let mut at = SIGNATURE_4_BYTES;
    for _ in 0..MAX_ENTRIES {
        let block = content.get(at..).unwrap_or_default();
        let (Some(&kind), Some(flags), Some(length)) = (block.get(2), u16_at(block, 3), u16_at(block, 5)) else {
            break;
        };
        if kind == MAIN_4 && flags & 0x80 != 0 {
            found.is_encrypted = true;
            break;
        }
        if kind == FILE_4 {
            found.is_encrypted |= flags & 4 != 0;
            // Files of more than 4 GiB have two more numbers.
            let start = if flags & 0x100 == 0 { 32 } else { 40 };
            // Names end in their block, so that those of overlapping blocks cost no more than the archive.
            let end = u16_at(block, 26).map(|name_length| length.min(start + name_length));
            let name = end.and_then(|end| block.get(start..end)).unwrap_or_default();
            if flags & FOLDER_4 != FOLDER_4 {
                // The same name in another encoding follows NUL.
                found.add(name.split(|byte| *byte == 0).next().unwrap_or_default());
            }
        }
        let has_data = kind == FILE_4 || flags & 0x8000 != 0;
        let data = if has_data { u32_at(block, 7).unwrap_or_default() } else { 0 };
        at = at.saturating_add(length.max(SIGNATURE_4_BYTES)).saturating_add(data);
    }
    found
}

/// Reads the blocks of an archive of version 5.
pub(super) fn entries_of_version_5(content: &[u8]) -> ArchiveEntries {
    let mut found = ArchiveEntries::default();
    let mut next = Some(SIGNATURE_5_BYTES);
    for _ in 0..MAX_ENTRIES {
        let Some(at) = next else { break };
        next = read_block(content, at, &mut found);
    }
    found
}

/// Reads a block and returns the place of the next one; `None` if it cannot be read.
fn read_block(content: &[u8], at: usize, found: &mut ArchiveEntries) -> Option<usize> {
    // A checksum of four bytes comes first.
    let mut at = at.checked_add(4)?;
    let length = number(content, &mut at)?;
    let end = at.checked_add(length)?;
    let kind = number(content, &mut at)?;
    if kind == ENCRYPTION_5 {
        found.is_encrypted = true;
        return None;
    }
    let flags = number(content, &mut at)?;
    let records = if flags & 1 == 0 { 0 } else { number(content, &mut at)? };
    let data = if flags & 2 == 0 { 0 } else { number(content, &mut at)? };
    if kind == FILE_5 {
        found.is_encrypted |= has_encryption_record(content, end.checked_sub(records)?, end);
        let name = file_name(content, at)?;
        if !name.is_empty() {
            found.add(name);
        }
    }
    end.checked_add(data)
}

/// Returns the name of a file by the place of its own fields; an empty one for a folder.
fn file_name(content: &[u8], mut at: usize) -> Option<&[u8]> {
    let flags = number(content, &mut at)?;
    if flags & 1 != 0 {
        return Some(&[]);
    }
    // Length and attributes.
    number(content, &mut at)?;
    number(content, &mut at)?;
    // Time and checksum.
    let has_field = |flag: usize| usize::from(flags & flag != 0);
    at = at.checked_add(4 * has_field(2) + 4 * has_field(4))?;
    // Method and system.
    number(content, &mut at)?;
    number(content, &mut at)?;
    let length = number(content, &mut at)?;
    content.get(at..at.checked_add(length)?)
}

/// Returns whether a record of a file is about its encryption.
fn has_encryption_record(content: &[u8], mut at: usize, end: usize) -> bool {
    const ENCRYPTION: usize = 1;
    let mut records = (0..MAX_RECORDS).map_while(|_| {
        let length = number(content, &mut at).filter(|_| at < end)?;
        let next = at.checked_add(length)?;
        let kind = number(content, &mut at);
        at = next;
        kind
    });
    records.any(|kind| kind == ENCRYPTION)
}

/// Reads a number of variable length: seven bits in each byte, the lowest first.
fn number(content: &[u8], at: &mut usize) -> Option<usize> {
    let mut value = 0;
    for shift in (0..usize::BITS - 7).step_by(7) {
        let byte = *content.get(*at)?;
        *at += 1;
        value |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::entries;
    use super::*;

    fn version_4(name: &str, main_flags: u8, file_flags: u8) -> Vec<u8> {
        let length = u8::try_from(name.len()).unwrap_or_default();
        let main = [0, 0, MAIN_4, main_flags, 0, 13, 0, 0, 0, 0, 0, 0, 0];
        let mut file = vec![0, 0, FILE_4, file_flags, 0, 32 + length, 0];
        file.resize(26, 0);
        file.extend([length, 0, 0, 0, 0, 0]);
        [&b"Rar!\x1a\x07\x00"[..], &main[..], &file[..], name.as_bytes()].concat()
    }

    fn version_5(name: &str, is_encrypted: bool) -> Vec<u8> {
        let length = u8::try_from(name.len()).unwrap_or_default();
        let main = [0, 0, 0, 0, 3, 1, 0, 0];
        let file = if is_encrypted {
            vec![0, 0, 0, 0, 11 + length, 2, 1, 2, 0, 0, 0, 0, 0, length]
        } else {
            vec![0, 0, 0, 0, 8 + length, 2, 0, 0, 0, 0, 0, 0, length]
        };
        let records: &[u8] = if is_encrypted { &[1, 1] } else { &[] };
        [&b"Rar!\x1a\x07\x01\x00"[..], &main[..], &file[..], name.as_bytes(), records].concat()
    }

    #[test]
    fn blocks_show_names_and_encryption() {
        for (content, names, is_encrypted) in [
            (version_4("a.exe", 0, 0), vec!["a.exe"], false),
            (version_4("a.exe\0\x03x", 0, 0), vec!["a.exe"], false),
            (version_4("a.pdf", 0, 4), vec!["a.pdf"], true),
            (version_4("a.pdf", 0x80, 0), vec![], true),
            (version_4("shop.com", 0, 0xe0), vec![], false),
            (version_5("b/a.exe", false), vec!["b/a.exe"], false),
            (version_5("a.pdf", true), vec!["a.pdf"], true),
            (b"Rar!\x1a\x07\x01\x00\0\0\0\0\x02\x04\0".to_vec(), vec![], true),
        ] {
            let found = entries(&content).unwrap_or_default();
            assert_eq!(found.names, names);
            assert_eq!(found.is_encrypted, is_encrypted, "{names:?}");
        }
    }

    #[test]
    fn folders_of_version_5_have_no_name() {
        let mut content = version_5("shop.com", false);
        assert_eq!(entries(&content).unwrap_or_default().names, ["shop.com"]);
        // The flags of the file, behind the main block, a checksum, a length, a type and the flags of the block.
        content[SIGNATURE_5_BYTES + 8 + 7] = 1;
        assert_eq!(entries(&content).unwrap_or_default(), ArchiveEntries::default());
    }

    #[test]
    fn names_of_version_4_end_in_their_block() {
        let mut content = version_4("a.exe", 0, 0);
        content.extend(b"and data");
        // The length of the name.
        content[SIGNATURE_4_BYTES + 13 + 26] = 0xff;
        assert_eq!(entries(&content).unwrap_or_default().names, ["a.exe"]);
    }

    #[test]
    fn cut_and_endless_archives_are_read_without_failure() {
        for whole in [version_4("a.exe", 0, 4), version_5("a.exe", true)] {
            for length in 8..whole.len() {
                assert!(entries(&whole[..length]).is_some(), "{length}");
            }
        }
        // Lengths of zero, and lengths beyond any content.
        for byte in [0, 2, 0x74, 0x7f, 0xff] {
            for signature in [&b"Rar!\x1a\x07\x00"[..], &b"Rar!\x1a\x07\x01\x00"[..]] {
                let found = entries(&[signature, &[byte; 64][..]].concat()).unwrap_or_default();
                assert!(found.names.len() <= MAX_ENTRIES);
            }
        }
    }
}
