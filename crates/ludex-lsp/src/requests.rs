//! Requests about one document, answered at once.

use lsp_types::{
    CodeActionContext, CodeActionParams, CodeActionTriggerKind, CodeLensParams, CompletionParams,
    CompletionResponse, DocumentFormattingParams, DocumentHighlightParams, DocumentRangeFormattingParams,
    DocumentSymbolParams, DocumentSymbolResponse, FoldingRangeParams, GotoDefinitionParams,
    GotoDefinitionResponse, HoverParams, InlayHintParams, Position, ReferenceParams, RenameParams,
    SelectionRangeParams, SemanticTokens, SemanticTokensParams, SemanticTokensRangeParams,
    SignatureHelpParams, TextDocumentPositionParams, Uri,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::document::Document;
use crate::settings::Settings;
use crate::{
    completion, findings, formatting, hover, inlay_hints, lenses, names, rename, semantic_tokens, signature,
    symbols,
};

/// Why a request has no answer.
#[derive(Debug)]
pub enum Refusal {
    /// There is no such request.
    UnknownMethod,
    /// Its parameters are not what they should be.
    Params(serde_json::Error),
    /// What it asks for cannot be done.
    Failed(String),
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Self {
        Refusal::Params(error)
    }
}

/// An answer.
pub type Answer = Result<Value, Refusal>;

/// Where the open documents are.
pub trait Documents {
    /// The document with an address.
    fn document(&self, uri: &Uri) -> Option<&Document>;
}

/// Answers a request. Of a document that is not open there is nothing to say.
pub fn answer(method: &str, params: Value, documents: &dyn Documents, settings: &Settings) -> Answer {
    let find = |uri: &Uri| documents.document(uri);
    match method {
        "textDocument/hover" => {
            let params: HoverParams = read(params)?;
            at(find, &params.text_document_position_params, hover::hover)
        }
        "textDocument/definition" => {
            let params: GotoDefinitionParams = read(params)?;
            let definition = |document: &Document, offset| {
                Some(GotoDefinitionResponse::Array(names::definitions(document, offset)))
            };
            at(find, &params.text_document_position_params, definition)
        }
        "textDocument/references" => {
            let params: ReferenceParams = read(params)?;
            let all = params.context.include_declaration;
            at(find, &params.text_document_position, |document, offset| {
                Some(names::references(document, offset, all))
            })
        }
        "textDocument/documentHighlight" => {
            let params: DocumentHighlightParams = read(params)?;
            at(find, &params.text_document_position_params, |document, offset| {
                Some(names::highlights(document, offset))
            })
        }
        "textDocument/completion" => {
            let params: CompletionParams = read(params)?;
            at(find, &params.text_document_position, |document, offset| {
                Some(CompletionResponse::Array(completion::completions(document, offset, settings.snippets)))
            })
        }
        "textDocument/signatureHelp" => {
            let params: SignatureHelpParams = read(params)?;
            at(find, &params.text_document_position_params, signature::signature_help)
        }
        "textDocument/prepareRename" => {
            let params: TextDocumentPositionParams = read(params)?;
            let Some((document, offset)) = place(find, &params) else { return Ok(Value::Null) };
            value(rename::prepare(document, offset).map_err(|error| Refusal::Failed(error.to_string()))?)
        }
        "textDocument/rename" => {
            let params: RenameParams = read(params)?;
            let Some((document, offset)) = place(find, &params.text_document_position) else {
                return Ok(Value::Null);
            };
            let edits = rename::rename(document, offset, &params.new_name);
            value(findings::changes(document, edits.map_err(|error| Refusal::Failed(error.to_string()))?))
        }
        "textDocument/codeAction" => {
            let params: CodeActionParams = read(params)?;
            let CodeActionContext { only, trigger_kind, .. } = params.context;
            // What an editor asks for at every step of the cursor is to cost little.
            let is_asked = trigger_kind != Some(CodeActionTriggerKind::AUTOMATIC);
            of(find(&params.text_document.uri), |document| {
                findings::actions(document, params.range, only.as_deref(), is_asked)
            })
        }
        _ => whole(method, params, find, settings),
    }
}

/// Requests about a whole document.
fn whole<'a>(
    method: &str,
    params: Value,
    find: impl Fn(&Uri) -> Option<&'a Document>,
    settings: &Settings,
) -> Answer {
    match method {
        "textDocument/formatting" => {
            let params: DocumentFormattingParams = read(params)?;
            of(find(&params.text_document.uri), formatting::format)
        }
        "textDocument/rangeFormatting" => {
            let params: DocumentRangeFormattingParams = read(params)?;
            of(find(&params.text_document.uri), |document| formatting::format_range(document, params.range))
        }
        "textDocument/documentSymbol" => {
            let params: DocumentSymbolParams = read(params)?;
            of(find(&params.text_document.uri), |document| {
                DocumentSymbolResponse::Nested(symbols::outline(document))
            })
        }
        "textDocument/foldingRange" => {
            let params: FoldingRangeParams = read(params)?;
            of(find(&params.text_document.uri), symbols::folding)
        }
        "textDocument/selectionRange" => {
            let params: SelectionRangeParams = read(params)?;
            of(find(&params.text_document.uri), |document| symbols::selections(document, &params.positions))
        }
        "textDocument/semanticTokens/full" => {
            let params: SemanticTokensParams = read(params)?;
            of(find(&params.text_document.uri), |document| SemanticTokens {
                result_id: None,
                data: semantic_tokens::tokens(document, None),
            })
        }
        "textDocument/semanticTokens/range" => {
            let params: SemanticTokensRangeParams = read(params)?;
            of(find(&params.text_document.uri), |document| {
                let span = document.positions().span_in(document.text(), params.range);
                SemanticTokens { result_id: None, data: semantic_tokens::tokens(document, Some(span)) }
            })
        }
        "textDocument/inlayHint" => {
            let params: InlayHintParams = read(params)?;
            let document = find(&params.text_document.uri).filter(|_| settings.inlay_hints);
            of(document, |document| inlay_hints::inlay_hints(document, params.range))
        }
        "textDocument/codeLens" => {
            let params: CodeLensParams = read(params)?;
            of(find(&params.text_document.uri), lenses::lenses)
        }
        _ => Err(Refusal::UnknownMethod),
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    Ok(serde_json::from_value(params)?)
}

fn value(answer: impl Serialize) -> Answer {
    Ok(serde_json::to_value(answer)?)
}

fn of<T: Serialize>(document: Option<&Document>, answer: impl FnOnce(&Document) -> T) -> Answer {
    document.map_or(Ok(Value::Null), |document| value(answer(document)))
}

fn place<'a>(
    find: impl Fn(&Uri) -> Option<&'a Document>,
    params: &TextDocumentPositionParams,
) -> Option<(&'a Document, usize)> {
    let document = find(&params.text_document.uri)?;
    let Position { line, character } = params.position;
    Some((document, document.positions().offset_in(document.text(), Position { line, character })))
}

fn at<'a, T: Serialize>(
    find: impl Fn(&Uri) -> Option<&'a Document>,
    params: &TextDocumentPositionParams,
    answer: impl FnOnce(&Document, usize) -> Option<T>,
) -> Answer {
    match place(find, params) {
        Some((document, offset)) => value(answer(document, offset)),
        None => Ok(Value::Null),
    }
}
