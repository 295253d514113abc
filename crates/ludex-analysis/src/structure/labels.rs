//! Short signs for what stands on a board.

use ludex_logic::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::figures::{self, Count, Figure, Thing};

/// How a thing on a board is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sign {
    /// The full name.
    pub name: String,
    /// The letters for it in text; empty for what is shown as an empty cell.
    pub glyph: String,
    /// Whose it is, if its name says so.
    pub owner: Option<Owner>,
    /// Whether the name says nothing but whose it is, as for the discs of reversi.
    pub disc: bool,
    /// Whether it stands for a fact without content, which only marks the spot.
    pub mark: bool,
    /// What it is drawn as in pictures.
    pub figure: Figure,
}

impl Sign {
    /// The sign of facts that only mark a spot.
    pub fn of_mark(name: String) -> Self {
        let figure = figures::by_name(&name).unwrap_or(Figure::Block);
        Self { name, glyph: "#".to_owned(), owner: None, disc: false, mark: true, figure }
    }

    /// Whether it only marks a spot.
    pub fn is_mark(&self) -> bool {
        self.mark
    }

    /// Whether the name says that nothing is there.
    pub fn is_named_empty(&self) -> bool {
        EMPTY.contains(&self.name.as_str())
    }
}

/// A side, as far as it can be coloured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// The name of the role or colour.
    pub name: String,
    /// The position among the roles, or after them.
    pub index: usize,
}

/// Names of colours that games use for sides, light ones first.
pub(crate) const COLOURS: [&str; 14] = [
    "white", "light", "yellow", "pink", "teal", "cyan", "orange", "green", "magenta", "purple", "red",
    "blue", "dark", "black",
];

/// The most characters of a sign.
const WIDEST: usize = 6;

/// Names that rulesheets give to an empty cell.
const EMPTY: [&str; 10] =
    ["b", "blank", "empty", "e", "none", "free", "nothing", "nil", "zerocoins", "clear"];

/// The names of the sides of a game: its roles, then colours.
pub(crate) struct Sides {
    names: Vec<String>,
    /// How many of them are roles.
    roles: usize,
}

impl Sides {
    /// The roles of a game by name.
    pub fn new(roles: &[String]) -> Self {
        let count = roles.len();
        let mut names = roles.to_vec();
        names.extend(COLOURS.iter().filter(|c| !roles.iter().any(|r| r == *c)).map(|c| (*c).to_owned()));
        Self { names, roles: count }
    }

    /// The side that is called so.
    pub fn owner(&self, name: &str) -> Option<Owner> {
        let index = self.names.iter().position(|n| n == name)?;
        Some(Owner { name: name.to_owned(), index })
    }

    /// The side that a name begins with, and the rest of the name.
    fn split<'a>(&self, name: &'a str) -> Option<(Owner, &'a str)> {
        let (index, side) = self
            .names
            .iter()
            .enumerate()
            .filter(|(_, n)| n.len() > 1 && name.starts_with(n.as_str()))
            .max_by_key(|(_, n)| n.len())?;
        let rest = name[side.len()..].trim_start_matches(['_', '-']);
        Some((Owner { name: side.clone(), index }, rest))
    }

    /// The side whose role name is this with something added, as `x` of `xplayer`.
    fn short(&self, name: &str) -> Option<Owner> {
        let begins = |n: &str| {
            n.strip_prefix(name).is_some_and(|rest| rest == "player" || rest == "_player" || name.len() == 1)
        };
        let mut roles = self.names.iter().take(self.roles).enumerate().filter(|(_, n)| begins(n));
        match (roles.next(), roles.next()) {
            (Some((index, role)), None) => Some(Owner { name: role.clone(), index }),
            _ => None,
        }
    }
}

