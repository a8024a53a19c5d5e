//! Detection of first reads without storage: a read costs one lookup in memory.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use crate::model::{FirstRead, InboxId, MessageId, OrganizationId, ReaderId};

/// Stored readers of a message, the first ones.
pub const MAX_READERS: u32 = 20;
/// Stored first reads of an inbox; the oldest go first.
pub const MAX_PER_INBOX: u64 = 50_000;
/// First reads that a process holds until they are stored.
pub const MAX_PENDING: usize = 10_000;
/// Known reads of a generation. Storage recognizes a read that two generations have forgotten.
const MAX_KNOWN: usize = 20_000;

/// Reads that this process has seen, and first reads that are not stored yet.
#[derive(Debug, Default)]
pub struct ReadLedger {
    hasher: RandomState,
    known: HashSet<u64>,
    older: HashSet<u64>,
    pending: Vec<FirstRead>,
    dropped: u64,
}

impl ReadLedger {
    /// Returns whether the process has not seen this reader read this message.
    pub fn is_new(&mut self, message: (OrganizationId, &InboxId, &MessageId), reader: ReaderId) -> bool {
        let read = self.hasher.hash_one((message, reader));
        if self.known.contains(&read) || self.older.contains(&read) {
            return false;
        }
        if self.known.len() >= MAX_KNOWN {
            self.older = std::mem::take(&mut self.known);
        }
        self.known.insert(read)
    }

    /// Adds a read to store, or drops it beyond the bound.
    pub fn add(&mut self, read: FirstRead) {
        if self.pending.len() < MAX_PENDING {
            self.pending.push(read);
        } else {
            self.dropped += 1;
        }
    }

    /// Takes the reads to store.
    pub fn take(&mut self) -> Vec<FirstRead> {
        std::mem::take(&mut self.pending)
    }

    /// Returns the number of dropped reads since the last call.
    pub fn take_dropped(&mut self) -> u64 {
        std::mem::take(&mut self.dropped)
    }
}
