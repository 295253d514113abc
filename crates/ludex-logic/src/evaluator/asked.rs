//! Which relations are better asked with bound arguments than computed whole.