/// Signs for all contents of a board. A content is one or more terms, such as `white king`.
pub(crate) fn signs(
    terms: &Terms,
    contents: &[Vec<TermId>],
    sides: &Sides,
    blank: Option<&[TermId]>,
    counts: &FxHashMap<Vec<TermId>, Count>,
) -> FxHashMap<Vec<TermId>, Sign> {
    let names: Vec<Vec<String>> =
        contents.iter().map(|c| c.iter().map(|&t| terms.shown(t)).collect()).collect();
    let parts: Vec<(Option<Owner>, String)> = names.iter().map(|n| owner_and_piece(n, sides)).collect();
    let parts = initials(&names, parts, blank, contents, sides);
    let shown = || parts.iter().zip(contents).filter(|(_, c)| blank.is_none_or(|b| b != c.as_slice()));
    let pieces: Vec<&str> = shown().map(|((_, piece), _)| piece.as_str()).collect();
    let mut owners: Vec<&Owner> = Vec::new();
    for owner in shown().filter_map(|((owner, _), _)| owner.as_ref()) {
        if !owners.contains(&owner) {
            owners.push(owner);
        }
    }
    owners.sort_by_key(|o| (shade(o), o.index));
    let short = shorten(&pieces);
    let initial = shorten(&owners.iter().map(|o| o.name.as_str()).collect::<Vec<_>>());
    let discs = discs(&owners);
    let figures = figures_of(terms, contents, &names, &parts, blank, counts);
    let mut used: FxHashSet<String> = FxHashSet::default();
    let mut found = FxHashMap::default();
    for (((content, name), (owner, piece)), figure) in contents.iter().zip(&names).zip(&parts).zip(figures) {
        let name = name.join(" ");
        let is_blank = blank.is_some_and(|b| b == content.as_slice());
        let disc = piece.is_empty() && owner.is_some();
        let rank = owner.as_ref().and_then(|o| owners.iter().position(|p| *p == o));
        let letters = short.get(piece.as_str()).cloned().unwrap_or_default();
        let side = owner.as_ref().and_then(|o| initial.get(&o.name)).map_or_else(String::new, |i| capital(i));
        let mut glyph = match (&owner, rank) {
            _ if is_blank => String::new(),
            // A name of one letter is its own sign, as `x` and `o` are.
            _ if name.chars().count() == 1 => name.clone(),
            (Some(_), Some(rank)) if disc => discs.map_or(side, |glyphs| glyphs[rank.min(1)].to_owned()),
            // As in chess diagrams, the lighter or first side in capitals and the other not.
            (Some(_), Some(rank)) if owners.len() <= 2 && letters.chars().any(char::is_alphabetic) => {
                if rank == 0 { letters.to_uppercase() } else { letters.to_lowercase() }
            }
            (Some(_), _) => format!("{side}{letters}"),
            _ => letters,
        };
        // Long numbers would make every cell wide.
        glyph = glyph.chars().take(WIDEST).collect();
        if !is_blank && (glyph.is_empty() || !used.insert(glyph.clone())) {
            glyph = name.chars().filter(|c| *c != ' ').take(5).collect();
            used.insert(glyph.clone());
        }
        // A wall is nobody's, even if it is called `w` and somebody is white.
        let owner = owner.clone().filter(|_| figure != Figure::Block || name.len() > 1);
        found.insert(content.clone(), Sign { name, glyph, owner, disc, mark: false, figure });
    }
    found
}

/// What the contents are drawn as: decided for all of them together.
fn figures_of(
    terms: &Terms,
    contents: &[Vec<TermId>],
    names: &[Vec<String>],
    parts: &[(Option<Owner>, String)],
    blank: Option<&[TermId]>,
    counts: &FxHashMap<Vec<TermId>, Count>,
) -> Vec<Figure> {
    let joined: Vec<String> = names.iter().map(|name| name.join(" ")).collect();
    let things: Vec<Thing<'_>> = contents
        .iter()
        .zip(&joined)
        .zip(parts)
        .map(|((content, name), (owner, piece))| Thing {
            name,
            owner: owner.as_ref().map(|owner| owner.index),
            piece,
            is_blank: blank.is_some_and(|blank| blank == content.as_slice()),
            is_number: matches!(content[..], [only] if terms.integer(only).is_some())
                || name.trim_start_matches(char::is_alphabetic).parse::<u64>().is_ok(),
            count: counts.get(content).copied().unwrap_or_default(),
        })
        .collect();
    figures::choose(&things)
}

