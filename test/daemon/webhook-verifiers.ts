/** The verifiers that the docs page prints, as a reader copies them, and deliveries of the same daemon for them. */
import { expect } from 'vitest';
import type { TestDaemon } from '../support/daemon.ts';
import { answerJson, loopbackServer, type SeenRequest } from '../support/loopback.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

async function control(
  daemon: TestDaemon,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${daemon.url}/_kyclone/${path}`, {
    method,
    headers: { authorization: `Bearer ${daemon.controlToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

/** Returns the code of the page: about ten lines of the standard library. */
export async function printedCode(daemon: TestDaemon, language: string): Promise<string> {
  const page = await (await fetch(`${daemon.url}/_kyclone/docs`)).text();
  const [, code = ''] =
    new RegExp(`<pre id="?verify-${language}"?><code>([^<]*)</code></pre>`).exec(page) ?? [];
  const lines = code.split('\n').filter((line) => line.trim() !== '');
  expect(lines.length).toBeGreaterThan(5);
  expect(lines.length).toBeLessThanOrEqual(12);
  return code.replace(/&(?:lt|gt|quot|#39|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

export interface Received {
  readonly secret: string;
  readonly headers: SeenRequest['headers'];
  /** In base64. */
  readonly body: string;
}

/** Returns a real delivery of an event with non-ASCII text, and the secret that a rotation has replaced. */
async function delivered(
  daemon: TestDaemon,
  { tampering = {}, isRotated = false }: { tampering?: object; isRotated?: boolean } = {},
): Promise<Received & { formerSecret: string }> {
  await using receiver = await loopbackServer(answerJson(200, {}));
  const webhook = await control(daemon, 'POST', 'webhooks', { url: `${receiver.url}/hooks`, kinds: ['*'] });
  const formerSecret = String(webhook['secret']);
  const id = String(webhook['id']);
  const { secret } = isRotated ? await control(daemon, 'POST', `webhooks/${id}/rotate`) : webhook;
  await control(daemon, 'POST', 'events/trigger', {
    kind: 'onboarding.completed',
    body: { onboarding_external_id: 'Zoë …' },
    webhook_id: id,
    tampering,
  });
  await expect.poll(() => receiver.seen.length).toBeGreaterThan(0);
  await control(daemon, 'DELETE', `webhooks/${id}`);
  const [first] = receiver.seen;
  if (!first) throw new Error('nothing was delivered');
  const body = Buffer.from(first.body).toString('base64');
  return { secret: String(secret), formerSecret, headers: first.headers, body };
}

/** Returns deliveries by what they are, each with whether a verifier accepts it. */
export async function deliveries(daemon: TestDaemon): Promise<Record<string, [Received, boolean]>> {
  const received = await delivered(daemon);
  const { headers } = received;
  const text = Buffer.from(received.body, 'base64').toString();
  expect(text).toContain('Zoë …');
  const tampered = Buffer.from(text.replace('"pass"', '"fail"')).toString('base64');
  const changed = (name: string, value: string | undefined): Received => ({
    ...received,
    headers: { ...headers, [`webhook-${name}`]: value },
  });
  const rotated = await delivered(daemon, { isRotated: true });
  expect(String(rotated.headers['webhook-signature']).split(' ')).toHaveLength(2);
  return {
    genuine: [received, true],
    'another body': [{ ...received, body: tampered }, false],
    'another secret': [{ ...received, secret: rotated.secret }, false],
    'another id': [changed('id', 'evt_another'), false],
    'another time': [changed('timestamp', String(Number(headers['webhook-timestamp']) + 1)), false],
    'no signature in base64': [changed('signature', 'v1,é'), false],
    'no signature': [changed('signature', undefined), false],
    'no headers': [{ ...received, headers: {} }, false],
    'a bad signature': [await delivered(daemon, { tampering: { bad_signature: true } }), false],
    'signed long ago': [await delivered(daemon, { tampering: { skew_ms: -600_000 } }), false],
    'signed a minute ago': [await delivered(daemon, { tampering: { skew_ms: -60_000 } }), true],
    'the secret before a rotation': [{ ...rotated, secret: rotated.formerSecret }, true],
    'the secret after a rotation': [rotated, true],
  };
}
