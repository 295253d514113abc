//! Terms and states from text in either notation.

use ludex_gdl::{GameTime, NodeId, NodeKind, Notation, Tree, parse_term, parse_terms};
use ludex_logic::{SymbolId, TermId, Terms};

use super::{MoveError, Rules, TextError};
use crate::term_maker::TermMaker;
use crate::{Answer, RoleId, State};

impl Rules {
    /// Reads a ground term in either notation: `(mark 1 1)`, `mark(1,1)`.
    ///
    /// Prefix notation is case-independent; where a name is not known in lower case it is taken as it
    /// was written. `None` for a term that the game never met, so that a text cannot make the table
    /// of terms grow.
    ///
    /// # Errors
    /// [`TextError`] where the text is not exactly one term without variables.
    pub fn find_term(&self, text: &str) -> Result<Option<TermId>, TextError> {
        let (tree, node) = read_one(text, self.notation_of(text))?;
        self.term(text, &tree, node, None)
    }

    /// As [`Rules::find_term`], but adds a term that the game never met.
    ///
    /// # Errors
    /// [`TextError`] where the text is not exactly one term without variables, or the table of terms is full.
    pub fn read_term(&self, text: &str) -> Result<TermId, TextError> {
        let (tree, node) = read_one(text, self.notation_of(text))?;
        self.add_term(text, &tree, node)
    }

    /// Reads a list of facts in either notation and gives the state in which exactly they hold. A
    /// fact may be wrapped in `true`, and the list in brackets, as match records have it:
    /// `((cell 1 1 b) (control white))`.
    ///
    /// # Errors
    /// [`TextError`] where the text cannot be read or has a fact that no state can hold.
    pub fn read_state(&self, text: &str) -> Result<State, TextError> {
        let listed = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        // One fact may look like a list whose first item is a name, and the other way round.
        self.read_facts(text).or_else(|error| listed.and_then(|text| self.read_facts(text).ok()).ok_or(error))
    }

    fn read_facts(&self, text: &str) -> Result<State, TextError> {
        let read = parse_terms(text, Some(self.notation_of(text)));
        let syntax = |diagnostics| TextError::Syntax { text: text.to_owned(), diagnostics };
        let (tree, nodes) = read.map_err(syntax)?;
        let mut facts = Vec::with_capacity(nodes.len());
        for node in nodes {
            let fact = if tree.head(node) == Some(("true", 1)) { tree.children(node)[0] } else { node };
            facts.push(self.add_term(text, &tree, fact)?);
        }
        let state = self.state_of(&facts);
        state.map_err(|cause| TextError::Unknown { text: text.to_owned(), cause })
    }

    /// The role of this name.
    pub fn find_role(&self, name: &str) -> Option<RoleId> {
        self.signature().find_role(self.find_term(name).ok().flatten()?)
    }

    /// The move that a text stands for, among the legal moves of a role.
    ///
    /// # Errors
    /// What the machine answers; the inner error where the text cannot be read or is no legal move.
    pub fn find_legal(&self, state: &State, role: RoleId, text: &str) -> Answer<Result<TermId, MoveError>> {
        let legal = self.legal(state, role)?;
        Ok(self.find_among(&legal, role, text))
    }

    /// The move that a text stands for, among some moves of a role.
    ///
    /// # Errors
    /// [`MoveError::Text`] and [`MoveError::Illegal`].
    pub fn find_among(&self, legal: &[TermId], role: RoleId, text: &str) -> Result<TermId, MoveError> {
        if let Some(action) = self.find_term(text)?.filter(|action| legal.contains(action)) {
            return Ok(action);
        }
        // Capitals are easily mistaken, and so are empty brackets: the move is still clear where just one
        // legal move fits.
        let terms = self.signature().terms();
        let sent = bare(text);
        let fits = |a: &&TermId| bare(&terms.prefix(**a)) == sent || bare(&terms.infix(**a)) == sent;
        let mut fitting = legal.iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(&action), None) => Ok(action),
            _ => Err(MoveError::Illegal { role: self.role_name(role), action: text.trim().to_owned() }),
        }
    }

    /// How a text is written that somebody typed: in either notation, and a lone name as the rulesheet is.
    pub fn notation_of(&self, text: &str) -> Notation {
        notation_of(text, self.notation())
    }

    fn add_term(&self, text: &str, tree: &Tree, node: NodeId) -> Result<TermId, TextError> {
        let room = self.question_budget().memory();
        self.term(text, tree, node, Some(room))?.ok_or_else(|| TextError::Full { text: text.to_owned() })
    }

    fn term(
        &self,
        text: &str,
        tree: &Tree,
        node: NodeId,
        room: Option<usize>,
    ) -> Result<Option<TermId>, TextError> {
        let maker = TermMaker { terms: self.signature().terms(), room };
        NodeReader { maker, text, tree, has_times: false }.term(node)
    }
}

