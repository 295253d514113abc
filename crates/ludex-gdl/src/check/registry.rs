//! Every kind of diagnostic with its code, name and default severity.

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::Span;

/// A kind of diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    /// The stable code.
    pub code: Code,
    /// The name that options take, in kebab case.
    pub name: &'static str,
    /// How bad it is unless options say otherwise.
    pub severity: Severity,
    /// What it finds, in one line.
    pub description: &'static str,
    /// See [`Check::explanation`].
    pub(crate) explanation_file: &'static str,
}

impl Check {
    /// A diagnostic of this kind with its default severity.
    pub(crate) fn at(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.code, self.severity, span, message)
    }

    /// Whether it looks at the states of the game (`ludex check --deep`), and not only at the rules.
    pub fn needs_states(&self) -> bool {
        (NEED_NOT_END.code..=RESULT_UNKNOWN.code).contains(&self.code)
    }

    /// The check with this code.
    pub fn of(code: Code) -> Option<&'static Check> {
        CHECKS.iter().copied().find(|c| c.code == code)
    }

    /// The check with this code (`L030`, in either case) or name (`unsafe-rule`).
    pub fn find(code_or_name: &str) -> Option<&'static Check> {
        CHECKS
            .iter()
            .copied()
            .find(|c| c.name == code_or_name || c.code.to_string().eq_ignore_ascii_case(code_or_name))
    }
}

macro_rules! checks {
    ($($constant:ident $code:literal $name:literal $severity:ident $description:literal;)*) => {
        $(
            #[doc = $description]
            pub(crate) static $constant: Check = Check {
                code: Code($code),
                name: $name,
                severity: Severity::$severity,
                description: $description,
                explanation_file: include_str!(concat!("explanations/", $name, ".md")),
            };
        )*

        /// All kinds of diagnostics, ordered by code.
        pub static CHECKS: &[&Check] = &[$(&$constant),*];
    };
}

