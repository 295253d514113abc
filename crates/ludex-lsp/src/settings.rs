//! What a client can choose.

use std::time::Duration;

use lsp_types::ClientCapabilities;
use serde_json::Value;

use crate::positions::Encoding;

/// The choices of a client.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether domains are shown beside first clauses.
    pub inlay_hints: bool,
    /// How long a command may take.
    pub limit: Duration,
    /// Results of commands are answers alone, and no messages besides.
    pub results_returned: bool,
    /// What columns count.
    pub encoding: Encoding,
    /// Completions may have places to fill in.
    pub snippets: bool,
    /// Progress may be shown without being asked for.
    pub progress: bool,
    /// The client asks for inlay hints again when it is told to.
    pub inlay_hint_refresh: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            inlay_hints: true,
            limit: Duration::from_secs(10),
            results_returned: false,
            encoding: Encoding::default(),
            snippets: false,
            progress: false,
            inlay_hint_refresh: false,
        }
    }
}

impl Settings {
    /// The choices of a client that introduces itself.
    pub fn of(capabilities: &ClientCapabilities, options: Option<&Value>) -> Self {
        let general = capabilities.general.as_ref();
        let offered = general.and_then(|general| general.position_encodings.as_deref());
        let text = capabilities.text_document.as_ref();
        let completion =
            text.and_then(|text| text.completion.as_ref()).and_then(|c| c.completion_item.as_ref());
        let window = capabilities.window.as_ref();
        let workspace = capabilities.workspace.as_ref();
        let hints = workspace.and_then(|workspace| workspace.inlay_hint.as_ref());
        let mut settings = Self {
            encoding: Encoding::choose(offered),
            snippets: completion.and_then(|item| item.snippet_support).unwrap_or_default(),
            progress: window.and_then(|window| window.work_done_progress).unwrap_or_default(),
            inlay_hint_refresh: hints.and_then(|hints| hints.refresh_support).unwrap_or_default(),
            ..Self::default()
        };
        if let Some(options) = options {
            settings.results_returned = options.get("results").and_then(Value::as_str) == Some("returned");
            settings.update(options);
        }
        settings
    }

    /// Takes over what is said of the section `ludex`, or of its contents alone; what is not said stays.
    pub fn update(&mut self, given: &Value) {
        let section = given.get("ludex").unwrap_or(given);
        if let Some(shown) = section.get("inlayHints").and_then(Value::as_bool) {
            self.inlay_hints = shown;
        }
        let seconds = section.get("engine").and_then(|engine| engine.get("seconds")).and_then(Value::as_f64);
        self.limit = limit_of(seconds).unwrap_or(self.limit);
    }
}

/// A limit in seconds that makes sense.
pub fn limit_of(seconds: Option<f64>) -> Option<Duration> {
    let seconds = seconds.filter(|seconds| seconds.is_finite() && *seconds > 0.0)?;
    Some(Duration::from_secs_f64(seconds.clamp(0.05, 3_600.0)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_come_in_a_section_or_alone() {
        let mut settings = Settings::default();
        settings.update(&json!({"ludex": {"inlayHints": false, "engine": {"seconds": 2}}}));
        assert_eq!((settings.inlay_hints, settings.limit), (false, Duration::from_secs(2)));
        settings.update(&json!({"inlayHints": true, "engine": {"seconds": "many"}}));
        assert_eq!((settings.inlay_hints, settings.limit), (true, Duration::from_secs(2)));
        settings.update(&json!([1, 2]));
        assert_eq!(limit_of(Some(-1.0)), None);
        assert_eq!(limit_of(Some(1e300)), Some(Duration::from_secs(3_600)));
    }
}
