//! The words of the languages and what they mean.

use ludex::gdl::Dialect;

/// A word of a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyword {
    /// The word.
    pub name: &'static str,
    /// Names for its arguments.
    pub arguments: &'static [&'static str],
    /// What it means, in a sentence or two.
    pub meaning: &'static str,
}

const fn word(name: &'static str, arguments: &'static [&'static str], meaning: &'static str) -> Keyword {
    Keyword { name, arguments, meaning }
}

/// What all languages of the family have.
const COMMON: [Keyword; 2] = [
    word(
        "role",
        &["role"],
        "Who plays: one fact for each role. The order of the facts is the order of the moves in a joint move.",
    ),
    word(
        "distinct",
        &["term", "term"],
        "The two terms differ. It binds no variable, so both have to be bound elsewhere in the body.",
    ),
];

/// Games step by step: GDL, GDL-II and IGDL.
const STEPWISE: [Keyword; 9] = [
    word(
        "base",
        &["fact"],
        "This can be a fact of some state. Where anything is declared with `base`, everything has to be.",
    ),
    word(
        "input",
        &["role", "move"],
        "This can be a move of the role in some state. Where anything is declared with `input`, everything has to be.",
    ),
    word("init", &["fact"], "The fact holds in the initial state. It may not depend on `true` or `does`."),
    word(
        "true",
        &["fact"],
        "The fact holds in the present state. It stands in bodies only: `next` says what becomes true.",
    ),
    word(
        "does",
        &["role", "move"],
        "The role makes this move in the present state. It stands in bodies only, of rules for `next` above all.",
    ),
    word(
        "next",
        &["fact"],
        "The fact holds in the state after this one. What no rule for `next` gives is gone then: what stays has to be carried over.",
    ),
    word(
        "legal",
        &["role", "move"],
        "The role may make this move in the present state. In a state that is not terminal, each role needs at least one.",
    ),
    word(
        "goal",
        &["role", "value"],
        "What the present state is worth to the role, from 0 to 100. It counts in terminal states, where each role should have exactly one value.",
    ),
    word("terminal", &[], "The game is over in the present state."),
];

/// What is seen.
const PERCEPTS: [Keyword; 3] = [
    word(
        "sees",
        &["role", "percept"],
        "The role is told this after the joint move: all that it learns beside its own moves. It may depend on `true` and `does`.",
    ),
    word("percept", &["role", "percept"], "This is something that the role can be told at all."),
    word(
        "random",
        &[],
        "The role that chance plays: it makes each of its legal moves with the same probability.",
    ),
];

/// Games in real time.
const TIMED: [Keyword; 11] = [
    word("base", &["fact"], "This can be a fact of some state."),
    word("input", &["role", "move"], "This can be a move of the role in some state."),
    word(
        "init",
        &["lifetime", "fact"],
        "The fact holds at the beginning, for so long: a number, or `infinity`.",
    ),
    word("true", &["lifetime", "fact"], "The fact holds now, and so much of its lifetime is left."),
    word("does", &["role", "move"], "The role makes this move now."),
    word(
        "next",
        &["lifetime", "fact"],
        "The fact holds after this update, for so long. An update is made whenever somebody moves or a lifetime ends.",
    ),
    word("legal", &["role", "move"], "The role may make this move now."),
    word("goal", &["role", "value"], "What the present state is worth to the role, from 0 to 100."),
    word("terminal", &[], "The game is over."),
    word("expired", &["fact"], "The lifetime of the fact has just ended: that is why there is an update."),
    word("infinity", &[], "The lifetime of what stays until a rule takes it away."),
];

/// Games with a memory, and incomplete descriptions with steps.
const STEPS: [Keyword; 10] = [
    word("base", &["fact"], "This can be a fact at some step."),
    word("input", &["role", "move"], "This can be a move of the role at some step."),
    word(
        "true",
        &["fact", "step"],
        "The fact holds at the step. There is no `init` and no `next`: rules say what is true at a step from what was so at earlier ones.",
    ),
    word("does", &["role", "move", "step"], "The role makes this move at the step."),
    word("legal", &["role", "move", "step"], "The role may make this move at the step."),
    word(
        "goal",
        &["role", "value", "step"],
        "What the state at the step is worth to the role, from 0 to 100.",
    ),
    word("terminal", &["step"], "The game is over at the step."),
    word("sees", &["role", "percept", "step"], "The role is told this at the step."),
    word("step", &["step"], "This is a step: one fact for each, in the order that `successor` gives."),
    word("successor", &["step", "step"], "The second step follows the first one at once."),
];

/// Epilog, where moves have no roles.
const EPILOG: [Keyword; 17] = [
    word("base", &["fact"], "This can be a fact of some state."),
    word("action", &["move"], "This can be a move in some state."),
    word("init", &["fact"], "The fact holds in the initial state."),
    word("control", &["role"], "Whose turn it is: this role makes the next move."),
    word("legal", &["move"], "Whoever is in control may make this move in the present state."),
    word("goal", &["role", "value"], "What the present state is worth to the role, from 0 to 100."),
    word("terminal", &[], "The game is over in the present state."),
    word("plus", &["number", "number", "sum"], "The last number is the sum of the others."),
    word("minus", &["number", "number", "difference"], "The last number is the first less the second."),
    word("times", &["number", "number", "product"], "The last number is the product of the others."),
    word("max", &["number", "number", "maximum"], "The last number is the larger one."),
    word("min", &["number", "number", "minimum"], "The last number is the smaller one."),
    word("abs", &["number", "absolute"], "The second number is the first without its sign."),
    word("leq", &["number", "number"], "The first number is at most the second."),
    word("countofall", &["term", "condition", "number"], "So many values of the term fulfil the condition."),
    word(
        "::",
        &["move", "effects"],
        "What the move does: conditions, `==>`, and the facts that come to hold, or with `~` cease to.",
    ),
    word("==>", &["conditions", "effects"], "Where the conditions hold, the effects come about."),
];

/// Connectives.
const CONNECTIVES: [Keyword; 9] = [
    word("not", &["condition"], "The condition does not hold (negation as failure). It binds no variable."),
    word(
        "or",
        &["condition", "condition"],
        "At least one of the conditions holds. A variable that is used elsewhere has to be bound by each of them.",
    ),
    word("and", &["condition", "condition"], "All the conditions hold."),
    word("<=", &["head", "condition"], "The head holds where all the conditions do."),
    word("=>", &["sentence", "sentence"], "If the first sentence is true, so is the second."),
    word("<=>", &["sentence", "sentence"], "Both sentences are true, or neither is."),
    word("=", &["term", "term"], "Both terms are the same."),
    word("A:", &["variable", "sentence"], "The sentence is true of every object."),
    word("E:", &["variable", "sentence"], "The sentence is true of some object."),
];

/// All words of a language.
pub fn keywords(dialect: Dialect) -> impl Iterator<Item = &'static Keyword> {
    let own: &[Keyword] = match dialect {
        Dialect::Epilog => &EPILOG,
        _ if dialect.is_timed() => &TIMED,
        _ if dialect.has_steps() => &STEPS,
        _ => &STEPWISE,
    };
    let percepts: &[Keyword] = if dialect.has_percepts() { &PERCEPTS } else { &[] };
    let with_steps = dialect.has_steps();
    let percepts = percepts.iter().filter(move |keyword| !(with_steps && keyword.name == "sees"));
    COMMON.iter().chain(own).chain(percepts).chain(&CONNECTIVES)
}

/// A word of a language by its name. `sees` is known everywhere, since who writes it begins a game of GDL-II.
pub fn keyword(name: &str, dialect: Dialect) -> Option<&'static Keyword> {
    keywords(dialect).find(|keyword| keyword.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ludex::gdl::is_keyword;

    #[test]
    fn every_word_has_a_meaning_in_its_language() {
        for (_, dialect) in Dialect::NAMES {
            for keyword in keywords(dialect) {
                assert!(
                    is_keyword(keyword.name, dialect) || keyword.name == "control",
                    "{} in {dialect}",
                    keyword.name
                );
                assert!(keyword.meaning.ends_with('.'), "{}", keyword.name);
            }
            for name in ["role", "true", "legal", "goal", "terminal", "distinct", "not"] {
                assert!(
                    keyword(name, dialect).is_some() || dialect == Dialect::Epilog && name == "true",
                    "{name} in {dialect}"
                );
            }
        }
    }
}
