/**
 * docs/tutorial.md, followed as a reader does: each block of code goes into its file and each command into one shell,
 * in the order of the page, in an empty folder. What the page shows below a command is what it prints.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { cleanEnvironment, ROOT, startDaemon } from '../support/daemon.ts';
import { ask } from '../support/example-world.ts';
import { blocksOf, commandsOf, outputPattern, withoutVarying } from '../support/page-blocks.ts';
import { marked, runMarked } from '../support/page-shell.ts';
import { tempDir } from '../support/temp-dir.ts';
import { isMissing } from '../support/tools.ts';

/** The page's port of the app. A free one replaces it, because others may use it here. */
const PORT = '4640';
const PYTHON = '## The same in Python\n';
const FILES: Readonly<Record<string, string>> = { js: 'app.mjs', python: 'app.py' };

function pageWith(port: number): string {
  return readFileSync(join(ROOT, 'docs/tutorial.md'), 'utf8').replaceAll(PORT, String(port));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A script that writes each block of code at the end of its file, and runs each command. */
function scriptOf(page: string): string {
  const commands = blocksOf(page).flatMap(({ language, text }) =>
    language === 'console'
      ? commandsOf(text).map((command) => marked(command.text))
      : [`cat >> ${FILES[language] ?? 'unknown'} <<'END OF THE BLOCK'\n${text}\nEND OF THE BLOCK`],
  );
  return commands.join('\n');
}

/** The page without its section for Python. */
function withoutPython(page: string): string {
  const start = page.indexOf(PYTHON);
  expect(start).toBeGreaterThan(0);
  return page.slice(0, start) + page.slice(page.indexOf('\n## ', start));
}

for (const { name, part, isLeftOut } of [
  { name: 'Node', part: withoutPython, isLeftOut: false },
  { name: 'Python, after Node', part: (page: string) => page, isLeftOut: isMissing('python3') },
]) {
  test.skipIf(isLeftOut)(`tutorial: ${name}, each command prints what the page shows`, async () => {
    using home = tempDir();
    using folder = tempDir();
    const page = part(pageWith(await freePort()));
    const commands = blocksOf(page).flatMap(({ language, text }) =>
      language === 'console' ? commandsOf(text) : [],
    );
    expect(commands.length).toBeGreaterThan(10);
    try {
      const runs = await runMarked(scriptOf(page), { home: home.path, folder: folder.path });
      for (const [at, { text, shown }] of commands.entries()) {
        const { printed, code } = runs[at] ?? {};
        expect(withoutVarying(printed ?? 'not run'), text).toMatch(outputPattern(shown));
        expect(code, text).toBe('0');
      }
    } finally {
      await runCli(['stop'], { home: home.path });
    }
  });
}

for (const { language, program } of [
  { language: 'js', program: process.execPath },
  { language: 'python', program: 'python3' },
]) {
  test.skipIf(isMissing(program))(
    `tutorial: the app in ${FILES[language] ?? ''} refuses a webhook that is signed with another secret`,
    async () => {
      await using daemon = await startDaemon();
      using folder = tempDir();
      const port = await freePort();
      const blocks = blocksOf(pageWith(port)).filter((block) => block.language === language);
      const file = join(folder.path, FILES[language] ?? '');
      writeFileSync(file, blocks.map(({ text }) => text).join('\n'));
      await ask(daemon, 'POST', '/_kyclone/webhooks', { url: `http://127.0.0.1:${port}/hooks` });
      const app = spawn(program, [file], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: cleanEnvironment(folder.path, {
          KYCLONE_BASE_URL: daemon.url,
          KYCLONE_API_KEY: daemon.apiKey,
          PYTHONUNBUFFERED: '1',
          WEBHOOK_SECRET: `whsec_${Buffer.from('another secret').toString('base64')}`,
        }),
      });
      const ended = once(app, 'close');
      let output = '';
      app.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      try {
        await expect
          .poll(async () => await ask(daemon, 'GET', '/_kyclone/deliveries'))
          .toMatchObject({ data: [{ status: 'pending', response_status: 400 }] });
      } finally {
        app.kill();
        await ended;
      }
      expect(output).toContain('tax number');
      expect(output).not.toContain('pass: ');
    },
  );
}
