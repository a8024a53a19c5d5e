//! Lines and words from the positions of drawn text.

/// Distances in parts of the font size.
const SPACE: f64 = 0.17;
const COLUMN: f64 = 1.8;
const LINE: f64 = 0.5;
const PARAGRAPH: f64 = 1.5;
const BACK: f64 = 0.8;
/// Maximum length in bytes of the words of a page.
const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;

/// A drawn piece of text: start and end along its line, the distance of the line from the origin, and the font size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextPlace {
    pub(crate) start: f64,
    pub(crate) end: f64,
    pub(crate) line: f64,
    pub(crate) size: f64,
    /// Direction of the line in degrees, rounded.
    pub(crate) direction: i32,
}

/// Writer of the words of a page.
#[derive(Debug, Default)]
pub(crate) struct PageLayout {
    text: String,
    last: Option<TextPlace>,
}

impl PageLayout {
    /// Adds a piece, after a space or a line break where its distance from the last one says so.
    pub(crate) fn add(&mut self, text: &str, place: TextPlace) {
        if text.is_empty() || self.text.len() >= MAX_PAGE_BYTES {
            return;
        }
        if let Some(last) = self.last {
            let size = last.size.min(place.size).max(0.1);
            let below = (last.line - place.line) / size;
            let gap = (place.start - last.end) / size;
            let is_turned = last.direction != place.direction;
            if is_turned || !(-PARAGRAPH..=PARAGRAPH).contains(&below) {
                self.separate("\n\n");
            } else if below.abs() > LINE || gap < -BACK {
                self.separate("\n");
            } else if gap > COLUMN {
                self.separate("\t");
            } else if gap > SPACE {
                self.separate(" ");
            }
        }
        self.last = Some(place);
        self.text.push_str(text);
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }

    /// Appends a separator unless the text ends with white space that separates as much.
    fn separate(&mut self, separator: &str) {
        if separator.starts_with('\n') {
            let end = self.text.trim_end_matches([' ', '\t']).len();
            self.text.truncate(end);
        } else if self.text.ends_with([' ', '\t', '\n']) {
            return;
        }
        self.text.push_str(separator);
    }
}
