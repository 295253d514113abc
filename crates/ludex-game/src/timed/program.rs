//! What the evaluator has to know of real time.

use std::sync::Arc;

use ludex_gdl::GameProgram;
use ludex_logic::{Atom, Feed, Formula, Id, IdVec, Pattern, Program, ProgramBuilder, RelationId, VariableId};

/// The program of a game with what no rule of it says: time passes, and what was true expires.
///
/// Two rules are added, whose heads feed the given relations. By them the evaluator finds out what can stand in these,
/// and lays out `expired` as it does `true`:
///
/// ```text
/// shortened(T,F) :- true(S,F) & time(T)        feeds true
/// ending(F)      :- true(T,F)                  feeds expired
/// ```
///
/// `time` is given, and always empty: nothing is ever derived by these rules.
pub(super) struct TimedProgram {
    pub program: Program,
    /// What feeds `expired`.
    pub ending: RelationId,
}

/// A game in real time for those who ask what can stand where: with two rules more, by which lifetimes get shorter and what
/// was true expires. Their heads have names that users cannot write. A game that goes step by step stays as it is.
///
/// ```
/// use ludex_game::with_passing_time;
/// use ludex_logic::ground::derivable;
///
/// let text = "role(you). init(1, tick). next(2, tock) ⇐ expired(tick). legal(you, wait) ⇐ true(T, tock).
///     terminal ⇐ expired(tock). goal(you, 50).";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("tick.gdl", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let moves = |program| derivable(program, &Default::default()).map(|counts| counts[game.vocabulary.legal]);
/// assert_eq!((moves(&game.program)?, moves(&with_passing_time(&game).program)?), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_passing_time(game: &GameProgram) -> GameProgram {
    let Some(expired) = game.vocabulary.expired.filter(|_| game.dialect.is_timed()) else {
        return game.clone();
    };
    let TimedProgram { mut program, ending } = TimedProgram::new(game, expired);
    // For the evaluator it only says what may expire; here it makes it so.
    program
        .interface
        .feeds
        .iter_mut()
        .filter(|feed| feed.from == ending)
        .for_each(|feed| feed.is_bound = false);
    GameProgram { program, ..game.clone() }
}

impl TimedProgram {
    pub fn new(game: &GameProgram, expired: RelationId) -> Self {
        let truth = game.vocabulary.truth;
        let mut builder = ProgramBuilder::from_program(game.program.clone());
        let terms = Arc::clone(builder.terms());
        // Users cannot write these names.
        let mut relation = |name: &str, arity| builder.relation(terms.symbol(name), arity);
        let (time, shortened, ending) =
            (relation("\u{1}time", 1), relation("\u{1}shortened", 2), relation("\u{1}ending", 1));
        let [now, fact, before] = [0, 1, 2].map(|n| Pattern::Variable(VariableId::from_index(n)));
        let atom = |relation, args: &[&Pattern]| Atom {
            relation,
            args: args.iter().map(|&arg| arg.clone()).collect(),
        };
        let holds = |atoms: Vec<Atom>| Formula::And(atoms.into_iter().map(Formula::Atom).collect());
        let names = || ["T", "F", "S"].into_iter().map(|name| terms.symbol(name)).collect::<IdVec<_, _>>();
        let passing = holds(vec![atom(truth, &[&before, &fact]), atom(time, &[&now])]);
        builder.clause(atom(shortened, &[&now, &fact]), passing, names(), None);
        builder.clause(atom(ending, &[&fact]), holds(vec![atom(truth, &[&before, &fact])]), names(), None);
        let interface = builder.interface();
        interface.given.push(time);
        interface.asked.extend([shortened, ending]);
        interface.feeds.push(Feed { from: shortened, to: truth, is_bound: true });
        interface.feeds.push(Feed { from: ending, to: expired, is_bound: true });
        Self { program: builder.finish(), ending }
    }
}
