//! Words of instructions to machines, by meaning and language.
//!
//! A `*` before or after a word allows further letters there.

mod ar;
mod assets;
mod bypass;
mod bypass_more;
mod conceal;
mod conceal_more;
mod concept_table;
mod de;
mod de_context;
mod deeds;
mod deeds_more;
mod en;
mod en_context;
mod es;
mod fr;
mod hi;
mod it;
mod ja;
mod ko;
mod leads;
mod machines;
mod nl;
mod notices;
mod outcome;
mod pl;
mod pt;
mod reading;
mod roles;
mod ru;
mod tr;
mod zh;

use self::concept_table::ConceptTable;

/// Tables by language, then by meaning.
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
    ar::TABLE,
    hi::TABLE,
    tr::TABLE,
    assets::TABLE,
    bypass::TABLE,
    bypass_more::TABLE,
    conceal::TABLE,
    conceal_more::TABLE,
    deeds::TABLE,
    deeds_more::TABLE,
    leads::TABLE,
    machines::TABLE,
    notices::TABLE,
    outcome::TABLE,
    reading::TABLE,
    roles::TABLE,
];
