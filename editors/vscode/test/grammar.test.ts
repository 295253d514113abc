// The colours of names in both notations.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import * as oniguruma from "vscode-oniguruma";
import { type IGrammar, INITIAL, parseRawGrammar, Registry } from "vscode-textmate";

const games = join("..", "..", "games");
const files: Record<string, string> = {
  "source.gdl.prefix": "gdl-prefix",
  "source.gdl.infix": "gdl-infix",
  "source.epilog": "epilog",
};
const grammars: Record<string, IGrammar> = {};

before(async () => {
  await oniguruma.loadWASM(readFileSync("node_modules/vscode-oniguruma/release/onig.wasm"));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      const path = `syntaxes/${files[scope]}.tmLanguage.json`;
      return parseRawGrammar(readFileSync(path, "utf8"), path);
    },
  });
  for (const scope of Object.keys(files)) {
    grammars[scope] = (await registry.loadGrammar(scope))!;
  }
});

/** What each scope is called in this test. */
const KINDS: [string, string][] = [
  ["comment", "comment"],
  ["keyword.operator", "operator"],
  ["keyword.other", "keyword"],
  ["support.function", "built-in"],
  ["entity.name.function", "function"],
  ["constant.numeric", "number"],
  ["constant.other", "constant"],
  ["string.quoted", "constant"],
  ["variable.other", "variable"],
  ["punctuation", ""],
];

/** The tokens of a text, without brackets and blanks, as `kind:text`. */
function tokens(scope: string, text: string): string[] {
  let state = INITIAL;
  const found: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    const read = grammars[scope].tokenizeLine(line, state);
    state = read.ruleStack;
    for (const { startIndex, endIndex, scopes } of read.tokens) {
      const written = line.slice(startIndex, endIndex);
      const kind = KINDS.find(([prefix]) => scopes[scopes.length - 1].startsWith(prefix))?.[1];
      if (kind === undefined) {
        assert.equal(written.trim(), "", `${JSON.stringify(written)} of ${JSON.stringify(line)} has no colour`);
      } else if (kind !== "") {
        found.push(`${kind}:${written}`);
      }
    }
  }
  return found;
}

const SPECIMENS: [string, string, string][] = [
  ["source.gdl.prefix", "(role white) ; a role", "keyword:role constant:white comment:; a role"],
  [
    "source.gdl.prefix",
    "(<= (next (cell ?m 1 x)) (does white (mark ?m 1)) (not (true p)) (distinct ?m 2))",
    "operator:<= keyword:next function:cell variable:?m number:1 constant:x keyword:does constant:white function:mark " +
      "variable:?m number:1 operator:not keyword:true constant:p operator:distinct variable:?m number:2",
  ],
  ["source.gdl.prefix", "(<= TERMINAL (TRUE (step 10)))", "operator:<= keyword:TERMINAL keyword:TRUE function:step number:10"],
  ["source.gdl.prefix", "(roles a1 1a -3 2.5)", "function:roles constant:a1 constant:1a number:-3 number:2.5"],
  ["source.gdl.prefix", "(p |two words| ?|odd ; one|)", "function:p constant:|two words| variable:?|odd ; one|"],
  [
    "source.gdl.prefix",
    "(forall (?x) (=> (p ?x) (= ?x random)))",
    "operator:forall variable:?x operator:=> function:p variable:?x operator:= variable:?x keyword:random",
  ],
  ["source.gdl.prefix", "(init infinity (at home))", "keyword:init keyword:infinity function:at constant:home"],
  ["source.gdl.infix", "role(white) % a role", "keyword:role constant:white comment:% a role"],
  [
    "source.gdl.infix",
    "next(cell(M,1,x)) :- does(white,mark(M,1)) & ~true(p) & distinct(M,2).",
    "keyword:next function:cell variable:M number:1 constant:x operator::- keyword:does constant:white function:mark " +
      "variable:M number:1 operator:& operator:~ keyword:true constant:p operator:& operator:distinct variable:M number:2",
  ],
  [
    "source.gdl.infix",
    "terminal :- goal_reached & terminal_state",
    "keyword:terminal operator::- constant:goal_reached operator:& constant:terminal_state",
  ],
  ["source.gdl.infix", "p(left-of,1/2,2.50,'Two words',_x)", "function:p constant:left-of constant:1/2 number:2.50 constant:'Two words' variable:_x"],
  [
    "source.gdl.infix",
    "AX:(field(X) <=> EY:Y!=X | X=a)",
    "operator:A variable:X operator:: function:field variable:X operator:<=> operator:E variable:Y operator:: " +
      "variable:Y operator:!= variable:X operator:| variable:X operator:= constant:a",
  ],
  ["source.gdl.infix", "legal(R,go) ⇐ true(T,control(R)) ∧ ¬expired(bell)", 
    "keyword:legal variable:R constant:go operator:⇐ keyword:true variable:T function:control variable:R operator:∧ " +
      "operator:¬ keyword:expired constant:bell"],
  ["source.gdl.infix", "état(Élan,né)", "function:état variable:Élan constant:né"],
  [
    "source.epilog",
    "mark(M,N) :: control(R) & plus(M,1,K) ==> cell(K,N,R) & ~control(R)",
    "function:mark variable:M variable:N operator::: keyword:control variable:R operator:& built-in:plus variable:M " +
      "number:1 variable:K operator:==> function:cell variable:K variable:N variable:R operator:& operator:~ " +
      "keyword:control variable:R",
  ],
  ["source.epilog", "action(noop)", "keyword:action constant:noop"],
];

test("names have the colours of what they are", () => {
  for (const [scope, text, expected] of SPECIMENS) {
    assert.equal(tokens(scope, text).join(" "), expected, text);
  }
});

test("every bundled rulesheet is coloured to its last name", () => {
  let count = 0;
  for (const folder of readdirSync(games, { withFileTypes: true }).filter((entry) => entry.isDirectory())) {
    for (const file of readdirSync(join(games, folder.name))) {
      const text = readFileSync(join(games, folder.name, file), "utf8");
      const scope = file.endsWith(".kif") ? "source.gdl.prefix" : file.endsWith(".hrf") ? "source.epilog" : "source.gdl.infix";
      if (!file.endsWith(".cases") && !file.endsWith(".md")) {
        count += 1;
        assert.ok(tokens(scope, text).some((token) => token === "keyword:role"), file);
      }
    }
  }
  assert.ok(count > 50, `${count} rulesheets`);
});

test("a game has the same colours in both notations", () => {
  // Connectives are written differently, and comments are comments.
  const names = (scope: string, file: string) =>
    tokens(scope, readFileSync(join(games, "gdl", file), "utf8"))
      .filter((token) => !/^(operator|comment):/.test(token))
      .map((token) => token.replace("variable:?", "variable:").toLowerCase());
  for (const game of ["tic-tac-toe", "buttons-and-lights"]) {
    assert.deepEqual(names("source.gdl.prefix", `${game}.kif`), names("source.gdl.infix", `${game}.gdl`), game);
  }
});
