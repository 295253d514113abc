//! Messages in a line, for logs.

use crate::message::{Given, Last, News, Request};

/// Longer texts are cut.
const LONGEST: usize = 160;

/// A message without its rules.
pub(super) fn summary(request: &Request) -> String {
    let text = match request {
        Request::Info => "info".to_owned(),
        Request::Start(start) => format!(
            "{} {} {} ({} bytes of {}) {} {}",
            start.given.keyword().to_ascii_lowercase(),
            start.id,
            start.role,
            start.rules.len(),
            match start.given {
                Given::Rules => "rules",
                Given::Records => "records",
                Given::Structure => "what there is to do and to see",
            },
            start.start_clock,
            start.play_seconds()
        ),
        Request::Play { id, last } => format!("play {id} {}", last_text(last)),
        Request::Stop { id, last } => format!("stop {id} {}", last_text(last)),
        Request::Abort { id } => format!("abort {id}"),
        Request::Preview { rules, clock } => format!("preview ({} bytes of rules) {clock}", rules.len()),
    };
    shortened(text)
}

fn last_text(last: &Last) -> String {
    match last {
        Last::Nothing => "nil".to_owned(),
        Last::Joint(moves) => format!("({})", moves.join(" ")),
        Last::Percepts { turn, action, percepts } => {
            format!("{turn} {} ({})", action.as_deref().unwrap_or("nil"), percepts.join(" "))
        }
        Last::InTime { time, news } => format!("{} {time}", news_text(news)),
    }
}

fn news_text(news: &News) -> String {
    let or_nil = |action: &Option<String>| action.clone().unwrap_or_else(|| "nil".to_owned());
    match news {
        News::Nothing => "nil".to_owned(),
        News::Moves(moves) => format!("({})", moves.iter().map(or_nil).collect::<Vec<_>>().join(" ")),
        News::Percepts { turn, action, percepts } => {
            let percepts = percepts.as_ref().map_or("nil".to_owned(), |all| format!("({})", all.join(" ")));
            format!("{turn} {} {percepts}", or_nil(action))
        }
    }
}

/// A text in one line that is not too long.
pub(super) fn shortened(text: String) -> String {
    let is_plain = |text: &str| !text.contains(char::is_control);
    if text.len() <= LONGEST && is_plain(&text) {
        return text;
    }
    let mut short: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
    if text.chars().count() > LONGEST {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_short_and_single() {
        let last = Last::Joint(vec!["(mark 1 1)".into(), "noop".into()].into());
        assert_eq!(summary(&Request::Play { id: "m1".into(), last }), "play m1 ((mark 1 1) noop)");
        let last = Last::Percepts { turn: 0, action: None, percepts: Vec::new() };
        assert_eq!(summary(&Request::Stop { id: "m1".into(), last }), "stop m1 0 nil ()");
        let long = summary(&Request::Abort { id: "m\n".repeat(1_000) });
        assert!(long.len() < 200 && !long.contains('\n') && long.ends_with("..."));
    }
}
