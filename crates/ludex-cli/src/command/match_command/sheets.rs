//! Descriptions of the game that single players are given (book 19.7).

use std::sync::Arc;

use ludex::Game;
use ludex::game::incomplete::{SheetOptions, check_sheet};
use ludex::gdl::{self, Dialect, GameSentences, LoadOptions, lower_question, to_igdl};

use crate::Context;
use crate::failure::{Failure, say};
use crate::incomplete::wrong_text;
use crate::rulesheet::{ReadArguments, nearest, read_source};

/// A description for a role, as `ROLE=FILE`.
#[derive(Clone, Debug)]
pub struct Sheet {
    role: String,
    file: String,
}

/// Reads `ROLE=FILE`.
pub fn sheet(text: &str) -> Result<Sheet, String> {
    let pair = text.split_once('=').filter(|(role, file)| !role.is_empty() && !file.is_empty());
    let (role, file) = pair.ok_or_else(|| format!("`{text}` is not ROLE=FILE"))?;
    Ok(Sheet { role: role.trim().to_owned(), file: file.trim().to_owned() })
}

/// The text of the description of each role, in the order of the seats; `None` where a role gets the rules.
///
/// # Errors
/// No such role; a description that cannot be read, has errors, other roles or a sentence that is false in the game.
pub fn texts(sheets: &[Sheet], game: &Game, context: &Context) -> Result<Vec<Option<String>>, Failure> {
    let names: Vec<String> = game.seats().into_iter().map(|role| game.role_name(role)).collect();
    let mut texts = vec![None; names.len()];
    for sheet in sheets {
        let Some(number) = names.iter().position(|name| *name == sheet.role) else {
            let failure = Failure::input(format!("there is no role `{}`", sheet.role));
            let near = nearest(&sheet.role, names.iter().map(String::as_str));
            return Err(failure.hint(near.map_or_else(
                || format!("the roles are {}", names.join(", ")),
                |near| format!("did you mean `{near}`?"),
            )));
        };
        let (source, options) = read_source(&sheet.file, &ReadArguments::default(), context)?;
        let text = source.text().to_owned();
        check(sheet, gdl::load(Arc::new(source), &options), game, context)?;
        texts[number] = Some(text);
    }
    Ok(texts)
}

/// Whether a description is one of this game.
fn check(sheet: &Sheet, checked: gdl::Checked, game: &Game, context: &Context) -> Result<(), Failure> {
    let Sheet { role, file } = sheet;
    let Some(sentences) = crate::incomplete::sentences_of(&checked, context)? else {
        let message = format!("`{file}` is in {}", checked.dialect);
        return Err(
            Failure::input(message).hint("what a player is told beside the rules are sentences (IGDL)")
        );
    };
    let own: Vec<String> = names(&sentences);
    let seats: Vec<String> = game.seats().into_iter().map(|role| game.role_name(role)).collect();
    if own != seats {
        let message = format!("`{file}` has the roles {}, and the game {}", own.join(", "), seats.join(", "));
        return Err(Failure::input(message));
    }
    let Some(complete) = complete_sentences(game)? else { return Ok(()) };
    let stated = lower_question(&complete, &checked.rulesheet).map_err(|found| {
        let text = gdl::report::plain(&checked.rulesheet.source, &found);
        Failure::input(format!("`{file}` does not speak of this game\n{}", text.trim_end()))
    })?;
    let options = SheetOptions { budget: context.limits.budget().clone(), ..SheetOptions::default() };
    let report = check_sheet(&complete, &stated, &options)?;
    if let Some(wrong) = report.wrong.first() {
        let what = wrong_text(&sentences, &complete, wrong);
        return Err(Failure::input(format!("what `{file}` tells {role} is not so: {what}")));
    }
    let held = match (report.held.len(), report.states) {
        (0, _) => String::new(),
        (held, states) => format!(", {held} held in {states} states of random games"),
    };
    say(&format!(
        "{role} is told {file}: {} of {} sentences follow from the rules{held}",
        report.proved,
        stated.len()
    ));
    Ok(())
}

fn names(sentences: &GameSentences) -> Vec<String> {
    sentences.roles.iter().map(|&role| sentences.theory.terms.infix(role)).collect()
}

/// The rules of the game as sentences; none where they cannot be made so.
///
/// # Errors
/// The rules tell percepts at other times than sentences do.
fn complete_sentences(game: &Game) -> Result<Option<Arc<GameSentences>>, Failure> {
    let rulesheet = game.rules().rulesheet();
    let checked = gdl::load(Arc::clone(&rulesheet.source), &LoadOptions::default());
    match checked.dialect {
        dialect if dialect.is_incomplete() => Ok(checked.sentences),
        Dialect::Gdl => {
            let completion = to_igdl(&checked.rulesheet, &[]);
            let source = completion.ok().map(|completion| completion.rulesheet.source);
            Ok(source.and_then(|source| gdl::load(source, &LoadOptions::default()).sentences))
        }
        dialect => {
            let message =
                format!("players of a game in {dialect} cannot be told other things than its rules");
            Err(Failure::input(message).hint("`ludex convert --to igdl` makes sentences of GDL and GDL-II"))
        }
    }
}
