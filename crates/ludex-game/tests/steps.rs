//! Games in SDL (book 18), played without steps.

use std::sync::Arc;

use ludex_game::{Machine, Rng, RuleMachine, perft};
use ludex_gdl::{
    Dialect, LoadOptions, Notation, Severity, Source, convert, load, lower, parse, without_steps,
};
use ludex_logic::{Budget, TermId};

/// A bundled rulesheet.
fn bundled(name: &str) -> String {
    let file = format!("{}/../../games/sdl/{name}.gdl", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn machine(text: &str) -> RuleMachine {
    let checked = load(Arc::new(Source::new("test", text)), &LoadOptions::default());
    let errors: Vec<_> = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(
        errors.is_empty(),
        "{}",
        ludex_gdl::report::plain(&checked.rulesheet.source, &checked.diagnostics)
    );
    RuleMachine::new(&Arc::new(checked.game.unwrap()), &Default::default()).unwrap()
}

/// Paths, different states and ends by depth.
fn counts(text: &str, depth: u32) -> Vec<(u128, u64, u128)> {
    let rows = perft(&machine(text), depth, &Default::default()).unwrap();
    rows.iter().map(|row| (row.paths, row.distinct, row.terminals)).collect()
}

/// The same game as a rulesheet of GDL.
fn plain(text: &str) -> String {
    let checked = load(Arc::new(Source::new("test", text)), &LoadOptions::default());
    assert_eq!(checked.dialect, Dialect::Sdl);
    without_steps(&checked.rulesheet).unwrap().source.text().to_owned()
}

#[test]
fn tic_tac_toe_is_what_it_is_in_gdl() {
    let text = bundled("tic-tac-toe-history");
    let found = counts(&text, 9);
    let paths: Vec<u128> = found.iter().map(|row| row.0).collect();
    assert_eq!(paths, [1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]);
    assert_eq!(found.iter().map(|row| row.1).sum::<u64>(), 5478);
    let ends: Vec<u128> = found.iter().map(|row| row.2).collect();
    assert_eq!(ends, [0, 0, 0, 0, 0, 1440, 5328, 47952, 72576, 127872]);
    assert_eq!(counts(&plain(&text), 9), found);
}

#[test]
fn what_was_so_at_any_step_before_is_remembered() {
    for name in ["no-way-back", "once-each", "ring-go"] {
        let text = bundled(name);
        let found = counts(&text, 6);
        assert_eq!(counts(&plain(&text), 6), found, "{name}");
    }
}

/// A rule as nested lists of words.
#[derive(Clone, Debug)]
enum List {
    Word(String),
    Of(Vec<List>),
}

impl List {
    /// The lists of a text in prefix notation.
    fn read(text: &str) -> Vec<List> {
        let mut open = vec![Vec::new()];
        for word in text.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
            match word {
                "(" => open.push(Vec::new()),
                ")" => {
                    let done = open.pop().unwrap();
                    open.last_mut().unwrap().push(List::Of(done));
                }
                word => open.last_mut().unwrap().push(List::Word(word.to_owned())),
            }
        }
        open.pop().unwrap()
    }

    fn text(&self) -> String {
        match self {
            Self::Word(word) => word.clone(),
            Self::Of(parts) => format!("({})", parts.iter().map(List::text).collect::<Vec<_>>().join(" ")),
        }
    }

    fn word(&self) -> &str {
        if let Self::Word(word) = self { word } else { "" }
    }

    fn parts(&self) -> &[List] {
        if let Self::Of(parts) = self { parts } else { &[] }
    }

    fn replaced(&self, variable: &str, by: &str) -> Self {
        match self {
            Self::Word(word) if word == variable => Self::Word(by.to_owned()),
            Self::Word(_) => self.clone(),
            Self::Of(parts) => Self::Of(parts.iter().map(|part| part.replaced(variable, by)).collect()),
        }
    }

    /// Whether a sentence is about a step, which is its last argument then.
    fn has_step(&self) -> bool {
        const WITHOUT: &str = " step successor before until m val role base input index filler mark place edge next_to odd \
            number other higher plus_one less next_to point count points distinct and or not <= ";
        let name = self.parts().first().map_or(self.word(), List::word);
        self.parts().len() > 1 && !WITHOUT.contains(&format!(" {name} "))
    }

    /// The variables that are steps.
    fn steps(&self, found: &mut Vec<String>) {
        let name = self.parts().first().map_or("", List::word);
        let places = match name {
            "successor" | "before" | "until" => 1..3,
            _ if self.has_step() => self.parts().len() - 1..self.parts().len(),
            "<=" | "and" | "or" | "not" => {
                return self.parts().iter().skip(1).for_each(|part| part.steps(found));
            }
            _ => return,
        };
        for part in &self.parts()[places] {
            if part.word().starts_with('?') && !found.contains(&part.word().to_owned()) {
                found.push(part.word().to_owned());
            }
        }
    }

    /// Whether the subgoals of a rule that relate steps hold: what they leave out would make a step depend on later ones.
    fn is_in_order(&self, steps: &[&str]) -> bool {
        self.parts().iter().skip(1).all(|part| {
            let [name, from, to] = part.parts() else { return true };
            let place = |step: &List| steps.iter().position(|known| *known == step.word());
            let (Some(from), Some(to)) = (place(from), place(to)) else { return true };
            match name.word() {
                "successor" => from + 1 == to,
                "before" => from < to,
                "until" => from <= to,
                _ => true,
            }
        })
    }

    /// The sentence with its step as a part of its name.
    fn with_step_in_name(&self) -> Self {
        let parts = self.parts();
        let name = parts.first().map_or("", List::word);
        if matches!(name, "<=" | "and" | "or" | "not") {
            return Self::Of(parts.iter().map(List::with_step_in_name).collect());
        }
        let Some((step, rest)) = parts.split_last().filter(|_| self.has_step()) else { return self.clone() };
        let mut rest = rest.to_vec();
        rest[0] = Self::Word(format!("{name}_at_{}", step.word()));
        if rest.len() == 1 { rest.remove(0) } else { Self::Of(rest) }
    }
}

/// The rules as they are written, for each step in turn, with the moves made so far: what holds on a step is worked out from all
/// steps before it, as book 18.2 means it.
struct History {
    rules: String,
    moves: Vec<String>,
}

impl History {
    fn new(text: &str, steps: &[&str]) -> Self {
        let (rulesheet, errors) = parse(Arc::new(Source::new("test", text)), None);
        assert_eq!(errors, []);
        let text = convert(&rulesheet, Notation::Prefix);
        let mut rules = String::new();
        for rule in List::read(
            text.source
                .text()
                .lines()
                .filter(|line| !line.starts_with(';'))
                .collect::<Vec<_>>()
                .join(" ")
                .as_str(),
        ) {
            let mut variables = Vec::new();
            rule.steps(&mut variables);
            let mut instances = vec![rule];
            for variable in &variables {
                instances = instances
                    .iter()
                    .flat_map(|rule| steps.iter().map(|step| rule.replaced(variable, step)))
                    .collect();
            }
            for instance in instances.iter().filter(|rule| rule.is_in_order(steps)) {
                rules.push_str(&instance.with_step_in_name().text());
                rules.push('\n');
            }
        }
        Self { rules, moves: Vec::new() }
    }

    fn does(&mut self, role: &str, action: &str, step: &str) {
        self.moves.push(format!("(does_at_{step} {role} {action})"));
    }

    /// The instances of relations on a step, as texts.
    fn on_step(&self, step: &str) -> Vec<Vec<String>> {
        let text = format!("{}{}", self.rules, self.moves.join("\n"));
        let (rulesheet, _) = parse(Arc::new(Source::new("test", text)), Some(Notation::Prefix));
        let program = lower(&rulesheet, Dialect::Gdl).0.unwrap().program;
        let model = ludex_logic::evaluator::model(&program, &[], &Budget::unlimited()).unwrap();
        let wanted = ["true", "legal", "goal", "terminal"].map(|name| format!("{name}_at_{step}"));
        let instances = |name: &String| {
            let atoms = model.iter().filter(|atom| program.relation_name(atom.relation) == name);
            let text =
                |args: &[TermId]| args.iter().map(|&t| program.terms.prefix(t)).collect::<Vec<_>>().join(" ");
            let mut found: Vec<String> = atoms.map(|atom| text(&atom.args)).collect();
            found.sort();
            found
        };
        wanted.iter().map(instances).collect()
    }
}

/// Plays at random and compares each state with what follows from the rules as they are written.
fn agrees_with_history(text: &str, steps: &[&str], seed: u64) {
    let machine = machine(text);
    let signature = machine.signature();
    let mut runner = machine.runner(&Budget::unlimited());
    let mut rng = Rng::from_seed(seed);
    let mut history = History::new(text, steps);
    let mut state = machine.initial().clone();
    for (number, step) in steps.iter().enumerate() {
        let mut facts = Vec::new();
        machine.facts(&state, &mut facts);
        let is_memory = |fact: &String| {
            ["(step ", "(previous ", "(once ", "(past "].iter().any(|kind| fact.starts_with(kind))
        };
        let mut facts: Vec<String> = facts
            .iter()
            .map(|&fact| signature.terms().prefix(fact))
            .filter(|fact| !is_memory(fact))
            .collect();
        facts.sort();
        let [truths, legals, goals, terminal] = &history.on_step(step)[..] else { unreachable!() };
        assert_eq!(&facts, truths, "step {step}\n{text}");
        runner.set(&state).unwrap();
        let is_over = !terminal.is_empty() || number + 1 == steps.len();
        assert_eq!(runner.terminal().unwrap(), is_over, "step {step}\n{text}");
        for role in signature.role_ids() {
            let name = signature.terms().prefix(signature.roles()[role.index()]);
            let goal = runner.goal(role).unwrap().map(|goal| format!("{name} {goal}"));
            let goals: Vec<&String> =
                goals.iter().filter(|row| row.starts_with(&format!("{name} "))).collect();
            assert_eq!(goal.iter().collect::<Vec<_>>(), goals, "step {step}\n{text}");
        }
        if is_over {
            return;
        }
        let mut joint = Vec::new();
        let mut all_legal = Vec::new();
        for role in signature.role_ids() {
            let name = signature.terms().prefix(signature.roles()[role.index()]);
            let legal = runner.legal(role).unwrap().to_vec();
            let text = |&action: &_| signature.terms().prefix(signature.action(action));
            all_legal.extend(legal.iter().map(|action| format!("{name} {}", text(action))));
            assert!(!legal.is_empty(), "step {step}: {name} has no move");
            let action = legal[rng.below(legal.len() as u64) as usize];
            history.does(&name, &text(&action), step);
            joint.push(action);
        }
        all_legal.sort();
        assert_eq!(&all_legal, legals, "step {step}\n{text}");
        runner.step(&joint).unwrap();
        runner.save(&mut state);
    }
}

const STEPS: &str = "step(a) step(b) step(c) step(d) step(e) step(f)\n\
    successor(a,b) successor(b,c) successor(c,d) successor(d,e) successor(e,f)\n\
    before(M,N) :- successor(M,N)\nbefore(M,N) :- before(M,L) & successor(L,N)\n\
    until(N,N) :- step(N)\nuntil(M,N) :- before(M,N)\n\
    role(r) role(s)\nm(1) m(2) m(3)\nlegal(R,M,N) :- role(R) & m(M) & step(N) & ~barred(R,M,N)\n\
    legal(R,pass,N) :- role(R) & step(N)\ngoal(R,V,N) :- role(R) & step(N) & value(V,N)\nvalue(V,N) :- level(V,N)\n";

#[test]
fn states_are_what_the_rules_say_of_all_steps() {
    for (number, rules) in [
        // One step back, two steps back, a step by its name.
        "barred(R,M,N) :- does(R,M,L) & successor(L,N)\nlevel(50,N) :- step(N)",
        "barred(R,M,N) :- does(Q,M,K) & role(R) & successor(K,L) & successor(L,N)\nlevel(50,N) :- step(N)",
        "barred(R,M,N) :- does(R,M,b) & before(b,N)\nlevel(50,N) :- step(N)",
        "barred(R,M,N) :- role(R) & m(M) & step(N) & does(R,M,b) & until(c,N)\nlevel(N1,N) :- val(N,N1) & step(N)\nval(a,0) val(b,10) val(c,20) val(d,30) val(e,40) val(f,50)",
        // Not at any step before, and not so at some step before.
        "barred(R,M,N) :- m(M) & role(R) & before(L,N) & ~does(R,M,L)\nlevel(50,N) :- step(N)",
        "barred(R,M,N) :- once(R,M,N) & ~lately(R,M,N)\nonce(R,M,N) :- does(R,M,L) & before(L,N)\nlately(R,M,N) :- does(R,M,L) & successor(L,N)\nlevel(50,N) :- step(N)",
        // When something was done last, as a term.
        "last(R,M,L,N) :- does(R,M,L) & successor(L,N)\nlast(R,M,L,N) :- last(R,M,L,K) & ~does(R,M,K) & successor(K,N)\nbarred(R,M,N) :- last(R,M,b,N)\nlevel(50,N) :- step(N)",
        // The truth of a step by that of the same step, and of facts that may be any.
        "true(p(1),a)\ntrue(p(K),N) :- does(r,K,M) & m(K) & successor(M,N)\ntrue(q(K),N) :- true(p(K),N) & ~kept(K,N)\nkept(K,N) :- true(q(K),M) & successor(M,N)\ntrue(o(K),N) :- true(q(K),N) & distinct(K,1)\n\
         barred(r,K,N) :- true(q(K),N)\nchanged(N) :- true(F,M) & ~true(F,N) & successor(M,N)\nlevel(100,N) :- changed(N)\nlevel(0,N) :- step(N) & ~changed(N)",
        // A position that was there before.
        "true(p(1),a)\ntrue(p(K),N) :- does(r,K,M) & m(K) & successor(M,N)\ntrue(p(K),N) :- true(p(K),M) & does(r,pass,M) & successor(M,N)\n\
         differs(M,N) :- before(M,N) & true(F,M) & ~true(F,N)\nagain(N) :- before(M,N) & ~differs(M,N)\nbarred(R,M,N) :- role(R) & m(M) & again(N)\nlevel(30,N) :- again(N)\nlevel(70,N) :- step(N) & ~again(N)",
        // The present among the steps until now.
        "true(p(1),a)\ntrue(p(K),N) :- does(r,K,M) & m(K) & successor(M,N)\nseen(K,N) :- true(p(K),M) & until(M,N)\nbarred(s,K,N) :- seen(K,N)\nlevel(50,N) :- step(N)",
        // Disjunctions of steps, and moves under a negation.
        "barred(R,M,N) :- role(R) & m(M) & (successor(L,N) | before(K,L) & successor(L,N)) & ~(does(R,M,L) | does(R,pass,L))\nlevel(50,N) :- step(N)",
        // Steps that only others relate to the present.
        "true(p(1),a)\ntrue(p(K),N) :- true(p(K),M) & successor(M,N)\nbarred(R,K,N) :- role(R) & true(p(K),N) & before(J,L) & successor(L,N)\nlevel(50,N) :- step(N)",
        "barred(R,M,N) :- until(K,L) & successor(L,N) & does(R,M,K)\nlevel(50,N) :- step(N)",
        // Any fact in a disjunction: what states remember is none.
        "true(p(1),a)\ntrue(p(K),N) :- true(p(K),M) & successor(M,N)\nshown(F,N) :- step(N) & (true(F,N) | true(q(F),N))\n\
         barred(R,M,N) :- does(R,M,L) & before(L,N)\nother(N) :- shown(F,N) & distinct(F,p(1))\n\
         level(0,N) :- other(N)\nlevel(100,N) :- step(N) & ~other(N)",
        // Ends: on a step, and by what was done.
        "barred(R,M,N) :- does(R,M,L) & before(L,N)\nterminal(d)\nterminal(N) :- does(r,3,M) & does(s,3,M) & successor(M,N)\nlevel(50,N) :- step(N)",
    ]
    .iter()
    .enumerate()
    {
        let mut text = format!("{STEPS}{rules}\n");
        if !rules.contains("terminal") {
            text.push_str("terminal(f)\n");
        }
        for seed in 0..12 {
            agrees_with_history(&text, &["a", "b", "c", "d", "e", "f"], seed + 100 * number as u64);
        }
        let sheet = plain(&text);
        assert_eq!(counts(&sheet, 3), counts(&text, 3), "{sheet}");
    }
}

#[test]
fn bundled_games_are_what_their_rules_say_of_all_steps() {
    let steps: Vec<String> = (1..=16).map(|step| step.to_string()).collect();
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    for (name, last) in [("tic-tac-toe-history", 10), ("no-way-back", 8), ("once-each", 9), ("ring-go", 16)] {
        for seed in 0..5 {
            agrees_with_history(&bundled(name), &steps[..last], seed);
        }
    }
}

#[test]
fn percepts_come_with_their_step_or_with_what_was_done_on_it() {
    let text = "role(r)\nrole(s)\nstep(1)\nstep(2)\nstep(3)\nsuccessor(1,2)\nsuccessor(2,3)\n\
        true(lamp(off),1)\ntrue(lamp(on),N) :- does(r,press,M) & successor(M,N)\n\
        true(lamp(off),N) :- does(r,rest,M) & successor(M,N)\n\
        legal(r,press,N) :- step(N)\nlegal(r,rest,N) :- step(N)\nlegal(s,watch,N) :- step(N)\n\
        sees(s,F,N) :- true(F,N)\nsees(s,did(A),N) :- does(r,A,N)\n\
        goal(R,50,N) :- role(R) & step(N)\nterminal(3)\n";
    let checked = load(Arc::new(Source::new("test", text)), &LoadOptions::default());
    assert_eq!(checked.dialect, Dialect::SdlII);
    let percepts = |text: &str| {
        let machine = machine(text);
        let signature = machine.signature();
        let mut runner = machine.runner(&Budget::unlimited());
        runner.set(machine.initial()).unwrap();
        ["press", "rest"].map(|wanted| {
            let joint: Vec<_> = signature
                .role_ids()
                .map(|role| {
                    let legal = runner.legal(role).unwrap();
                    let name = |action: &&_| signature.terms().prefix(signature.action(**action));
                    *legal.iter().find(|action| [wanted, "watch"].contains(&name(action).as_str())).unwrap()
                })
                .collect();
            runner.step(&joint).unwrap();
            let mut told = signature.role_ids().map(|role| {
                let mut told: Vec<String> =
                    runner.percepts(role).iter().map(|&p| signature.terms().prefix(p)).collect();
                told.sort();
                told
            });
            (told.next().unwrap(), told.next().unwrap())
        })
    };
    let told = |what: [&str; 2]| (Vec::new(), what.map(str::to_owned).to_vec());
    let expected = [told(["(did press)", "(lamp on)"]), told(["(did rest)", "(lamp off)"])];
    assert_eq!(percepts(text), expected);
    let plain = without_steps(&checked.rulesheet).unwrap();
    assert_eq!(ludex_gdl::detect(&plain).0, Dialect::GdlII);
    assert_eq!(percepts(plain.source.text()), expected);
}
