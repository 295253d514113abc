// Ludex in Visual Studio Code: the language server, the board beside the text, the notation of a rulesheet.

import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { BoardPreview } from "./board";
import { languageOf } from "./notation";
import { registerResults } from "./results";
import { makeClient, start } from "./server";

/** What the extension shows to tests and other extensions. */
export interface Ludex {
  /** The board beside the text. */
  board: BoardPreview;
  /** The language server as it runs now. */
  client: () => LanguageClient;
}

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Ludex> {
  const output = vscode.window.createOutputChannel("Ludex");
  let current = makeClient(output);
  client = current;
  const board = new BoardPreview(vscode.Uri.joinPath(context.extensionUri, "media"), () => current);
  context.subscriptions.push(
    output,
    board,
    registerResults(),
    vscode.workspace.onDidOpenTextDocument((document) => void useNotation(document)),
    vscode.commands.registerCommand("ludex.openBoard", (document: string) => board.open(document)),
    vscode.commands.registerCommand("ludex.restart", async () => {
      await current.stop();
      current = makeClient(output);
      client = current;
      await start(current);
    }),
  );
  await Promise.all(vscode.workspace.textDocuments.map(useNotation));
  await start(current);
  return { board, client: () => current };
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** Files of either ending are written in either notation: colours and comments are those of the one that is used. */
async function useNotation(document: vscode.TextDocument): Promise<void> {
  if (document.languageId !== "gdl-prefix" && document.languageId !== "gdl-infix") {
    return;
  }
  const language = languageOf(document.getText());
  if (language && language !== document.languageId) {
    await vscode.languages.setTextDocumentLanguage(document, language);
  }
}