/// The place of a side's name among the colours, light ones first.
fn shade(owner: &Owner) -> usize {
    COLOURS.iter().position(|c| *c == owner.name).unwrap_or(COLOURS.len())
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}

/// Whose a thing is and what it is, by its whole name or the beginning of it.
fn owner_and_piece(names: &[String], sides: &Sides) -> (Option<Owner>, String) {
    let mut owner = None;
    let mut piece = Vec::new();
    for name in names {
        if owner.is_none() {
            if let Some(found) = sides.owner(name) {
                owner = Some(found);
                continue;
            }
            if names.len() == 1
                && let Some((found, rest)) = sides.split(name)
                && rest.len() > 1
            {
                owner = Some(found);
                piece.push(rest.to_owned());
                continue;
            }
        }
        piece.push(name.clone());
    }
    if owner.is_none() && names.len() == 1 {
        owner = sides.short(&names[0]);
        if owner.is_some() && names[0].len() > 1 {
            piece.clear();
        }
    }
    (owner, piece.join(" "))
}

/// Names such as `wp` and `bk`: a side's first letter and one letter more. Told by this, that every
/// name but the empty one is so made and that both sides occur.
fn initials(
    names: &[Vec<String>],
    parts: Vec<(Option<Owner>, String)>,
    blank: Option<&[TermId]>,
    contents: &[Vec<TermId>],
    sides: &Sides,
) -> Vec<(Option<Owner>, String)> {
    let letter = |owner: &str, c: char| owner.starts_with(c);
    let pair = |name: &[String]| -> Option<(char, String)> {
        let [name] = name else { return None };
        let mut chars = name.chars();
        let (first, second) = (chars.next()?, chars.next()?);
        (chars.next().is_none() && second.is_alphabetic()).then(|| (first, second.to_string()))
    };
    let mut firsts: Vec<char> = Vec::new();
    for (name, content) in names.iter().zip(contents) {
        if blank.is_some_and(|b| b == content.as_slice()) {
            continue;
        }
        match pair(name) {
            Some((first, _)) if !firsts.contains(&first) => firsts.push(first),
            Some(_) => {}
            None => return parts,
        }
    }
    let candidates = ["white", "black", "red", "blue", "green", "yellow"];
    let side = |c: char| {
        let of_colours = || candidates.iter().find(|n| letter(n, c)).map(|n| (*n).to_owned());
        let role = sides.names.iter().take(8).find(|n| letter(n, c)).cloned();
        role.or_else(of_colours)
    };
    let plausible = firsts.len() == 2 && firsts.iter().all(|&c| side(c).is_some());
    if !plausible {
        return parts;
    }
    parts
        .into_iter()
        .zip(names)
        .map(|(part, name)| match pair(name).and_then(|(c, piece)| Some((side(c)?, piece))) {
            Some((name, piece)) => {
                let index = sides.names.iter().position(|n| *n == name).unwrap_or(sides.names.len());
                (Some(Owner { name, index }), piece)
            }
            None => part,
        })
        .collect()
}

/// A light and a dark disc, if the two sides are colours of which one is lighter.
fn discs(owners: &[&Owner]) -> Option<[&'static str; 2]> {
    let [first, second] = owners else { return None };
    (shade(first) < shade(second) && shade(second) < COLOURS.len()).then_some(["○", "●"])
}

/// The shortest different beginnings of some names; numbers stay whole.
fn shorten(names: &[&str]) -> FxHashMap<String, String> {
    let mut distinct: Vec<&str> = names.iter().copied().filter(|n| !n.is_empty()).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let stem = common_stem(&distinct);
    let mut used: FxHashSet<String> = FxHashSet::default();
    let mut found: FxHashMap<String, String> = FxHashMap::default();
    // Short names keep their own letters, so they choose first.
    distinct.sort_by_key(|n| (n.chars().count() > 2, n.chars().count().min(3)));
    for &name in &distinct {
        let rest = &name[stem..];
        let choice = candidates(if rest.is_empty() { name } else { rest }, &distinct)
            .into_iter()
            .find(|c| !used.contains(c));
        let glyph = choice.unwrap_or_else(|| name.to_owned());
        used.insert(glyph.clone());
        found.insert(name.to_owned(), glyph);
    }
    found
}

