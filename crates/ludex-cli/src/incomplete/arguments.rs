//! How people say what somebody knows of a course.

use ludex::game::incomplete::{Course, IncompleteGame};
use ludex::game::split_words;
use ludex::logic::TermId;

use super::texts;
use crate::Context;
use crate::failure::Failure;
use crate::moves_text::{split, text_or_file};
use crate::query_text::shortened;
use crate::reasoning::StateArguments;
use crate::rulesheet::nearest;

/// What was seen, in games whose rules are sentences.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct SightArguments {
    /// In IGDL: who saw what `--sees` says; the first role where it is not given
    #[arg(long, value_name = "ROLE")]
    pub role: Option<String>,

    /// In IGDL: what was seen step by step, apart by `;`, with `-` for nothing: "-; q; -"
    #[arg(long, value_name = "PERCEPTS", allow_hyphen_values = true)]
    pub sees: Option<String>,
}

/// The number of the role that is meant.
///
/// # Errors
/// There is no such role.
pub fn role_number(game: &IncompleteGame, name: Option<&str>) -> Result<usize, Failure> {
    let sentences = game.sentences();
    let Some(name) = name else { return Ok(0) };
    if let Some(number) = texts::find(sentences, &sentences.roles, name) {
        return Ok(number);
    }
    let names: Vec<String> = sentences.roles.iter().map(|&role| texts::term(sentences, role)).collect();
    let failure = Failure::input(format!("there is no role `{}`", shortened(name)));
    Err(match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint(format!("the roles are {}", names.join(", "))),
    })
}

/// The course that somebody knows who was told these moves and percepts.
///
/// # Errors
/// Something that is no move or percept; more of them than there are steps.
pub fn course<'g>(
    game: &'g IncompleteGame,
    state: &StateArguments,
    sight: &SightArguments,
    context: &Context,
) -> Result<Course<'g>, Failure> {
    if state.facts.is_some() {
        let message = "facts cannot be given where rules are sentences";
        return Err(Failure::input(message).hint("say what was done and seen, with `--moves` and `--sees`"));
    }
    let budget = context.limits.budget();
    let mut course = Course::new(game, budget)?;
    let moves = match &state.moves {
        Some(moves) => split(&text_or_file(moves, &context.limits)?),
        None => Vec::new(),
    };
    for joint in &moves {
        make(&mut course, joint)?;
        course.advance()?;
    }
    if let Some(does) = &state.does {
        let joints = split(&text_or_file(does, &context.limits)?);
        let [joint] = &joints[..] else {
            let message = format!("`{}` is not one joint move", shortened(does));
            return Err(Failure::input(message).hint("`--moves` makes moves before it"));
        };
        make(&mut course, joint)?;
    }
    if let Some(sees) = &sight.sees {
        let role = role_number(game, sight.role.as_deref())?;
        let text = text_or_file(sees, &context.limits)?;
        let steps: Vec<&str> = text.split([';', '\n']).collect();
        if steps.len() > moves.len() + 1 {
            let count = moves.len() + 1;
            let known =
                if count == 1 { "there is 1 step".to_owned() } else { format!("there are {count} steps") };
            let message = format!("{known}, but percepts of {}", steps.len());
            return Err(Failure::input(message).hint("`--moves` makes moves between them"));
        }
        for (number, step) in steps.iter().enumerate() {
            let seen = percepts(game, role, step)?;
            if !game.percepts_follow_moves() {
                course.sees(number, role, &seen)?;
            } else if number > 0 {
                course.sees(number - 1, role, &seen)?;
            } else if !seen.is_empty() {
                let message = "nothing is seen before the first move, since percepts depend on moves";
                return Err(
                    Failure::input(message).hint("begin with `-`: what is seen of a move comes after it")
                );
            }
        }
    }
    Ok(course)
}

fn percepts(game: &IncompleteGame, role: usize, text: &str) -> Result<Vec<TermId>, Failure> {
    let mut seen = Vec::new();
    for word in split_words(text).filter(|word| *word != "-") {
        let known = game.percepts(role);
        let number = texts::find(game.sentences(), known, word).ok_or_else(|| {
            let message = format!("`{}` is nothing that can be seen", shortened(word));
            Failure::input(message).hint(format!("percepts are {}", texts::terms(game.sentences(), known)))
        })?;
        seen.push(known[number]);
    }
    Ok(seen)
}

/// Makes the moves that are known of a joint move: one for each role in order, with `?` for one that is not known.
fn make(course: &mut Course<'_>, joint: &[String]) -> Result<(), Failure> {
    let game = course.game();
    let sentences = game.sentences();
    let roles = sentences.roles.len();
    if joint.len() != roles {
        let roles =
            if roles == 1 { "there is 1 role".to_owned() } else { format!("there are {roles} roles") };
        let message = format!("{roles}, but {} moves in `{}`", joint.len(), joint.join(" "));
        return Err(Failure::input(message).hint("`?` stands for a move that is not known"));
    }
    for (role, word) in joint.iter().enumerate() {
        if word == "?" {
            continue;
        }
        let number = texts::find(sentences, game.moves(role), word).ok_or_else(|| {
            let message = format!(
                "`{}` is no move of `{}`",
                shortened(word),
                texts::term(sentences, sentences.roles[role])
            );
            Failure::input(message).hint(format!("moves are {}", texts::terms(sentences, game.moves(role))))
        })?;
        course.does(role, number)?;
    }
    Ok(())
}
