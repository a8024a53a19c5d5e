//! The tests live in `tests/`.
