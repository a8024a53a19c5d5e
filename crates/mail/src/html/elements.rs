//! The elements of HTML, as far as they differ for who reads (WHATWG HTML sections 13.1.2 and 13.2.4.2).

/// What kind of element a tag is of. Names that behave alike share one.
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
    /// `svg`, `template` and others whose content is no text of the page.
    Foreign,
    /// Elements that change how words look and may be closed in any order.
    Formatting,
    HeadCell,
    Image,
    /// Everything else: it neither breaks lines nor means anything here.
    Inline,
    Input,
    Item,
    List,
    Option,
    OrderedList,
    /// `html` and `body`: their end tags close nothing.
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
    /// Elements without content and without meaning here.
    Void,
}

/// No name of an element that means something here is longer.
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

    /// Whether the element has neither content nor an end tag.
    pub(crate) fn is_void(self) -> bool {
        matches!(self, Self::Break | Self::Image | Self::Input | Self::Rule | Self::Void)
    }

    /// How many line breaks the element puts around itself; two leave an empty line.
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

    /// Whether the end tag of a lesser element within it leaves those around it open.
    pub(crate) fn is_special(self) -> bool {
        !matches!(self, Self::Anchor | Self::Formatting | Self::Inline | Self::Quotation | Self::Superscript)
    }

    /// Whether no end tag within it closes what is around it, but those of tables.
    pub(crate) fn is_barrier(self) -> bool {
        matches!(self, Self::Caption | Self::Cell | Self::Foreign | Self::HeadCell | Self::Table)
    }

    /// Whether it belongs to a table, and only makes sense within one.
    pub(crate) fn is_of_table(self) -> bool {
        matches!(self, Self::Caption | Self::Cell | Self::HeadCell | Self::Row | Self::Rows)
    }

    /// Whether its start tag ends a paragraph.
    pub(crate) fn ends_paragraph(self) -> bool {
        self.gap() > 0 && !self.is_of_table() && !matches!(self, Self::Option | Self::Page)
    }
}
