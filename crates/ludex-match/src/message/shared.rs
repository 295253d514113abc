//! What many messages have in common: held once, written once.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use ludex_gdl::Notation;

/// A part of many messages, such as the rules that all seats of a match are sent. However many hold it, it is in
/// memory once, and in each notation it is written once.
pub struct Shared<T>(Arc<Held<T>>);

struct Held<T> {
    value: T,
    prefix: OnceLock<Arc<str>>,
    infix: OnceLock<Arc<str>>,
}

impl<T> Shared<T> {
    /// Whether both are the same in memory.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// As it is written in a notation, by `write` the first time.
    pub(super) fn written(&self, notation: Notation, write: impl FnOnce(&T) -> String) -> Arc<str> {
        let written = match notation {
            Notation::Prefix => &self.0.prefix,
            Notation::Infix => &self.0.infix,
        };
        Arc::clone(written.get_or_init(|| write(&self.0.value).into()))
    }
}

impl<T> From<T> for Shared<T> {
    fn from(value: T) -> Self {
        Self(Arc::new(Held { value, prefix: OnceLock::new(), infix: OnceLock::new() }))
    }
}

impl From<&str> for Shared<String> {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl<I> FromIterator<I> for Shared<Vec<I>> {
    fn from_iter<A: IntoIterator<Item = I>>(items: A) -> Self {
        items.into_iter().collect::<Vec<I>>().into()
    }
}

impl<T: Default> Default for Shared<T> {
    fn default() -> Self {
        T::default().into()
    }
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || **self == **other
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T: fmt::Display> fmt::Display for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(f)
    }
}

impl<T: fmt::Debug> fmt::Debug for Shared<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.fmt(f)
    }
}
