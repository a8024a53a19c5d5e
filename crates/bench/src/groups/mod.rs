//! Benchmark groups, one file each.

pub(crate) mod api;
pub(crate) mod console;
pub(crate) mod cost;
pub(crate) mod disk;
pub(crate) mod events;
pub(crate) mod fairness;
pub(crate) mod growth;
pub(crate) mod idle;
pub(crate) mod indexing;
pub(crate) mod latency;
pub(crate) mod mcp;
pub(crate) mod reading;
pub(crate) mod receiving;
pub(crate) mod retained;
pub(crate) mod search;
pub(crate) mod sending;
pub(crate) mod soak;
pub(crate) mod words;
