// One real VS Code: code-server in its own home, its workbench in a real browser, and the probe in
// its extension host. Selectors are used only for what a person sees and no API reports.
import { spawn, spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { sameText } from './harness.mjs';
import { Probe } from './probe.mjs';

const settings = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.colorTheme': 'Default Light Modern',
  'security.workspace.trust.enabled': false,
  'git.enabled': false,
  'remote.autoForwardPorts': false,
  'files.autoSave': 'off',
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.wordBasedSuggestions': 'off',
  'editor.cursorBlinking': 'solid',
  'files.associations': { 'keys-early-*.md': 'plaintext' },
  '[markdown]': { 'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' } },
};

async function until(condition, what, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class Workbench {
  /** `prefix`: the folder of install-vscode; `home`: an empty folder; `extensions`: .vsix files. */
  constructor({ prefix, home, extensions, config, pictures = '' }) {
    this.prefix = prefix;
    this.pictures = pictures;
    this.forgotten = new Set();
    this.home = home;
    this.docs = path.join(home, 'docs');
    this.data = path.join(home, 'data');
    for (const folder of [
      this.docs,
      path.join(this.data, 'User'),
      path.join(home, 'config/agent-doc'),
      path.join(home, 'run'),
    ])
      mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(this.data, 'User/settings.json'), JSON.stringify(settings, null, 2));
    this.configure(config);
    this.environment = {
      PATH: `${prefix}/node24/bin:/usr/local/bin:/usr/bin:/bin`,
      LANG: 'C.UTF-8',
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, 'config'),
      XDG_DATA_HOME: path.join(home, 'share'),
      XDG_CACHE_HOME: path.join(home, 'cache'),
      XDG_STATE_HOME: path.join(home, 'state'),
      XDG_RUNTIME_DIR: path.join(home, 'run'),
      EXTENSIONS_GALLERY: '{"serviceUrl":""}',
      AGENT_DOC_PROBE: path.join(home, 'probe.sock'),
      AGENT_DOC_LOG: 'debug',
    };
    for (const vsix of extensions) this.#install(vsix);
  }

  configure(toml) {
    writeFileSync(path.join(this.home, 'config/agent-doc/config.toml'), toml);
  }

  #codeServer(...args) {
    const entry = path.join(this.prefix, 'code-server/node_modules/code-server/out/node/entry.js');
    const common = [
      '--config',
      path.join(this.home, 'none.yaml'),
      '--user-data-dir',
      this.data,
      '--extensions-dir',
      path.join(this.home, 'extensions'),
    ];
    return [entry, ...common, ...args];
  }

  #install(vsix) {
    const done = spawnSync(
      path.join(this.prefix, 'node24/bin/node'),
      this.#codeServer('--install-extension', vsix),
      { env: this.environment, encoding: 'utf8' },
    );
    if (done.status !== 0)
      throw new Error(`${vsix} was not installed: ${done.stdout}${done.stderr}`);
  }

  /** `trust`: folders are untrusted until the person says otherwise, as in their own VS Code. */
  async start({ folder = this.docs, trust = false } = {}) {
    const port = await freePort();
    this.probe = new Probe(this.environment.AGENT_DOC_PROBE);
    const switches = [
      '--auth',
      'none',
      '--bind-addr',
      `127.0.0.1:${port}`,
      '--disable-telemetry',
      '--disable-update-check',
      ...(trust ? [] : ['--disable-workspace-trust']),
      '--disable-getting-started-override',
      '--disable-proxy',
      '-e',
    ];
    const trusting = trust
      ? {
          'security.workspace.trust.enabled': true,
          'security.workspace.trust.startupPrompt': 'never',
        }
      : {};
    writeFileSync(
      path.join(this.data, 'User/settings.json'),
      JSON.stringify({ ...settings, ...trusting }, null, 2),
    );
    this.process = spawn(path.join(this.prefix, 'node24/bin/node'), this.#codeServer(...switches), {
      env: this.environment,
      detached: true,
      stdio: 'ignore',
    });
    await until(
      () =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          (answer) => answer.ok,
          () => false,
        ),
      'code-server',
    );
    const { chromium } = createRequire(
      pathToFileURL(path.join(this.prefix, 'playwright/package.json')),
    )('playwright-core');
    this.browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ],
    });
    this.page = await this.browser.newPage({ viewport: { width: 1100, height: 700 } });
    await this.page.goto(`http://127.0.0.1:${port}/?folder=${folder}`);
    await this.page.waitForSelector('.monaco-workbench');
    await this.restMouse();
    await this.probe.connected;
  }

  async stop() {
    await this.browser?.close();
    this.probe?.close();
    if (this.process && this.process.exitCode === null) {
      const ended = new Promise((resolve) => this.process.once('exit', resolve));
      process.kill(-this.process.pid, 'SIGKILL');
      await ended;
    }
  }

  /**
   * Called after a failed scenario. A reply that still streams would change its document after it
   * was saved, and VS Code would ask before closing it.
   */
  async endReplies() {
    const files = await this.probe.call((vscode) =>
      vscode.workspace.textDocuments
        .filter((one) => one.isDirty && one.languageId === 'markdown')
        .map((one) => one.uri.fsPath),
    );
    for (const file of files) {
      await this.probe.call(
        async (vscode, file) =>
          void (await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false })),
        file,
      );
      await this.command('agentDoc.stop');
      await this.untilFinished(new Document(this, file));
    }
  }

  /** Writes a document, shows it, and puts the cursor at its end (or at `cursor`, an offset). */
  async open(name, text, cursor) {
    const file = path.join(this.docs, name);
    if (text !== undefined) writeFileSync(file, text);
    await this.probe.call(
      async (vscode, { file, cursor }) => {
        await vscode.workspace.saveAll();
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
        await vscode.commands.executeCommand('notifications.clearAll');
        const document = await vscode.workspace.openTextDocument(file);
        const at = document.positionAt(cursor ?? document.getText().length);
        await vscode.window.showTextDocument(document, {
          preview: false,
          selection: new vscode.Range(at, at),
        });
      },
      { file, cursor },
    );
    await this.page.waitForSelector(`.tab.active[data-resource-name="${name}"]`);
    await this.page.waitForSelector('.editor-group-container.active .monaco-editor.focused');
    // The extension shows its item after it has recognised the session document; only then do its
    // keys work.
    if (readFileSync(file, 'utf8').startsWith('---'))
      await this.page.waitForSelector('[id="agent-doc.agent-doc.agentDoc.status"]');
    return new Document(this, file);
  }

  /** Returns a document that is already open. */
  document(name) {
    return new Document(this, path.join(this.docs, name));
  }

  command(name, ...args) {
    return this.probe.call(
      (vscode, { name, args }) => vscode.commands.executeCommand(name, ...args).then(() => null),
      { name, args },
    );
  }

  /** Runs a command as if chosen in the palette, which must offer it. */
  async palette(title) {
    await this.page.keyboard.press('F1');
    await this.page.waitForSelector('.quick-input-widget input');
    await this.page.keyboard.insertText(title);
    const row = this.page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first();
    await row.waitFor();
    await this.click(row);
  }

  /**
   * Clicks and moves the mouse away: a hover at the mouse may cover the next target.
   */
  async click(place) {
    await this.restMouse();
    await place.click();
    await this.restMouse();
  }

  /** Moves the mouse after the last tab, where nothing has a hover. */
  restMouse() {
    return this.page.mouse.move(900, 18);
  }

  notification(text) {
    return this.page
      .locator('.notifications-toasts .notification-list-item', { hasText: text })
      .first();
  }

  /**
   * Forgets the log so far: the turns of a repeated scenario are new ones. Must be called while the
   * workbench is stopped.
   */
  forgetLog() {
    this.forgotten = new Set(this.#logFiles());
  }

  #logFiles() {
    return readdirSync(path.join(this.data, 'logs'), { recursive: true }).filter((name) =>
      name.endsWith('agent-doc.log'),
    );
  }

  /** Returns everything that the extension has logged. */
  log() {
    const found = this.#logFiles();
    return found
      .filter((name) => !this.forgotten.has(name))
      .sort()
      .map((name) => readFileSync(path.join(this.data, 'logs', name), 'utf8'))
      .join('');
  }

  /** Returns the finished turns of a document, as the extension logged them. */
  endedTurns(document) {
    const name = path.basename(document.file).replaceAll('.', '\\.');
    const lines = this.log().matchAll(
      new RegExp(`${name}: turn (\\S+) (\\w+): (\\d+) edits landed, (\\d+) refused`, 'g'),
    );
    return [...lines].map(([, turn, state, landed, refused]) => ({
      turn,
      state,
      landed: Number(landed),
      refused: Number(refused),
    }));
  }

  finished(document, turns = 1) {
    return this.endedTurns(document).length >= turns;
  }

  untilFinished(document, turns = 1) {
    return until(() => this.finished(document, turns), 'the end of the turn', 30);
  }

  /**
   * Waits until the active document's turn has ended and is shown as such: the keys then have their
   * normal meaning.
   */
  async untilAtRest(document, turns = 1) {
    await this.untilFinished(document, turns);
    await this.page
      .locator('[id="agent-doc.agent-doc.agentDoc.status"]', {
        hasText: /done|failed|cancelled|interrupted/,
      })
      .waitFor();
  }

  writing(document) {
    return this.endedTurns(document).at(-1);
  }

  async keepPicture(name) {
    if (this.pictures)
      await this.page?.screenshot({
        path: path.join(this.pictures, `${name.replace(/\W+/g, '-')}.png`),
      });
  }

  until(condition, what, seconds) {
    return until(condition, what, seconds);
  }
}

