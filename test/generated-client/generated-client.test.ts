/**
 * The document as a code generator reads it: a client is generated from the document of a running daemon, compiled
 * strictly and put to use. The generator is the newest one of its kind that runs under Node 20.
 */
import { execFile } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { ROOT, startDaemon } from '../support/daemon.ts';
import { startTarget } from '../support/targets.ts';
import { tempDir } from '../support/temp-dir.ts';
import { toolPath } from '../support/tools.ts';

const run = promisify(execFile);
const MODULES = join(ROOT, 'node_modules');
const PLUGINS = ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'];

/** Runs a script of a package there; what it printed is in the message when it fails. */
async function node(folder: string, script: string, ...words: string[]): Promise<string> {
  try {
    const { stdout } = await run(process.execPath, [script, ...words], { cwd: folder, timeout: 120_000 });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${script} failed:\n${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}`, { cause: error });
  }
}

test('a generated client compiles strictly and walks vault, onboarding, proxy and bank link, unset members as null', async () => {
  using folder = tempDir();
  await using daemon = await startDaemon();
  await using echo = await startTarget({
    handler: (request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ method: request.method, body: JSON.parse(request.body.toString()) as unknown }),
      );
    },
  });
  cpSync(join(ROOT, 'test/generated-client/project'), folder.path, { recursive: true });
  symlinkSync(MODULES, join(folder.path, 'node_modules'));
  const document = await fetch(`${daemon.url}/_kyclone/openapi.json`);
  writeFileSync(join(folder.path, 'openapi.json'), await document.text());

  const generator = toolPath('@hey-api/openapi-ts/bin/run.js');
  await node(folder.path, generator, '-i', 'openapi.json', '-o', 'client', '--no-log-file', '-p', ...PLUGINS);
  await node(folder.path, join(MODULES, 'typescript/bin/tsc'), '-p', '.');
  const { url, apiKey, controlToken } = daemon;
  const output = await node(
    folder.path,
    'built/walk.js',
    'openapi.json',
    url,
    apiKey,
    controlToken,
    echo.url,
  );

  expect(output).toMatch(/^walked; \d+ unset members were null\n$/);
});
