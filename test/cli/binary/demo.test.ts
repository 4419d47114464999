import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jsonOf, runCli } from '../../support/cli.ts';
import { cleanEnvironment, ROOT } from '../../support/daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** The first characters of a PEM file in base64. */
const PEM_IN_BASE64 = Buffer.from('-----BEGIN').toString('base64').slice(0, 12);

test('demo: every step does what it claims, and leaves nothing behind', async () => {
  using home = tempDir();
  using scratch = tempDir();
  const environment = { TMPDIR: scratch.path };
  const demo = await runCli(['demo', '--json'], { home: home.path, environment });
  expect(demo).toMatchObject({ code: 0, stderr: '' });
  const { ok, steps } = jsonOf(demo) as {
    ok: boolean;
    steps: { claims: { says: string; holds: boolean }[] }[];
  };
  expect(steps.flatMap(({ claims }) => claims).filter(({ holds }) => !holds)).toEqual([]);
  expect(ok).toBe(true);
  expect(demo.stdout).not.toContain(PEM_IN_BASE64);
  expect(steps.length).toBeGreaterThan(30);
  expect(readdirSync(home.path)).toEqual([]);
  expect(readdirSync(scratch.path)).toEqual([]);
});

test('demo: for people, each step with its request and its answer', async () => {
  using home = tempDir();
  const demo = await runCli(['demo'], { home: home.path });
  expect(demo).toMatchObject({ code: 0, stderr: '' });
  expect(demo.stdout).toContain('$ curl -s -X POST "$KYCLONE_BASE_URL/users" -u "$KYCLONE_API_KEY:"');
  expect(demo.stdout).toContain('400 {"message":"Vault data is not valid');
  expect(demo.stdout).not.toContain('✗');
  expect(demo.stdout).not.toMatch(/sk_test_\w{32}/);
  expect(demo.stdout).toContain('-H "x-fp-authorization: $TOKEN"');
  expect(demo.stdout).toContain('-H "x-fp-proxy-client-key: $CLIENT_KEY"');
  expect(demo.stdout).not.toContain(PEM_IN_BASE64);
  expect(demo.stdout).toContain('200 <69 bytes, image/png>');
  expect(demo.stdout).toContain('/hosted/session/verify" -H "x-fp-authorization: $FLOW_TOKEN"');
});

test('demo: a Ctrl-C ends it with 130 and leaves nothing either', async () => {
  using home = tempDir();
  using scratch = tempDir();
  const child = spawn(process.execPath, [join(ROOT, 'bin/kyclone.js'), 'demo'], {
    env: cleanEnvironment(home.path, { TMPDIR: scratch.path }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  child.stdout.resume();
  expect(await once(child, 'exit')).toEqual([130, null]);
  expect(readdirSync(scratch.path)).toEqual([]);
});
