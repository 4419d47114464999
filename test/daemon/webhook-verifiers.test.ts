/**
 * The verifiers that the docs page prints. The tests cut them out of the page and run them on deliveries of the same
 * daemon.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cleanEnvironment, startDaemon, type TestDaemon } from '../support/daemon.ts';
import { tempDir } from '../support/kycloned.ts';
import { answerJson, loopbackServer, type SeenRequest } from '../support/loopback.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** The program of each language. It runs `verify` on the `{secret, headers, body}` from stdin, and prints yes or no. */
const RUNNERS = {
  javascript: {
    file: 'verify.mjs',
    command: [process.execPath],
    main: `
import { readFileSync } from 'node:fs';
const { secret, headers, body } = JSON.parse(readFileSync(0, 'utf8'));
console.log(verify(secret, headers, Buffer.from(body, 'base64')) ? 'yes' : 'no');
`,
  },
  python: {
    file: 'verify.py',
    command: ['python3'],
    main: `
import json, sys
given = json.load(sys.stdin)
print("yes" if verify(given["secret"], given["headers"], base64.b64decode(given["body"])) else "no")
`,
  },
} as const;

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${daemon.url}/_kyclone/${path}`, {
    method,
    headers: { authorization: `Bearer ${daemon.controlToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** Returns the code of the page, as a reader copies it. */
async function printedCode(language: string): Promise<string> {
  const page = await (await fetch(`${daemon.url}/_kyclone/docs`)).text();
  const [, code = ''] =
    new RegExp(`<pre id="?verify-${language}"?><code>([^<]*)</code></pre>`).exec(page) ?? [];
  return code.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

interface Received {
  readonly secret: string;
  readonly headers: SeenRequest['headers'];
  readonly body: string;
}

/** Returns a real delivery of an event with non-ASCII text. */
async function delivered(tampering: object = {}): Promise<Received> {
  await using receiver = await loopbackServer(answerJson(200, {}));
  const { id, secret } = await control('POST', 'webhooks', { url: `${receiver.url}/hooks`, kinds: ['*'] });
  await control('POST', 'events/trigger', {
    kind: 'onboarding.completed',
    body: { onboarding_external_id: 'Zoë …' },
    webhook_id: id,
    tampering,
  });
  await expect.poll(() => receiver.seen.length).toBeGreaterThan(0);
  await control('DELETE', `webhooks/${String(id)}`);
  const [first] = receiver.seen;
  if (!first) throw new Error('nothing was delivered');
  return { secret: String(secret), headers: first.headers, body: Buffer.from(first.body).toString('base64') };
}

async function verdict(language: keyof typeof RUNNERS, received: Received): Promise<string> {
  const { file, command, main } = RUNNERS[language];
  const folder = tempDir();
  const path = join(folder, file);
  writeFileSync(path, `${await printedCode(language)}\n${main}`);
  const [program, ...options] = command;
  const child = spawn(program, [...options, path], { env: cleanEnvironment(folder) });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stdin.end(JSON.stringify(received));
  await new Promise((resolve) => child.once('close', resolve));
  return output.trim();
}

describe.each(['javascript', 'python'] as const)('the verifier in %s', (language) => {
  test('is about ten lines of the standard library', async () => {
    const lines = (await printedCode(language)).split('\n').filter((line) => line.trim() !== '');

    expect(lines.length).toBeGreaterThan(5);
    expect(lines.length).toBeLessThanOrEqual(12);
  });

  test('accepts a delivery, and none with another body, secret, id or time', async () => {
    const received = await delivered();
    const other = await delivered();
    const tampered = Buffer.from(received.body, 'base64').toString().replace('"pass"', '"fail"');
    const at = Number(received.headers['webhook-timestamp']);

    expect(await verdict(language, received)).toBe('yes');
    expect(Buffer.from(received.body, 'base64').toString()).toContain('Zoë …');
    for (const wrong of [
      { ...received, body: Buffer.from(tampered).toString('base64') },
      { ...received, secret: other.secret },
      { ...received, headers: { ...received.headers, 'webhook-id': 'evt_another' } },
      { ...received, headers: { ...received.headers, 'webhook-timestamp': String(at + 1) } },
      { ...received, headers: { ...received.headers, 'webhook-signature': 'v1,é' } },
      { ...received, headers: { ...received.headers, 'webhook-signature': undefined } },
      { ...received, headers: {} },
    ]) {
      expect(await verdict(language, wrong)).toBe('no');
    }
  });

  test('refuses a delivery that was signed with another secret, and one signed long ago', async () => {
    expect(await verdict(language, await delivered({ bad_signature: true }))).toBe('no');
    expect(await verdict(language, await delivered({ skew_ms: -600_000 }))).toBe('no');
    expect(await verdict(language, await delivered({ skew_ms: -60_000 }))).toBe('yes');
  });

  test('accepts one of the two signatures after a rotation', async () => {
    await using receiver = await loopbackServer(answerJson(200, {}));
    const { id, secret } = await control('POST', 'webhooks', { url: receiver.url, kinds: ['*'] });
    const rotated = await control('POST', `webhooks/${String(id)}/rotate`);
    await control('POST', 'events/trigger', { kind: 'onboarding.completed', webhook_id: id });
    await expect.poll(() => receiver.seen.length).toBeGreaterThan(0);
    const { headers = {}, body = '' } = receiver.seen[0] ?? {};
    const received = { headers, body: Buffer.from(body).toString('base64') };

    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(await verdict(language, { ...received, secret: String(secret) })).toBe('yes');
    expect(await verdict(language, { ...received, secret: String(rotated['secret']) })).toBe('yes');
  });
});