/// How much of the names to leave out: `piece` of `piece1` and `piece2`.
fn common_stem(names: &[&str]) -> usize {
    let Some(first) = names.first() else { return 0 };
    let stem = first.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let fits = |n: &&str| {
        n.get(..stem) == first.get(..stem) && n.len() > stem && n[stem..].bytes().all(|b| b.is_ascii_digit())
    };
    if names.len() > 1 && names.iter().filter(|n| n.len() > stem).all(fits) && names.iter().all(fits) {
        stem
    } else {
        0
    }
}

/// Signs for a name, the best first; `all` are the names it must be told from.
fn candidates(name: &str, all: &[&str]) -> Vec<String> {
    let chars: Vec<char> = name.chars().collect();
    if chars.len() <= 2 || chars.iter().all(char::is_ascii_digit) {
        return vec![name.to_owned()];
    }
    let words: Vec<&str> = name.split(['_', '-', ' ']).filter(|w| !w.is_empty()).collect();
    let mut found = Vec::new();
    let knight = name == "knight" || name.ends_with("knight");
    if knight {
        found.push("n".to_owned());
    }
    found.push(chars[0].to_string());
    if words.len() > 1 {
        found.push(words.iter().filter_map(|w| w.chars().next()).collect());
        // The words' beginnings agree: what tells them apart is in the last one.
        if let Some(last) = words.last() {
            found.push(last.chars().take(2).collect());
            found.push(format!("{}{}", chars[0], last.chars().last().unwrap_or('?')));
        }
    }
    if let Some(&last) = chars.last()
        && last.is_ascii_digit()
    {
        found.push([chars[0], last].iter().collect());
    }
    // The letter by which it first differs from the name most like it.
    let common = |other: &&&str| name.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let shared = all.iter().filter(|o| **o != name).map(|o| common(&o)).max().unwrap_or(0);
    found.extend(chars.get(shared.max(1)).map(|&c| [chars[0], c].iter().collect()));
    found.extend(chars.iter().skip(1).map(|&c| [chars[0], c].iter().collect()));
    found.push(chars.iter().take(3).collect());
    found
}

/// The content that means an empty cell, if one does: known by name, by being `no` and another's
/// name, by being no number where all others are, or by filling most of the board at first.
pub(crate) fn blank(
    terms: &Terms,
    contents: &[Vec<TermId>],
    initial_share: impl Fn(&[TermId]) -> f64,
) -> Option<Vec<TermId>> {
    let names: Vec<String> =
        contents.iter().map(|c| c.iter().map(|&t| terms.shown(t)).collect::<Vec<_>>().join(" ")).collect();
    if contents.len() < 2 && names.first().is_none_or(|n| n != "b" && n != "blank") {
        return None;
    }
    let shares: Vec<f64> = contents.iter().map(|c| initial_share(c)).collect();
    let largest = shares.iter().copied().fold(0.0, f64::max);
    // A letter may as well stand for a colour or a player.
    let sure = |at: &usize| names[*at].len() > 1 || shares[*at] >= largest;
    let named = EMPTY.iter().find_map(|e| names.iter().position(|n| n == e).filter(sure));
    let negated = || {
        names.iter().position(|n| n.strip_prefix("no").is_some_and(|rest| names.iter().any(|m| m == rest)))
    };
    let numbers = || {
        let is_number = |n: &String| n.bytes().all(|b| b.is_ascii_digit());
        let others: Vec<usize> = (0..names.len()).filter(|&i| !is_number(&names[i])).collect();
        match others[..] {
            [only] if names.len() > 3 => Some(only),
            _ => None,
        }
    };
    let usual = || {
        let most = (0..names.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b]))?;
        let number = names[most].bytes().all(|b| b.is_ascii_digit());
        (names.len() > 2 && shares[most] > 0.75 && !number).then_some(most)
    };
    let at = named.or_else(negated).or_else(numbers).or_else(usual)?;
    contents.get(at).cloned()
}
