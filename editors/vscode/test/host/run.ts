// Runs the tests of this folder in an editor: code-server is Visual Studio Code with its window in a browser, here Chromium
// without a window. Arguments: the folder with code-server and puppeteer-core, the command `ludex`, and Chromium.

import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** How long all tests may take, in milliseconds. */
const LIMIT = 300_000;

const [host, ludex, chromium] = process.argv.slice(2).map((argument) => resolve(argument));
const require = createRequire(join(host, "package.json"));

/** A folder with rulesheets to edit and the settings of the editor. */
function prepare(): string {
  const folder = mkdtempSync(join(tmpdir(), "ludex-vscode-"));
  const games = join(folder, "games");
  mkdirSync(games);
  for (const file of ["gdl/tic-tac-toe.kif", "gdl/tic-tac-toe.gdl", "gdl/race.kif", "epilog/hexapawn.hrf"]) {
    cpSync(resolve("..", "..", "games", file), join(games, file.split("/")[1]));
  }
  const settings = {
    "ludex.path": ludex,
    "security.workspace.trust.enabled": false,
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
    "chat.commandCenter.enabled": false,
  };
  mkdirSync(join(folder, "data", "User"), { recursive: true });
  mkdirSync(join(folder, "data", "Machine"), { recursive: true });
  for (const place of ["User", "Machine"]) {
    writeFileSync(join(folder, "data", place, "settings.json"), JSON.stringify(settings));
  }
  return folder;
}

/** A port that nobody listens on. */
function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Starts the editor, and returns when it answers. */
async function startEditor(folder: string, port: number): Promise<ChildProcess> {
  const editor = spawn(
    process.execPath,
    [
      join(host, "node_modules", "code-server", "out", "node", "entry.js"),
      ...["--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check"],
      ...["--user-data-dir", join(folder, "data"), "--extensions-dir", join(folder, "extensions")],
      ...["--config", join(folder, "config.yaml")],
    ],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, VSCODE_IPC_HOOK_CLI: "" } },
  );
  let log = "";
  editor.stdout?.on("data", (data: Buffer) => (log += data.toString()));
  editor.stderr?.on("data", (data: Buffer) => (log += data.toString()));
  for (let tries = 0; tries < 120; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer?.ok) {
      return editor;
    }
    await new Promise((done) => setTimeout(done, 500));
  }
  editor.kill();
  throw new Error(`the editor does not start: ${log}`);
}

/** Opens the editor's window on the tests; returns their exit code. */
async function runTests(folder: string, port: number): Promise<number> {
  const { default: puppeteer } = await import(require.resolve("puppeteer-core"));
  const browser = await puppeteer.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--disable-gpu", "--window-size=1400,900"],
    defaultViewport: { width: 1400, height: 900 },
  });
  try {
    const page = await browser.newPage();
    const ended = new Promise<number>((done) => {
      setTimeout(() => done(124), LIMIT);
      void page.exposeFunction("codeAutomationExit", (code: number) => done(code));
    });
    // What the editor says of itself is of no interest.
    await page.exposeFunction("codeAutomationLog", (_: string, values: unknown[]) => {
      const said = values.map(String).join(" ");
      if (/^(ok|FAILED) /.test(said)) {
        console.log(said);
      }
    });
    const remote = (path: string) => `vscode-remote://127.0.0.1:${port}${path}`;
    const payload = [
      ["extensionDevelopmentPath", remote(resolve("."))],
      ["extensionTestsPath", remote(resolve("dist", "host", "index.js"))],
    ];
    const query = new URLSearchParams({ folder: join(folder, "games"), payload: JSON.stringify(payload) });
    await page.goto(`http://127.0.0.1:${port}/?${query}`);
    const code = await ended;
    if (process.env.LUDEX_SCREENSHOT) {
      await page.screenshot({ path: process.env.LUDEX_SCREENSHOT });
    }
    return code;
  } finally {
    await browser.close();
  }
}

async function main(): Promise<void> {
  const folder = prepare();
  const port = await freePort();
  const editor = await startEditor(folder, port);
  try {
    process.exitCode = await runTests(folder, port);
  } finally {
    editor.kill();
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(process.exitCode === 0 ? "test-vscode: ok" : `test-vscode: failed (${process.exitCode})`);
}

main().then(
  () => process.exit(),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
