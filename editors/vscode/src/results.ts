// What commands of the server return, as a document beside the rulesheet.

import * as vscode from "vscode";

const SCHEME = "ludex";

/** The texts of results by the path of their document. */
class Results implements vscode.TextDocumentContentProvider {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.path) ?? "";
  }

  /** Puts a text where a document of this title shows it. */
  put(title: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replaceAll("/", "-")}` });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    return uri;
  }
}

const results = new Results();

/** Registers what shows results. */
export function registerResults(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME, results);
}

/**
 * Shows what a command returned: a result of one line as a message, a longer one in a document beside. Anything else is
 * nothing to show.
 */
export async function showResult(result: unknown): Promise<void> {
  if (typeof result !== "object" || result === null) {
    return;
  }
  const { title, text } = result as { title?: unknown; text?: unknown };
  if (typeof text !== "string" || text === "") {
    return;
  }
  const line = text.trimEnd();
  if (!line.includes("\n")) {
    void vscode.window.showInformationMessage(line);
    return;
  }
  const uri = results.put(typeof title === "string" && title !== "" ? title : "Ludex", text);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, {
    viewColumn: vscode.ViewColumn.Beside,
    preserveFocus: true,
    preview: true,
  });
}
