//! HTML elements by their effect on text (WHATWG HTML, sections 13.1.2 and 13.2.4.2).

/// Kind of an element; names with equal behaviour share one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HtmlTag {
    Anchor,
    Block,
    Blockquote,
    Break,
    Button,
    Caption,
    Cell,
    Definition,
    /// `svg`, `template` and other elements without page text.
    Foreign,
    /// Elements that style words and may close in any order.
    Formatting,
    HeadCell,
    Image,
    /// All other elements, without line breaks or a meaning for the text.
    Inline,
    Input,
    Item,
    List,
    Option,
    OrderedList,
    /// `html` and `body`; their end tags close nothing.
    Page,
    Paragraph,
    Preformatted,
    Quotation,
    Row,
    Rows,
    Rule,
    /// Blocks with an empty line around them.
    Spaced,
    Superscript,
    Table,
    Term,
    /// Elements without content or effect.
    Void,
}

/// Maximum length in bytes of a known element name.
const MAX_ELEMENT_NAME_BYTES: usize = 12;

impl HtmlTag {
    pub(crate) fn of(name: &str) -> Self {
        let mut buffer = [0; MAX_ELEMENT_NAME_BYTES];
        let Some(lower) = buffer.get_mut(..name.len()) else {
            return Self::Inline;
        };
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        match &*lower {
            b"a" => Self::Anchor,
            b"address" | b"article" | b"aside" | b"center" | b"details" | b"dialog" | b"div" | b"fieldset"
            | b"figcaption" | b"figure" | b"footer" | b"form" | b"header" | b"hgroup" | b"legend" | b"main"
            | b"nav" | b"search" | b"section" | b"summary" => Self::Block,
            b"blockquote" => Self::Blockquote,
            b"br" => Self::Break,
            b"button" => Self::Button,
            b"caption" => Self::Caption,
            b"td" => Self::Cell,
            b"dd" => Self::Definition,
            b"math" | b"noscript" | b"object" | b"svg" | b"template" => Self::Foreign,
            b"b" | b"big" | b"code" | b"em" | b"font" | b"i" | b"nobr" | b"s" | b"small" | b"strike" | b"strong"
            | b"tt" | b"u" => Self::Formatting,
            b"th" => Self::HeadCell,
            b"img" | b"image" => Self::Image,
            b"input" => Self::Input,
            b"li" => Self::Item,
            b"ul" | b"menu" | b"dir" => Self::List,
            b"option" | b"optgroup" => Self::Option,
            b"ol" => Self::OrderedList,
            b"html" | b"body" => Self::Page,
            b"p" => Self::Paragraph,
            b"pre" | b"listing" => Self::Preformatted,
            b"q" => Self::Quotation,
            b"tr" => Self::Row,
            b"tbody" | b"thead" | b"tfoot" => Self::Rows,
            b"hr" => Self::Rule,
            b"dl" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => Self::Spaced,
            b"sup" => Self::Superscript,
            b"table" => Self::Table,
            b"dt" => Self::Term,
            b"area" | b"base" | b"basefont" | b"bgsound" | b"col" | b"embed" | b"frame" | b"link" | b"meta"
            | b"param" | b"source" | b"track" | b"wbr" => Self::Void,
            _ => Self::Inline,
        }
    }

    /// Returns true for elements without content and end tag.
    pub(crate) fn is_void(self) -> bool {
        matches!(self, Self::Break | Self::Image | Self::Input | Self::Rule | Self::Void)
    }

    /// Returns the number of line breaks around the element; two make an empty line.
    pub(crate) fn gap(self) -> usize {
        match self {
            Self::Blockquote | Self::List | Self::OrderedList | Self::Paragraph | Self::Preformatted | Self::Spaced => {
                2
            }
            Self::Block
            | Self::Caption
            | Self::Definition
            | Self::Item
            | Self::Option
            | Self::Page
            | Self::Row
            | Self::Rows
            | Self::Rule
            | Self::Table
            | Self::Term => 1,
            _ => 0,
        }
    }

    /// Returns true if the element stops end tags of inline elements in it from closing outer ones.
    pub(crate) fn is_special(self) -> bool {
        !matches!(self, Self::Anchor | Self::Formatting | Self::Inline | Self::Quotation | Self::Superscript)
    }

    /// Returns true if end tags inside, except those of tables, close nothing outside.
    pub(crate) fn is_barrier(self) -> bool {
        matches!(self, Self::Caption | Self::Cell | Self::Foreign | Self::HeadCell | Self::Table)
    }

    /// Returns true for parts of a table, which are valid only in one.
    pub(crate) fn is_of_table(self) -> bool {
        matches!(self, Self::Caption | Self::Cell | Self::HeadCell | Self::Row | Self::Rows)
    }

    /// Returns true if the start tag ends a paragraph.
    pub(crate) fn ends_paragraph(self) -> bool {
        self.gap() > 0 && !self.is_of_table() && !matches!(self, Self::Option | Self::Page)
    }
}
