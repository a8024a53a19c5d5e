//! What speaks for a link confirming something, and what against it.

use std::ops::Range;
use std::sync::LazyLock;

use super::lexicon::{Hit, Lexicon, Said, within};
use super::linked::{Linked, PlacedLink};
use super::links::LinkKind;
use super::passage::Passage;
use super::targets::{self, Target};
use super::words::links::{LINK_WORDS, LinkWord};

static LEXICON: LazyLock<Lexicon<LinkWord>> = LazyLock::new(|| Lexicon::new(LINK_WORDS));

/// How many sentences above a link on a line of its own are taken for what is said of it.
const SENTENCES_ABOVE: usize = 2;
/// How far from a link, in octets, words may be that are said of it.
const REACH: usize = 400;
/// The longest words of a button, in octets; longer ones are a text that has been linked.
const LONGEST_BUTTON: usize = 90;

const KINDS: [LinkKind; 4] = [LinkKind::ResetPassword, LinkKind::Invitation, LinkKind::SignIn, LinkKind::Confirm];

/// A mail with everything that is known of it as a whole.
pub(super) struct LinkEvidence<'a> {
    linked: &'a Linked,
    hits: Vec<Hit<LinkWord>>,
    whole: Said,
    subject: Said,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Clarity {
    Silent,
    Vague,
    Clear,
}

impl Clarity {
    fn points(self, vague: i32, clear: i32) -> i32 {
        match self {
            Self::Silent => 0,
            Self::Vague => vague,
            Self::Clear => clear,
        }
    }
}

impl<'a> LinkEvidence<'a> {
    pub(super) fn new(subject: &Passage, linked: &'a Linked) -> Self {
        let hits = LEXICON.hits(&linked.passage.lower);
        Self { linked, whole: Said::of(&hits), subject: Said::of(&LEXICON.hits(&subject.lower)), hits }
    }

    /// What following the link most likely does, and how sure that is, in hundredths; it can be beyond both ends.
    pub(super) fn judge(&self, link: &PlacedLink) -> Option<(LinkKind, i32)> {
        let target = targets::read(&link.url);
        let own = Said::of(within(&self.hits, link.words.start, link.words.end));
        let near = self.near(link);
        let is_refused = own.has(LinkWord::Denial)
            || (own.has(LinkWord::Away) && !own.has(LinkWord::Password))
            || (near.has(LinkWord::Denial) && !near.has(LinkWord::Ignore));
        if target.leads_away || is_refused {
            return None;
        }
        let sureness = |kind| (kind, self.sureness(kind, link, target, own, near));
        KINDS.into_iter().map(sureness).reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    fn sureness(&self, kind: LinkKind, link: &PlacedLink, target: Target, own: Said, near: Said) -> i32 {
        let (whole, subject) = (self.whole, self.subject);
        let words = self.linked.passage.slice(link.words.clone());
        let is_bare = !words.contains(char::is_alphanumeric) || words.contains("://");
        let is_mute = is_bare || own.has(LinkWord::Click);
        let said = told(own, kind);

        let mut sureness = if is_bare { 0 } else { said.points(36, 56) };
        sureness += match (is_mute, said) {
            (true, _) => told(near, kind).points(28, 42),
            (false, Clarity::Silent) => told(near, kind).points(8, 20),
            (false, _) => told(near, kind).points(8, 16),
        };
        sureness += told(subject, kind).points(8, 15);
        sureness += match target.kind {
            Some(shown) if shown == kind => 22,
            Some(_) | None => 0,
        };
        sureness += 10 * i32::from(target.has_token);
        sureness += 5 * i32::from(whole.has(LinkWord::Care));
        sureness -= 25 * i32::from(words.len() > LONGEST_BUTTON);
        sureness -= match kind {
            // A page to sign in at is no link that signs in.
            LinkKind::SignIn if !target.has_token => 60,
            LinkKind::SignIn => {
                let signs = [
                    whole.has(LinkWord::Magic),
                    whole.has(LinkWord::Care),
                    subject.has(LinkWord::SignIn) || subject.has(LinkWord::Magic),
                    target.kind == Some(kind),
                ];
                [60, 20].get(signs.into_iter().filter(|sign| *sign).count()).copied().unwrap_or(0)
            }
            LinkKind::ResetPassword if whole.has(LinkWord::Done) && !whole.has(LinkWord::Care) => 50,
            // Calls, sales and parties are joined and confirmed too.
            LinkKind::Invitation if !whole.has(LinkWord::Invited) => 40,
            LinkKind::Invitation
                if !whole.has(LinkWord::Team)
                    && !whole.has(LinkWord::Account)
                    && told(near, kind) != Clarity::Clear =>
            {
                30
            }
            LinkKind::Invitation | LinkKind::Confirm if own.has(LinkWord::Thing) || subject.has(LinkWord::Thing) => 30,
            _ if !target.has_token && target.kind != Some(kind) => 20,
            _ => 0,
        };
        sureness
    }

    /// What is said of a link where it stands: its sentence, and those before it if it stands alone.
    fn near(&self, link: &PlacedLink) -> Said {
        let passage = &self.linked.passage;
        let at = passage.sentence_at(link.words.start);
        let Some(sentence) = passage.sentences().get(at).cloned() else {
            return Said::default();
        };
        let says = |range: Range<usize>| passage.slice(range).contains(char::is_alphanumeric);
        let is_alone = sentence.end <= link.words.start
            || (!says(sentence.start..link.words.start) && !says(link.words.end..sentence.end));
        let first = if is_alone { at.saturating_sub(SENTENCES_ABOVE) } else { at };
        let start = passage.sentences().get(first).map_or(sentence.start, |first| first.start);
        let end = sentence.end.max(link.words.end);
        let start = start.max(link.words.start.saturating_sub(REACH));
        Said::of(within(&self.hits, start, end.min(link.words.end + REACH)))
    }
}

/// How clearly the words tell to do this: not at all, by a verb, by a verb and what it is done to.
fn told(said: Said, kind: LinkKind) -> Clarity {
    let (does, names) = match kind {
        LinkKind::Confirm => {
            let is_other = said.has(LinkWord::Thing) && !said.has(LinkWord::Account);
            let does = said.has(LinkWord::Confirm) || (said.has(LinkWord::Complete) && said.has(LinkWord::Account));
            (does && !is_other, said.has(LinkWord::Account))
        }
        LinkKind::SignIn => (said.has(LinkWord::SignIn) || said.has(LinkWord::Magic), said.has(LinkWord::Magic)),
        LinkKind::ResetPassword => (said.has(LinkWord::Password), said.has(LinkWord::Reset)),
        LinkKind::Invitation => {
            let is_other = said.has(LinkWord::Thing) && !said.has(LinkWord::Team);
            let accepts = said.has(LinkWord::Accept);
            let invites = said.has(LinkWord::Invited);
            ((accepts || invites) && !is_other, accepts && (invites || said.has(LinkWord::Team)))
        }
    };
    match (does, names) {
        (true, true) => Clarity::Clear,
        (true, false) => Clarity::Vague,
        _ => Clarity::Silent,
    }
}
