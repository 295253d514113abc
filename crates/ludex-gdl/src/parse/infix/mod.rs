//! The infix notation of the book: `p(X) :- q(X) & ~r(X)`.
//!
//! One loop over the tokens with explicit stacks of operands, operators and open brackets. Clauses
//! need no full stop, so where two operands stand side by side the layout decides: in a rule, what is
//! indented more than its head belongs to it, and an `&` is missing; anything else starts a clause.

pub(crate) mod lexer;
#[cfg(test)]
mod tests;

use crate::check::registry::CUT_STATEMENT;
use crate::diagnostic::{Diagnostic, Fix, Label};
use crate::source::Span;
use crate::tree::{Item, NameId, NodeId, NodeKind, Rulesheet};

use super::syntax_error;
use lexer::{Kind, Lexer, Token, unquote};

/// How many places one diagnostic lists.
const MOST_LABELS: usize = 8;
/// Looking ahead for arrows may cost this many times the length of the text before it is given up.
const LOOK_AHEAD_FACTOR: usize = 4;
/// So many characters are looked back for a bracket.
const MOST_WORDS: usize = 60;

/// What a text consists of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// Clauses; a comma between subgoals means "and".
    Rulesheet,
    /// Statements of Epilog: each ends where the next one begins, and the layout means nothing.
    Epilog,
    /// Terms; a comma separates them.
    Terms,
}

const AND_PRECEDENCE: u8 = 3;

#[derive(Clone, Copy)]
struct Operator {
    kind: Kind,
    span: Span,
    /// The variable of a quantifier.
    variable: Option<NodeId>,
}

impl Operator {
    /// Higher binds closer (book 19.2); quantifiers bind as negation does. Of two that bind alike the right one
    /// comes first.
    fn precedence(self) -> u8 {
        match self.kind {
            Kind::Equal | Kind::NotEqual => 5,
            Kind::Not | Kind::ForAll | Kind::Exists => 4,
            Kind::And => AND_PRECEDENCE,
            Kind::Or => 2,
            Kind::Implies | Kind::Iff | Kind::Transition => 1,
            _ => 0,
        }
    }
}

#[derive(Clone, Copy)]
struct Value {
    node: NodeId,
    token: usize,
    leads_line: bool,
    column: usize,
}

enum Bracket {
    Group,
    /// The arguments of a name, or of something that cannot have any.
    Arguments(Option<NameId>, Span),
}

struct OpenBracket {
    bracket: Bracket,
    open: usize,
    values: usize,
    operators: usize,
    start: Token,
}

struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    reading: Reading,
    token: Token,
    /// The end of the last token that was used.
    last_end: usize,
    sheet: &'a mut Rulesheet,
    diagnostics: Vec<Diagnostic>,
    values: Vec<Value>,
    operators: Vec<Operator>,
    open_brackets: Vec<OpenBracket>,
    /// The head, once the arrow was seen.
    head: Option<NodeId>,
    /// Where the head is a move and the arrow is `::`.
    operation: Option<Span>,
    /// Where the clause starts, and in which column.
    clause: Option<(usize, usize)>,
    /// An operand is next, not an operator.
    wants_operand: bool,
    /// The last diagnostic is about a stray `)` or character, and nothing else came since.
    after_stray: Option<Kind>,
    /// Where the last character that could not be read ended.
    unknown_end: usize,
    /// How many bytes were read to look ahead.
    looked_ahead: usize,
    /// Whether some clause says what holds at first or next, so that none says what holds on a step.
    has_updates: bool,
}

/// Reads `text` into `sheet` and returns the syntax errors.
pub(super) fn parse(text: &str, sheet: &mut Rulesheet, reading: Reading) -> Vec<Diagnostic> {
    let mut lexer = Lexer::new(text);
    let token = lexer.next(Some(&mut sheet.comments));
    let mut parser = Parser {
        text,
        lexer,
        reading,
        token,
        last_end: 0,
        sheet,
        diagnostics: Vec::new(),
        values: Vec::new(),
        operators: Vec::new(),
        open_brackets: Vec::new(),
        head: None,
        operation: None,
        clause: None,
        wants_operand: true,
        after_stray: None,
        unknown_end: 0,
        looked_ahead: 0,
        has_updates: false,
    };
    while parser.token.kind != Kind::End {
        parser.step();
    }
    parser.end_clause();
    parser.diagnostics
}

