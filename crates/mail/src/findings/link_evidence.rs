//! What speaks for a link confirming something, and what against it.

use std::ops::Range;
use std::sync::LazyLock;

use super::lexicon::{MeaningSet, WordHit, WordLexicon, within};
use super::linked_text::{LinkedText, PlacedLink};
use super::links::LinkKind;
use super::passage::TextPassage;
use super::urls::{self, UrlTraits};
use super::words::links::{LINK_WORDS, LinkWord};

static LEXICON: LazyLock<WordLexicon<LinkWord>> = LazyLock::new(|| WordLexicon::new(LINK_WORDS));

/// How many sentences above a link on a line of its own are taken for what is said of it.
const MAX_LINK_SENTENCES_ABOVE: usize = 2;
/// How far from a link, in octets, words may be that are said of it.
const MAX_LINK_WORD_DISTANCE: usize = 400;
/// The longest words of a button, in octets; longer ones are a text that has been linked.
const MAX_BUTTON_BYTES: usize = 90;

const KINDS: [LinkKind; 4] = [LinkKind::ResetPassword, LinkKind::Invitation, LinkKind::SignIn, LinkKind::Confirm];

/// A mail with everything that is known of it as a whole.
pub(super) struct LinkEvidence<'a> {
    linked: &'a LinkedText,
    hits: Vec<WordHit<LinkWord>>,
    whole: MeaningSet,
    subject: MeaningSet,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum IntentClarity {
    Silent,
    Vague,
    Clear,
}

impl IntentClarity {
    fn points(self, vague: i32, clear: i32) -> i32 {
        match self {
            Self::Silent => 0,
            Self::Vague => vague,
            Self::Clear => clear,
        }
    }
}

impl<'a> LinkEvidence<'a> {
    pub(super) fn new(subject: &TextPassage, linked: &'a LinkedText) -> Self {
        let hits = LEXICON.hits(&linked.passage.lower);
        Self { linked, whole: MeaningSet::of(&hits), subject: MeaningSet::of(&LEXICON.hits(&subject.lower)), hits }
    }

    /// What following the link most likely does, and how sure that is, in hundredths; it can be beyond both ends.
    pub(super) fn classify_link(&self, link: &PlacedLink) -> Option<(LinkKind, i32)> {
        let target = urls::inspect_url(&link.url);
        let own = MeaningSet::of(within(&self.hits, link.words.start, link.words.end));
        let near = self.near(link);
        let is_refused = own.has(LinkWord::Denial)
            || (own.has(LinkWord::Away) && !own.has(LinkWord::Password))
            || (near.has(LinkWord::Denial) && !near.has(LinkWord::Ignore));
        if target.leads_away || is_refused {
            return None;
        }
        let confidence = |kind| (kind, self.confidence(kind, link, target, own, near));
        KINDS.into_iter().map(confidence).reduce(|best, next| if next.1 > best.1 { next } else { best })
    }

    fn confidence(
        &self,
        kind: LinkKind,
        link: &PlacedLink,
        target: UrlTraits,
        own: MeaningSet,
        near: MeaningSet,
    ) -> i32 {
        let (whole, subject) = (self.whole, self.subject);
        let words = self.linked.passage.slice(link.words.clone());
        let is_bare = !words.contains(char::is_alphanumeric) || words.contains("://");
        let is_mute = is_bare || own.has(LinkWord::Click);
        let said = intent_clarity(own, kind);

        let mut confidence = if is_bare { 0 } else { said.points(36, 56) };
        confidence += match (is_mute, said) {
            (true, _) => intent_clarity(near, kind).points(28, 42),
            (false, IntentClarity::Silent) => intent_clarity(near, kind).points(8, 20),
            (false, _) => intent_clarity(near, kind).points(8, 16),
        };
        confidence += intent_clarity(subject, kind).points(8, 15);
        confidence += match target.kind {
            Some(shown) if shown == kind => 22,
            Some(_) | None => 0,
        };
        confidence += 10 * i32::from(target.has_token);
        confidence += 5 * i32::from(whole.has(LinkWord::Care));
        confidence -= 25 * i32::from(words.len() > MAX_BUTTON_BYTES);
        confidence -= match kind {
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
                    && intent_clarity(near, kind) != IntentClarity::Clear =>
            {
                30
            }
            LinkKind::Invitation | LinkKind::Confirm if own.has(LinkWord::Thing) || subject.has(LinkWord::Thing) => 30,
            _ if !target.has_token && target.kind != Some(kind) => 20,
            _ => 0,
        };
        confidence
    }

    /// What is said of a link where it stands: its sentence, and those before it if it stands alone.
    fn near(&self, link: &PlacedLink) -> MeaningSet {
        let passage = &self.linked.passage;
        let at = passage.sentence_at(link.words.start);
        let Some(sentence) = passage.sentences().get(at).cloned() else {
            return MeaningSet::default();
        };
        let says = |range: Range<usize>| passage.slice(range).contains(char::is_alphanumeric);
        let is_alone = sentence.end <= link.words.start
            || (!says(sentence.start..link.words.start) && !says(link.words.end..sentence.end));
        let first = if is_alone { at.saturating_sub(MAX_LINK_SENTENCES_ABOVE) } else { at };
        let start = passage.sentences().get(first).map_or(sentence.start, |first| first.start);
        let end = sentence.end.max(link.words.end);
        let start = start.max(link.words.start.saturating_sub(MAX_LINK_WORD_DISTANCE));
        MeaningSet::of(within(&self.hits, start, end.min(link.words.end + MAX_LINK_WORD_DISTANCE)))
    }
}

/// How clearly the words tell to do this: not at all, by a verb, by a verb and what it is done to.
fn intent_clarity(said: MeaningSet, kind: LinkKind) -> IntentClarity {
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
        (true, true) => IntentClarity::Clear,
        (true, false) => IntentClarity::Vague,
        _ => IntentClarity::Silent,
    }
}
