//! The rules of a game with a property in the place of the goals.
//!
//! The clauses of the property are written behind the rulesheet and read with it, so that all that is checked of rules is
//! checked of formulas. What a move must lead to becomes a fact of the next state (`after`), from which the moves can be told.

use std::sync::Arc;

use ludex_game::Rules;
use ludex_gdl::{
    Check, Diagnostic, GameProgram, LoadOptions, NameId, NodeId, NodeKind, Notation, SYNTAX, Severity,
    Source, Span, Tree, load, parse_terms, print_term, spell_variable,
};
use ludex_logic::ProgramBuilder;

use super::{FormulaText, Property};

/// Holds for the first role and 100 in the states that break the property.
const BROKEN: &str = "ludex_property_is_broken";
/// Holds where the formula of the property does.
const HOLDS: &str = "ludex_property_holds";
/// The functor of the fact that says for which values the formula about moves held.
const AFTER: &str = "ludex_property_after";

/// The program in which goal 100 of the first role stands for a state that breaks the property.
pub(super) fn instrumented(rules: &Rules, property: Property<'_>) -> Result<GameProgram, Vec<Diagnostic>> {
    if rules.dialect().is_incomplete() {
        let span = match property {
            Property::Always(formula) | Property::Never(formula) | Property::After(formula, _) => {
                formula.span
            }
        };
        let message = "what is so in all positions is found out of rules, and these are sentences";
        return Err(vec![error(span, message)]);
    }
    let mut writer = Writer::new(rules);
    writer.property(property)?;
    writer.ask();
    let options = LoadOptions {
        notation: Some(rules.notation()),
        dialect: Some(rules.dialect()),
        ..LoadOptions::default()
    };
    let source = Arc::new(Source::new(rules.source().name(), writer.text.as_str()));
    let checked = load(source, &options);
    let errors: Vec<Diagnostic> =
        checked.diagnostics.iter().filter_map(|diagnostic| writer.about_property(diagnostic)).collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let broken = |game: &GameProgram| game.program.find_relation(BROKEN, 2);
    let game = checked.game.and_then(|game| broken(&game).map(|relation| (game, relation)));
    let Some((mut game, relation)) = game else {
        return Err(vec![error(writer.whole, "the rules have no meaning with this formula")]);
    };
    let goal = game.vocabulary.goal;
    let mut builder = ProgramBuilder::from_program(game.program);
    for asked in &mut builder.interface().asked {
        if *asked == goal {
            *asked = relation;
        }
    }
    game.program = builder.finish();
    game.vocabulary.goal = relation;
    Ok(game)
}

fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(SYNTAX, Severity::Error, span, message)
}

/// Writes clauses behind a rulesheet.
struct Writer<'r> {
    rules: &'r Rules,
    notation: Notation,
    has_steps: bool,
    role: String,
    text: String,
    /// Where what was added begins.
    start: usize,
    /// Where the formulas stand in the text, and where they are written.
    formulas: Vec<(Span, Span)>,
    /// The place of all formulas.
    whole: Span,
}

/// A formula that was read.
struct ReadFormula {
    /// In the notation of the rulesheet.
    text: String,
    /// Where it is written.
    span: Span,
    /// Whether the text is that which is written there.
    is_verbatim: bool,
    /// Its variables as they are written, but for the step.
    variables: Vec<String>,
    /// In languages with steps: the variable that stands for the step, if there is one.
    step: Option<String>,
}

impl<'r> Writer<'r> {
    fn new(rules: &'r Rules) -> Self {
        let text = format!("{}\n", rules.source().text());
        Self {
            rules,
            notation: rules.notation(),
            has_steps: rules.dialect().has_steps(),
            role: rules.roles().next().map(|role| rules.role_name(role)).unwrap_or_default(),
            start: text.len(),
            text,
            formulas: Vec::new(),
            whole: Span::default(),
        }
    }

    fn property(&mut self, property: Property<'_>) -> Result<(), Vec<Diagnostic>> {
        match property {
            Property::Never(formula) => {
                let formula = self.read(formula)?;
                let step = self.step_of(&formula);
                let head = self.broken(&step);
                self.clause(&head, &[], Some(&formula), &[]);
            }
            Property::Always(formula) => {
                let formula = self.read(formula)?;
                let step = self.step_of(&formula);
                let holds = self.atom(HOLDS, &step);
                self.clause(&holds, &[], Some(&formula), &[]);
                let domain: Vec<String> =
                    step.iter().map(|step| self.atom("step", std::slice::from_ref(step))).collect();
                let (head, fails) = (self.broken(&step), self.not(&holds));
                self.clause(&head, &domain, None, &[fails]);
            }
            Property::After(when, then) => self.after(when, then)?,
        }
        Ok(())
    }

