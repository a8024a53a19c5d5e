//! Content that is stored outside the rows of the database.

use time::OffsetDateTime;
use uuid::Uuid;

use super::blob::BlobKind;
use super::ids::OrganizationId;

/// Characters of an id in its hyphenated form.
const HYPHENATED_CHARS: usize = 36;

/// Content outside the rows: an object of a store, with the values that its readers check. One row refers to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredBlob {
    /// The owner.
    pub organization_id: OrganizationId,
    /// Random id, by which its row refers to it.
    pub blob_id: Uuid,
    /// Name of the object.
    pub name: String,
    /// Store of the object.
    pub store: BlobKind,
    /// Bytes of the content.
    pub bytes: u64,
    /// SHA-256 of the content.
    pub sha256: [u8; 32],
    /// Time of the upload.
    pub stored_at: OffsetDateTime,
}

/// Contents that a read returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentFilter {
    /// Objects, and contents in their rows with their bytes.
    All,
    /// Objects alone.
    Objects,
}

/// Content of a row, wherever it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// Its bytes.
    Bytes(Vec<u8>),
    /// Its object, which was not read.
    Object(StoredBlob),
}

impl Content {
    /// Returns the number of bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
            Self::Object(blob) => blob.bytes,
        }
    }
}

impl StoredBlob {
    /// Returns the name of a new object: `organization/yyyy-mm-dd/id`, with ids in their hyphenated form. A day has few
    /// enough objects of an organization for a folder.
    #[must_use]
    pub fn name_of(organization_id: OrganizationId, blob_id: Uuid, stored_at: OffsetDateTime) -> String {
        let (year, month, day) = stored_at.to_calendar_date();
        format!("{}/{year:04}-{:02}-{day:02}/{blob_id}", organization_id.0, u8::from(month))
    }

    /// Returns whether a name is that of the remains of an interrupted upload, with a longer last part than that of an object.
    #[must_use]
    pub fn is_remains(name: &str) -> bool {
        name.rsplit('/').next().is_some_and(|part| part.len() > HYPHENATED_CHARS)
    }

    /// Returns the organization and the id in the name of an object, or of the remains of an interrupted upload, with a
    /// longer last part; `None` for a name of another form.
    #[must_use]
    pub fn ids_in(name: &str) -> Option<(OrganizationId, Uuid)> {
        let mut parts = name.split('/');
        let (organization, _, blob) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() {
            return None;
        }
        Some((Uuid::try_parse(organization).ok()?.into(), Uuid::try_parse(blob.get(..HYPHENATED_CHARS)?).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn blob_name_contains_its_ids() {
        let (organization_id, blob_id) = (OrganizationId(Uuid::from_u128(1)), Uuid::from_u128(2));
        let name = StoredBlob::name_of(organization_id, blob_id, datetime!(2026-03-09 10:00 UTC));
        assert_eq!(name, "00000000-0000-0000-0000-000000000001/2026-03-09/00000000-0000-0000-0000-000000000002");
        assert_eq!(StoredBlob::ids_in(&name), Some((organization_id, blob_id)));
        assert!(!StoredBlob::is_remains(&name) && StoredBlob::is_remains(&format!("{name}-new1")));
        assert_eq!(StoredBlob::ids_in(&format!("{name}-new")), Some((organization_id, blob_id)));
        for other in ["", "a/b/c", &name[1..], &format!("{name}/x"), "lost+found"] {
            assert_eq!(StoredBlob::ids_in(other), None, "{other}");
        }
    }
}
