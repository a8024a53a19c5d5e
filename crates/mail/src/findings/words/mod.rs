//! Word tables for codes and links, by meaning.
//!
//! Each table lists the languages in this order: en, fr, de, es, it, pt, nl, pl, sv, da and nb, fi, cs, ru and uk, tr,
//! ja, zh, ko.
//!
//! [`codes`] and [`links`] define the meanings. [`shared`] has the words with the same meaning in both.

pub(super) mod code_names;
pub(super) mod codes;
pub(super) mod links;

mod code_other_numbers;
mod code_subjects;
mod link_actions;
mod link_other_actions;
mod link_subjects;
mod shared;
