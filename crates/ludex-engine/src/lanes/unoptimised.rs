//! The one thing that this crate prints: that it was built so that it is slow.

/// Says once that lanes are slow in a build without optimisation, where nobody would guess why.
pub(super) fn warn() {
    #[cfg(unoptimised)]
    {
        static SAID: std::sync::Once = std::sync::Once::new();
        SAID.call_once(|| {
            eprintln!(
                "ludex: the lanes of this build are not optimised, and some 50 times slower so; put \
                 `[profile.dev.package.\"*\"]` and `opt-level = 2` into Cargo.toml"
            );
        });
    }
}