checks! {
    SYNTAX 1 "syntax" Error "text that cannot be read";
    RANDOM_WITHOUT_PERCEPTS 2 "random-without-percepts" Note "a role is called `random`, but nothing is seen";
    MIXED_NOTATIONS 3 "mixed-notations" Error "some clauses are in another notation than the others";
    UNSUPPORTED_DIALECT 20 "unsupported-dialect" Error "a language that this version reads but cannot run";
    NOT_A_SENTENCE 21 "not-a-sentence" Error "something that is not a sentence stands where one is needed";
    NESTING 22 "nesting" Error "a formula, or a term with variables, is nested too deep";
    KEYWORD_POSITION 23 "keyword-position" Error "a connective stands where it has no meaning";
    CONNECTIVE_AS_TERM 24 "connective-as-term" Error "a connective is used as a constant or function";
    KEYWORD_AS_TERM 25 "keyword-as-term" Note "a keyword is used as a constant or function";
    KEYWORD_ARITY 26 "keyword-arity" Error "a keyword has the wrong number of arguments";
    EMPTY_BRACKETS 27 "empty-brackets" Warning "a proposition has brackets with nothing else in them";
    EMPTY_DISJUNCTION 28 "empty-disjunction" Warning "an `or` or `and` joins nothing";
    NEGATED_DISTINCT 29 "negated-distinct" Error "`distinct` is negated";
    UNSAFE 30 "unsafe-rule" Error "a variable is not bound by a positive subgoal (specification Def. 6)";
    UNSTRATIFIED 31 "unstratified" Error "a relation depends on its own negation (specification Def. 8)";
    UNBOUNDED 32 "unbounded-recursion" Error "function terms can grow for ever through a recursion";
    RECURSION_RESTRICTION 33 "recursion-restriction" Note "a recursion does not keep to the letter of specification Def. 15";
    GROWING_STATE 34 "growing-state" Note "function terms can grow from state to state";
    EMPTY_BODY 35 "empty-body" Warning "a rule has no body";
    RELATION_ARITY 36 "relation-arity" Warning "one relation name is used with several arities";
    FUNCTION_ARITY 37 "function-arity" Warning "one function name is used with several arities";
    IDLE_ROLE 38 "idle-role" Warning "a role has no legal move or no goal";
    STRATIFIED_BY_CLAUSES 39 "stratified-by-clauses" Warning "a relation depends on its own negation, but only with other arguments";
    ROLE_NOT_A_FACT 40 "role-not-a-fact" Error "a role is not given by a ground fact (specification Def. 20)";
    GIVEN_IN_HEAD 41 "given-in-head" Error "`true` or `does` stands in a head (specification Def. 20)";
    RESULT_IN_BODY 42 "result-in-body" Warning "`init` or `next` stands in a body (specification Def. 20)";
    INIT_DEPENDENCY 43 "init-depends-on-state" Error "`init` depends on `true` or `does` (specification Def. 20)";
    BASE_DEPENDENCY 44 "base-depends-on-state" Error "`base` or `input` depends on `true` or `does`";
    DOES_DEPENDENCY 45 "does-dependency" Error "`legal`, `goal` or `terminal` depends on `does` (specification Def. 20)";
    MISSING_KEYWORD 46 "missing-keyword" Error "`role`, `legal`, `goal` or `terminal` has no clause";
    GOAL_VALUE 47 "goal-value" Warning "a goal value is not an integer from 0 to 100";
    MISSING_INIT 48 "missing-init" Note "nothing holds in the initial state";
    UNKNOWN_ROLE 49 "unknown-role" Warning "a clause speaks of a role that does not exist";
    UNDEFINED 50 "undefined-relation" Warning "a relation is used but has no clause";
    UNUSED 51 "unused-relation" Warning "a relation is defined but never used";
    UNREACHABLE 52 "unreachable-rule" Warning "a rule can never apply";
    DUPLICATE 53 "duplicate-clause" Warning "a clause is written twice";
    SINGLETON 54 "singleton-variable" Note "a variable occurs only once in its rule";
    CAPITALISATION 55 "capitalisation" Note "one name is written with different capitals";
    UNDECLARED 56 "undeclared" Warning "a fact, move or percept is not declared, though others are";
    BOUND_LATER 57 "bound-later" Warning "a variable under `not` gets its values later in the body, and not in the head";
    TERMINAL_AT_START 58 "terminal-at-start" Warning "the game is over in its initial state";
    SEES_IN_BODY 60 "sees-in-body" Warning "`sees` stands in a body";
    RANDOM_ROLE 61 "random-role" Note "`random` has goals or percepts";
    PERCEPT_DEPENDENCY 62 "percept-depends-on-state" Error "`percept` depends on `true` or `does`";
    UNBOUND_PERCEIVER 63 "unbound-perceiver" Warning "nothing binds the role in the head of a rule for `sees`";
    TIME_RANGE 64 "time-range" Error "a number has more digits than times have, or is too large for one (rtGDL)";
    LIFETIME 65 "lifetime" Error "a lifetime is, or can be, no number greater than 0 (rtGDL)";
    LOST_FACT 66 "lost-fact" Warning "an update can lose a fact before its lifetime is over (rtGDL)";
    RESTARTED_LIFETIME 67 "restarted-lifetime" Warning "a rule that keeps a fact starts its lifetime anew at every update (rtGDL)";
    SEVERAL_LIFETIMES 68 "several-lifetimes" Note "one fact has several lifetimes (rtGDL)";
    NO_TIME_PASSES 69 "no-time-passes" Warning "`random` acts again and again while no time passes (rtGDL-II)";
    NEED_NOT_END 70 "need-not-end" Warning "the game may go on for ever (specification Def. 21; --deep)";
    ROLE_GETS_STUCK 71 "role-gets-stuck" Warning "a role may have no legal move (specification Def. 22; --deep)";
    ROLE_CANNOT_WIN 72 "role-cannot-win" Warning "no course brings a role goal 100 (specification Def. 23; --deep)";
    NO_SINGLE_GOAL 73 "no-single-goal" Warning "a role may end with no goal value or several (--deep)";
    GOAL_OUT_OF_REACH 74 "goal-out-of-reach" Warning "no state that can be reached gives a goal value (--deep)";
    NEVER_LEGAL 75 "never-legal" Warning "moves are legal in no state that can be reached (--deep)";
    NEVER_CHANGES 76 "never-changes" Note "propositions hold always, or never (--deep)";
    MOVES_UNKNOWN 77 "moves-unknown" Warning "a role cannot always know which moves are legal (GDL-II; --deep)";
    END_UNKNOWN 78 "end-unknown" Note "a role cannot always know whether the game is over (GDL-II; --deep)";
    DEEP_UNDECIDED 79 "deep-undecided" Note "something was not found out within the limits (--deep)";
    RESULT_UNKNOWN 80 "result-unknown" Note "a role cannot always know its result at the end (GDL-II; --deep)";
    STEP_CHAIN 81 "step-chain" Error "the steps do not follow one another (SDL)";
    FUTURE_STEP 82 "future-step" Error "a rule asks for what is not known on its step (SDL)";
    WITHOUT_STEP 83 "without-step" Error "a relation has no step and needs one: it depends on what holds on a step, or is `init` or `next` (SDL)";
    STEPS_RUN_OUT 84 "steps-run-out" Note "the game may come to its last step without being over (SDL)";
    RULE_AMONG_SENTENCES 85 "rule-among-sentences" Warning "a rule stands among sentences, where nothing is false by default (IGDL)";
    CONTRADICTION 86 "contradiction" Error "the sentences contradict each other (IGDL)";
    ENDLESS_TERMS 87 "endless-terms" Error "there is no end of the terms that sentences are about (IGDL)";
    LEFT_OPEN 88 "left-open" Note "nothing is said of something that every game has (IGDL)";
    OPERATION 89 "operation" Error "something stands in a statement where it has no meaning (Epilog)";
    UNBOUND_EFFECT 90 "unbound-effect" Error "a variable of an effect has no value (Epilog)";
    UNKNOWN_BUILT_IN 91 "unknown-built-in" Error "a built-in relation of Epilog that is not supported";
    MOVE_WITHOUT_OPERATION 92 "move-without-operation" Warning "no operation says what a move changes (Epilog)";
    NUMBER_RANGE 93 "number-range" Warning "numbers that are worked out can grow without end (Epilog)";
    CUT_STATEMENT 94 "cut-statement" Warning "a statement ends where an `&` may be missing (Epilog)";
    BOUND_TOO_LATE 95 "bound-too-late" Warning "a condition stands before what gives its variables their values (Epilog)";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_unique_and_ordered() {
        assert!(CHECKS.windows(2).all(|pair| pair[0].code < pair[1].code));
        let mut names: Vec<_> = CHECKS.iter().map(|c| c.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
    }

    #[test]
    fn checks_are_found_by_code_and_by_name() {
        assert_eq!(Check::find("L030"), Some(&UNSAFE));
        assert_eq!(Check::find("l030"), Some(&UNSAFE));
        assert_eq!(Check::find("unsafe-rule"), Some(&UNSAFE));
        assert_eq!(Check::find("unsafe"), None);
    }
}
