//! How elements look, as far as it decides whether their words are seen: inline styles, the simple rules of style
//! sheets, and the attributes of old.

mod colours;
mod declared;
mod lengths;
mod look;
mod sheet;
mod source;
mod values;

pub(crate) use look::{Look, WhiteSpace};
pub(crate) use sheet::Sheet;
