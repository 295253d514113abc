"""The rules of Hex, for any size of board: there is no rulesheet of it for a size that somebody chooses."""


def rules(size: int) -> str:
    """Hex without a swap: `black` links the first row with the last one, `white` the first column with the last one."""
    steps = [f"(step {at} {at + 1})" for at in range(1, size)]
    numbers = [f"(number {at})" for at in range(1, size + 1)]
    neighbours = [(0, 1), (1, 0), (1, -1)]
    links = []
    for x in range(1, size + 1):
        for y in range(1, size + 1):
            for across, down in neighbours:
                if 1 <= x + across <= size and 1 <= y + down <= size:
                    links.append(f"(link {x} {y} {x + across} {y + down})")
                    links.append(f"(link {x + across} {y + down} {x} {y})")
    return f"""
(role black) (role white)
(opponent black white) (opponent white black)
{" ".join(numbers)}
{" ".join(links)}
(<= (base (cell ?x ?y ?p)) (number ?x) (number ?y) (role ?p))
(<= (base (control ?p)) (role ?p))
(<= (input ?p (place ?x ?y)) (role ?p) (number ?x) (number ?y))
(<= (input ?p noop) (role ?p))
(init (control black))
(<= (taken ?x ?y) (true (cell ?x ?y ?p)))
(<= (legal ?p (place ?x ?y)) (true (control ?p)) (number ?x) (number ?y) (not (taken ?x ?y)))
(<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
(<= (next (cell ?x ?y ?p)) (does ?p (place ?x ?y)))
(<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))
(<= (next (control ?q)) (true (control ?p)) (opponent ?p ?q))
(<= (reached black ?x 1) (true (cell ?x 1 black)))
(<= (reached white 1 ?y) (true (cell 1 ?y white)))
(<= (reached ?p ?u ?v) (reached ?p ?x ?y) (link ?x ?y ?u ?v) (true (cell ?u ?v ?p)))
(<= (linked black) (reached black ?x {size}))
(<= (linked white) (reached white {size} ?y))
(<= terminal (linked ?p))
(<= (goal ?p 100) (linked ?p))
(<= (goal ?q 0) (opponent ?q ?p) (linked ?p))
(<= (goal ?p 50) (role ?p) (not terminal))
"""
