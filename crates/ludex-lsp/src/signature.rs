//! What a relation or function takes, while its arguments are typed.

use lsp_types::{Documentation, ParameterInformation, ParameterLabel, SignatureHelp, SignatureInformation};
use ludex::gdl::{OccurrenceKind, Symbol};

use crate::cursor::{Expected, cursor};
use crate::document::Document;
use crate::keywords::keyword;
use crate::knowledge::Place;
use crate::names::text_of;

/// So many values of each argument are shown.
const VALUES: usize = 8;

/// The signatures of what has its arguments typed at a byte offset, one for each number of arguments.
pub fn signature_help(document: &Document, offset: usize) -> Option<SignatureHelp> {
    let Expected::Argument { parent, of_relation, index } = cursor(document, offset).expected else {
        return None;
    };
    let dialect = document.checked().dialect;
    let mut signatures: Vec<SignatureInformation> = Vec::new();
    let known = keyword(&parent, dialect).filter(|_| of_relation);
    if let Some(known) = known {
        let names: Vec<String> = known.arguments.iter().map(|name| (*name).to_owned()).collect();
        signatures.push(signature(document, &parent, &names, of_relation, Some(known.meaning)));
    } else {
        let wanted = if of_relation { OccurrenceKind::Relation } else { OccurrenceKind::Function };
        let is_it =
            |s: &Symbol| s.kind == wanted && s.arity as usize > index && text_of(document, *s) == parent;
        let mut arities: Vec<u32> = document.names().symbols().filter(is_it).map(|s| s.arity).collect();
        arities.sort_unstable();
        for arity in arities.into_iter().take(5) {
            let names: Vec<String> = (1..=arity).map(|n| format!("argument{n}")).collect();
            signatures.push(signature(document, &parent, &names, of_relation, None));
        }
    }
    (!signatures.is_empty()).then_some(SignatureHelp {
        signatures,
        active_signature: Some(0),
        active_parameter: Some(index as u32),
    })
}

fn signature(
    document: &Document,
    name: &str,
    arguments: &[String],
    of_relation: bool,
    meaning: Option<&str>,
) -> SignatureInformation {
    let label = document.rulesheet().notation.sentence(name, arguments);
    let arity = arguments.len();
    let parameters = arguments.iter().enumerate().map(|(index, argument)| {
        let place = if of_relation {
            Place::Relation(name, arity, index)
        } else {
            Place::Function(name, arity, index)
        };
        let values = document.knowledge().and_then(|knowledge| knowledge.values(place));
        ParameterInformation {
            label: ParameterLabel::Simple(argument.clone()),
            documentation: values.map(|values| Documentation::String(values.shown(VALUES))),
        }
    });
    SignatureInformation {
        label,
        documentation: meaning.map(|meaning| Documentation::String(meaning.to_owned())),
        parameters: Some(parameters.collect()),
        active_parameter: None,
    }
}
