//! Stores of large contents outside the database: a folder, or a bucket with the S3 protocol.
//!
//! ```text
//! raw.rs        objects as a store holds them: sealed bytes
//! directory.rs  a folder of a file system
//! s3/           a bucket, and the HTTP client that reaches its server alone
//! sealed.rs     encryption and authentication of contents, in chunks
//! bounded.rs    limits of requests and of their time; metrics.rs counts them
//! ```

mod bounded;
mod directory;
mod metrics;
mod names;
mod raw;
#[cfg(feature = "s3")]
mod s3;
mod sealed;
#[cfg(test)]
mod tests;

pub use bounded::{BlobLimits, BoundedBlobs};
pub use directory::{DirectoryBlobs, prepare_folder};
pub use metrics::BlobMetrics;
pub use raw::RawBlobs;
#[cfg(feature = "s3")]
pub use s3::{S3Blobs, S3Bucket};
pub use sealed::SealedBlobs;
