//! Readers of ZIP archives (APPNOTE) and gzip files (RFC 1952) with bounds on entries, members and unpacked bytes.

use std::io::Read as _;

use flate2::bufread::{DeflateDecoder, GzDecoder};

/// Reason why a file is not unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// Its method is not read.
    #[error("the packing method is not read")]
    Unsupported,
    /// It opens with a password only.
    #[error("the archive opens with a password only")]
    Encrypted,
    /// It unpacks to more than the limit, or has more members.
    #[error("the archive unpacks to more than the limit")]
    TooLarge,
    /// It is damaged.
    #[error("the archive is damaged")]
    Malformed,
}

const END_OF_DIRECTORY: &[u8] = b"PK\x05\x06";
const DIRECTORY_ENTRY: &[u8] = b"PK\x01\x02";
const LOCAL_HEADER: &[u8] = b"PK\x03\x04";
const END_BYTES: usize = 22;
const ENTRY_BYTES: usize = 46;
const LOCAL_HEADER_BYTES: usize = 30;
/// Maximum length in bytes of the comment after the directory.
const MAX_COMMENT_BYTES: usize = 65_535;
/// Maximum number of members of a gzip file. Each takes processor time, however small it is; `bgzip` writes one for 64 KiB.
const MAX_GZIP_MEMBERS: usize = 1000;
const STORED: usize = 0;
const DEFLATED: usize = 8;

/// An entry of the directory.
#[derive(Debug, Clone)]
pub struct ZipEntry {
    /// Name, which any sender chooses.
    pub name: String,
    /// Unpacked size, as the archive says.
    pub size: usize,
    /// Whether it opens with a password only.
    pub is_encrypted: bool,
    method: usize,
    packed_size: usize,
    header: usize,
}

/// An archive with what may still be unpacked.
#[derive(Debug)]
pub struct ZipArchive<'z> {
    content: &'z [u8],
    /// Entries of the directory.
    pub entries: Vec<ZipEntry>,
    /// True if the directory has more entries than the limit.
    pub is_cut: bool,
    left: usize,
}

impl<'z> ZipArchive<'z> {
    /// Reads the directory of an archive.
    pub fn open(content: &'z [u8], max_entries: usize, max_unpacked_bytes: usize) -> Result<Self, UnpackError> {
        let start = content.len().saturating_sub(END_BYTES + MAX_COMMENT_BYTES);
        let tail = content.get(start..).unwrap_or_default();
        let end = tail.windows(END_OF_DIRECTORY.len()).rposition(|window| window == END_OF_DIRECTORY);
        let end = start + end.ok_or(UnpackError::Malformed)?;
        let mut at = u32_at(content, end + 16).ok_or(UnpackError::Malformed)?;
        let mut archive = Self { content, entries: Vec::new(), is_cut: false, left: max_unpacked_bytes };
        while content.get(at..).is_some_and(|rest| rest.starts_with(DIRECTORY_ENTRY)) {
            if archive.entries.len() >= max_entries {
                archive.is_cut = true;
                break;
            }
            let Some(entry) = entry_at(content, at) else { break };
            archive.entries.push(entry);
            let lengths = [28, 30, 32].map(|field| u16_at(content, at + field).unwrap_or_default());
            at += ENTRY_BYTES + lengths.iter().sum::<usize>();
        }
        if archive.entries.is_empty() { Err(UnpackError::Malformed) } else { Ok(archive) }
    }

    /// Unpacks an entry; `None` if the archive has no such name.
    pub fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, UnpackError> {
        let name = name.trim_start_matches('/');
        let Some(entry) = self.entries.iter().find(|entry| entry.name == name) else { return Ok(None) };
        if entry.is_encrypted {
            return Err(UnpackError::Encrypted);
        }
        let lengths = [26, 28].map(|field| u16_at(self.content, entry.header.saturating_add(field)));
        let [Some(name_length), Some(extra_length)] = lengths else { return Err(UnpackError::Malformed) };
        let start = entry.header.saturating_add(LOCAL_HEADER_BYTES + name_length + extra_length);
        if !self.content.get(entry.header..).is_some_and(|rest| rest.starts_with(LOCAL_HEADER)) {
            return Err(UnpackError::Malformed);
        }
        let packed = self.content.get(start..start.saturating_add(entry.packed_size));
        let packed = packed.ok_or(UnpackError::Malformed)?;
        let unpacked = match entry.method {
            STORED if packed.len() <= self.left => packed.to_vec(),
            STORED => return Err(UnpackError::TooLarge),
            DEFLATED => inflate(DeflateDecoder::new(packed), self.left)?,
            _ => return Err(UnpackError::Unsupported),
        };
        self.left -= unpacked.len();
        Ok(Some(unpacked))
    }
}

/// Reads all of an unpacking stream, up to a number of bytes.
fn inflate(unpacking: impl std::io::Read, limit: usize) -> Result<Vec<u8>, UnpackError> {
    let mut unpacked = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX);
    let read = unpacking.take(most.saturating_add(1)).read_to_end(&mut unpacked);
    if unpacked.len() > limit {
        return Err(UnpackError::TooLarge);
    }
    read.map_err(|_| UnpackError::Malformed)?;
    Ok(unpacked)
}

/// Unpacks all members of a gzip file (RFC 1952, section 2.2), up to a number of bytes.
///
/// # Errors
/// [`UnpackError::TooLarge`] above that number or 1,000 members, [`UnpackError::Malformed`] for a damaged file.
pub fn gunzip(packed: &[u8], limit: usize) -> Result<Vec<u8>, UnpackError> {
    let (mut unpacked, mut rest) = (Vec::new(), packed);
    for _ in 0..MAX_GZIP_MEMBERS {
        let mut member = GzDecoder::new(rest);
        unpacked.append(&mut inflate(&mut member, limit - unpacked.len())?);
        rest = member.into_inner();
        if rest.is_empty() {
            return Ok(unpacked);
        }
    }
    Err(UnpackError::TooLarge)
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
