//! Table of the words of a language.

use super::super::concept::Concept;

/// Words with their meanings.
pub(super) type ConceptTable = [(Concept, &'static [&'static str])];
