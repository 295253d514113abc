//! Long lists, a page at a time.
//!
//! A page begins behind a key, the name of the last item of the page before, and not behind so many items: what
//! is added to the list meanwhile moves nothing from one page to another.

use serde::{Deserialize, Serialize};

/// Which part of a list is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRequest {
    /// Only what stands behind this item in the list: the name of a game or a player, the id of a match or a
    /// tournament. It need not be of what is wanted; a match or a tournament has to be there.
    #[serde(default)]
    pub after: Option<String>,
    /// How many items are wanted at most; never more than [`PageRequest::MOST`] come.
    pub size: u64,
}

impl PageRequest {
    /// The most items of a page.
    pub const MOST: u64 = 500;

    /// The first items of a list.
    #[must_use]
    pub fn first(size: u64) -> Self {
        Self { after: None, size }
    }

    /// The size with its limit kept.
    pub(crate) fn limited_size(&self) -> u64 {
        self.size.min(Self::MOST)
    }
}

impl Default for PageRequest {
    /// The first 50.
    fn default() -> Self {
        Self::first(50)
    }
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Behind which item the next page begins ([`PageRequest::after`]); none where the list ends with this page.
    pub next: Option<String>,
    /// How long the whole list is now.
    pub total: u64,
    /// Whether it is at least so long, and was not counted to its end. Then a page may have fewer items than were wanted,
    /// even none, and a next one all the same.
    pub total_is_least: bool,
}

impl<T> Page<T> {
    /// Something else of each item.
    pub fn map<U>(self, other: impl FnMut(T) -> U) -> Page<U> {
        let Self { items, next, total, total_is_least } = self;
        Page { items: items.into_iter().map(other).collect(), next, total, total_is_least }
    }
}

/// All items of a list, page by page.
///
/// # Errors
/// As whoever tells the pages.
pub fn all_pages<T, E>(mut page: impl FnMut(PageRequest) -> Result<Page<T>, E>) -> Result<Vec<T>, E> {
    let mut found = Vec::new();
    let mut request = PageRequest::first(PageRequest::MOST);
    loop {
        let Page { items, next, .. } = page(request)?;
        found.extend(items);
        match next {
            Some(after) => request = PageRequest { after: Some(after), size: PageRequest::MOST },
            None => return Ok(found),
        }
    }
}
