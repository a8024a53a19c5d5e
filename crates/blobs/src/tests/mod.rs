#![expect(clippy::unwrap_used, reason = "a failed step fails the test")]

mod bounded;
mod directory;
#[cfg(feature = "s3")]
mod s3;
mod sealed;
mod stores;
mod vault;
