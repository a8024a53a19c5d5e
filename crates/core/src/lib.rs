//! The rules of inboxd: model, rules, ports and use cases, with no I/O of its own.
