// The extension in its editor, with the server that it starts.

import assert from "node:assert/strict";
import * as vscode from "vscode";

import type { Ludex } from "../../src/extension";

/** How long the server may take for an answer, in milliseconds. */
const PATIENCE = 20_000;

export const tests: Record<string, () => Promise<void>> = {
  "files have the language of their notation": async () => {
    assert.equal((await open("tic-tac-toe.kif")).languageId, "gdl-prefix");
    assert.equal((await open("tic-tac-toe.gdl")).languageId, "gdl-infix");
    assert.equal((await open("hexapawn.hrf")).languageId, "epilog");
    const other = await write("other.gdl", "; prefix notation\n(role white)\n");
    await until("the notation is seen", () => find(other.uri).languageId === "gdl-prefix");
  },

  "findings come and go with the text": async () => {
    const document = await open("tic-tac-toe.kif");
    await edit(document, "(role white)", "(role white");
    await until("the bracket is missed", () => findings(document).some(({ code }) => code === "L001"));
    await edit(document, "(role white", "(role white)");
    await until("all is well", () => findings(document).length === 0);
  },

  "a name that is written wrong is mended": async () => {
    const document = await open("tic-tac-toe.kif");
    await edit(document, "(<= terminal (line x))", "(<= terminal (lime x))");
    await until("the relation is missed", () => findings(document).some(({ code }) => code === "L050"));
    const range = place(document, "lime");
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      document.uri,
      range,
    );
    const fix = actions.find((action) => action.edit && action.title.includes("line"));
    assert.ok(fix?.edit, actions.map(({ title }) => title).join("; "));
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    assert.ok(document.getText().includes("(<= terminal (line x))"));
    await until("all is well", () => findings(document).length === 0);
  },

  "what is asked of a name is answered": async () => {
    const document = await open("tic-tac-toe.kif");
    const at = place(document, "(row ?m ?z)").start.translate(0, 1);
    const ask = <T>(command: string, ...rest: unknown[]) =>
      vscode.commands.executeCommand<T>(command, document.uri, ...rest);
    const hovers = await ask<vscode.Hover[]>("vscode.executeHoverProvider", at);
    const said = hovers.flatMap(({ contents }) => contents.map((content) => (typeof content === "string" ? content : content.value)));
    assert.match(said.join("\n"), /row/);
    const definitions = await ask<(vscode.Location | vscode.LocationLink)[]>("vscode.executeDefinitionProvider", at);
    assert.equal(definitions.length, 1);
    const references = await ask<vscode.Location[]>("vscode.executeReferenceProvider", at);
    assert.equal(references.length, 2);
    const symbols = await ask<vscode.DocumentSymbol[]>("vscode.executeDocumentSymbolProvider");
    assert.ok(symbols.length > 5);
    const lenses = await ask<vscode.CodeLens[]>("vscode.executeCodeLensProvider");
    assert.ok(lenses.some(({ command }) => command?.command === "ludex.playRandomGame"));
    const legend = await ask<vscode.SemanticTokensLegend>("vscode.provideDocumentSemanticTokensLegend");
    assert.ok(legend.tokenTypes.includes("variable"));
    const list = await ask<vscode.CompletionList>("vscode.executeCompletionItemProvider", at);
    assert.ok(list.items.some(({ label }) => (typeof label === "string" ? label : label.label) === "diagonal"));
  },

  "a relation is renamed everywhere": async () => {
    const document = await open("tic-tac-toe.gdl");
    const before = document.getText();
    const at = place(document, "diagonal(").start;
    const change = await vscode.commands.executeCommand<vscode.WorkspaceEdit>(
      "vscode.executeDocumentRenameProvider",
      document.uri,
      at,
      "slanted",
    );
    assert.ok(await vscode.workspace.applyEdit(change));
    assert.equal(document.getText(), before.replaceAll("diagonal(", "slanted("));
    await vscode.commands.executeCommand("undo");
    await until("it is taken back", () => document.getText() === before);
  },

  "a text is laid out": async () => {
    const document = await write("layout.kif", "(role   white)\n(legal white   noop)(goal white 100)\n(<= terminal\n(true   p))(init p)");
    const edits = await vscode.commands.executeCommand<vscode.TextEdit[]>(
      "vscode.executeFormatDocumentProvider",
      document.uri,
      { tabSize: 2, insertSpaces: true },
    );
    const change = new vscode.WorkspaceEdit();
    change.set(document.uri, edits);
    assert.ok(await vscode.workspace.applyEdit(change));
    assert.ok(document.getText().includes("(role white)\n") && document.getText().includes("(<= terminal\n    (true p))"));
  },

  "a random game is shown beside the text": async () => {
    const document = await open("tic-tac-toe.kif");
    await vscode.commands.executeCommand("ludex.playRandomGame", document.uri.toString());
    await until("the game is shown", () =>
      vscode.window.visibleTextEditors.some(
        (editor) => editor.document.uri.scheme === "ludex" && editor.document.getText().includes("mark"),
      ),
    );
  },

  "the palette's commands are about the rulesheet in front": async () => {
    await open("race.kif");
    const result = await vscode.commands.executeCommand<{ text: string }>("ludex.proveEnds");
    assert.match(result.text, /end/);
  },

  "what random games never use is greyed": async () => {
    const document = await write(
      "unused.kif",
      "(role you)\n(init (at 1))\n(next (at 1))\n(legal you go)\n(<= (legal you fly) (true (at 2)))\n(goal you 100)\n" +
        "(<= terminal (true (at 3)))\n(<= (next (at 2)) (true (at 4)))\n(<= (next (at 3)) (does you go))\n(<= (next (at 4)) (true (at 5)))\n(<= (next (at 5)) (true (at 4)))\n",
    );
    const greyed = () =>
      vscode.languages
        .getDiagnostics(document.uri)
        .filter(({ source, tags }) => source === "ludex coverage" && tags?.includes(vscode.DiagnosticTag.Unnecessary));
    await vscode.commands.executeCommand("ludex.coverage", document.uri.toString());
    await until("it is grey", () => greyed().some(({ range }) => document.getText(range).includes("fly")));
    await vscode.commands.executeCommand("ludex.clearCoverage", document.uri.toString());
    await until("it is grey no more", () => greyed().length === 0);
  },

  "the server is started again": async () => {
    const document = await open("race.kif");
    await vscode.commands.executeCommand("ludex.restart");
    const result = await vscode.commands.executeCommand<{ text: string }>("ludex.playRandomGame", document.uri.toString());
    assert.ok(result.text);
  },

  "a server that was not found is started once it is": async () => {
    const document = await open("race.kif");
    const settings = () => vscode.workspace.getConfiguration("ludex");
    const path = settings().get<string>("path");
    await settings().update("path", "/nowhere/ludex", vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand("ludex.restart");
    await assert.rejects(async () => vscode.commands.executeCommand("ludex.playRandomGame", document.uri.toString()));
    await settings().update("path", path, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand("ludex.restart");
    const result = await vscode.commands.executeCommand<{ text: string }>("ludex.playRandomGame", document.uri.toString());
    assert.ok(result.text);
  },

  "the board is stepped through and follows the text": async () => {
    const document = await open("tic-tac-toe.kif");
    const { board } = await ludex();
    await vscode.commands.executeCommand("ludex.showBoard", document.uri);
    await until("the board is there", () => board.current?.moves.length === 0);
    assert.ok(board.current?.svg?.includes("<svg"));
    assert.deepEqual(board.current?.roles, ["white", "black"]);
    assert.equal(board.current?.legal.white.length, 9);
    await board.on({ type: "step", joint: [board.current!.legal.white[0], "noop"] });
    await board.on({ type: "random" });
    assert.equal(board.current?.moves.length, 2);
    await board.on({ type: "back" });
    assert.equal(board.current?.moves.length, 1);
    await edit(document, "(role white)", "(role white");
    await until("the board waits", () => board.current?.error !== null);
    await edit(document, "(role white", "(role white)");
    await until("the board is back", () => board.current?.error === null && board.current.moves.length === 1);
    for (let step = 0; step < 9 && !board.current?.terminal; step++) {
      await board.on({ type: "random" });
    }
    assert.ok(board.current?.terminal);
    assert.equal(board.current.goals.white! + board.current.goals.black!, 100);
  },
};

/** What the extension shows. */
async function ludex(): Promise<Ludex> {
  const extension = vscode.extensions.getExtension<Ludex>("ludex.ludex");
  assert.ok(extension);
  return extension.activate();
}

async function show(uri: vscode.Uri): Promise<vscode.TextDocument> {
  await ludex();
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
  return document;
}

function path(file: string): vscode.Uri {
  return vscode.Uri.joinPath(vscode.workspace.workspaceFolders![0].uri, file);
}

/** A rulesheet that is there from the start. */
function open(file: string): Promise<vscode.TextDocument> {
  return show(path(file));
}

/** A rulesheet with this text. */
async function write(file: string, text: string): Promise<vscode.TextDocument> {
  await vscode.workspace.fs.writeFile(path(file), Buffer.from(text));
  return show(path(file));
}

function find(uri: vscode.Uri): vscode.TextDocument {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())!;
}

function place(document: vscode.TextDocument, text: string): vscode.Range {
  const at = document.getText().indexOf(text);
  assert.ok(at >= 0, `${text} is in the text`);
  return new vscode.Range(document.positionAt(at), document.positionAt(at + text.length));
}

async function edit(document: vscode.TextDocument, from: string, to: string): Promise<void> {
  const change = new vscode.WorkspaceEdit();
  change.replace(document.uri, place(document, from), to);
  assert.ok(await vscode.workspace.applyEdit(change));
}

function findings(document: vscode.TextDocument): vscode.Diagnostic[] {
  return vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === "ludex");
}

/** Waits until something is so. */
async function until(what: string, so: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE;
  while (!so()) {
    assert.ok(Date.now() < end, `in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}
