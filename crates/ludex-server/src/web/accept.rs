//! Whether whoever asks wants JSON or a page: the header `Accept`, with its ranges and weights (RFC 9110,
//! section 12.5.1).

use axum::http::header::{self, HeaderMap};
use headers_accept::Accept;
use headers_core::Header;
use mediatype::{MediaType, names};

const PAGE: MediaType<'static> = MediaType::new(names::TEXT, names::HTML);
const JSON: MediaType<'static> = MediaType::new(names::APPLICATION, names::JSON);

/// Whether JSON is liked better than a page. Who takes both equally, says nothing or nothing that can be read
/// gets a page.
pub(super) fn prefers_json(headers: &HeaderMap) -> bool {
    let accept = Accept::decode(&mut headers.get_all(header::ACCEPT).iter());
    accept.is_ok_and(|accept| accept.negotiate([&PAGE, &JSON]) == Some(&JSON))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(header::ACCEPT, line.parse().unwrap());
        }
        prefers_json(&headers)
    }

    #[test]
    fn ranges_and_weights_decide() {
        for json in [
            "application/json",
            "Application/JSON",
            "application/json, text/plain, */*",
            "application/json, text/html;q=0.9",
            "text/html;q=0.5, application/*",
            "text/html;q=0, */*",
        ] {
            assert!(of(&[json]), "{json}");
        }
        assert!(of(&["text/html;q=0.2", "application/json;q=0.3"]), "in several lines");
        for page in [
            "",
            "*/*",
            "text/html",
            "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            "application/json;q=0.5, text/html",
            "application/json;q=0",
            "application/xml",
            "rubbish;;;",
        ] {
            assert!(!of(&[page]), "{page}");
        }
        assert!(!of(&[]));
    }
}
