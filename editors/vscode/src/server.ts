// The language server: how it is started, and what is said where it is not there.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { LANGUAGES } from "./notation";
import { showResult } from "./results";

/** A client for the server that the settings name; it is not started yet. */
export function makeClient(output: vscode.OutputChannel): LanguageClient {
  const command = vscode.workspace.getConfiguration("ludex").get<string>("path") || "ludex";
  const server: ServerOptions = { command, args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: LANGUAGES.map((language) => ({ language })),
    outputChannel: output,
    synchronize: { configurationSection: "ludex" },
    initializationOptions: {
      // What commands return is shown here, and not by the server as a message.
      results: "returned",
      ...vscode.workspace.getConfiguration("ludex"),
    },
    middleware: {
      // Commands come from lenses with the rulesheet they are about, from the palette without.
      executeCommand: async (name, given, next) => {
        const { arguments: all, document } = withDocument(given);
        if (!document) {
          void vscode.window.showWarningMessage("Ludex: open a rulesheet first.");
          return undefined;
        }
        if (name === "ludex.showBoard") {
          return vscode.commands.executeCommand("ludex.openBoard", document);
        }
        const result: unknown = await next(name, all);
        await showResult(result);
        return result;
      },
    },
  };
  return new LanguageClient("ludex", "Ludex", server, options);
}

/** The arguments of a command with the rulesheet they are about: the one that is given, else the active one. */
function withDocument(given: unknown[]): { arguments: unknown[]; document?: string } {
  const [first, ...rest] = given;
  if (typeof first === "string") {
    return { arguments: given, document: first };
  }
  // Menus give the resource that they were opened for.
  const uri = first instanceof vscode.Uri ? first : activeRulesheet()?.uri;
  return uri ? { arguments: [uri.toString(), ...rest], document: uri.toString() } : { arguments: given };
}

/** The rulesheet in the active editor. */
export function activeRulesheet(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document && LANGUAGES.includes(document.languageId) ? document : undefined;
}

/** Starts the server; where that fails, says what to do. */
export async function start(client: LanguageClient): Promise<void> {
  try {
    await client.start();
  } catch (error) {
    // Nothing waits until somebody has read it.
    void sayWhatToDo(String(error));
  }
}

async function sayWhatToDo(error: string): Promise<void> {
  const choice = await vscode.window.showErrorMessage(
    `Ludex: the language server does not start (${error}). Install the command ludex, or say in the settings where it is.`,
    "Open Settings",
  );
  if (choice) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "ludex.path");
  }
}
