//! The memory that large bodies share, so that many of them at once exhaust neither the service nor its machine.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What every body has without asking, in octets: few fields, never a mail.
const FREE: usize = 64 * 1024;
/// In how large steps memory is asked for, in KiB.
const STEP: usize = 256;

/// The memory that is left.
#[derive(Debug, Clone)]
pub(crate) struct Memory(Arc<Semaphore>);

/// The memory is used up.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Full;

impl Memory {
    /// Memory of so many octets.
    pub(crate) fn new(octets: usize) -> Self {
        Self(Arc::new(Semaphore::new(steps(octets).min(Semaphore::MAX_PERMITS))))
    }
}

/// What one body holds of it, until it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Share {
    held: Option<OwnedSemaphorePermit>,
}

impl Share {
    /// Whether the body is so large that it counts.
    pub(crate) fn is_large(&self) -> bool {
        self.held.is_some()
    }

    /// Makes room for a body that has come to so many octets.
    pub(super) fn grow(&mut self, memory: &Memory, octets: usize) -> Result<(), Full> {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let needed = if octets <= FREE { 0 } else { steps(octets) };
        if needed <= held {
            return Ok(());
        }
        let more = u32::try_from(needed - held).map_err(|_| Full)?;
        let permit = Arc::clone(&memory.0).try_acquire_many_owned(more).map_err(|_| Full)?;
        match &mut self.held {
            Some(held) => held.merge(permit),
            None => self.held = Some(permit),
        }
        Ok(())
    }
}

fn steps(octets: usize) -> usize {
    octets.div_ceil(STEP * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_share_it() {
        let memory = Memory::new(1024 * 1024);
        let (mut one, mut other) = (Share::default(), Share::default());
        for octets in [1, FREE, FREE + 1, 256 * 1024, 300 * 1024, 768 * 1024] {
            assert_eq!(one.grow(&memory, octets), Ok(()), "{octets}");
        }
        assert_eq!(other.grow(&memory, 256 * 1024), Ok(()));
        assert_eq!(other.grow(&memory, 256 * 1024 + 1), Err(Full));
        let mut third = Share::default();
        assert_eq!((third.grow(&memory, FREE), third.grow(&memory, FREE + 1)), (Ok(()), Err(Full)));
        drop(one);
        assert_eq!(other.grow(&memory, 1024 * 1024), Ok(()));
    }
}
