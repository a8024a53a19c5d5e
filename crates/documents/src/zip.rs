//! Reader of ZIP archives (APPNOTE) with a bound on entries and unpacked bytes.

use std::io::Read as _;

use flate2::bufread::DeflateDecoder;

use crate::{DocumentError, DocumentLimits};

const END_OF_DIRECTORY: &[u8] = b"PK\x05\x06";
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL_HEADER: &[u8] = b"PK\x03\x04";
const END_BYTES: usize = 22;
const ENTRY_BYTES: usize = 46;
const LOCAL_HEADER_BYTES: usize = 30;
/// Maximum length in bytes of the comment after the directory.
const MAX_COMMENT_BYTES: usize = 65_535;
const STORED: usize = 0;
const DEFLATED: usize = 8;

/// An entry of the directory.
#[derive(Debug, Clone)]
pub(crate) struct ZipEntry {
    pub(crate) name: String,
    /// Unpacked size, as the archive says.
    pub(crate) size: usize,
    pub(crate) is_encrypted: bool,
    method: usize,
    packed_size: usize,
    header: usize,
}

/// An archive with what may still be unpacked.
#[derive(Debug)]
pub(crate) struct ZipArchive<'z> {
    content: &'z [u8],
    pub(crate) entries: Vec<ZipEntry>,
    /// True if the directory has more entries than the limit.
    pub(crate) is_cut: bool,
    left: usize,
}

impl<'z> ZipArchive<'z> {
    /// Reads the directory of an archive.
    pub(crate) fn open(content: &'z [u8], limits: &DocumentLimits) -> Result<Self, DocumentError> {
        let start = content.len().saturating_sub(END_BYTES + MAX_COMMENT_BYTES);
        let tail = content.get(start..).unwrap_or_default();
        let end = tail.windows(END_OF_DIRECTORY.len()).rposition(|window| window == END_OF_DIRECTORY);
        let end = start + end.ok_or(DocumentError::Malformed)?;
        let mut at = u32_at(content, end + 16).ok_or(DocumentError::Malformed)?;
        let mut archive = Self { content, entries: Vec::new(), is_cut: false, left: limits.max_unpacked_bytes };
        while content.get(at..).is_some_and(|rest| rest.starts_with(DIRECTORY_ENTRY)) {
            if archive.entries.len() >= limits.max_entries {
                archive.is_cut = true;
                break;
            }
            let Some(entry) = entry_at(content, at) else { break };
            archive.entries.push(entry);
            let lengths = [28, 30, 32].map(|field| u16_at(content, at + field).unwrap_or_default());
            at += ENTRY_BYTES + lengths.iter().sum::<usize>();
        }
        if archive.entries.is_empty() { Err(DocumentError::Malformed) } else { Ok(archive) }
    }

    /// Unpacks an entry; `None` if the archive has no such name.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        let name = name.trim_start_matches('/');
        let Some(entry) = self.entries.iter().find(|entry| entry.name == name) else { return Ok(None) };
        if entry.is_encrypted {
            return Err(DocumentError::Encrypted);
        }
        let lengths = [26, 28].map(|field| u16_at(self.content, entry.header.saturating_add(field)));
        let [Some(name_length), Some(extra_length)] = lengths else { return Err(DocumentError::Malformed) };
        let start = entry.header.saturating_add(LOCAL_HEADER_BYTES + name_length + extra_length);
        if !self.content.get(entry.header..).is_some_and(|rest| rest.starts_with(LOCAL_HEADER)) {
            return Err(DocumentError::Malformed);
        }
        let packed = self.content.get(start..start.saturating_add(entry.packed_size));
        let packed = packed.ok_or(DocumentError::Malformed)?;
        let unpacked = match entry.method {
            STORED if packed.len() <= self.left => packed.to_vec(),
            STORED => return Err(DocumentError::TooLarge),
            DEFLATED => inflate(DeflateDecoder::new(packed), self.left)?,
            _ => return Err(DocumentError::Unsupported),
        };
        self.left -= unpacked.len();
        Ok(Some(unpacked))
    }
}

/// Reads all of an unpacking stream, up to a number of bytes.
pub(crate) fn inflate(unpacking: impl std::io::Read, limit: usize) -> Result<Vec<u8>, DocumentError> {
    let mut unpacked = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    let read = unpacking.take(most.saturating_add(1)).read_to_end(&mut unpacked);
    if unpacked.len() > limit {
        return Err(DocumentError::TooLarge);
    }
    read.map_err(|_| DocumentError::Malformed)?;
    Ok(unpacked)
}

fn entry_at(content: &[u8], at: usize) -> Option<ZipEntry> {
    let flags = u16_at(content, at + 8)?;
    let length = u16_at(content, at + 28)?;
    let name = content.get(at + ENTRY_BYTES..at + ENTRY_BYTES + length)?;
    Some(ZipEntry {
        name: String::from_utf8_lossy(name).into_owned(),
        size: u32_at(content, at + 24)?,
        is_encrypted: flags & 1 != 0,
        method: u16_at(content, at + 10)?,
        packed_size: u32_at(content, at + 20)?,
        header: u32_at(content, at + 42)?,
    })
}

fn u16_at(content: &[u8], at: usize) -> Option<usize> {
    let bytes = content.get(at..at.checked_add(2)?)?;
    Some(usize::from(u16::from_le_bytes(bytes.try_into().ok()?)))
}

fn u32_at(content: &[u8], at: usize) -> Option<usize> {
    let bytes = content.get(at..at.checked_add(4)?)?;
    usize::try_from(u32::from_le_bytes(bytes.try_into().ok()?)).ok()
}
