//! Long lists, a page at a time.

use serde::{Deserialize, Serialize};

/// Which part of a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageRequest {
    /// How many items come before it.
    #[serde(default)]
    pub offset: u64,
    /// How many items are wanted at most; never more than [`PageRequest::MOST`] come.
    pub size: u64,
}

impl PageRequest {
    /// The most items of a page.
    pub const MOST: u64 = 500;

    /// The page with these limits kept.
    #[must_use]
    pub fn limited(self) -> Self {
        Self { size: self.size.min(Self::MOST), ..self }
    }
}

impl Default for PageRequest {
    /// The first 50.
    fn default() -> Self {
        Self { offset: 0, size: 50 }
    }
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// How many items come before them.
    pub offset: u64,
    /// How long the whole list is.
    pub total: u64,
}

impl<T> Page<T> {
    /// Something else of each item.
    pub fn map<U>(self, other: impl FnMut(T) -> U) -> Page<U> {
        let Self { items, offset, total } = self;
        Page { items: items.into_iter().map(other).collect(), offset, total }
    }
}
