// The board beside the text: a game that is stepped through while its rules are written.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

import { LANGUAGES } from "./notation";

/** What the server says of a position (`ludex/board`). */
export interface Board {
  svg: string | null;
  text: string;
  moves: string[][];
  roles: string[];
  legal: Record<string, string[]>;
  terminal: boolean;
  goals: Record<string, number | null>;
  facts: string[];
  error: string | null;
}

/** What the page asks for. */
type Asked =
  | { type: "ready" }
  | { type: "start" }
  | { type: "back" }
  | { type: "random" }
  | { type: "step"; joint: string[] };

/** How long typing has to pause until the board is asked for again, in milliseconds. */
const PAUSE = 150;

/** The panel that shows the board of one rulesheet. */
export class BoardPreview implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private document: string | undefined;
  /** The joint moves from the start to what is shown. */
  private moves: string[][] = [];
  private shown: Board | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Answers to earlier questions than the last are not shown. */
  private question = 0;
  private seed = 1;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly media: vscode.Uri,
    private readonly client: () => LanguageClient,
  ) {
    this.subscriptions = [
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.changed(document)),
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor?.document)),
    ];
  }

  /** What is shown, and after which moves. */
  get current(): Board | undefined {
    return this.shown;
  }

  /** Shows the board of a rulesheet at its start. */
  async open(document: string): Promise<void> {
    this.document = document;
    this.moves = [];
    this.shown = undefined;
    this.panel ??= this.makePanel();
    this.panel.title = `Board: ${document.split("/").pop() ?? ""}`;
    this.panel.reveal(undefined, true);
    await this.ask();
  }

  /** Does what a button or a move on the page stands for. */
  async on(asked: Asked): Promise<void> {
    switch (asked.type) {
      case "ready":
        this.post();
        return;
      case "start":
        this.moves = [];
        break;
      case "back":
        this.moves = this.moves.slice(0, -1);
        break;
      case "random":
        await this.ask(this.seed++);
        return;
      case "step":
        this.moves = [...this.moves, asked.joint];
        break;
    }
    await this.ask();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
    this.subscriptions.forEach((subscription) => subscription.dispose());
  }

  private changed(document: vscode.TextDocument): void {
    if (this.panel && document.uri.toString() === this.document) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.ask(), PAUSE);
    }
  }

  private follow(document: vscode.TextDocument | undefined): void {
    const uri = document?.uri.toString();
    if (this.panel && document && uri && uri !== this.document && LANGUAGES.includes(document.languageId)) {
      void this.open(uri);
    }
  }

  private async ask(random?: number): Promise<void> {
    const question = ++this.question;
    const params = { textDocument: { uri: this.document }, moves: this.moves, random };
    let board: Board;
    try {
      board = await this.client().sendRequest<Board>("ludex/board", params);
    } catch (error) {
      board = failed(String(error));
    }
    if (question !== this.question) {
      return;
    }
    if (!board.error) {
      this.moves = board.moves;
    }
    this.shown = board;
    this.post();
  }

  private post(): void {
    if (this.shown) {
      void this.panel?.webview.postMessage({ ...this.shown, played: this.moves });
    }
  }

  private makePanel(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      "ludex.board",
      "Board",
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [this.media], retainContextWhenHidden: true },
    );
    panel.webview.html = page(panel.webview, this.media);
    panel.webview.onDidReceiveMessage((asked: Asked) => void this.on(asked));
    panel.onDidDispose(() => (this.panel = undefined));
    return panel;
  }
}

function failed(error: string): Board {
  return { svg: null, text: "", moves: [], roles: [], legal: {}, terminal: false, goals: {}, facts: [], error };
}

function page(webview: vscode.Webview, media: vscode.Uri): string {
  const nonce = randomBytes(16).toString("hex");
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
  const policy = `default-src 'none'; style-src ${webview.cspSource} 'unsafe-inline'; script-src 'nonce-${nonce}'; img-src data:`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${file("board.css")}">
<title>Board</title>
</head>
<body>
<nav>
<button id="start" title="Back to the initial state">Start</button>
<button id="back" title="Take the last step back">Back</button>
<button id="random" title="One step with random moves">Random step</button>
<span id="step"></span>
</nav>
<p id="error" role="alert" hidden></p>
<div id="board"></div>
<pre id="text" hidden></pre>
<p id="result" hidden></p>
<div id="moves"></div>
<details><summary>Facts</summary><ul id="facts"></ul></details>
<script nonce="${nonce}" src="${file("board.js")}"></script>
</body>
</html>`;
}