    /// Has a rule ask for what breaks the property, where relations that nobody asks for are left out.
    fn ask(&mut self) {
        if !self.has_steps {
            return;
        }
        let step = vec![spell_variable("ludex_step", self.notation)];
        // A rule for what the formulas speak of would go round in a circle.
        let speaks_of_goals = self.text.get(self.start..).is_some_and(|text| text.contains("goal"));
        let (name, value) = if speaks_of_goals { ("legal", "ludex_nothing") } else { ("goal", "0") };
        let arguments = ["ludex_nobody".to_owned(), value.to_owned()];
        let head = self.atom(name, &[&arguments[..], &step].concat());
        let broken = self.broken(&step);
        self.clause(&head, &[broken], None, &[]);
    }

    fn after(&mut self, when: FormulaText<'_>, then: FormulaText<'_>) -> Result<(), Vec<Diagnostic>> {
        let (when, then) = (self.read(when)?, self.read(then)?);
        let fact = self.atom(AFTER, &when.variables);
        let (before, step) = (self.step_of(&when), self.step_of(&then));
        if let ([before], [_]) = (&before[..], &step[..]) {
            let next = spell_variable("ludex_next_step", self.notation);
            let follows = self.atom("successor", &[before.clone(), next.clone()]);
            let head = self.atom("true", &[fact.clone(), next]);
            self.clause(&head, &[], Some(&when), &[follows]);
        } else {
            let head = self.atom("next", std::slice::from_ref(&fact));
            self.clause(&head, &[], Some(&when), &[]);
        }
        let now = self.atom("true", &[&[fact], &step[..]].concat());
        let holds = self.atom(HOLDS, &[&when.variables[..], &step[..]].concat());
        self.clause(&holds, std::slice::from_ref(&now), Some(&then), &[]);
        let (head, fails) = (self.broken(&step), self.not(&holds));
        self.clause(&head, &[now], None, &[fails]);
        Ok(())
    }

    /// Reads a formula: its text must be one of its own, before it is put between others.
    fn read(&mut self, formula: FormulaText<'_>) -> Result<ReadFormula, Vec<Diagnostic>> {
        let FormulaText { text, span } = formula;
        self.whole = if self.whole == Span::default() { span } else { self.whole.to(span) };
        let shifted = |mut diagnostic: Diagnostic| {
            diagnostic.span = shift(diagnostic.span, span);
            diagnostic.labels.clear();
            diagnostic
        };
        let written = self.rules.notation_of(text);
        let read = parse_terms(text, Some(written));
        let (tree, nodes) = read.map_err(|errors| errors.into_iter().map(shifted).collect::<Vec<_>>())?;
        let spelled = |node: NodeId| print_term(&tree, node, written, self.notation);
        let step = if self.has_steps { step_variable(&tree, &nodes, span)? } else { None };
        let mut variables: Vec<String> = Vec::new();
        for node in nodes_below(&tree, &nodes) {
            if let NodeKind::Variable(name) = tree.node(node).kind
                && step.is_none_or(|step| name_of(&tree, step) != Some(name))
            {
                let name = spelled(node);
                if !variables.contains(&name) {
                    variables.push(name);
                }
            }
        }
        let is_verbatim = written == self.notation;
        let text = if is_verbatim {
            text.trim_end_matches('.').to_owned()
        } else {
            nodes.iter().map(|&node| spelled(node)).collect::<Vec<_>>().join(self.separator())
        };
        Ok(ReadFormula { text, span, is_verbatim, variables, step: step.map(spelled) })
    }

