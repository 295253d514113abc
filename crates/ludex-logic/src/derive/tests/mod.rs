//! The worked examples of book chapter 13 and hard cases of the answering procedure.

mod answers;
mod proofs;
mod trees;

/// Figure 13.1: one clause per line of the book, blank lines left out.
const NIM: &str = "
    legal(P,reduce(X,N)) :- true(control(P)) & true(heap(X,M)) & smaller(N,M)
    smaller(X,Y) :- succ(X,Y)
    smaller(X,Y) :- succ(X,Z) & smaller(Z,Y)
    succ(0,1) succ(1,2) succ(2,3) succ(3,4) succ(4,5)
    true(heap(a,2)) true(heap(b,0)) true(heap(c,5)) true(control(white))";

/// The line numbers of [`NIM`] in the book.
const NIM_LINES: [usize; 12] = [1, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15];

/// Figure 13.2.
const TIC_TAC_TOE: &str = "
    true(cell(1,1,x)) true(cell(1,2,o)) true(cell(1,3,b))
    true(cell(2,1,o)) true(cell(2,2,o)) true(cell(2,3,x))
    true(cell(3,1,b)) true(cell(3,2,x)) true(cell(3,3,b))
    true(control(white))
    legal(W,mark(X,Y)) :- true(cell(X,Y,b)) & true(control(W))
    legal(white,noop) :- true(control(black))
    legal(black,noop) :- true(control(white))";

/// The nested negation at the end of 13.6.
const TRAPPED: &str = "
    role(red) role(blue) role(green)
    true(free(blue))
    trapped(R) :- role(R) & ~true(free(R))
    goal(W,100) :- role(W) & ~trapped(W)";

/// Book 13.6, Multiple Buttons and Lights.
const LIGHTS: &str = "
    true(p(1)) true(p(2)) true(p(3))
    does(white,a(2))
    next(p(X)) :- ~does(white,a(X)) & true(p(X))";
