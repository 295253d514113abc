//! Tables of paths: each is the router, and a list for the tests that compare it with other tables.

/// Makes the router of a table of paths, and the table itself for tests.
macro_rules! routes {
    ($($path:literal: $($method:ident $handler:expr),+;)+) => {
        /// All paths of the table.
        pub(super) fn router() -> axum::Router<std::sync::Arc<super::Web>> {
            axum::Router::new()$(.route($path, axum::routing::MethodRouter::new()$(.$method($handler))+))+
        }

        /// Each path with its methods.
        #[cfg(test)]
        pub(super) const ROUTES: &[(&str, &[&str])] = &[$(($path, &[$(stringify!($method)),+])),+];
    };
}
pub(super) use routes;
