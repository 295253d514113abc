//! Descriptions of the game that single players are given (book 19.7).

use std::sync::Arc;

use ludex::game::incomplete::SheetOptions;
use ludex::{Game, SheetError, gdl};

use crate::Context;
use crate::failure::{Failure, say};
use crate::rulesheet::{ReadArguments, nearest, read_source, show_errors};

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
        check(sheet, &gdl::load(Arc::new(source), &options), game, context)?;
        texts[number] = Some(text);
    }
    Ok(texts)
}

/// Whether a description is one of this game.
fn check(sheet: &Sheet, checked: &gdl::Checked, game: &Game, context: &Context) -> Result<(), Failure> {
    let Sheet { role, file } = sheet;
    if checked.has_errors() {
        show_errors(checked, context);
        return Err(Failure::Reported);
    }
    let options = SheetOptions { budget: context.limits.budget().clone(), ..SheetOptions::default() };
    let told = game.check_sheet(checked, &options).map_err(|error| match error {
        SheetError::Incomplete(error) => Failure::from(error),
        SheetError::False { .. } => Failure::input(format!("what `{file}` tells {role} is not so: {error}")),
        SheetError::NoSentences { .. } | SheetError::Language { .. } => {
            Failure::input(format!("`{file}` cannot be told to {role}: {error}"))
                .hint("`ludex convert --to igdl` makes sentences of rules")
        }
        error => Failure::input(format!("`{file}` cannot be told to {role}: {error}")),
    })?;
    let how = told.map_or_else(
        || "the rules of the game cannot be written as sentences: nothing was compared".to_owned(),
        |told| told.to_string(),
    );
    say(&format!("{role} is told {file}: {how}"));
    Ok(())
}
