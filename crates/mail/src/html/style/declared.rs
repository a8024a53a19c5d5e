//! What is declared of an element, the declaration that counts for each property (CSS Cascading Level 4 section 6).

use super::source::{declarations, plain};
use super::values::{PROPERTIES, Property, Value, read};

/// What decides between declarations of one property: the greater wins, and of equals the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Weight {
    is_important: bool,
    origin: Origin,
    order: u32,
}

/// Where a declaration stands, the weaker first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    Attribute,
    Universal,
    Tag,
    Class,
    TagAndClass,
    Id,
    TagAndId,
    Inline,
}

/// The declarations that count so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Declared {
    slots: [Option<(Weight, Value)>; PROPERTIES],
}

impl Declared {
    pub(crate) fn get(&self, property: Property) -> Option<Value> {
        self.slots.get(property as usize).copied().flatten().map(|(_, value)| value)
    }

    /// Whether the property is declared to have the value that hides.
    pub(crate) fn hides(&self, property: Property) -> bool {
        self.get(property) == Some(Value::Hides(true))
    }

    pub(crate) fn set(&mut self, property: Property, weight: Weight, value: Value) {
        if let Some(slot) = self.slots.get_mut(property as usize)
            && slot.is_none_or(|(given, _)| given <= weight)
        {
            *slot = Some((weight, value));
        }
    }

    pub(crate) fn set_attribute(&mut self, property: Property, value: Value) {
        self.set(property, Weight { is_important: false, origin: Origin::Attribute, order: 0 }, value);
    }

    /// Adds the declarations of a block in plain CSS.
    pub(crate) fn add_block(&mut self, block: &str, origin: Origin, order: u32) {
        for (name, value, is_important) in declarations(block) {
            read(name, value, |property, value| self.set(property, Weight { is_important, origin, order }, value));
        }
    }

    /// Adds the declarations of a `style` attribute; `buffer` is for its use.
    pub(crate) fn add_inline(&mut self, style: &str, buffer: &mut String) {
        buffer.clear();
        plain(style, buffer);
        self.add_block(buffer, Origin::Inline, 0);
    }

    /// The same declarations, as those of another origin.
    pub(crate) fn with_origin(mut self, origin: Origin) -> Self {
        for (weight, _) in self.slots.iter_mut().flatten() {
            weight.origin = origin;
        }
        self
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.slots.iter_mut().zip(&other.slots) {
            if let Some((weight, _)) = theirs
                && mine.is_none_or(|(given, _)| given <= *weight)
            {
                *mine = *theirs;
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.iter().all(Option::is_none)
    }
}
