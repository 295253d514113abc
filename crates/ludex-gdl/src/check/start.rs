//! Games that are over before they begin: `terminal` holds in the initial state, as with the misprint
//! `terminal :- line(W)` of book 2.5, where a line of blank cells is a line.

use ludex_logic::derive::{Derivations, DeriveError, ExplainOptions, Node, Premise, Query, Reason};
use ludex_logic::{Atom, Budget, ClauseId, Formula, GroundAtom, Id, IdVec, Meter, Pattern, VariableId};

use crate::check::context::Context;
use crate::check::registry::TERMINAL_AT_START;
use crate::diagnostic::{Diagnostic, Severity};

/// Steps of inference for the initial state and its end. What takes more is left to whoever runs the game.
const WORK: u64 = 100_000;

/// Asks for the initial state and whether it is terminal; only of a whole game without errors.
pub(super) fn check(context: &Context<'_>, found: &mut Vec<Diagnostic>) {
    let v = context.vocabulary;
    let missing = [v.role, v.init, v.terminal].iter().any(|&r| context.clauses_by_head[r].is_empty());
    let wrong = found.iter().any(|d| d.severity == Severity::Error);
    if missing || wrong || context.broken.iter().any(|&broken| broken) {
        return;
    }
    // Whatever stops the search, a limit or rules that cannot be asked this way: nothing is known then.
    if let Ok(Some(diagnostic)) = over_at_once(context) {
        found.push(diagnostic);
    }
}

fn over_at_once(context: &Context<'_>) -> Result<Option<Diagnostic>, DeriveError> {
    let mut meter = Budget::unlimited().with_work(WORK).meter();
    let given = initial(context, &mut meter)?;
    let mut derivations = Derivations::new(context.program, &given)?;
    let terminal = GroundAtom { relation: context.vocabulary.terminal, args: Box::default() };
    if !derivations.holds(&terminal, &mut meter)? {
        return Ok(None);
    }
    let options = ExplainOptions { refutations: 0 };
    let proof = derivations.explain(&Query::ground(&terminal), &options, &mut meter)?;
    let root = proof.roots.first().and_then(|&root| proof.nodes.get(root));
    let Some(Node::Holds { reason: Reason::Clause(clause), premises, .. }) = root else { return Ok(None) };
    let message = "the game is over before it begins: `terminal` holds in the initial state";
    let mut diagnostic = TERMINAL_AT_START.at(context.span(written(context, *clause)), message);
    let mut enough = Vec::new();
    for premise in premises {
        let (Premise::Holds(node) | Premise::Fails(node)) = premise else { continue };
        match proof.nodes.get(*node) {
            Some(Node::Holds { atom, reason, .. }) => {
                let text = text(context, atom);
                if let Reason::Clause(cause) = reason {
                    let span = context.head_span(written(context, *cause));
                    diagnostic = diagnostic.label(span, format!("`{text}` holds in the initial state"));
                }
                enough.push(format!("`{text}`"));
            }
            Some(Node::Fails { formula: Formula::Atom(atom), .. }) => {
                let failing = atom.ground().map(|atom| text(context, &atom));
                enough.extend(failing.map(|text| format!("that `{text}` does not hold")));
            }
            _ => {}
        }
    }
    let hint = match enough.len() {
        0 => "it ends under no condition: say when it does".to_owned(),
        _ => format!(
            "{} is enough for it: ask for something that does not hold at the start",
            enough.join(" with ")
        ),
    };
    Ok(Some(diagnostic.hint(hint)))
}

/// The facts of the initial state, as `true(F)`, or `true(T,F)` in real time.
fn initial(context: &Context<'_>, meter: &mut Meter) -> Result<Vec<GroundAtom>, DeriveError> {
    let mut variables = IdVec::new();
    let relation = context.vocabulary.truth;
    let arity = context.program.relations[relation].arity;
    for position in 0..arity {
        let _: VariableId = variables.push(context.program.terms.symbol(&format!("fact {position}")));
    }
    let args = Pattern::first_variables(arity);
    let formula = Formula::Atom(Atom { relation: context.vocabulary.init, args });
    let mut derivations = Derivations::new(context.program, &[])?;
    let answers = derivations.answers(&Query { formula, variables }, meter)?;
    Ok(answers.rows.into_iter().map(|row| GroundAtom { relation, args: row }).collect())
}

/// The clause of the rulesheet that a clause comes from.
fn written(context: &Context<'_>, clause: ClauseId) -> ClauseId {
    let origin = context.program.clauses[clause].origin;
    if origin.index() < context.rulesheet.items.len() { origin } else { clause }
}

fn text(context: &Context<'_>, atom: &GroundAtom) -> String {
    let notation = context.rulesheet.notation;
    let args: Vec<String> =
        atom.args.iter().map(|&arg| context.program.terms.written(arg, notation)).collect();
    notation.sentence(context.name(atom.relation), &args)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::drawn;

    const GAME: &str = "(role x) (init (cell 1 b)) (init (cell 2 b)) (legal x go) (goal x 0)\n";

    #[test]
    fn a_line_of_blanks_ends_the_game() {
        let text =
            format!("{GAME}(<= (line ?w) (true (cell 1 ?w)) (true (cell 2 ?w)))\n(<= terminal (line ?w))\n");
        let expected = r#"
warning[L058] game:3:1: the game is over before it begins: `terminal` holds in the initial state
 3 | (<= terminal (line ?w))
   | ^^^^^^^^^^^^^^^^^^^^^^^
 2 | (<= (line ?w) (true (cell 1 ?w)) (true (cell 2 ?w)))
   |     --------- `(line b)` holds in the initial state
  hint: `(line b)` is enough for it: ask for something that does not hold at the start
"#;
        assert_eq!(drawn(&TERMINAL_AT_START, &text), expected);
        let mended = text.replace("(line ?w))\n", "(line x))\n");
        assert_eq!(drawn(&TERMINAL_AT_START, &mended), "\n");
    }

    #[test]
    fn negations_and_facts_end_it_as_well() {
        let text = format!("{GAME}(<= terminal (not (true (cell 1 x))))\n");
        let expected = r#"
warning[L058] game:2:1: the game is over before it begins: `terminal` holds in the initial state
 2 | (<= terminal (not (true (cell 1 x))))
   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  hint: that `(true (cell 1 x))` does not hold is enough for it: ask for something that does not hold at the start
"#;
        assert_eq!(drawn(&TERMINAL_AT_START, &text), expected);
        let text = format!("{GAME}terminal\n");
        assert!(drawn(&TERMINAL_AT_START, &text).contains("it ends under no condition"));
    }

    #[test]
    fn what_is_too_much_work_is_left_alone() {
        let digits: String = (0..100).map(|n| format!("(number {n})\n")).collect();
        let text = format!(
            "{GAME}{digits}(<= (init (at ?a ?b ?c)) (number ?a) (number ?b) (number ?c))\n(<= terminal (true (cell 1 b)))\n"
        );
        assert_eq!(drawn(&TERMINAL_AT_START, &text), "\n");
    }
}
