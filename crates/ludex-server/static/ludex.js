// What pages do beyond links and forms, all of which work without it: live parts, clocks, boards that can
// be clicked, the slider of replays, lists that can be searched. Texts come escaped from the server.
"use strict";

(() => {
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  // How fast the time of a match goes by: as it is, not at all where a replay stands still, faster where it runs.
  let pace = document.querySelector("input[data-replay]") ? 0 : 1;
  // How long a message takes to the server and back, in milliseconds: the least that was measured.
  let latency = null;

  // Clocks run down between two pieces of news. What is told now was true half a latency ago.
  let told = performance.now();
  const startClocks = inside => {
    const late = pace === 1 && latency !== null ? latency / 2 : 0;
    for (const clock of all("[data-left]", inside)) clock.left = Number(clock.dataset.left) - late;
    for (const clock of all("[data-time]", inside)) {
      clock.time = Number(clock.dataset.time) + late / Number(clock.dataset.unit);
    }
  };
  const tick = () => {
    const passed = pace * (performance.now() - told);
    told = performance.now();
    for (const clock of all("[data-time]")) {
      if (clock.time === undefined || (clock.dataset.runs === undefined && pace === 1)) continue;
      clock.time += passed / Number(clock.dataset.unit);
      clock.textContent = clock.time.toFixed(1);
    }
    for (const clock of all("[data-left]")) {
      if (clock.left === undefined) continue;
      clock.left = Math.max(0, clock.left - passed);
      const left = clock.left;
      if (clock.tagName === "PROGRESS") {
        clock.value = left;
        continue;
      }
      const seconds = Math.ceil(left / 1000);
      const text = left < 10000 ? `${(left / 1000).toFixed(1)} s` : seconds < 60 ? `${seconds} s`
        : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
      if (clock.textContent !== text) clock.textContent = text;
      clock.classList.toggle("low", left < 5000);
    }
  };

  // Lists that can be searched.
  const filter = input => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of all(input.dataset.filter)) {
      const text = item.textContent.toLowerCase();
      // Words count in their order: the move 2 1 is not the move 1 2.
      let from = 0;
      const found = words.every(word => {
        const at = text.indexOf(word, from);
        from = at + word.length;
        return at >= 0;
      });
      item.classList.toggle("hidden", !found);
    }
    const none = input.dataset.none && document.getElementById(input.dataset.none);
    if (none) none.classList.toggle("hidden", all(`${input.dataset.filter}:not(.hidden)`).length > 0);
  };

  // A board: a click on a spot chooses among the moves that name it, until one is left.
  const prepareBoard = inside => {
    const moves = all("button[data-spots]", inside)
      .map(button => ({ button, spots: button.dataset.spots.split(" ").filter(Boolean) }));
    const named = moves.filter(move => move.spots.length > 0);
    if (named.length === 0) return;
    const board = inside.querySelector(".drawing");
    if (!board) return;
    let chosen = [];
    const matching = () => named.filter(move => chosen.every((spot, at) =>
      move.spots[at] === spot || (move.button.dataset.any !== undefined && move.spots.includes(spot))));
    const show = () => {
      const left = matching();
      const next = new Set();
      for (const move of left) {
        if (move.button.dataset.any !== undefined) move.spots.forEach(spot => next.add(spot));
        else if (move.spots.length > chosen.length) next.add(move.spots[chosen.length]);
      }
      for (const spot of all(".spot", board)) {
        const id = spot.dataset.spot;
        const can = next.has(id), taken = chosen.includes(id);
        spot.classList.toggle("can", can && !taken);
        spot.classList.toggle("chosen", taken);
        if (can || taken) {
          spot.setAttribute("tabindex", "-1");
          spot.setAttribute("role", "button");
          spot.setAttribute("aria-pressed", String(taken));
        } else {
          for (const name of ["tabindex", "role", "aria-pressed"]) spot.removeAttribute(name);
        }
      }
      for (const move of moves) {
        move.button.classList.toggle("chosen", chosen.length > 0 && left.includes(move));
      }
      // The board is one stop on the way through the page; arrow keys go about on it.
      const active = board.contains(document.activeElement) ? document.activeElement : null;
      const stop = active && active.hasAttribute("tabindex") ? active : usable()[0];
      if (stop) stop.setAttribute("tabindex", "0");
    };
    const usable = () => all(".spot[tabindex]", board);
    const centre = spot => {
      const { left, top, width, height } = spot.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    };
    // The spot that is next in a direction: near, and not too far aside.
    const neighbour = (from, [dx, dy]) => {
      const [x, y] = centre(from);
      let best = null, least = Infinity;
      for (const spot of usable()) {
        const [a, b] = centre(spot);
        const ahead = (a - x) * dx + (b - y) * dy, aside = Math.abs((a - x) * dy) + Math.abs((b - y) * dx);
        if (spot === from || ahead < 1) continue;
        const cost = ahead + 2 * aside;
        if (cost < least) [best, least] = [spot, cost];
      }
      return best;
    };
    const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const go = (from, to) => {
      from.setAttribute("tabindex", "-1");
      to.setAttribute("tabindex", "0");
      to.focus();
    };
    const choose = id => {
      if (chosen.includes(id)) {
        chosen = [];
      } else {
        chosen.push(id);
        if (matching().length === 0) chosen = [id];
        if (matching().length === 0) chosen = [];
      }
      const left = matching();
      const complete = left.filter(move => move.button.dataset.any !== undefined
        || move.spots.length === chosen.length);
      show();
      if (chosen.length > 0 && left.length === 1 && complete.length === 1) left[0].button.click();
      else if (chosen.length > 0 && complete.length === left.length && left.length > 1) {
        left[0].button.focus();
      }
    };
    // A piece may be dragged, too: from the spot that is chosen by it to the next one.
    let drag = null, wasDragged = false;
    const begin = (event, spot) => {
      wasDragged = false;
      const free = spot.classList.contains("can") && chosen.length === 0;
      drag = free ? { spot, x: event.clientX, y: event.clientY, moves: false } : null;
    };
    board.addEventListener("pointermove", event => {
      if (!drag || drag.moves || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 8) return;
      drag.moves = true;
      board.classList.add("dragging");
      choose(drag.spot.dataset.spot);
    });
    const end = event => {
      const dragged = drag;
      drag = null;
      board.classList.remove("dragging");
      if (!dragged || !dragged.moves) return;
      wasDragged = true;
      const to = document.elementFromPoint(event.clientX, event.clientY)?.closest(".spot");
      if (to && to !== dragged.spot && to.classList.contains("can")) choose(to.dataset.spot);
      else if (to !== dragged.spot) {
        chosen = [];
        show();
      }
    };
    board.addEventListener("pointerup", end);
    board.addEventListener("pointercancel", () => {
      drag = null;
      board.classList.remove("dragging");
    });
    for (const spot of all(".spot", board)) {
      const use = () => {
        if (spot.classList.contains("can") || spot.classList.contains("chosen")) choose(spot.dataset.spot);
      };
      spot.addEventListener("pointerdown", event => begin(event, spot));
      // The click that ends a drag is none.
      spot.addEventListener("click", () => wasDragged || use());
      spot.addEventListener("keydown", event => {
        if (event.key === "Enter" || event.key === " ") {
          event.preventDefault();
          use();
        } else if (event.key === "Escape" && chosen.length > 0) {
          chosen = [];
          show();
        } else if (event.key in arrows) {
          event.preventDefault();
          const next = neighbour(spot, arrows[event.key]);
          if (next) go(spot, next);
        }
      });
    }
    show();
  };

  const prepare = inside => {
    prepareSection(inside);
    prepareBoard(inside);
  };
  const prepareSection = inside => {
    startClocks(inside);
    for (const input of all("input[data-filter]", inside)) {
      input.addEventListener("input", () => filter(input));
      if (input.value) filter(input);
    }
    for (const part of all("[data-end]", inside)) part.scrollTop = part.scrollHeight;
    // The step that is shown is in sight in the list of moves.
    for (const row of all(".moves:not([data-end]) tr.now", inside)) {
      const list = row.closest(".moves");
      list.scrollTop = row.offsetTop - list.clientHeight / 2;
    }
  };

  // Screen readers are told what is new: the last move, and how it stands.
  let stateTold = null;
  const tell = part => {
    const place = document.getElementById("news");
    if (!place) return;
    const heads = all(".moves thead th", part).map(head => head.textContent);
    const row = part.querySelector(".moves tr.now") || all(".moves tbody tr", part).pop();
    const texts = row ? [...row.cells].slice(1).map(cell => cell.querySelector(".text")).filter(Boolean) : [];
    const cells = texts.map((text, at) => [heads[at + 1], text.textContent]);
    // Who waits is not spoken of.
    const moves = cells.filter(([, text]) => text !== "").map(cell => cell.join(" ")).join(", ");
    const step = row ? `Step ${row.cells[0].textContent}: ${moves}. ` : "";
    const state = part.querySelector("[data-news]")?.textContent ?? "";
    const news = step + (state === stateTold && !part.querySelector(".turn") ? "" : state);
    stateTold = state;
    if (row && place.textContent !== news) place.textContent = news;
  };

  // Of a part only those sections are replaced that have changed, so that nobody's click goes astray while the rest of
  // it goes on changing. The board and the moves on it belong together.
  const remember = part => {
    for (const section of all("[data-section]", part)) section.source = section.outerHTML;
  };
  const renew = (part, html) => {
    const next = document.createElement("template");
    next.innerHTML = html;
    const [now, fresh] = [all("[data-section]", part), all("[data-section]", next.content)];
    const keys = sections => sections.map(section => section.dataset.section).join(" ");
    if (now.length === 0 || keys(now) !== keys(fresh)) {
      part.replaceChildren(next.content);
      remember(part);
      return [part];
    }
    remember(next.content);
    const differs = now.map((section, at) => section.source !== fresh[at].source);
    const isBoard = section => ["board", "legal"].includes(section.dataset.section);
    const newBoard = now.some((section, at) => differs[at] && isBoard(section));
    const replaced = fresh.filter((section, at) => differs[at] || (newBoard && isBoard(section)));
    const old = now.filter((section, at) => differs[at] || (newBoard && isBoard(section)));
    old.forEach((section, at) => section.replaceWith(replaced[at]));
    return replaced;
  };

  // Whose turn it is is seen in the title, and heard unless that is switched off.
  const title = document.title;
  const sound = document.getElementById("sound");
  if (sound) {
    sound.closest(".hidden")?.classList.remove("hidden");
    sound.checked = localStorage.getItem("ludex-sound") !== "off";
    sound.addEventListener("change", () => localStorage.setItem("ludex-sound", sound.checked ? "on" : "off"));
  }
  let wasOwn = document.querySelector(".turn.own") !== null;
  const ring = () => {
    if (!sound || !sound.checked || !navigator.userActivation?.hasBeenActive) return;
    const audio = new AudioContext();
    const [tone, volume] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = 660;
    volume.gain.setValueAtTime(0.12, audio.currentTime);
    volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.25);
    tone.connect(volume).connect(audio.destination);
    tone.onended = () => audio.close();
    tone.start();
    tone.stop(audio.currentTime + 0.25);
  };
  // Who was invited and has come needs no invitation any more.
  const tellSeats = () => {
    const empty = document.querySelector("[data-empty]");
    if (!empty) return;
    const seats = empty.dataset.empty.split(" ");
    for (const invitation of all(".invitation")) {
      if (!seats.includes(invitation.dataset.seat)) invitation.remove();
    }
  };
  const tellTurn = () => {
    if (!document.querySelector(".turn")) return;
    const isOwn = document.querySelector(".turn.own") !== null;
    document.title = isOwn ? `● Your move · ${title}` : title;
    if (isOwn && !wasOwn) ring();
    wasOwn = isOwn;
  };
  tellTurn();

  // A part is replaced, and what somebody is doing in it stays: the focus, and what was typed. Who plays by
  // keyboard is on the board again when the next move is asked for.
  let onBoard = false;
  const replace = (part, html) => {
    const active = part.contains(document.activeElement) ? document.activeElement : null;
    const key = active && (active.id ? `#${CSS.escape(active.id)}`
      : active.dataset.spot ? `[data-spot="${CSS.escape(active.dataset.spot)}"]`
      : active.dataset.step ? `[data-step="${CSS.escape(active.dataset.step)}"]` : null);
    if (active) onBoard = active.closest(".drawing, .list") !== null;
    const typed = all("input[id]", part).map(input => [input.id, input.value]);
    const fresh = renew(part, html);
    for (const [id, value] of typed) {
      const input = document.getElementById(id);
      if (input && input.type === "search") input.value = value;
    }
    if (fresh.includes(part)) prepare(part);
    else {
      fresh.forEach(prepareSection);
      if (fresh.some(section => section.dataset.section === "board")) prepareBoard(part);
    }
    showLatency();
    const again = (key && part.querySelector(key))
      || (onBoard && document.activeElement === document.body
        && (part.querySelector(".spot[tabindex='0']") || part.querySelector(".list button")));
    if (again) again.focus({ preventScroll: true });
    tell(part);
    tellTurn();
    tellSeats();
  };

  const showLatency = () => {
    const place = document.getElementById("latency");
    if (place && latency !== null) place.textContent = `latency ${Math.round(latency)} ms`;
  };
  const measured = time => {
    latency = Math.min(latency ?? time, time);
    showLatency();
  };
  // Where time matters, the way to the server is measured now and then.
  const measure = async () => {
    if (!document.querySelector("[data-runs]") || document.hidden) return;
    const begun = performance.now();
    try {
      await fetch("/healthz", { cache: "no-store" });
      measured(performance.now() - begun);
    } catch {
      // The live part says that the connection is broken.
    }
  };

  // What cannot be undone is asked about first, also in parts that come later.
  document.addEventListener("submit", event => {
    const question = event.submitter?.dataset.ask ?? event.target.dataset.ask;
    if (question === undefined || confirm(question)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  // What a seat knows is asked for again whenever the match has gone on.
  let askKnown = () => {};
  for (const section of all("[data-known]")) {
    const place = document.getElementById("known-part");
    const present = () => `${all("#match .moves tbody tr").length} ${document.querySelector(".turn h2")?.textContent}`;
    let known = null, busy = false;
    askKnown = async () => {
      if (busy || known === present()) return;
      busy = true;
      try {
        known = present();
        const answer = await fetch(section.dataset.known, { headers: { Accept: "application/json" } });
        if (answer.ok) place.innerHTML = await answer.text();
        else place.textContent = (await answer.json()).error;
        section.classList.toggle("hidden", place.textContent.trim() === "");
      } catch {
        // The live part says that the connection is broken.
      } finally {
        busy = false;
      }
      askKnown();
    };
    askKnown();
  }

  // Live parts: the server sends them whole.
  for (const part of all("[data-live]")) {
    remember(part);
    setTimeout(measure, 300);
    setInterval(measure, 10000);
    const events = new EventSource(part.dataset.live);
    const state = document.getElementById("connection");
    events.addEventListener("part", event => {
      if (state) state.textContent = "";
      replace(part, event.data);
      askKnown();
    });
    events.addEventListener("over", event => {
      events.close();
      if (event.data) replace(part, event.data);
      // What could be done until now goes, and what can be done from now on comes.
      for (const gone of all("[data-until-over]")) gone.remove();
      for (const come of all("[data-once-over]")) come.classList.remove("hidden");
    });
    events.addEventListener("error", () => {
      if (state) state.textContent = "The connection is broken. Trying again …";
    });
    addEventListener("pagehide", () => events.close());
    // Moves are sent without leaving the page, so that the live part goes on.
    part.addEventListener("submit", event => {
      const form = event.target;
      if (form.dataset.stay === undefined) return;
      event.preventDefault();
      const data = new URLSearchParams(new FormData(form));
      if (event.submitter && event.submitter.name) data.set(event.submitter.name, event.submitter.value);
      // In real time one may move again before anything has changed.
      const many = form.dataset.many !== undefined;
      for (const button of all("button", form)) button.disabled = !many;
      const failed = text => {
        for (const button of all("button", form)) button.disabled = false;
        const place = document.getElementById("said");
        if (place) place.textContent = text;
      };
      fetch(form.action, { method: "POST", body: data, headers: { Accept: "application/json" } })
        .then(async answer => {
          if (!answer.ok) failed((await answer.json()).error || "The move was not taken.");
          else failed("");
        })
        .catch(() => failed("The move did not get through. Try again."));
    });
  }

  // The analysis below a replay is fetched, and put where a page without scripts has it. What was found of a position
  // stands there again when it is shown again.
  const analysed = new Map();
  const showAnalysis = step => {
    const place = document.getElementById("analysis-position");
    if (place) place.innerHTML = analysed.get(String(step)) || "";
    for (const chart of all("[data-course]")) {
      const [first, last] = [Number(chart.dataset.left), Number(chart.dataset.right)];
      const x = first + step / Number(chart.dataset.course) * (last - first);
      const line = chart.querySelector("[data-now]");
      for (const end of ["x1", "x2"]) line.setAttribute(end, x);
    }
  };
  for (const form of all("form[data-analysis]")) {
    const slider = document.querySelector("input[data-replay]");
    const said = document.getElementById("analysis-said");
    const position = document.getElementById("analysis-position");
    if (position.firstElementChild) analysed.set(slider.value, position.innerHTML);
    form.addEventListener("submit", async event => {
      event.preventDefault();
      const wish = event.submitter.value, step = slider.value;
      const buttons = all("button", form);
      buttons.forEach(button => { button.disabled = true; });
      said.classList.add("faint");
      said.textContent = "This takes a few seconds.";
      try {
        const answer = await fetch(`${form.dataset.analysis}?step=${step}&analysis=${wish}&part=1`,
          { headers: { Accept: "application/json" } });
        said.classList.toggle("faint", answer.ok);
        said.textContent = answer.ok ? "" : (await answer.json()).error;
        if (answer.ok) {
          const found = await answer.text();
          if (wish === "match") document.getElementById("analysis-match").innerHTML = found;
          else analysed.set(step, found);
          showAnalysis(slider.value);
        }
      } catch {
        said.classList.remove("faint");
        said.textContent = "The answer did not get through. Try again.";
      } finally {
        buttons.forEach(button => { button.disabled = false; });
        event.submitter.focus({ preventScroll: true });
      }
    });
  }

  // Replays: the slider fetches the part of its step.
  for (const slider of all("input[data-replay]")) {
    const part = document.getElementById("replay");
    remember(part);
    let wanted = slider.value, busy = false;
    const load = async () => {
      if (busy) return;
      busy = true;
      try {
        let shown;
        do {
          shown = wanted;
          const answer = await fetch(`${slider.dataset.replay}?step=${shown}&part=1`);
          if (answer.ok) replace(part, await answer.text());
        } while (shown !== wanted);
        history.replaceState(null, "", `?step=${shown}`);
      } finally {
        busy = false;
      }
    };
    const run = document.querySelector("[data-run]");
    let timer = null;
    const pause = () => {
      clearTimeout(timer);
      timer = null;
      pace = 0;
      run.setAttribute("aria-pressed", "false");
    };
    run.classList.remove("hidden");
    run.addEventListener("click", () => {
      if (timer !== null) return pause();
      if (Number(slider.value) >= Number(slider.max)) go(0);
      run.setAttribute("aria-pressed", "true");
      runOn();
    });
    // In real time, steps follow each other as they did, or so many times faster.
    const speed = document.querySelector("[data-pace]");
    const runOn = async () => {
      pace = speed ? Number(speed.value) : 0;
      const wait = part.querySelector("[data-wait]");
      const time = wait ? Number(wait.dataset.wait) / pace : 900;
      timer = setTimeout(async () => {
        await go(Number(slider.value) + 1);
        if (timer === null) return;
        if (Number(slider.value) >= Number(slider.max)) pause();
        else runOn();
      }, Math.min(time, 2 ** 31 - 1));
    };
    if (speed) speed.addEventListener("change", () => {
      if (timer === null) return;
      clearTimeout(timer);
      runOn();
    });
    const go = step => {
      wanted = String(Math.max(Number(slider.min), Math.min(Number(slider.max), step)));
      slider.value = wanted;
      document.getElementById("step-number").textContent = wanted;
      for (const input of all("[data-step-shown]")) input.value = wanted;
      showAnalysis(wanted);
      return load();
    };
    slider.addEventListener("input", () => {
      if (timer !== null) pause();
      go(Number(slider.value));
    });
    document.addEventListener("click", event => {
      const link = event.target.closest("a[data-step]");
      if (!link) return;
      event.preventDefault();
      if (timer !== null) pause();
      const step = link.dataset.step;
      const now = Number(slider.value);
      go(step === "back" ? now - 1 : step === "on" ? now + 1 : Number(step));
    });
    document.addEventListener("keydown", event => {
      if (event.target.matches("input, select, textarea") || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.key === "ArrowLeft") go(Number(slider.value) - 1);
      else if (event.key === "ArrowRight") go(Number(slider.value) + 1);
    });
  }

  // Forms that depend on a choice are asked for again.
  for (const select of all("select[data-again]")) {
    select.addEventListener("change", () => {
      const url = new URL(location.href);
      url.searchParams.set(select.name, select.value);
      location.replace(url);
    });
  }

  // A rulesheet from a file goes where one could paste it.
  for (const input of all("input[type=file][data-into]")) {
    input.addEventListener("change", async () => {
      const file = input.files[0];
      if (!file) return;
      const into = document.getElementById(input.dataset.into);
      into.value = await file.text();
      into.dispatchEvent(new Event("input", { bubbles: true }));
      const name = document.getElementById("name");
      if (name && !name.value) {
        const plain = file.name.replace(/\.[^.]*$/, "").toLowerCase().replace(/[^a-z0-9_]+/g, "-");
        name.value = plain.replace(/^-+|-+$/g, "").slice(0, 60);
      }
    });
  }


  // Links to be sent to somebody: whole, and copied by a button.
  for (const input of all("input[data-absolute]")) {
    input.value = new URL(input.value, location.href).href;
    input.addEventListener("focus", () => input.select());
  }
  for (const button of all("button[data-copy]")) {
    button.classList.remove("hidden");
    button.addEventListener("click", async () => {
      const input = document.getElementById(button.dataset.copy);
      input.select();
      try {
        await navigator.clipboard.writeText(input.value);
      } catch {
        // Without a secure connection there is only the old way.
        document.execCommand("copy");
      }
      button.textContent = "Copied";
    });
  }

  // What somebody typed once is there the next time.
  for (const input of all("input[data-kept]")) {
    const key = `ludex-${input.dataset.kept}`;
    input.value = input.value || localStorage.getItem(key) || "";
    input.addEventListener("change", () => localStorage.setItem(key, input.value));
  }

  // Small pictures of what is played are fetched again as long as somebody looks at them.
  const freshen = image => {
    const next = new Image();
    next.addEventListener("load", () => { image.src = next.src; });
    next.src = `${image.src.split("?")[0]}?${Date.now()}`;
  };
  if (document.querySelector("img[data-fresh]")) {
    setInterval(() => document.hidden || all("img[data-fresh]").forEach(freshen), 10_000);
  }

  prepare(document);
  setInterval(tick, 100);
})();