/// How a text is written that somebody typed: a lone name as the rulesheet is.
fn notation_of(text: &str, of_rulesheet: Notation) -> Notation {
    if text.trim_start().starts_with('|') {
        // Bars around names are prefix; no infix term starts with one.
        Notation::Prefix
    } else if text.contains(['(', '?', ':', '&', '~']) {
        ludex_gdl::detect_notation(text)
    } else {
        of_rulesheet
    }
}

/// Reads a ground term of a game in real time, where decimal numbers mean the same however they are written; `None`
/// for one that the game never met.
///
/// # Errors
/// [`TextError`] where the text is not exactly one term without variables.
pub(crate) fn find_timed_term(
    terms: &Terms,
    of_rulesheet: Notation,
    text: &str,
) -> Result<Option<TermId>, TextError> {
    timed_term(TermMaker { terms, room: None }, of_rulesheet, text)
}

/// The same, and terms that are new are made.
pub(crate) fn make_timed_term(
    terms: &Terms,
    of_rulesheet: Notation,
    text: &str,
) -> Result<Option<TermId>, TextError> {
    timed_term(TermMaker { terms, room: Some(usize::MAX) }, of_rulesheet, text)
}

fn timed_term(maker: TermMaker<'_>, of_rulesheet: Notation, text: &str) -> Result<Option<TermId>, TextError> {
    let (tree, node) = read_one(text, notation_of(text, of_rulesheet))?;
    NodeReader { maker, text, tree: &tree, has_times: true }.term(node)
}

/// A move in lower case, `(noop)` and `noop()` as `noop`.
fn bare(text: &str) -> String {
    let text = text.trim();
    let name = |inner: &str| !inner.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ','));
    let listed = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).map(str::trim);
    let inner = listed.or(text.strip_suffix("()")).filter(|inner| name(inner));
    inner.unwrap_or(text).to_lowercase()
}

fn read_one(text: &str, notation: Notation) -> Result<(Tree, NodeId), TextError> {
    let syntax = |diagnostics| TextError::Syntax { text: text.to_owned(), diagnostics };
    parse_term(text, Some(notation)).map_err(syntax)
}

/// Makes terms of nodes.
struct NodeReader<'a> {
    maker: TermMaker<'a>,
    text: &'a str,
    tree: &'a Tree,
    /// Whether constants that are decimal numbers are those numbers, as in real time.
    has_times: bool,
}

impl NodeReader<'_> {
    /// The term of a node without variables. The nodes to come wait on a stack of their own, so that
    /// depth cannot overflow the machine's.
    fn term(&self, node: NodeId) -> Result<Option<TermId>, TextError> {
        enum Job {
            Visit(NodeId),
            Build(SymbolId, usize),
        }
        let mut jobs = vec![Job::Visit(node)];
        let mut built: Vec<TermId> = Vec::new();
        while let Some(job) = jobs.pop() {
            match job {
                Job::Visit(node) => match &self.tree.node(node).kind {
                    NodeKind::Constant(name) => {
                        let (name, raw) = (self.tree.name(*name), self.raw(self.tree.span(node)));
                        let number = GameTime::parse(name).ok().filter(|_| self.has_times);
                        let symbol = match number {
                            Some(number) => self.maker.symbol(&number.to_string()),
                            None => self.symbol(name, raw),
                        };
                        let Some(symbol) = symbol else { return Ok(None) };
                        built.push(self.maker.terms.constant_of(symbol));
                    }
                    NodeKind::Compound { name, name_span, .. } => {
                        let raw = self.raw(*name_span);
                        let Some(symbol) = self.symbol(self.tree.name(*name), raw) else { return Ok(None) };
                        let children = self.tree.children(node);
                        jobs.push(Job::Build(symbol, children.len()));
                        jobs.extend(children.iter().rev().map(|&child| Job::Visit(child)));
                    }
                    NodeKind::Variable(name) => {
                        return Err(TextError::Variable {
                            text: self.text.to_owned(),
                            variable: self.tree.name(*name).to_owned(),
                        });
                    }
                    NodeKind::Error => {
                        return Err(TextError::Syntax {
                            text: self.text.to_owned(),
                            diagnostics: Vec::new(),
                        });
                    }
                },
                Job::Build(functor, count) => {
                    // As many terms were built as the compound has children.
                    let args = built.split_off(built.len() - count);
                    let Some(term) = self.maker.compound(functor, &args) else { return Ok(None) };
                    built.push(term);
                }
            }
        }
        Ok(built.pop())
    }

    fn raw(&self, span: ludex_gdl::Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The symbol of a name, as notation wants it or as it was written.
    fn symbol(&self, name: &str, raw: &str) -> Option<SymbolId> {
        let find = |name| self.maker.terms.find_symbol(name);
        find(name).or_else(|| find(raw)).or_else(|| self.maker.symbol(name))
    }
}