impl Parser<'_> {
    fn advance(&mut self) {
        self.last_end = self.token.end;
        self.token = self.lexer.next(Some(&mut self.sheet.comments));
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.diagnostics.push(syntax_error(span, message));
        let last = self.diagnostics.len() - 1;
        &mut self.diagnostics[last]
    }

    fn step(&mut self) {
        let token = self.token;
        if !matches!(token.kind, Kind::Close | Kind::Unknown) {
            self.after_stray = None;
        }
        match token.kind {
            Kind::Unknown => self
                .stray(format!("`{}` means nothing here", self.text[token.start..token.end].escape_debug())),
            Kind::Dot => {
                self.unclosed_brackets();
                self.advance();
                self.end_clause();
            }
            Kind::Arrow | Kind::Operation => self.arrow(),
            Kind::Close => self.close(),
            _ if self.wants_operand => self.operand(),
            Kind::Comma => self.comma(),
            Kind::And
            | Kind::Or
            | Kind::Equal
            | Kind::NotEqual
            | Kind::Implies
            | Kind::Iff
            | Kind::Transition => {
                self.binary(token.kind);
            }
            _ => self.side_by_side(),
        }
    }

    /// A character or bracket that cannot be read: a run of them is one error.
    fn stray(&mut self, message: String) {
        let token = self.token;
        match self.diagnostics.last_mut() {
            Some(last) if self.after_stray == Some(token.kind) => {
                if last.span.end as usize == token.start {
                    last.span.end = token.end as u32;
                } else if last.labels.len() < MOST_LABELS {
                    last.labels.push(Label { span: token.span(), text: "and here".into() });
                }
            }
            _ => {
                let variable = &self.text[token.start..token.end] == "?";
                let error = self.error(token.span(), message);
                error.hint =
                    variable.then(|| "in infix notation, a variable starts with a capital: `X`".into());
                self.after_stray = Some(token.kind);
            }
        }
        if token.kind == Kind::Unknown {
            self.unknown_end = token.end;
        }
        self.advance();
    }

    fn operand(&mut self) {
        let token = self.token;
        if self.clause.is_none() {
            self.clause = Some((token.start, token.column));
        }
        match token.kind {
            Kind::Name | Kind::Quoted | Kind::Variable => self.word(),
            Kind::Not => {
                self.advance();
                // `not(p)` may be written as well; with several arguments the checks complain.
                let word = self.text.as_bytes()[token.start] == b'n';
                if word && self.token.kind == Kind::Open && self.token.start == token.end {
                    let name = self.sheet.tree.intern("not");
                    self.open(Bracket::Arguments(Some(name), token.span()), token);
                } else {
                    self.operators.push(Operator { kind: Kind::Not, span: token.span(), variable: None });
                }
            }
            Kind::ForAll | Kind::Exists => self.quantifier(),
            Kind::Open => self.open(Bracket::Group, token),
            _ => {
                let message =
                    format!("there is nothing to the left of `{}`", &self.text[token.start..token.end]);
                self.error(token.span(), message);
                self.advance();
            }
        }
    }

    /// A quantifier with its variable, which binds what follows.
    fn quantifier(&mut self) {
        let token = self.token;
        self.advance();
        let variable = Span::new(token.inner.0, token.inner.1);
        let text = &self.text[token.inner.0..token.inner.1];
        let name = self.sheet.tree.intern(text);
        let node = self.sheet.tree.variable(name, variable);
        let operator = Operator { kind: token.kind, span: token.span(), variable: Some(node) };
        self.operators.push(operator);
        if text.is_empty() {
            self.error(token.span(), "a quantifier without a variable").hint =
                Some("write the variable and a colon behind it: `AX:p(X)`".into());
        } else if !text.starts_with(|c: char| c == '_' || c.is_uppercase()) {
            self.error(variable, "a quantifier binds a variable, and this is a constant").hint =
                Some("in infix notation, a variable starts with a capital: `X`".into());
        }
    }

    fn word(&mut self) {
        let token = self.token;
        let inner = &self.text[token.inner.0..token.inner.1];
        let name = if token.kind == Kind::Quoted {
            let name = unquote(inner);
            self.sheet.tree.intern(&name)
        } else {
            self.sheet.tree.intern(inner)
        };
        if token.unclosed {
            let quote = Span::new(token.start, token.start + 1);
            self.error(quote, "this quoted name does not end on its line").hint =
                Some("write `'` at the end of the name".into());
        }
        self.advance();
        let span = token.span();
        let variable = token.kind == Kind::Variable;
        // A bracket after a blank still opens arguments, but one on the next line does not.
        let applied = self.token.kind == Kind::Open
            && !self.token.leads_line
            && (!variable || self.token.start == token.end);
        if applied {
            if variable {
                self.error(span, "a variable cannot be the name of a relation or function").hint =
                    Some("names start with a lower-case letter, or stand in single quotes".into());
            }
            self.open(Bracket::Arguments((!variable).then_some(name), span), token);
            return;
        }
        let node = if variable {
            self.sheet.tree.variable(name, span)
        } else {
            self.sheet.tree.constant(name, span)
        };
        self.push(node, token);
    }

    fn push(&mut self, node: NodeId, token: Token) {
        self.values.push(Value {
            node,
            token: token.start,
            leads_line: token.leads_line,
            column: token.column,
        });
        self.wants_operand = false;
    }

    /// Opens the bracket that is the current token.
    fn open(&mut self, bracket: Bracket, start: Token) {
        let open = self.token.start;
        self.open_brackets.push(OpenBracket {
            bracket,
            open,
            values: self.values.len(),
            operators: self.operators.len(),
            start,
        });
        self.advance();
        self.wants_operand = true;
    }

    fn close(&mut self) {
        if self.open_brackets.is_empty() {
            self.stray("this `)` closes nothing".into());
            return;
        }
        let end = self.token.end;
        self.close_list(end, self.token.start);
        self.advance();
    }

    /// Ends the innermost bracket; `gap` is where a missing operand would stand.
    fn close_list(&mut self, end: usize, gap: usize) {
        let Some(opened) = self.open_brackets.last() else { return };
        let (values, operators, start, open) = (opened.values, opened.operators, opened.start, opened.open);
        let empty = self.values.len() == values && self.operators.len() == operators;
        let is_group = matches!(opened.bracket, Bracket::Group);
        if self.wants_operand && (!empty || is_group) {
            let (from, message) = if empty {
                (open, "nothing stands between these brackets")
            } else {
                (self.last_end.min(gap), "something is missing before this bracket")
            };
            self.error(Span::new(from, end.max(from)), message);
            let node = self.sheet.tree.error(Span::new(gap, gap));
            self.push(node, start);
        }
        self.reduce_all(operators);
        let Some(opened) = self.open_brackets.pop() else { return };
        let span = Span::new(start.start, end);
        let node = match opened.bracket {
            Bracket::Group => {
                // One value is left, since every operand but the last is followed by an operator.
                self.values.last().map(|v| v.node)
            }
            Bracket::Arguments(Some(name), name_span) => {
                let args: Vec<NodeId> = self.values[values..].iter().map(|v| v.node).collect();
                Some(self.sheet.tree.compound(name, name_span, &args, span))
            }
            Bracket::Arguments(None, _) => Some(self.sheet.tree.error(span)),
        };
        self.values.truncate(values);
        let node = node.unwrap_or_else(|| self.sheet.tree.error(span));
        self.push(node, start);
    }

    fn comma(&mut self) {
        match self.open_brackets.last() {
            Some(OpenBracket { bracket: Bracket::Arguments(..), operators, .. }) => {
                let operators = *operators;
                self.reduce_all(operators);
                self.advance();
                self.wants_operand = true;
            }
            None if self.reading == Reading::Terms => {
                self.advance();
                self.end_clause();
            }
            _ => self.binary(Kind::And),
        }
    }

    fn binary(&mut self, kind: Kind) {
        let operator = Operator { kind, span: self.token.span(), variable: None };
        self.push_operator(operator);
        self.advance();
    }

    fn push_operator(&mut self, operator: Operator) {
        let base = self.open_brackets.last().map_or(0, |f| f.operators);
        while self.operators.len() > base
            && self.operators[self.operators.len() - 1].precedence() > operator.precedence()
        {
            self.reduce(base);
        }
        self.operators.push(operator);
        self.wants_operand = true;
    }

    fn reduce_all(&mut self, base: usize) {
        while self.operators.len() > base {
            self.reduce(base);
        }
    }

    /// Makes a node of the topmost operator, of a whole chain `a & b & c` at once.
    fn reduce(&mut self, base: usize) {
        let Some(top) = self.operators.pop() else { return };
        let chain = match top.kind {
            Kind::And | Kind::Or => {
                let same = self.operators[base..].iter().rev().take_while(|o| o.kind == top.kind).count();
                self.operators.truncate(self.operators.len() - same);
                same + 2
            }
            Kind::Not | Kind::ForAll | Kind::Exists => 1,
            _ => 2,
        };
        let name = match top.kind {
            Kind::And => "and",
            Kind::Or => "or",
            Kind::Not => "not",
            Kind::Equal => "=",
            Kind::NotEqual => "distinct",
            Kind::Implies => "=>",
            Kind::Iff => "<=>",
            Kind::Transition => "==>",
            Kind::ForAll => "A:",
            _ => "E:",
        };
        let first = self.values.len().saturating_sub(chain);
        let Some(left) = self.values.get(first).copied() else { return };
        let mut args: Vec<NodeId> = Vec::with_capacity(chain + 1);
        args.extend(top.variable);
        args.extend(self.values[first..].iter().map(|v| v.node));
        let last = self.values[self.values.len() - 1];
        let tree = &mut self.sheet.tree;
        let name = tree.intern(name);
        let mut span = tree.span(left.node).to(tree.span(last.node));
        if chain == 1 {
            span = span.to(top.span);
        }
        let node = tree.compound(name, top.span, &args, span);
        self.values.truncate(first);
        self.values.push(Value { node, ..left });
    }

    /// An operand right after an operand.
    fn side_by_side(&mut self) {
        let token = self.token;
        let column = self.clause.map_or(0, |c| c.1);
        let outdented = token.leads_line && token.column <= column;
        let is_name = matches!(token.kind, Kind::Name | Kind::Quoted);
        let gap = if token.leads_line {
            Span::new(self.last_end, self.last_end)
        } else {
            Span::new(self.last_end, token.start)
        };
        if !self.open_brackets.is_empty()
            && is_name
            && token.leads_line
            && (outdented || self.arrow_follows())
        {
            self.unclosed_brackets();
            self.end_clause();
            return;
        }
        if let Some(opened) = self.open_brackets.last() {
            if matches!(opened.bracket, Bracket::Arguments(..)) {
                let operators = opened.operators;
                self.reduce_all(operators);
                // After a character that could not be read this is no news.
                if self.unknown_end != self.last_end {
                    let fix = Fix::new("put a comma in", Span { end: gap.start, ..gap }, ",");
                    self.error(gap, "a comma is missing here").fix = Some(Box::new(fix));
                }
                self.wants_operand = true;
            } else {
                self.missing_and(gap);
            }
            return;
        }
        if self.reading == Reading::Epilog {
            self.next_statement(outdented);
            return;
        }
        if self.head.is_none() {
            self.end_clause();
            return;
        }
        // These three are never heads, but in SDL `true` has rules, and there is no `next`.
        let literal_only = match &self.text[token.start..token.end] {
            "distinct" | "does" => true,
            "true" => self.has_updates || !self.two_arguments_follow(),
            _ => false,
        };
        let is_word = is_name || token.kind == Kind::Variable;
        let starts_clause = is_word && ((outdented && !literal_only) || self.arrow_follows());
        if starts_clause {
            self.end_clause();
        } else {
            self.missing_and(gap);
        }
    }

    /// A statement of Epilog begins. In the middle of a line, or further to the right than the one before, that is hardly
    /// what its author meant.
    fn next_statement(&mut self, outdented: bool) {
        let token = self.token;
        let is_body = self.head.is_some() && !outdented && !self.arrow_follows();
        let gap = self.last_end;
        self.end_clause();
        if is_body {
            let message = "the statement before ends here, where an `&` may be missing";
            let hint = "statements end where the next one begins: what follows is a statement of its own";
            self.diagnostics.push(CUT_STATEMENT.at(Span::new(gap, token.end), message).hint(hint));
        }
    }

    fn missing_and(&mut self, gap: Span) {
        if self.unknown_end != self.last_end {
            let hint = if self.is_in_bare_brackets(gap) {
                "terms are written `does(a,go)` in infix notation; `(does a go)` is prefix notation"
            } else {
                "write `&` here; a new rule or fact would start further to the left"
            };
            let fix = Fix::new("put an `&` in", Span { end: gap.start, ..gap }, " &");
            let error = self.error(gap, "an `&` is missing between these two subgoals");
            (error.hint, error.fix) = (Some(hint.into()), Some(Box::new(fix)));
        }
        self.push_operator(Operator { kind: Kind::And, span: gap, variable: None });
    }

    /// Whether what ends here is a word behind a bracket that follows no name, and perhaps other words: `(does a`.
    fn is_in_bare_brackets(&self, gap: Span) -> bool {
        let is_name = |c: &char| c.is_alphanumeric() || *c == '_';
        let before = self.text[..gap.start as usize].chars().rev().take(MOST_WORDS);
        let mut before = before.skip_while(|c| is_name(c) || c.is_whitespace());
        before.next() == Some('(') && !before.find(|c| !c.is_whitespace()).is_some_and(|c| is_name(&c))
    }

    /// Whether the name here is applied to two terms.
    fn two_arguments_follow(&mut self) -> bool {
        let start = self.token.end;
        let most = (LOOK_AHEAD_FACTOR * self.text.len()).saturating_sub(self.looked_ahead);
        let mut ahead = self.lexer.clone();
        let (mut depth, mut arguments) = (0usize, 1);
        loop {
            let token = ahead.next(None);
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth = depth.saturating_sub(1),
                Kind::Comma if depth == 1 => arguments += 1,
                _ => {}
            }
            let read = token.end - start;
            if depth == 0 || matches!(token.kind, Kind::End | Kind::Arrow | Kind::Dot) || read > most {
                self.looked_ahead += read;
                return arguments == 2 && token.kind == Kind::Close;
            }
        }
    }

    /// Whether the atom that starts here is the head of a rule.
    fn arrow_follows(&mut self) -> bool {
        let start = self.token.end;
        // Atoms that stand in one another would be read over and over.
        let most = (LOOK_AHEAD_FACTOR * self.text.len()).saturating_sub(self.looked_ahead);
        let mut ahead = self.lexer.clone();
        let mut depth = 0usize;
        loop {
            let token = ahead.next(None);
            let found = match token.kind {
                Kind::Open => {
                    depth += 1;
                    None
                }
                Kind::Close if depth > 0 => {
                    depth -= 1;
                    None
                }
                kind if depth == 0 => Some(matches!(kind, Kind::Arrow | Kind::Operation)),
                Kind::End | Kind::Arrow | Kind::Operation | Kind::Dot => Some(false),
                _ => None,
            };
            let read = token.end - start;
            if let Some(found) = found.or((read > most).then_some(false)) {
                self.looked_ahead += read;
                return found;
            }
        }
    }

    fn arrow(&mut self) {
        let token = self.token;
        if self.head.is_none() && !self.open_brackets.is_empty() {
            self.unclosed_brackets();
        }
        if self.head.is_none() {
            let head = if self.wants_operand && self.values.is_empty() && self.operators.is_empty() {
                self.clause = Some((token.start, token.column));
                self.error(token.span(), "a rule without a head");
                self.sheet.tree.error(token.span())
            } else {
                self.whole_formula()
            };
            self.head = Some(head);
            self.operation = operation(token);
            self.wants_operand = true;
            self.advance();
            return;
        }
        // A second arrow: the operand before it is the head of a rule of its own.
        let base = self.open_brackets.last().map_or(0, |f| f.values);
        let column = self.clause.map_or(0, |c| c.1);
        let next = match self.values.last() {
            Some(&value)
                if !self.wants_operand
                    && self.values.len() > base
                    && (self.open_brackets.is_empty() || (value.leads_line && value.column <= column)) =>
            {
                let kind = &self.sheet.tree.node(value.node).kind;
                let atom = matches!(kind, NodeKind::Constant(_) | NodeKind::Compound { .. });
                let joined = self.operators.last().is_none_or(|o| o.kind == Kind::And);
                (atom && joined).then_some(value)
            }
            _ => None,
        };
        let Some(value) = next else {
            self.error(token.span(), "a rule can have only one arrow");
            self.advance();
            if !self.wants_operand {
                self.push_operator(Operator { kind: Kind::And, span: token.span(), variable: None });
            }
            return;
        };
        self.values.pop();
        self.wants_operand = true;
        let node_end = self.last_end;
        // Where the part before it ends.
        let gap = match self.operators.last() {
            Some(operator) => operator.span.end as usize,
            None => self.text[..value.token].trim_end().len(),
        };
        self.last_end = gap;
        if self.open_brackets.is_empty() && self.operators.is_empty() && self.values.is_empty() {
            self.error(Span::new(gap, gap), "the subgoals of this rule are missing").hint =
                Some("a rule without subgoals ends in a full stop".into());
        }
        self.unclosed_brackets();
        self.end_clause();
        self.last_end = node_end;
        self.clause = Some((value.token, value.column));
        self.head = Some(value.node);
        self.operation = operation(token);
        self.wants_operand = true;
        self.advance();
    }

    /// Reports the brackets that are open where the clause ends, and closes them.
    fn unclosed_brackets(&mut self) {
        let Some(opened) = self.open_brackets.last() else { return };
        let open = opened.open;
        let missing = self.open_brackets.len();
        let hint = match missing {
            1 => "one `)` is missing".to_owned(),
            n => format!("{n} closing brackets are missing in this clause"),
        };
        let end = self.last_end;
        let brackets = ")".repeat(missing);
        let fix =
            Fix::new(format!("close the clause with {missing} more `)`"), Span::new(end, end), brackets);
        let error = self.error(Span::new(open, open + 1), "this `(` is never closed");
        (error.hint, error.fix) = (Some(hint), Some(Box::new(fix)));
        while let Some(opened) = self.open_brackets.last() {
            if self.wants_operand {
                let empty = self.values.len() == opened.values && self.operators.len() == opened.operators;
                if !empty || matches!(opened.bracket, Bracket::Group) {
                    let start = opened.start;
                    let node = self.sheet.tree.error(Span::new(end, end));
                    self.push(node, start);
                }
            }
            self.close_list(end, end);
        }
    }

    /// Reports an operator without its right side, and gives it one.
    fn fill_dangling(&mut self) {
        if !self.wants_operand || self.operators.is_empty() {
            return;
        }
        let Some(operator) = self.operators.last().copied() else { return };
        let at = operator.span.end as usize;
        let text = &self.text[operator.span.range()];
        let message = format!("something is missing after `{text}`");
        self.error(Span::new(at, at), message);
        match operator.kind {
            Kind::And if self.operators.iter().all(|o| o.kind == Kind::And) => {
                self.operators.pop();
                self.wants_operand = false;
            }
            _ => {
                let node = self.sheet.tree.error(Span::new(at, at));
                let value = Value { node, token: at, leads_line: false, column: 0 };
                self.values.push(value);
                self.wants_operand = false;
            }
        }
    }

    /// All operands and operators as one node.
    fn whole_formula(&mut self) -> NodeId {
        self.fill_dangling();
        self.reduce_all(0);
        let node = self.values.first().map(|v| v.node);
        self.values.clear();
        let at = self.last_end;
        node.unwrap_or_else(|| self.sheet.tree.error(Span::new(at, at)))
    }

    fn end_clause(&mut self) {
        self.unclosed_brackets();
        self.fill_dangling();
        let Some((start, _)) = self.clause.take() else {
            self.wants_operand = true;
            return;
        };
        let span = Span::new(start, self.last_end.max(start));
        let head = self.head.or(self.values.first().map(|value| value.node));
        let name = head.and_then(|head| self.sheet.tree.head(head)).map(|(name, _)| name);
        self.has_updates |= matches!(name, Some("init" | "next"));
        if let (Some(head), Some(sign)) = (self.head, self.operation.take()) {
            self.head = None;
            let effects = self.whole_formula();
            let name = self.sheet.tree.intern("::");
            let head = self.sheet.tree.compound(name, sign, &[head, effects], span);
            self.sheet.items.push(Item { head, body: None, span });
        } else if let Some(head) = self.head.take() {
            while self.operators.last().is_some_and(|o| o.precedence() > AND_PRECEDENCE) {
                self.reduce(0);
            }
            let body = if self.operators.iter().all(|o| o.kind == Kind::And) {
                self.operators.clear();
                self.values.drain(..).map(|v| v.node).collect()
            } else {
                vec![self.whole_formula()]
            };
            self.sheet.items.push(Item { head, body: Some(body), span });
        } else if !self.values.is_empty() || !self.operators.is_empty() {
            let head = self.whole_formula();
            if !matches!(self.sheet.tree.node(head).kind, NodeKind::Error) {
                self.sheet.items.push(Item { head, body: None, span });
            }
        }
        self.values.clear();
        self.operators.clear();
        self.wants_operand = true;
    }
}

/// Where the arrow is the one of an operation.
fn operation(arrow: Token) -> Option<Span> {
    (arrow.kind == Kind::Operation).then(|| arrow.span())
}
