//! What can be written at the cursor.

use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionTextEdit, Documentation, InsertTextFormat, Range, TextEdit,
};
use ludex::gdl::{Dialect, Notation, OccurrenceKind, Symbol, spell_constant, spell_variable};
use rustc_hash::FxHashSet;

use crate::cursor::{Cursor, Expected, cursor};
use crate::document::Document;
use crate::keywords::{Keyword, keywords};
use crate::knowledge::{Place, Values};
use crate::names::{place_of, text_of};

/// So many values of a place are offered.
const MOST: usize = 300;

/// Words that stand at the start of clauses.
const HEADS: [&str; 12] = [
    "role", "base", "input", "action", "init", "legal", "next", "goal", "terminal", "sees", "percept", "step",
];
/// Words that stand in bodies.
const CONDITIONS: [&str; 15] = [
    "true",
    "does",
    "distinct",
    "not",
    "or",
    "role",
    "expired",
    "successor",
    "control",
    "plus",
    "minus",
    "times",
    "max",
    "min",
    "leq",
];

/// The completions at a byte offset.
pub fn completions(document: &Document, offset: usize, snippets: bool) -> Vec<CompletionItem> {
    let cursor = cursor(document, offset);
    let notation = document.rulesheet().notation;
    let range = document.positions().range(cursor.word);
    let mut list = List {
        document,
        cursor: &cursor,
        range,
        snippets,
        notation,
        items: Vec::new(),
        seen: FxHashSet::default(),
    };
    match &cursor.expected {
        Expected::Nothing => {}
        Expected::Clause => list.clauses(),
        Expected::Head => {
            list.words(&HEADS);
            list.relations(true);
        }
        Expected::Condition => {
            list.words(&CONDITIONS);
            list.relations(false);
        }
        Expected::Argument { parent, of_relation, index } => list.argument(parent, *of_relation, *index),
    }
    list.items
}

struct List<'a> {
    document: &'a Document,
    cursor: &'a Cursor,
    range: Range,
    snippets: bool,
    notation: Notation,
    items: Vec<CompletionItem>,
    seen: FxHashSet<(String, usize)>,
}

