//! How a game is played, in words and pictures.

use askama::Template;
use axum::extract::Path;

use super::asked::{Answer, Asked};
use super::board::Drawing;
use super::games::paragraphs;
use super::library::words;
use super::page::PageLayout;
use crate::manager::{Manager, ManagerError};
use crate::preparation::{Guide, GuidePart};

#[derive(Template)]
#[template(path = "how_to_play.html")]
struct HowToPlayPage {
    layout: PageLayout,
    name: String,
    title: String,
    tags: Vec<&'static str>,
    /// What the author says.
    description: Vec<String>,
    parts: Vec<GuidePart>,
    start: Drawing,
    end: Option<Drawing>,
}

pub(super) async fn show(asked: Asked, Path(name): Path<String>) -> Answer {
    asked.page("/games", move |manager, layout| how_to_play_page(manager, layout, name)).await
}

fn how_to_play_page(
    manager: &Manager,
    layout: PageLayout,
    name: String,
) -> Result<HowToPlayPage, ManagerError> {
    let detail = manager.game(&name, None)?;
    let (_, about) = manager.described(&detail)?;
    let Guide { features, parts, end } = manager.guide(&detail)?;
    let mut description = paragraphs(&detail.description);
    if description.is_empty() {
        description = head_of(&detail.text);
    }
    Ok(HowToPlayPage {
        layout,
        name,
        title: detail.summary.title,
        tags: words(Some(&features)),
        description,
        parts,
        start: about.map(|about| Drawing::of(&about.picture, false)).unwrap_or_default(),
        end: end.map(|end| Drawing::of(&end, false)),
    })
}

/// More of what a rulesheet begins with is not read.
const HEAD: usize = 4000;

/// What the comment at the head of a rulesheet says, paragraph by paragraph, up to where it says where the game comes from.
fn head_of(rules: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    let lines = rules.lines().map(str::trim).skip_while(|line| line.is_empty());
    for line in lines {
        let Some(comment) = line.strip_prefix([';', '%']) else { break };
        let comment = comment.trim_start_matches([';', '%']).trim();
        if comment.starts_with("Source:") || found.iter().map(String::len).sum::<usize>() > HEAD {
            break;
        }
        match found.last_mut() {
            Some(last) if !comment.is_empty() => {
                if !last.is_empty() {
                    last.push(' ');
                }
                last.push_str(comment);
            }
            _ => found.push(String::new()),
        }
    }
    found.retain(|paragraph| !paragraph.is_empty());
    found
}

#[cfg(test)]
mod tests {
    use super::head_of;

    #[test]
    fn the_head_of_a_rulesheet_is_read_up_to_its_source() {
        let text =
            "\n; Rows: three in a\n;  row.\n;\n;; Nobody loses.\n;\n; Source: a book.\n\n(role a)\n; later\n";
        assert_eq!(head_of(text), ["Rows: three in a row.", "Nobody loses."]);
        assert_eq!(head_of("% One\n%\n% Two\nrole(a)"), ["One", "Two"]);
        for none in ["", "(role a)", "; Source: mine\n; more", ";;;;\n;\n"] {
            assert_eq!(head_of(none), Vec::<String>::new(), "{none}");
        }
        let long = format!("; {}\n", "x".repeat(5000)).repeat(100);
        assert!(head_of(&long).concat().len() < 11_000);
    }
}
