//! Games that the rule machine runs at once and whose rules have very many instances as they are written:
//! each is grounded within counted limits, and its net says what the rules say.

use ludex_engine::{NetMachine, NetOptions};
use ludex_game::{record_playouts, verify};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::Budget;
use ludex_logic::ground::{GroundOptions, Grounding, ground};
use ludex_testkit::{program, rule_machine};

/// What grounding may hold at a time.
const MEMORY: usize = 1_000_000_000;

fn game(name: &str, text: &str) -> GameProgram {
    program(name, text, Some(Notation::Infix)).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Grounds a game within so many steps, and compares its net with the rules along random games.
fn grounded_within(name: &str, text: &str, steps: u64) -> Grounding {
    let game = game(name, text);
    let budget = Budget::unlimited().with_memory(MEMORY).with_total_work(steps);
    let options = GroundOptions::optimised().with_budget(budget);
    let grounding = ground(&game.program, &options).unwrap_or_else(|error| panic!("{name}: {error}"));
    // The rules answer at once.
    let rules = rule_machine(&game).unwrap();
    let quick = Budget::unlimited().with_total_work(20_000_000);
    let trace = record_playouts(&*rules, name, 2, 1, 15, &quick).unwrap();
    let net = NetMachine::new(&game, &NetOptions::default()).unwrap();
    let report = verify(&net, &trace, &Budget::unlimited());
    assert_eq!(report.mismatches, []);
    assert!(report.steps > 10, "{name}: {} steps", report.steps);
    grounding
}

/// `relation(first) ... relation(last)`.
fn numbers(relation: &str, numbers: std::ops::RangeInclusive<u32>) -> String {
    numbers.map(|n| format!("{relation}({n})\n")).collect()
}

/// `relation(first,first + 1) ...`.
fn successors(relation: &str, numbers: std::ops::Range<u32>) -> String {
    numbers.map(|n| format!("{relation}({n},{})\n", n + 1)).collect()
}

/// Numbers into nine rows, columns and boxes. Which two entries go together is a relation over six columns
/// of nine values each, and is asked for under negation alone.
fn number_place() -> String {
    let boxes: String = (1..=9).map(|n| format!("third({n},t{})\n", (n - 1) / 3)).collect();
    let rules = "
        role(solver)
        init(entry(X,Y,empty)) :- digit(X) & digit(Y)
        init(left(81))
        legal(solver,write(X,Y,N)) :- true(entry(X,Y,empty)) & digit(N) & ~excluded(X,Y,N)
        legal(solver,stop)
        next(entry(X,Y,N)) :- does(solver,write(X,Y,N))
        next(entry(X,Y,N)) :- true(entry(X,Y,N)) & does(solver,stop)
        next(entry(X,Y,N)) :- true(entry(X,Y,N)) & does(solver,write(U,V,M)) & (distinct(X,U) | distinct(Y,V))
        next(left(M)) :- true(left(N)) & does(solver,write(X,Y,D)) & after(M,N)
        next(left(N)) :- true(left(N)) & does(solver,stop)
        next(over) :- does(solver,stop)
        excluded(X,Y,N) :- true(entry(U,V,M)) & digit(M) & digit(X) & digit(Y) & digit(N) & ~together(X,Y,N,U,V,M)
        together(X,Y,N,U,V,M) :-
            digit(X) & digit(Y) & digit(N) & digit(U) & digit(V) & digit(M) & ~clash(X,Y,N,U,V,M)
        clash(X,Y,N,X,V,N) :- digit(X) & digit(N) & digit(Y) & digit(V) & distinct(Y,V)
        clash(X,Y,N,U,Y,N) :- digit(Y) & digit(N) & digit(X) & digit(U) & distinct(X,U)
        clash(X,Y,N,U,V,N) :-
            third(X,A) & third(U,A) & third(Y,B) & third(V,B) & digit(N) & (distinct(X,U) | distinct(Y,V))
        terminal :- true(over)
        terminal :- true(left(0))
        goal(solver,100) :- true(left(0))
        goal(solver,0) :- ~true(left(0))
    ";
    [rules, &boxes, &numbers("digit", 1..=9), &successors("after", 0..81)].concat()
}

#[test]
fn which_numbers_go_together_is_grounded_where_it_is_asked() {
    let grounding = grounded_within("number place", &number_place(), 30_000_000);
    assert!(grounding.literal_count() < 200_000, "{} literals", grounding.literal_count());
}

/// Two kings and two rooks on a board with six rows. A move may leave no threat to the own king, over squares
/// that are empty once the piece has left: a relation over a square under threat, the square that is left and
/// the square that is taken.
fn rooks() -> String {
    let rules = "
        role(light) role(dark)
        init(square(X,Y,none)) :- line(X) & line(Y) & ~placed(X,Y)
        init(square(X,Y,P)) :- start(X,Y,P)
        init(turn(light)) init(count(1))
        start(1,1,light_king) start(1,6,light_rook) start(2,1,light_rook)
        start(6,6,dark_king) start(6,1,dark_rook) start(5,6,dark_rook)
        placed(X,Y) :- start(X,Y,P)
        owner(light_king,light) owner(light_rook,light) owner(dark_king,dark) owner(dark_rook,dark)
        king(light_king) king(dark_king) rook(light_rook) rook(dark_rook)
        other(light,dark) other(dark,light)
        beside(X,Y) :- step(X,Y)
        beside(X,Y) :- step(Y,X)
        reach(X,Y,X,V) :- line(X) & beside(Y,V)
        reach(X,Y,U,Y) :- line(Y) & beside(X,U)
        reach(X,Y,U,V) :- beside(X,U) & beside(Y,V)
        up(X,Y,X,V) :- line(X) & step(Y,V)
        up(X,Y,X,V) :- step(Y,W) & true(square(X,W,none)) & up(X,W,X,V)
        across(X,Y,U,Y) :- line(Y) & step(X,U)
        across(X,Y,U,Y) :- step(X,W) & true(square(W,Y,none)) & across(W,Y,U,Y)
        open(X,Y,U,V) :- up(X,Y,U,V)
        open(X,Y,U,V) :- up(U,V,X,Y)
        open(X,Y,U,V) :- across(X,Y,U,V)
        open(X,Y,U,V) :- across(U,V,X,Y)
        up_without(X,Y,X,V,I,J) :- line(X) & step(Y,V) & line(I) & line(J)
        up_without(X,Y,X,V,X,W) :- step(Y,W) & up_without(X,W,X,V,X,W)
        up_without(X,Y,X,V,I,J) :- step(Y,W) & true(square(X,W,none)) & up_without(X,W,X,V,I,J)
        across_without(X,Y,U,Y,I,J) :- line(Y) & step(X,U) & line(I) & line(J)
        across_without(X,Y,U,Y,W,Y) :- step(X,W) & across_without(W,Y,U,Y,W,Y)
        across_without(X,Y,U,Y,I,J) :- step(X,W) & true(square(W,Y,none)) & across_without(W,Y,U,Y,I,J)
        open_without(X,Y,U,V,I,J) :- up_without(X,Y,U,V,I,J)
        open_without(X,Y,U,V,I,J) :- up_without(U,V,X,Y,I,J)
        open_without(X,Y,U,V,I,J) :- across_without(X,Y,U,V,I,J)
        open_without(X,Y,U,V,I,J) :- across_without(U,V,X,Y,I,J)
        apart(X,Y,U,V) :- line(X) & line(Y) & line(U) & line(V) & distinct(X,U)
        apart(X,Y,U,V) :- line(X) & line(Y) & line(U) & line(V) & distinct(Y,V)
        exposed(R,C,D,X,Y,I,J) :-
            other(R,O) & owner(P,O) & rook(P) & true(square(U,V,P)) & open_without(U,V,X,Y,I,J) & apart(C,D,U,V)
        exposed(R,C,D,X,Y,I,J) :-
            other(R,O) & owner(P,O) & king(P) & true(square(U,V,P)) & reach(U,V,X,Y) &
            line(C) & line(D) & line(I) & line(J)
        free(R,X,Y) :- true(square(X,Y,none)) & role(R)
        free(R,X,Y) :- true(square(X,Y,P)) & owner(P,O) & other(R,O)
        goes(P,X,Y,U,V) :- true(square(X,Y,P)) & rook(P) & open(X,Y,U,V)
        legal(R,move(P,X,Y,U,V)) :-
            true(turn(R)) & owner(P,R) & goes(P,X,Y,U,V) & free(R,U,V) & owner(K,R) & king(K) &
            true(square(A,B,K)) & ~exposed(R,U,V,A,B,X,Y)
        legal(R,move(P,X,Y,U,V)) :-
            true(turn(R)) & owner(P,R) & king(P) & true(square(X,Y,P)) & reach(X,Y,U,V) & free(R,U,V) &
            ~exposed(R,U,V,U,V,X,Y)
        legal(R,resign) :- true(turn(R))
        legal(R,wait) :- true(turn(O)) & other(R,O)
        next(square(X,Y,none)) :- does(R,move(P,X,Y,U,V))
        next(square(U,V,P)) :- does(R,move(P,X,Y,U,V))
        next(square(A,B,Q)) :- does(R,move(P,X,Y,U,V)) & true(square(A,B,Q)) & apart(A,B,X,Y) & apart(A,B,U,V)
        next(turn(O)) :- true(turn(R)) & other(R,O)
        next(count(N)) :- true(count(M)) & later(M,N)
        next(resigned(R)) :- does(R,resign)
        terminal :- true(resigned(R))
        terminal :- true(count(40))
        goal(R,0) :- true(resigned(R))
        goal(R,100) :- true(resigned(O)) & other(R,O)
        goal(R,50) :- role(R) & ~true(resigned(light)) & ~true(resigned(dark))
    ";
    [rules, &numbers("line", 1..=6), &successors("step", 1..6), &successors("later", 1..40)].concat()
}

#[test]
fn threats_past_a_square_that_is_left_are_grounded() {
    let grounding = grounded_within("rooks", &rooks(), 30_000_000);
    assert!(grounding.literal_count() < 1_000_000, "{} literals", grounding.literal_count());
}

/// Cars with a position up to 100, a speed and fuel. Sums are a table of their own, made from successors, and
/// what is worth how much is a sum that comes to 100.
fn race() -> String {
    let rules = "
        role(red) role(blue)
        init(at(R,0)) :- role(R)
        init(speed(R,1)) :- role(R)
        init(fuel(R,20)) :- role(R)
        init(round(0))
        sum(0,N,N) :- number(N)
        sum(M,N,P) :- follows(L,M) & follows(N,K) & sum(L,K,P)
        faster(brake,S,T) :- follows(T,S) & low(T)
        faster(keep,S,S) :- low(S)
        faster(coast,S,S) :- low(S)
        faster(push,S,T) :- follows(S,T) & low(T)
        burns(brake,0) burns(coast,0) burns(keep,1) burns(push,3)
        sum_of(C,S,F,T,G) :- faster(C,S,T) & burns(C,B) & sum(G,B,F)
        legal(R,drive(C)) :- true(speed(R,S)) & true(fuel(R,F)) & sum_of(C,S,F,T,G)
        legal(R,stay) :- role(R)
        moved(R,P) :- does(R,drive(C)) & true(at(R,N)) & true(speed(R,S)) & faster(C,S,T) & sum(N,T,P)
        past(R) :- does(R,drive(C)) & true(at(R,N)) & true(speed(R,S)) & faster(C,S,T) & sum(N,U,100) & less(U,T)
        next(at(R,P)) :- moved(R,P)
        next(at(R,100)) :- past(R)
        next(at(R,N)) :- does(R,stay) & true(at(R,N))
        next(speed(R,T)) :- does(R,drive(C)) & true(speed(R,S)) & faster(C,S,T)
        next(speed(R,0)) :- does(R,stay)
        next(fuel(R,G)) :- does(R,drive(C)) & true(fuel(R,F)) & burns(C,B) & sum(G,B,F)
        next(fuel(R,F)) :- does(R,stay) & true(fuel(R,F))
        next(round(N)) :- true(round(M)) & follows(M,N)
        less(M,N) :- follows(K,L) & sum(M,L,N)
        gap(N) :- true(at(red,A)) & true(at(blue,B)) & sum(B,N,A)
        gap(N) :- true(at(red,A)) & true(at(blue,B)) & sum(A,N,B)
        ahead(red) :- true(at(red,A)) & true(at(blue,B)) & less(B,A)
        ahead(blue) :- true(at(red,A)) & true(at(blue,B)) & less(A,B)
        terminal :- true(at(R,100))
        terminal :- true(round(30))
        worth(R,G) :- ahead(R) & gap(N) & half(N,H) & sum(50,H,G)
        goal(R,G) :- worth(R,G)
        goal(R,L) :- worth(O,G) & role(R) & distinct(R,O) & sum(G,L,100)
        goal(R,50) :- role(R) & ~ahead(red) & ~ahead(blue)
        half(0,0)
        half(1,0)
        half(N,H) :- follows(M,N) & follows(L,M) & half(L,K) & follows(K,H)
    ";
    [rules, &numbers("number", 0..=100), &successors("follows", 0..100), &numbers("low", 0..=9)].concat()
}

#[test]
fn sums_of_positions_and_speeds_are_grounded() {
    let grounding = grounded_within("race", &race(), 2_000_000);
    assert!(grounding.literal_count() < 200_000, "{} literals", grounding.literal_count());
}

/// A rumour over a board: sixty relations, each derived from the one before and under negation from the one
/// before that, over all squares and over pairs of squares.
fn rumour() -> String {
    let rules = "
        role(teller)
        init(place(X,Y,quiet)) :- line(X) & line(Y)
        init(time(1))
        legal(teller,tell(X,Y)) :- true(place(X,Y,quiet))
        legal(teller,end)
        next(place(X,Y,told)) :- does(teller,tell(X,Y))
        next(place(X,Y,told)) :- true(place(X,Y,told)) & ~fades(X,Y)
        next(place(X,Y,quiet)) :- true(place(X,Y,told)) & fades(X,Y)
        next(place(X,Y,quiet)) :- true(place(X,Y,quiet)) & ~does(teller,tell(X,Y))
        next(time(N)) :- true(time(M)) & later(M,N)
        near(X,Y,U,Y) :- line(Y) & step(X,U)
        near(X,Y,U,Y) :- line(Y) & step(U,X)
        near(X,Y,X,V) :- line(X) & step(Y,V)
        near(X,Y,X,V) :- line(X) & step(V,Y)
        heard0(X,Y) :- true(place(X,Y,told))
        heard1(X,Y) :- heard0(U,V) & near(U,V,X,Y)
        meet0(X,Y,U,V) :- heard0(X,Y) & heard0(U,V)
        fades(X,Y) :- heard60(X,Y) & meet20(X,Y,U,V) & ~heard59(U,V)
        terminal :- true(time(20))
        goal(teller,100) :- heard60(1,1)
        goal(teller,0) :- ~heard60(1,1)
    ";
    let chain = (2..=60).map(|n| {
        let (one, two) = (n - 1, n - 2);
        format!(
            "heard{n}(X,Y) :- heard{one}(U,V) & near(U,V,X,Y) & ~heard{two}(U,V)\n\
             heard{n}(X,Y) :- heard{two}(X,Y) & heard{one}(U,V) & near(X,Y,U,V)\n"
        )
    });
    let meetings = (1..=20).map(|n| {
        let one = n - 1;
        format!("meet{n}(X,Y,U,V) :- meet{one}(X,Y,A,B) & near(A,B,U,V) & ~heard{n}(U,V)\n")
    });
    let (chain, meetings): (String, String) = (chain.collect(), meetings.collect());
    let facts = [numbers("line", 1..=6), successors("step", 1..6), successors("later", 1..20)].concat();
    [rules, &chain, &meetings, &facts].concat()
}

#[test]
fn a_long_chain_of_relations_is_grounded() {
    let grounding = grounded_within("rumour", &rumour(), 10_000_000);
    assert!(grounding.literal_count() < 500_000, "{} literals", grounding.literal_count());
}
