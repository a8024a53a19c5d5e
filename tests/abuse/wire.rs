//! Unmetered rows, and request fields that nothing implements.
