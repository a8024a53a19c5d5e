//! One client or organization against the shares of the HTTP API.
