use ludex_game::Position;

use super::*;

fn formula(text: &str) -> FormulaText<'_> {
    FormulaText { text, span: Span::new(0, text.len()) }
}

fn found(game: &str, property: Property<'_>) -> Established {
    found_from(&ludex_testkit::playable_bundled(game).unwrap().start(), property)
}

fn found_from(position: &Position, property: Property<'_>) -> Established {
    examine(position, property, &PropertyOptions::default(), &Budget::unlimited()).unwrap()
}

#[test]
fn what_holds_in_all_states_is_proved() {
    let never = Property::Never(formula("true(cell(M,N,x)) & true(cell(M,N,o))"));
    let game = ludex_testkit::playable_file(&bundled_file("gdl/tic-tac-toe.gdl")).unwrap();
    assert_eq!(found_from(&game.start(), never), Established::AllStates(5478));
    let open = Property::Always(formula("(or terminal (legal ?r (mark ?m ?n)))"));
    assert_eq!(found("tic-tac-toe", open), Established::AllStates(5478));
}

fn bundled_file(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(name)
}

#[test]
fn what_does_not_hold_comes_with_moves_that_show_it() {
    for property in [
        Property::Never(formula("(goal white 100)")),
        Property::Always(formula("(not terminal)")),
        Property::After(formula("(does white (mark ?m ?n))"), formula("(true (cell ?m ?n o))")),
    ] {
        let Established::Refuted(witness) = found("tic-tac-toe", property) else { panic!("{property:?}") };
        let rules = ludex_testkit::playable_bundled("tic-tac-toe").unwrap();
        let end = witness.replay(&rules).unwrap();
        if let Property::Never(_) = property {
            assert_eq!(end.goals().unwrap()[0], Some(100));
        }
    }
}

#[test]
fn what_follows_a_move_is_proved() {
    let after = Property::After(formula("(does ?r (mark ?m ?n))"), formula("(not (true (cell ?m ?n b)))"));
    assert!(matches!(found("tic-tac-toe", after), Established::AllStates(_)));
}

#[test]
fn games_with_too_many_states_are_proved_by_induction() {
    let two = "(true (cell ?x ?y black)) (true (cell ?x ?y white))";
    let found = found("breakthrough", Property::Never(formula(two)));
    assert!(matches!(found, Established::Induction(_) | Established::Games { .. }), "{found:?}");
    assert!(found.holds());
}

#[test]
fn a_position_is_looked_at_from_there_on() {
    let rules = ludex_testkit::playable_bundled("tic-tac-toe").unwrap();
    let mut position = rules.start();
    position.play_joint(&["(mark 2 2)"]).unwrap();
    let stays = Property::Always(formula("(true (cell 2 2 x))"));
    assert!(matches!(found_from(&position, stays), Established::AllStates(_)));
    assert!(!found("tic-tac-toe", stays).holds());
}

#[test]
fn steps_are_variables_in_sdl() {
    let never = Property::Never(formula("true(cell(M,N,x),S) & true(cell(M,N,o),S)"));
    assert!(found("tic-tac-toe-history", never).holds());
    let wrong = Property::Never(formula("true(cell(2,2,x),S)"));
    assert!(!found("tic-tac-toe-history", wrong).holds());
    let after =
        Property::After(formula("does(R,mark(M,N),S)"), formula("true(cell(M,N,Z),T) & distinct(Z,b)"));
    assert!(found("tic-tac-toe-history", after).holds());
}

#[test]
fn formulas_without_meaning_are_refused_with_their_place() {
    let rules = ludex_testkit::playable_bundled("tic-tac-toe").unwrap();
    for text in ["(true (cell 1 1", "(lien x)", "(not (true (cell ?m 1 1)))", "(<= p q)", ")", "?x"] {
        let property = Property::Never(FormulaText { text, span: Span::new(7, 7 + text.len()) });
        let error = examine(&rules.start(), property, &PropertyOptions::default(), &Budget::unlimited());
        let Err(PropertyError::Formula(errors)) = error else { panic!("{text}: {error:?}") };
        assert!(
            errors.iter().all(|e| e.span.start >= 7 && e.span.end as usize <= 7 + text.len()),
            "{errors:?}"
        );
    }
}
