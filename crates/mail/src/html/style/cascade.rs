//! Cascade: the winning declaration for each property of an element (CSS Cascading Level 4, section 6).

use super::css_syntax::{declarations, plain};
use super::values::{CssProperty, CssValue, PROPERTY_COUNT, read_declaration};

/// Precedence of a declaration: the greater wins, and of equal ones the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DeclarationWeight {
    is_important: bool,
    specificity: SpecificityLevel,
    order: u32,
}

/// Source of a declaration, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SpecificityLevel {
    Attribute,
    Universal,
    Tag,
    Class,
    TagAndClass,
    Id,
    TagAndId,
    Inline,
}

/// Winning declarations so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct DeclaredProperties {
    slots: [Option<(DeclarationWeight, CssValue)>; PROPERTY_COUNT],
}

impl DeclaredProperties {
    pub(crate) fn get(&self, property: CssProperty) -> Option<CssValue> {
        self.slots.get(property as usize).copied().flatten().map(|(_, value)| value)
    }

    /// Returns true if the property has a value that hides the element.
    pub(crate) fn hides(&self, property: CssProperty) -> bool {
        self.get(property) == Some(CssValue::Hides(true))
    }

    pub(crate) fn set(&mut self, property: CssProperty, weight: DeclarationWeight, value: CssValue) {
        if let Some(slot) = self.slots.get_mut(property as usize)
            && slot.is_none_or(|(current, _)| current <= weight)
        {
            *slot = Some((weight, value));
        }
    }

    pub(crate) fn set_attribute(&mut self, property: CssProperty, value: CssValue) {
        self.set(
            property,
            DeclarationWeight { is_important: false, specificity: SpecificityLevel::Attribute, order: 0 },
            value,
        );
    }

    /// Adds the declarations of a block of normalized CSS.
    pub(crate) fn add_block(&mut self, block: &str, specificity: SpecificityLevel, order: u32) {
        for (name, value, is_important) in declarations(block) {
            read_declaration(name, value, |property, value| {
                self.set(property, DeclarationWeight { is_important, specificity, order }, value);
            });
        }
    }

    /// Adds the declarations of a `style` attribute; `buffer` is scratch space.
    pub(crate) fn add_inline(&mut self, style: &str, buffer: &mut String) {
        buffer.clear();
        plain(style, buffer);
        self.add_block(buffer, SpecificityLevel::Inline, 0);
    }

    /// Returns the same declarations with another specificity.
    pub(crate) fn with_specificity(mut self, specificity: SpecificityLevel) -> Self {
        for (weight, _) in self.slots.iter_mut().flatten() {
            weight.specificity = specificity;
        }
        self
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.slots.iter_mut().zip(&other.slots) {
            if let Some((weight, _)) = theirs
                && mine.is_none_or(|(current, _)| current <= *weight)
            {
                *mine = *theirs;
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.iter().all(Option::is_none)
    }
}
