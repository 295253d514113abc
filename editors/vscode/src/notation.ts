// Which of the two notations a rulesheet is written in.

/** The languages that this extension speaks for. */
export const LANGUAGES = ["gdl-prefix", "gdl-infix", "epilog"];

/**
 * The language of a text in GDL: prefix notation begins with a bracket, infix notation with a name. Undefined where there
 * is nothing but comments yet.
 */
export function languageOf(text: string): "gdl-prefix" | "gdl-infix" | undefined {
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)) {
    const start = line.trimStart();
    if (start !== "" && !start.startsWith(";") && !start.startsWith("%")) {
      return start.startsWith("(") ? "gdl-prefix" : "gdl-infix";
    }
  }
  return undefined;
}
