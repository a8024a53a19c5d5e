//! Styles that decide the visibility of words.
//!
//! They come from inline styles, simple rules of style sheets, and presentational attributes.

mod cascade;
mod colours;
mod computed;
mod css_syntax;
mod lengths;
mod sheet;
mod values;

pub(crate) use computed::{ComputedStyle, WhiteSpace};
pub(crate) use sheet::StyleSheet;