/** One file that the workbench shows. */
class Document {
  constructor(workbench, file) {
    this.workbench = workbench;
    this.file = file;
    this.probe = workbench.probe;
  }

  state() {
    return this.probe.call((vscode, file) => {
      const document = vscode.workspace.textDocuments.find((one) => one.uri.fsPath === file);
      const editors = vscode.window.visibleTextEditors.filter((one) => one.document === document);
      const editor = editors.find((one) => one === vscode.window.activeTextEditor) ?? editors[0];
      const line = editor?.visibleRanges[0]?.start.line;
      return {
        text: document?.getText(),
        version: document?.version,
        cursor: editor && document.offsetAt(editor.selection.active),
        first: line,
        firstText: line === undefined ? undefined : document.lineAt(line).text,
      };
    }, this.file);
  }

  async text() {
    return (await this.state()).text;
  }

  /**
   * Puts the cursor after the first such text, at an offset, or at the end, and returns when it is
   * there. A line that arrives above in the same moment would leave the cursor a line too high: the
   * API names a place in the text as this side knows it. So this checks the place and tries again.
   */
  async putCursor(place) {
    await this.probe.call(
      async (vscode, { file, place }) => {
        const document = vscode.workspace.textDocuments.find((one) => one.uri.fsPath === file);
        const wanted = () => {
          const text = document.getText();
          return typeof place === 'string'
            ? text.indexOf(place) + place.length
            : (place ?? text.length);
        };
        for (let tries = 0; tries < 20; ++tries) {
          const at = document.positionAt(wanted());
          const editor = await vscode.window.showTextDocument(document, {
            preview: false,
            selection: new vscode.Range(at, at),
          });
          // The window answers this, so everything sent before has arrived.
          await vscode.commands.executeCommand('setContext', 'agentDocProbe', tries);
          if (document.offsetAt(editor.selection.active) === wanted()) return;
        }
        throw new Error(`the cursor does not stay at ${place}`);
      },
      { file: this.file, place },
    );
  }

  /** Waits until the text is exactly this; fails with the first difference. */
  async becomes(text) {
    await this.workbench
      .until(async () => (await this.text()) === text, 'the text', 5)
      .catch(() => {});
    sameText(await this.text(), text);
  }

  changes() {
    return this.probe.call(
      (vscode, file, changes) =>
        changes.filter((one) => one.uri === vscode.Uri.file(file).toString()),
      this.file,
    );
  }

  /** Waits until the whole text passes. */
  async untilText(passes, what, seconds) {
    await this.workbench.until(async () => passes((await this.text()) ?? ''), what, seconds);
    return this.text();
  }
}
