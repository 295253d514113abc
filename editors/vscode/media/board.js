// The page of the board: draws what it is told and says what was pressed.
(() => {
  const vscode = acquireVsCodeApi();
  const element = (id) => document.getElementById(id);
  /** The chosen move of each role, where it has a choice. */
  let chosen = {};

  for (const type of ["start", "back", "random"]) {
    element(type).addEventListener("click", () => vscode.postMessage({ type }));
  }

  window.addEventListener("message", ({ data }) => show(data));
  vscode.postMessage({ type: "ready" });

  function show(board) {
    chosen = {};
    const failed = board.error !== null;
    element("error").hidden = !failed;
    element("error").textContent = board.error ?? "";
    element("back").disabled = board.played.length === 0;
    element("random").disabled = failed || board.terminal;
    if (failed) {
      // The last board that there was stays to be seen.
      element("moves").replaceChildren();
      return;
    }
    element("step").textContent = `step ${board.moves.length}`;
    element("board").replaceChildren(...picture(board.svg));
    element("text").hidden = board.svg !== null;
    element("text").textContent = board.text;
    element("result").hidden = !board.terminal;
    element("result").textContent =
      "The game is over: " + board.roles.map((role) => `${role} ${board.goals[role] ?? "no goal"}`).join(", ");
    element("facts").replaceChildren(...board.facts.map((fact) => item(fact)));
    element("moves").replaceChildren(...(board.terminal ? [] : board.roles.map((role) => choices(board, role))));
  }

  function picture(svg) {
    if (svg === null) {
      return [];
    }
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
    return parsed.nodeName === "svg" ? [document.importNode(parsed, true)] : [];
  }

  function item(text) {
    const made = document.createElement("li");
    made.textContent = text;
    return made;
  }

  function choices(board, role) {
    const section = document.createElement("section");
    const title = document.createElement("h2");
    title.textContent = role;
    const list = document.createElement("div");
    for (const move of board.legal[role] ?? []) {
      const button = document.createElement("button");
      button.textContent = move;
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => choose(board, role, move, list));
      list.append(button);
    }
    section.append(title, list);
    return section;
  }

  /** Once every role that has a choice has made it, the step is made; who has one move makes it. */
  function choose(board, role, move, list) {
    chosen[role] = move;
    for (const button of list.children) {
      button.setAttribute("aria-pressed", String(button.textContent === move));
    }
    const joint = board.roles.map((r) => chosen[r] ?? (board.legal[r].length === 1 ? board.legal[r][0] : undefined));
    if (joint.every((m) => m !== undefined)) {
      vscode.postMessage({ type: "step", joint });
    }
  }
})();
