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
}

let client: LanguageClient;

export async function activate(context: vscode.ExtensionContext): Promise<Ludex> {
  const output = vscode.window.createOutputChannel("Ludex");
  client = makeClient(output);
  const board = new BoardPreview(vscode.Uri.joinPath(context.extensionUri, "media"), () => client);
  context.subscriptions.push(
    output,
    board,
    registerResults(),
    vscode.workspace.onDidOpenTextDocument((document) => void useNotation(document)),
    vscode.commands.registerCommand("ludex.openBoard", (document: string) => board.open(document)),
    vscode.commands.registerCommand("ludex.restart", async () => {
      await stop();
      client = makeClient(output);
      await start(client);
    }),
  );
  await Promise.all(vscode.workspace.textDocuments.map(useNotation));
  await start(client);
  return { board };
}

export async function deactivate(): Promise<void> {
  await stop();
}

/** A server that never started cannot be stopped. */
async function stop(): Promise<void> {
  if (client.isRunning()) {
    await client.stop();
  }
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
