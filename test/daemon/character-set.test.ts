/** Non-ASCII text in the bundles, as it arrives from the built daemon, the built library and the built CLI. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { cleanEnvironment, ROOT } from '../support/daemon.ts';
import { tempDir } from '../support/kycloned.ts';
import { useDaemon } from '../support/use-shared.ts';
import { runCli } from '../support/cli.ts';

const MOJIBAKE = /.{0,40}(?:â|Ã|\uFFFD).{0,20}/;

const daemon = useDaemon();

/** Reads an answer strictly as UTF-8. Its header must promise UTF-8. */
async function textOf(path: string, request: RequestInit = {}): Promise<string> {
  const response = await fetch(daemon().url + path, request);
  expect(response.headers.get('content-type')).toMatch(/; charset=utf-8$/);
  return new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer());
}

describe('character set of the built daemon', () => {
  test('docs page: text outside ASCII equals the source', async () => {
    const page = await textOf('/_kyclone/docs');

    expect(page).toContain('authorization: Bearer …');
    expect(page.match(MOJIBAKE)).toBeNull();
  });

  test('OpenAPI document: decodes as UTF-8 without wrong characters', async () => {
    expect((await textOf('/_kyclone/openapi.json')).match(MOJIBAKE)).toBeNull();
  });

  test('form page and its script: the script is the file of the package, byte by byte', async () => {
    expect((await textOf('/_kyclone/form')).match(MOJIBAKE)).toBeNull();
    expect(await textOf('/_kyclone/form.js')).toBe(readFileSync(join(ROOT, 'dist/form.js'), 'utf8'));
  });

  test('message: a cut name ends in an ellipsis, and input outside ASCII is returned unchanged', async () => {
    const headers = { 'x-service-secret-key': daemon().apiKey, 'content-type': 'application/json' };
    const name = `id.prénom_${'x'.repeat(300)}`;
    const body = JSON.stringify({ [name]: 'Jane' });

    const { message } = JSON.parse(await textOf('/users', { method: 'POST', headers, body })) as {
      message: string;
    };

    expect(message).toBe(`Unknown identifier: ${name.slice(0, 256)}…`);
  });

  test('CLI: the same message on stderr', async () => {
    const environment = { KYCLONE_BASE_URL: daemon().url, KYCLONE_API_KEY: daemon().apiKey };
    const argv = ['users', 'create', `id.prénom_${'x'.repeat(300)}=Jane`];
    const failed = await runCli(argv, { home: tempDir(), environment });

    expect(failed.stderr).toContain('id.prénom_');
    expect(failed.stderr).toContain('…');
    expect(failed.stderr.match(MOJIBAKE)).toBeNull();
  });
});

test('kyclone/testing: the built library serves the page in the same characters', async () => {
  const script = `
    import { startKyclone } from ${JSON.stringify(join(ROOT, 'dist/testing.js'))};
    const kyclone = await startKyclone();
    const page = await (await fetch(kyclone.url + '/_kyclone/docs')).text();
    console.log(/authorization: Bearer [^<]*/.exec(page)[0]);
    await kyclone.close();
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: cleanEnvironment(tempDir()),
  });
  expect(stdout).toBe('authorization: Bearer …\n');
});