impl List<'_> {
    fn dialect(&self) -> Dialect {
        self.document.checked().dialect
    }

    /// Heads of facts, and rules with a head and a body.
    fn clauses(&mut self) {
        let words: Vec<&Keyword> = keywords(self.dialect()).filter(|k| HEADS.contains(&k.name)).collect();
        for word in words {
            let placeholders: Vec<String> = word.arguments.iter().map(|a| (*a).to_owned()).collect();
            self.sentence(word.name, &placeholders, CompletionItemKind::KEYWORD, word.meaning, '1');
        }
        self.sentence_of_percepts();
        if self.notation == Notation::Prefix {
            let open = if self.cursor.is_bracketed { "" } else { "(" };
            let close = if self.cursor.is_bracketed { "" } else { ")" };
            let snippet = format!("{open}<= ${{1:head}}\n    ${{2:condition}}{close}");
            self.item(
                "<=",
                &snippet,
                &format!("{open}<= "),
                CompletionItemKind::SNIPPET,
                "The head holds where all the conditions do.",
                '0',
            );
        }
        self.relations(true);
    }

    /// In plain GDL `sees` is offered, too: who writes it wants GDL-II.
    fn sentence_of_percepts(&mut self) {
        if self.dialect() == Dialect::Gdl {
            let found = keywords(Dialect::GdlII).find(|keyword| keyword.name == "sees");
            if let Some(word) = found {
                let placeholders: Vec<String> = word.arguments.iter().map(|a| (*a).to_owned()).collect();
                self.sentence(word.name, &placeholders, CompletionItemKind::KEYWORD, word.meaning, '5');
            }
        }
    }

    fn words(&mut self, among: &[&str]) {
        let words: Vec<&Keyword> = keywords(self.dialect()).filter(|k| among.contains(&k.name)).collect();
        for word in words {
            let is_negation = word.name == "not" && self.notation == Notation::Infix;
            let is_disjunction = word.name == "or" && self.notation == Notation::Infix;
            if is_negation || is_disjunction {
                continue;
            }
            let placeholders: Vec<String> = word.arguments.iter().map(|a| (*a).to_owned()).collect();
            self.sentence(word.name, &placeholders, CompletionItemKind::KEYWORD, word.meaning, '2');
        }
    }

    /// The relations of the rulesheet; in bodies all of them, for heads those that have clauses.
    fn relations(&mut self, heads: bool) {
        let names = self.document.names();
        let mut symbols: Vec<Symbol> =
            names.symbols().filter(|s| s.kind == OccurrenceKind::Relation).collect();
        symbols.sort_unstable();
        for symbol in symbols {
            let name = text_of(self.document, symbol).to_owned();
            let is_typed_now = |span: ludex::gdl::Span| span.start == self.cursor.word.start;
            let mut uses = names.of_symbol(symbol).filter(|o| !is_typed_now(o.span)).peekable();
            if uses.peek().is_none() {
                continue;
            }
            let head = names.of_symbol(symbol).find(|o| o.is_head);
            if heads && head.is_none() {
                continue;
            }
            let placeholders = self.placeholders(symbol, head.map(|o| o.node));
            let detail = format!("relation {name}/{}", symbol.arity);
            self.sentence(&name, &placeholders, CompletionItemKind::FUNCTION, &detail, '3');
        }
    }

    /// Names for the arguments: the variables of its first clause, where it has some.
    fn placeholders(&self, symbol: Symbol, head: Option<ludex::gdl::NodeId>) -> Vec<String> {
        let tree = &self.document.rulesheet().tree;
        let written = |node| {
            let text = self.document.source().slice(tree.span(node));
            (text.len() < 20 && !text.contains(['$', '}', '\\', '\n', '('])).then(|| text.to_owned())
        };
        let arguments = head.map(|head| tree.children(head)).unwrap_or_default();
        (0..symbol.arity.min(20) as usize)
            .map(|index| {
                arguments
                    .get(index)
                    .and_then(|&node| written(node))
                    .unwrap_or_else(|| format!("argument{}", index + 1))
            })
            .collect()
    }

    fn argument(&mut self, parent: &str, of_relation: bool, index: usize) {
        for variable in &self.cursor.variables {
            let spelled = spell_variable(variable, self.notation);
            self.item(
                &spelled,
                &spelled,
                &spelled,
                CompletionItemKind::VARIABLE,
                "a variable of this clause",
                '1',
            );
        }
        let values = self.values(parent, of_relation, index);
        for (name, arity) in values.functions.into_iter().take(MOST) {
            let symbol = self.document.names().symbols().find(|s| {
                s.kind == OccurrenceKind::Function
                    && s.arity as usize == arity
                    && text_of(self.document, *s) == name
            });
            let node = symbol.and_then(|s| {
                self.document.names().definitions(s, self.document.rulesheet()).first().map(|o| o.node)
            });
            let placeholders = match symbol {
                Some(symbol) => self.placeholders(symbol, node),
                None => (1..=arity).map(|n| format!("argument{n}")).collect(),
            };
            self.sentence(&name, &placeholders, CompletionItemKind::STRUCT, "can stand here", '0');
        }
        if self.cursor.is_bracketed {
            return;
        }
        for name in values.constants.into_iter().take(MOST) {
            let spelled = spell_constant(&name, self.notation);
            self.item(&spelled, &spelled, &spelled, CompletionItemKind::ENUM_MEMBER, "can stand here", '0');
        }
    }

    /// What can stand in an argument: by the domain graph, and by what stands there elsewhere in the text.
    fn values(&self, parent: &str, of_relation: bool, index: usize) -> Values {
        let mut values = Values::default();
        let names = self.document.names();
        if let Some(knowledge) = self.document.knowledge() {
            for arity in index + 1..index + 12 {
                let place = if of_relation {
                    Place::Relation(parent, arity, index)
                } else {
                    Place::Function(parent, arity, index)
                };
                add(&mut values, knowledge.values(place).unwrap_or_default());
            }
        }
        // What becomes true and what is true are the same facts.
        let same: &[&str] = match parent {
            "true" | "next" | "init" | "base" | "expired" => &["true", "next", "init", "base", "expired"],
            "does" | "legal" | "input" | "action" => &["does", "legal", "input", "action"],
            "sees" | "percept" => &["sees", "percept"],
            _ => &[],
        };
        for occurrence in names.all() {
            if occurrence.span.start == self.cursor.word.start {
                continue;
            }
            let Some(place) = place_of(self.document, occurrence) else { continue };
            let (is_relation, name, at) = match place {
                Place::Relation(name, _, at) => (true, name, at),
                Place::Function(name, _, at) => (false, name, at),
            };
            let is_same =
                is_relation == of_relation && at == index && (name == parent || same.contains(&name));
            let found = text_of(self.document, occurrence.symbol).to_owned();
            let mut one = Values::default();
            match occurrence.symbol.kind {
                OccurrenceKind::Constant if is_same => one.constants.push(found),
                OccurrenceKind::Function if is_same => {
                    one.functions.push((found, occurrence.symbol.arity as usize))
                }
                _ => continue,
            }
            add(&mut values, one);
        }
        values
    }

    /// A name with its arguments.
    fn sentence(
        &mut self,
        name: &str,
        placeholders: &[String],
        kind: CompletionItemKind,
        detail: &str,
        order: char,
    ) {
        let spelled = spell_constant(name, self.notation);
        let mut snippet = String::new();
        let has_arguments = !placeholders.is_empty();
        let is_bracketed = self.cursor.is_bracketed;
        match self.notation {
            Notation::Prefix => {
                let open = if has_arguments && !is_bracketed { "(" } else { "" };
                let close = if has_arguments && !is_bracketed { ")" } else { "" };
                snippet.push_str(open);
                snippet.push_str(&escaped(&spelled));
                for (number, placeholder) in placeholders.iter().enumerate() {
                    snippet.push_str(&format!(" ${{{}:{}}}", number + 1, escaped(placeholder)));
                }
                snippet.push_str(close);
                let plain = format!("{open}{spelled}{}", if has_arguments { " " } else { "" });
                self.item(name, &snippet, &plain, kind, detail, order);
            }
            Notation::Infix => {
                snippet.push_str(&escaped(&spelled));
                if has_arguments {
                    let inner = placeholders.iter().enumerate();
                    let inner: Vec<String> =
                        inner.map(|(i, p)| format!("${{{}:{}}}", i + 1, escaped(p))).collect();
                    snippet.push_str(&format!("({})", inner.join(",")));
                }
                let plain = format!("{spelled}{}", if has_arguments { "(" } else { "" });
                self.item(name, &snippet, &plain, kind, detail, order);
            }
        }
    }

    fn item(
        &mut self,
        label: &str,
        snippet: &str,
        plain: &str,
        kind: CompletionItemKind,
        detail: &str,
        order: char,
    ) {
        if !self.seen.insert((label.to_owned(), snippet.matches("${").count())) {
            return;
        }
        let new_text = if self.snippets { snippet.to_owned() } else { plain.to_owned() };
        self.items.push(CompletionItem {
            label: label.to_owned(),
            kind: Some(kind),
            documentation: Some(Documentation::String(detail.to_owned())),
            sort_text: Some(format!("{order}{label}")),
            filter_text: Some(plain.trim_end_matches([' ', '(']).to_owned()),
            insert_text_format: Some(if self.snippets {
                InsertTextFormat::SNIPPET
            } else {
                InsertTextFormat::PLAIN_TEXT
            }),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: self.range, new_text })),
            ..CompletionItem::default()
        });
    }
}

fn add(values: &mut Values, more: Values) {
    for constant in more.constants {
        if !values.constants.contains(&constant) && values.constants.len() < MOST {
            values.constants.push(constant);
        }
    }
    for function in more.functions {
        if !values.functions.contains(&function) && values.functions.len() < MOST {
            values.functions.push(function);
        }
    }
}

/// A text inside of a snippet.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '$' | '}' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
