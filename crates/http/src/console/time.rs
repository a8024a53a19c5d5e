//! Times of pages: `<time datetime="2026-11-28T14:03:00.000Z">2026-11-28 14:03 UTC</time>`.
//!
//! The script of the console shows them in the zone of the reader.

use std::fmt::{self, Display, Formatter};

use ::time::{OffsetDateTime, UtcOffset};
use askama::filters::HtmlSafe;

use crate::views::WireTime;

/// A time, which a template shows by `{{ moment }}` as an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(pub(crate) OffsetDateTime);

impl Moment {
    /// Returns the text without the element, for attributes and sentences: `2026-11-28 14:03 UTC`.
    pub(crate) fn text(self) -> String {
        let utc = self.0.to_offset(UtcOffset::UTC);
        format!("{} {:02}:{:02} UTC", utc.date(), utc.hour(), utc.minute())
    }

    /// Returns the time as the API writes it.
    pub(crate) fn wire(self) -> String {
        WireTime(self.0).to_string()
    }
}

impl Display for Moment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "<time datetime=\"{}\">{}</time>", self.wire(), self.text())
    }
}

/// The element holds digits and fixed words alone.
impl HtmlSafe for Moment {}

#[cfg(test)]
mod tests {
    use ::time::macros::datetime;

    use super::*;

    #[test]
    fn moment_is_an_element() {
        let moment = Moment(datetime!(2026-11-20 01:30:00.123_999 +02:00));
        let expected = "<time datetime=\"2026-11-19T23:30:00.123Z\">2026-11-19 23:30 UTC</time>";
        assert_eq!(moment.to_string(), expected);
    }
}
