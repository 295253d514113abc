//! Walking about in a game that somebody is writing: the state that moves lead to, what can be done there, and why a
//! move is legal.

use ludex::analysis::PictureStyle;
use ludex::game::RoleId;
use ludex::gdl::GameProgram;
use ludex::logic::derive::{ExplainOptions, Explanation, Numbering, Query, Style};
use ludex::logic::{Budget, ClauseId, GroundAtom};
use ludex::{Game, Position};

use super::answer::picture;
use super::late::Trouble;
use super::question::{ExploreStep, ExploreWish, ExploredState, LegalAsked, Reasons, RoleMoves};

/// So many moves of a role are told.
pub(super) const MOVES: usize = 1_000;
/// So many steps are made at most.
pub(super) const STEPS: usize = 500;
/// Steps of inference for everything that is asked at once.
const WORK: u64 = 100_000_000;
/// So many bytes of a derivation are told, and so many rules.
const TEXT: usize = 20_000;
const RULES: usize = 60;

/// The state that some moves lead to, and why it is not the one that was asked for, if so.
///
/// # Errors
/// What the machine says of the state.
pub(super) fn explore(game: &Game, wish: &ExploreWish) -> Result<(ExploredState, Option<String>), Trouble> {
    let rules = game.rules().within(limited(game.question_budget()));
    let mut position = rules.start();
    let mut problem = None;
    let mut made = Vec::new();
    for step in &wish.steps {
        if made.len() >= STEPS {
            problem = Some(format!("no more than {STEPS} steps are made here"));
            break;
        }
        let ExploreStep::Moves(joint) = step else {
            problem = Some("time passes in games in real time only".to_owned());
            break;
        };
        // What was legal before somebody changed the rules need not be so now.
        if let Err(error) = position.play(joint) {
            problem = Some(format!("step {}: {error}", made.len() + 1));
            break;
        }
        let terms = position.joint(made.len()).unwrap_or_default();
        made.push(rules.texts(&terms));
    }
    let facts = position.facts();
    let mut state = ExploredState {
        picture: picture(game.structure(), &facts, &PictureStyle::default()),
        terminal: position.terminal()?,
        roles: roles(&position)?,
        made,
        time: None,
        reasons: None,
    };
    if let (Some(asked), None) = (&wish.why, &problem) {
        match reasons(&position, asked)? {
            Ok(reasons) => state.reasons = Some(reasons),
            Err(why) => problem = Some(why),
        }
    }
    Ok((state, problem))
}

/// What may be done for everything that is asked at once.
pub(super) fn limited(budget: &Budget) -> Budget {
    budget.clone().with_work(budget.work().min(WORK)).with_total_work(WORK)
}

fn roles(position: &Position) -> Result<Vec<RoleMoves>, Trouble> {
    let rules = position.rules();
    let terms = rules.signature().terms();
    let (goals, is_over) = (position.goals()?, position.terminal()?);
    let role = |(role, goal): (RoleId, Option<ludex::game::Goal>)| -> Result<RoleMoves, Trouble> {
        let legal = if is_over { Vec::new() } else { position.legal(role)? };
        let moves = legal.iter().take(MOVES).map(|&action| (terms.prefix(action), rules.text(action)));
        Ok(RoleMoves {
            name: rules.role_name(role),
            goal: goal.map(|goal| goal.to_string()),
            percepts: rules.texts(position.percepts(role)),
            moves: moves.collect(),
            more: legal.len().saturating_sub(MOVES),
        })
    };
    rules.roles().zip(goals).map(role).collect()
}

/// Why a move is legal; the inner error says why that cannot be said.
fn reasons(position: &Position, asked: &LegalAsked) -> Result<Result<Reasons, String>, Trouble> {
    let rules = position.rules();
    let program = rules.program();
    if rules.dialect().has_steps() || rules.dialect().is_incomplete() {
        return Ok(Err(format!("in {} `ludex why` says why a move is legal", rules.dialect())));
    }
    let (Some(role), Ok(Some(action))) = (rules.roles().nth(asked.role), rules.find_term(&asked.action))
    else {
        return Ok(Err("there is no such move".to_owned()));
    };
    let role = rules.signature().roles()[role.index()];
    let atom = GroundAtom { relation: program.vocabulary.legal, args: Box::new([role, action]) };
    let explained = rules.derivations(position.state(), None).and_then(|mut derivations| {
        derivations.explain(
            &Query::ground(&atom),
            &ExplainOptions::default(),
            &mut rules.question_budget().meter(),
        )
    });
    Ok(match explained {
        Ok(explanation) => Ok(told(program, rules.notation(), &atom, &explanation, position)),
        Err(error) => Err(error.to_string()),
    })
}

/// An explanation in words: what is given holds in the state, and rules are named by their lines.
fn told(
    program: &GameProgram,
    notation: ludex::gdl::Notation,
    atom: &GroundAtom,
    explanation: &Explanation,
    position: &Position,
) -> Reasons {
    let line = |clause: ClauseId| {
        let span = program.spans.get(clause);
        span.map_or(0, |span| program.source.position(span.start as usize).line)
    };
    let given = vec!["it is so in this state".to_owned(); position.facts().len()];
    let style = Style {
        notation,
        numbering: Numbering::new(&program.program, line),
        given: &given,
        ..Style::new(&program.program)
    };
    let used = explanation.clauses().into_iter();
    let clauses = used.filter(|&clause| !program.program.clauses[clause].is_fact());
    let rule =
        |clause: ClauseId| Some((line(clause), program.source.slice(*program.spans.get(clause)?).to_owned()));
    let mut rules: Vec<(usize, String)> = clauses.filter_map(rule).collect();
    rules.sort_by_key(|(line, _)| *line);
    rules.truncate(RULES);
    let mut text = explanation.text(&style);
    if text.len() > TEXT {
        let end = text.floor_char_boundary(TEXT);
        text.truncate(end);
        text.push_str("\n…\n");
    }
    Reasons { atom: style.ground_atom(atom), text: text.trim_end().to_owned(), rules }
}