    /// What stands between literals.
    fn separator(&self) -> &'static str {
        match self.notation {
            Notation::Prefix => " ",
            Notation::Infix => " & ",
        }
    }

    /// The step as an argument, where the language has steps.
    fn step_of(&self, formula: &ReadFormula) -> Vec<String> {
        if !self.has_steps {
            return Vec::new();
        }
        let step = formula.step.clone();
        vec![step.unwrap_or_else(|| spell_variable("ludex_step", self.notation))]
    }

    fn broken(&self, step: &[String]) -> String {
        self.atom(BROKEN, &[&[self.role.clone(), "100".to_owned()], step].concat())
    }

    fn atom(&self, name: &str, arguments: &[String]) -> String {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        self.notation.sentence(name, &arguments)
    }

    fn not(&self, atom: &str) -> String {
        match self.notation {
            Notation::Prefix => format!("(not {atom})"),
            Notation::Infix => format!("~{atom}"),
        }
    }

    /// Writes a clause: literals, a formula and more literals.
    fn clause(&mut self, head: &str, first: &[String], formula: Option<&ReadFormula>, last: &[String]) {
        let (open, close) = match self.notation {
            Notation::Prefix => (format!("(<= {head} "), ")\n"),
            Notation::Infix => (format!("{head} :- "), "\n"),
        };
        let separator = self.separator();
        self.text.push_str(&open);
        let mut is_first = true;
        let mut separate = |text: &mut String| {
            if !std::mem::take(&mut is_first) {
                text.push_str(separator);
            }
        };
        for literal in first {
            separate(&mut self.text);
            self.text.push_str(literal);
        }
        if let Some(formula) = formula {
            separate(&mut self.text);
            let start = self.text.len();
            self.text.push_str(&formula.text);
            if formula.is_verbatim {
                self.formulas.push((Span::new(start, self.text.len()), formula.span));
            }
        }
        for literal in last {
            separate(&mut self.text);
            self.text.push_str(literal);
        }
        self.text.push_str(close);
    }

    /// An error that the clauses of the property have, in the places of the formulas.
    fn about_property(&self, diagnostic: &Diagnostic) -> Option<Diagnostic> {
        let start = diagnostic.span.start as usize;
        // In rules a relation without clauses is nothing, here it is misspelt.
        let is_undefined =
            Check::find("undefined-relation").is_some_and(|check| check.code == diagnostic.code);
        let is_wrong = diagnostic.severity == Severity::Error || is_undefined;
        if !is_wrong || start < self.start {
            return None;
        }
        let inside = self.formulas.iter().find(|(there, _)| there.range().contains(&start));
        let span = match inside {
            Some((there, written)) => {
                let within = Span::new(
                    start - there.start as usize,
                    (diagnostic.span.end.min(there.end) - there.start) as usize,
                );
                shift(within, *written)
            }
            None => self.whole,
        };
        // What is said of relations that nobody wrote helps nobody.
        let names_ours = [BROKEN, HOLDS, AFTER].iter().any(|name| diagnostic.message.contains(name));
        let message = if names_ours {
            "the formula has no meaning here".to_owned()
        } else {
            diagnostic.message.clone()
        };
        let mut found = Diagnostic::new(diagnostic.code, Severity::Error, span, message);
        found.hint.clone_from(&diagnostic.hint);
        Some(found)
    }
}

/// All nodes of some formulas.
fn nodes_below(tree: &Tree, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut open: Vec<NodeId> = nodes.iter().rev().copied().collect();
    while let Some(node) = open.pop() {
        found.push(node);
        open.extend(tree.children(node).iter().rev());
    }
    found
}

fn name_of(tree: &Tree, node: NodeId) -> Option<NameId> {
    if let NodeKind::Variable(name) = tree.node(node).kind { Some(name) } else { None }
}

/// The one variable that stands where steps do.
fn step_variable(tree: &Tree, nodes: &[NodeId], span: Span) -> Result<Option<NodeId>, Vec<Diagnostic>> {
    let mut found: Option<NodeId> = None;
    for node in nodes_below(tree, nodes) {
        let has_step =
            matches!(tree.head(node), Some(("true" | "does" | "legal" | "goal" | "terminal" | "sees", _)));
        let last = tree.children(node).last().filter(|&&last| has_step && name_of(tree, last).is_some());
        let Some(&last) = last else { continue };
        if found.is_some_and(|known| name_of(tree, known) != name_of(tree, last)) {
            let message = "the formula speaks of several steps";
            return Err(vec![error(span, message).hint("one variable stands for the step in all its atoms")]);
        }
        found = Some(last);
    }
    Ok(found)
}

/// A place in a formula as a place in the text that the formula stands in.
fn shift(within: Span, formula: Span) -> Span {
    let most = formula.end - formula.start;
    Span { start: formula.start + within.start.min(most), end: formula.start + within.end.min(most) }
}
