//! The words that tell codes and links, tables by meaning, each in the order of the languages:
//! en, fr, de, es, it, pt, nl, pl, sv, da and nb, fi, cs, ru and uk, tr, ja, zh, ko.
//!
//! What a word means is said in [`codes`] and [`links`]; what means the same at both stands in [`shared`].

pub(super) mod code_names;
pub(super) mod codes;
pub(super) mod links;

mod code_other_numbers;
mod code_subjects;
mod link_actions;
mod link_other_actions;
mod link_subjects;
mod shared;
