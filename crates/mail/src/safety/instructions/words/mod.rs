//! Words of instructions to machines, by meaning and language.
//!
//! A `*` before or after a word allows further letters there.

mod de;
mod de_context;
mod en;
mod en_context;
mod es;
mod fr;
mod it;
mod ja;
mod ko;
mod nl;
mod pl;
mod pt;
mod ru;
mod zh;

use super::concept::Concept;

type ConceptTable = [(Concept, &'static [&'static str])];

/// Tables of all languages.
pub(super) const TABLES: &[&ConceptTable] = &[
    en::TABLE,
    en_context::TABLE,
    de::TABLE,
    de_context::TABLE,
    fr::TABLE,
    es::TABLE,
    it::TABLE,
    pt::TABLE,
    nl::TABLE,
    pl::TABLE,
    ru::TABLE,
    zh::TABLE,
    ja::TABLE,
    ko::TABLE,
];
