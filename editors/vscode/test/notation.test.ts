// Which notation a text is in.

import assert from "node:assert/strict";
import { test } from "node:test";

import { languageOf } from "../src/notation";

test("the first clause tells the notation", () => {
  assert.equal(languageOf("; a game\n\n  (role white)"), "gdl-prefix");
  assert.equal(languageOf("% (a game)\r\nrole(white)"), "gdl-infix");
  assert.equal(languageOf("\uFEFF(role white)"), "gdl-prefix");
  assert.equal(languageOf("; nothing yet\r% nor here\n"), undefined);
  assert.equal(languageOf(""), undefined);
});
