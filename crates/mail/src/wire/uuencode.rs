//! Uuencoded files in text (POSIX), older than MIME but still in use.

use std::ops::Range;

use super::lines::line_at;

/// A file in a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UuencodedFile {
    /// Range from the line `begin` to the line `end` with its line ending.
    pub(crate) whole: Range<usize>,
    /// Range of the encoded lines.
    pub(crate) data: Range<usize>,
    /// Range of the name.
    pub(crate) name: Range<usize>,
}

/// Iterates over the files in a text: `begin`, a mode and a name, then encoded lines, then `end`. Deviating lines are
/// text.
pub(crate) fn blocks(text: &[u8]) -> impl Iterator<Item = UuencodedFile> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let (line, next) = line_at(text, at)?;
            let start = at;
            at = next;
            let Some(name) = name_at(line) else {
                continue;
            };
            if let Some((data_end, end)) = data_end(text, next) {
                at = end;
                let name = start + name..start + line.len();
                return Some(UuencodedFile { whole: start..end, data: next..data_end, name });
            }
        }
    })
}

/// Returns the start of the name in a line `begin 644 name`.
fn name_at(line: &[u8]) -> Option<usize> {
    let rest = line.strip_prefix(b"begin ")?;
    let mode = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let name = rest.get(mode..)?.strip_prefix(b" ")?;
    ((3..=4).contains(&mode) && !name.trim_ascii().is_empty()).then_some(line.len() - name.len())
}

/// Returns the end of the encoded lines from `start`, and the end of the line `end`.
fn data_end(text: &[u8], start: usize) -> Option<(usize, usize)> {
    let mut at = start;
    while let Some((line, next)) = line_at(text, at) {
        if line.trim_ascii_end() == b"end" {
            return Some((at, next));
        }
        if !is_data(line) {
            return None;
        }
        at = next;
    }
    None
}

/// Returns true if a line may be encoded data: its first character states the length, which transport may shorten by
/// trailing spaces.
///
/// More than half must be present, so no file is much larger than its text.
fn is_data(line: &[u8]) -> bool {
    let signs = length(line).div_ceil(3) * 4;
    let is_sign = |byte: &u8| (b' '..=b'`').contains(byte);
    (1 + signs / 2..=1 + signs + 1).contains(&line.len().max(1)) && line.iter().all(is_sign)
}

/// Decodes the lines of a block and restores trailing spaces that transport may remove.
pub(crate) fn decode(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(data.len() / 4 * 3);
    let mut at = 0;
    while let Some((line, next)) = line_at(data, at) {
        at = next;
        let end = out.len() + length(line);
        let mut sextets = line.iter().skip(1).map(|byte| byte.wrapping_sub(b' ') & 0x3f);
        while out.len() < end {
            let group = (0..4).fold(0, |group, _| group << 6 | u32::from(sextets.next().unwrap_or_default()));
            let [_, bytes @ ..] = group.to_be_bytes();
            out.extend_from_slice(&bytes);
        }
        out.truncate(end);
    }
    out
}

/// Returns the number of bytes in a line, which its first character states.
fn length(line: &[u8]) -> usize {
    line.first().map_or(0, |byte| usize::from(byte.wrapping_sub(b' ') & 0x3f))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuencoded_files_are_found_between_begin_and_end() {
        for (text, expected) in [
            ("begin 644 a.txt\n%:&5L;&\\\n`\nend\n", Some(("a.txt", "hello"))),
            ("begin 0644 a b.txt\r\n%:&5L;&\\ \r\n \r\nend", Some(("a b.txt", "hello"))),
            ("words\nbegin 666 x\n#0V%T\n`\nend\nmore", Some(("x", "Cat"))),
            ("begin 644 x\nend\n", Some(("x", ""))),
            ("begin 644 x\n#0V%T\n`\n", None),
            ("begin 644 x\nM\n`\nend\n", None),
            (
                "begin 644 x\nM0V%T0V%T0V%T0V%T0V%T0V%T0V%T0V%T\n\nend",
                Some(("x", "CatCatCatCatCatCatCatCat\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0")),
            ),
            ("begin 644 x\nwords of a person\nend\n", None),
            ("begin the day\nend\n", None),
            ("begin 644 \nend\n", None),
        ] {
            let bytes = text.as_bytes();
            let found = blocks(bytes)
                .next()
                .map(|block| (String::from_utf8_lossy(&bytes[block.name]).into_owned(), decode(&bytes[block.data])));
            let expected = expected.map(|(name, content)| (name.to_owned(), content.as_bytes().to_vec()));
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
