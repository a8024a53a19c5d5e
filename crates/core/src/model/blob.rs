//! Stores of contents outside the rows of the database.

use std::str::FromStr;

use super::string_enum::string_enum;

string_enum! {
    /// Kind of the store that has an object.
    BlobKind {
        /// Folder of a file system.
        File = "file",
        /// Bucket of a server with the S3 protocol.
        S3 = "s3",
    }
}

impl FromStr for BlobKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::named(text).ok_or_else(|| "the stores are file and s3".to_owned())
    }
}
