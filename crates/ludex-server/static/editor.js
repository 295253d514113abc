// The editor of rules: what is wrong with them as one types, the state they describe, and a way about in it. The page works
// without it, by the buttons of its form.
"use strict";

(() => {
  const form = document.getElementById("editor");
  const text = document.getElementById("text");
  const gutter = document.getElementById("gutter");
  const findings = document.getElementById("findings");
  const list = document.getElementById("findings-list");
  const count = document.getElementById("findings-count");
  const state = document.getElementById("state");
  const part = document.getElementById("state-part");
  if (!form || !text || !gutter) return;

  // So long nobody has typed before the server is asked.
  const PAUSE = 350;

  let steps = [], why = null, marks = new Map();
  let wanted = 0, timer = null, busy = false;

  // Line numbers, with the lines that something is wrong with.
  text.wrap = "off";
  gutter.classList.remove("hidden");
  let lines = 0;
  const number = () => {
    const count = text.value.split("\n").length;
    if (count !== lines) {
      lines = count;
      gutter.replaceChildren(...Array.from({ length: count }, (_, at) => {
        const line = document.createElement("div");
        line.textContent = String(at + 1);
        return line;
      }));
    }
    [...gutter.children].forEach((line, at) => { line.className = marks.get(at + 1) ?? ""; });
    gutter.scrollTop = text.scrollTop;
  };
  text.addEventListener("scroll", () => { gutter.scrollTop = text.scrollTop; });

  // The place of a line and a column, which count characters and not the halves of some of them.
  const place = (line, column) => {
    const before = text.value.split("\n").slice(0, line - 1).reduce((sum, line) => sum + line.length + 1, 0);
    const words = [...(text.value.split("\n")[line - 1] ?? "")].slice(0, column - 1).join("");
    return before + words.length;
  };
  const go = (line, column, endLine, endColumn) => {
    const start = place(line, column);
    text.focus();
    text.setSelectionRange(start, Math.max(start, place(endLine, endColumn)));
    const height = parseFloat(getComputedStyle(text).lineHeight);
    text.scrollTop = Math.max(0, (line - 3) * height);
    text.scrollLeft = 0;
  };

  // A finding leads to its place.
  const link = () => {
    for (const finding of list.querySelectorAll(".finding[data-line]")) {
      const words = finding.querySelector(".place");
      if (!words || words.tagName === "BUTTON") continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "place link";
      button.textContent = words.textContent;
      const { line, column, endLine, endColumn } = finding.dataset;
      button.addEventListener("click", () => go(Number(line), Number(column), Number(endLine), Number(endColumn)));
      words.replaceWith(button);
    }
  };

  const chosen = () => [...part.querySelectorAll("[data-role] select")].map(select => select.value);
  const step = happening => {
    steps.push(happening);
    why = null;
    ask();
  };
  const prepare = () => {
    const on = (selector, act) => {
      for (const button of part.querySelectorAll(selector)) button.addEventListener("click", () => act(button));
    };
    on("[data-first]", () => { steps = []; why = null; ask(); });
    on("[data-back]", () => { steps.pop(); why = null; ask(); });
    on("[data-step]", () => step({ moves: chosen() }));
    on("[data-next]", () => step("next"));
    on("[data-advance]", () => step({ advance: document.getElementById("advance-by").value }));
    on("[data-random]", () => step({ moves: [...part.querySelectorAll("[data-role] select")]
      .map(select => select.options[Math.floor(Math.random() * select.options.length)].value) }));
    on("[data-why]", button => {
      const role = button.closest("[data-role]");
      why = [Number(role.dataset.role), role.querySelector("select").value];
      ask();
    });
    on("[data-line]", button => go(Number(button.dataset.line), 1, Number(button.dataset.line) + 1, 1));
  };

  const show = (answer, asked) => {
    marks = new Map(answer.marks);
    list.innerHTML = answer.findings;
    // Screen readers hear how many there are, and not all of them with each letter.
    const found = list.querySelectorAll(".finding").length;
    const words = found === 0 ? "Nothing is wrong with these rules." : `${found} findings`;
    if (count.textContent !== words) count.textContent = words;
    findings.classList.toggle("hidden", answer.findings === "");
    // What was chosen stays chosen where it still can be, and so does the focus.
    const before = [...part.querySelectorAll("select, #advance-by")].map(select => [select.id, select.value]);
    const active = part.contains(document.activeElement) ? document.activeElement : null;
    const again = active && (active.id ? `#${active.id}`
      : ["data-step", "data-random", "data-next", "data-advance", "data-back", "data-first"].filter(name => active.hasAttribute(name))
        .map(name => `[${name}]`)[0]);
    const scrolled = part.querySelector("pre")?.scrollTop;
    part.innerHTML = answer.state;
    state.classList.toggle("hidden", answer.state.trim() === "");
    for (const [id, value] of before) {
      const select = document.getElementById(id);
      if (select && (!select.options || [...select.options].some(option => option.value === value))) select.value = value;
    }
    if (asked.why) {
      part.querySelector(".reasons")?.focus({ preventScroll: false });
    } else if (again) {
      part.querySelector(`${again}:not(:disabled)`)?.focus({ preventScroll: true });
    }
    if (scrolled && part.querySelector("pre")) part.querySelector("pre").scrollTop = scrolled;
    if (answer.made < steps.length) steps.length = answer.made;
    number();
    link();
    prepare();
  };
  const failed = words => {
    const problem = document.createElement("p");
    problem.className = "notice bad";
    problem.textContent = words;
    part.replaceChildren(problem);
    state.classList.remove("hidden");
  };

  // One question at a time; what was typed meanwhile is asked about next.
  const ask = async () => {
    wanted += 1;
    if (busy) return;
    busy = true;
    try {
      let asked;
      do {
        asked = wanted;
        const question = { text: text.value, steps, why };
        const answer = await fetch("/games/editor", {
          method: "POST",
          headers: { "Content-Type": "application/json", Accept: "application/json" },
          body: JSON.stringify(question),
        });
        const told = await answer.json();
        if (asked !== wanted) continue;
        if (answer.ok) show(told, question);
        else failed(told.error ?? "The rules could not be looked at.");
      } while (asked !== wanted);
    } catch {
      failed("The server does not answer. What you typed is still here.");
    } finally {
      busy = false;
    }
  };
  const typed = () => {
    number();
    why = null;
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  };
  text.addEventListener("input", typed);

  number();
  link();
  if (text.value.trim() !== "") ask();
})();
