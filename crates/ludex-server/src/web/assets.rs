//! The style sheet, the scripts and the icon. They are part of the program.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

struct Asset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

const ASSETS: [Asset; 4] = [
    Asset {
        name: "style.css",
        kind: "text/css; charset=utf-8",
        text: include_str!("../../static/style.css"),
    },
    Asset {
        name: "ludex.js",
        kind: "text/javascript; charset=utf-8",
        text: include_str!("../../static/ludex.js"),
    },
    Asset {
        name: "editor.js",
        kind: "text/javascript; charset=utf-8",
        text: include_str!("../../static/editor.js"),
    },
    Asset { name: "icon.svg", kind: "image/svg+xml", text: include_str!("../../static/icon.svg") },
];

/// What tells these files from those of another version: browsers may keep them for good then.
pub(super) fn version() -> &'static str {
    static VERSION: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    VERSION.get_or_init(|| {
        let texts: String = ASSETS.iter().map(|asset| asset.text).collect();
        ludex::game::sha256(&texts)[..12].to_owned()
    })
}

/// A file by its name.
pub(super) async fn get(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let tag = format!("\"{}\"", version());
    let kept = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == tag.as_bytes());
    let caching = [(header::ETAG, tag), (header::CACHE_CONTROL, "public, max-age=86400".to_owned())];
    if kept {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    (caching, [(header::CONTENT_TYPE, asset.kind)], asset.text).into_response()
}
