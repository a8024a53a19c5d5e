//! Stream of bytes to a server, encrypted or not.

use tokio::io::{AsyncRead, AsyncWrite};

/// A bidirectional stream of bytes.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}
