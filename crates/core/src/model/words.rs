//! Closed vocabularies: an enum whose variants are words on the wire and in storage.

/// Makes an enum of the words: each variant has one, and is stored and shown as it.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$word_doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[$word_doc])* #[serde(rename = $word)] $variant),* }

        impl $name {
            /// Every one of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The word on the wire and in storage.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            /// The variant of a word.
            #[must_use]
            pub fn named(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

pub(crate) use words;
