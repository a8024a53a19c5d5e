//! How elements look, as far as it decides whether their words are seen: inline styles, the simple rules of style
//! sheets, and the attributes of old.

mod cascade;
mod colours;
mod computed;
mod css_syntax;
mod lengths;
mod sheet;
mod values;

pub(crate) use computed::{ComputedStyle, WhiteSpace};
pub(crate) use sheet::StyleSheet;
