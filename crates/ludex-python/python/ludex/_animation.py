"""A match to step through in a notebook: one piece of HTML that needs no network and nothing from outside it.

Boards are images of their own (`data:` addresses), in which nothing can run, and every text is escaped. Nothing has an id:
the controls look for what belongs to them in the element around them, so that there can be any number on a page.
"""

import base64
import html
from typing import TYPE_CHECKING

from .errors import LudexError

if TYPE_CHECKING:
    from ._ludex import MatchRecord

MOST_BYTES = 8 << 20
"""Boards of a match take no more than this; the steps after those have no pictures."""

_SHOW = (
    "const m=this.closest('[data-ludex-match]'),r=m.querySelector('input');"
    "const go=n=>{r.value=n;m.querySelectorAll('[data-step]').forEach(f=>{f.hidden=f.dataset.step!==r.value;})};"
)
_STYLE = "font-family:sans-serif;font-size:13px;max-width:40em"


def animation(record: "MatchRecord") -> str:
    """The match as HTML. Where nothing may run, its last step is seen."""
    boards = _boards(record)
    last = len(record)
    frames = "".join(
        f"<div data-step='{step}'{'' if step == last else ' hidden'}>{board}{_caption(record, step)}</div>"
        for step, board in enumerate(boards)
    )
    return (
        f"<div data-ludex-match style='{_STYLE}'>{_heading(record)}"
        f"<div>{_button('first', 'go(0)')}{_button('back', 'go(Math.max(0,+r.value-1))')}"
        f"{_button('next', f'go(Math.min({last},+r.value+1))')}{_button('last', f'go({last})')}"
        f"{_play_button(last)}"
        f"<input type='range' min='0' max='{last}' value='{last}' aria-label='step' style='vertical-align:middle' "
        f'oninput="{_SHOW}go(this.value)"></div>{frames}</div>'
    )


def _button(label: str, action: str) -> str:
    return f'<button type="button" onclick="{_SHOW}{action}">{label}</button>'


def _play_button(last: int) -> str:
    """Shows a step each second, or stops doing so; from the beginning where the end is shown."""
    run = (
        "if(this.timer){clearInterval(this.timer);this.timer=0;return;}"
        f"if(+r.value>={last})go(0);"
        "this.timer=setInterval(()=>{"
        f"if(+r.value>={last}||!m.isConnected){{clearInterval(this.timer);this.timer=0;}}else go(+r.value+1);"
        "},1000)"
    )
    return _button("play", html.escape(run))


def _boards(record: "MatchRecord") -> list[str]:
    """An image for each position; without the rules there are none."""
    boards = [""] * (len(record) + 1)
    try:
        positions = record.positions
    except (LudexError, ValueError):
        return boards
    left = MOST_BYTES
    for step, position in enumerate(positions):
        image = base64.b64encode(position.svg().encode()).decode()
        left -= len(image)
        if left < 0:
            break
        boards[step] = (
            f"<img alt='the board after {step} steps' style='max-width:100%' src='data:image/svg+xml;base64,{image}'>"
        )
    return boards


def _heading(record: "MatchRecord") -> str:
    players = ", ".join(f"{role}: {record.players.get(role, '')}" for role in record.roles)
    return f"<div>{html.escape(players)}</div>"


def _caption(record: "MatchRecord", step: int) -> str:
    """Which step it is, what was done before it, and at the end what came of it."""
    lines = [f"step {step} of {len(record)}"]
    if step > 0:
        moves = zip(record.roles, record.moves[step - 1])
        lines.append(", ".join(f"{role} {move}" for role, move in moves))
    if step == len(record):
        if record.is_completed:
            lines.append("goals: " + ", ".join(f"{role} {record.goals[role]}" for role in record.roles))
        elif record.abort_cause is not None:
            lines.append(f"ended early: {record.abort_cause}")
    return "".join(f"<div>{html.escape(line)}</div>" for line in lines)
