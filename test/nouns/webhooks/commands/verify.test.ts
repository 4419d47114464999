import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { UsageError } from '../../../../src/cli/shell/failure.ts';
import type { InputSource } from '../../../../src/cli/shell/input.ts';
import {
  parseHeaders,
  readSigned,
  type SignedInput,
  isWebhookSecret,
  verifyWebhook,
  type SignedDelivery,
} from '../../../../src/nouns/webhooks/commands/verify.ts';
import { keyOf, signatures } from '../../../../src/nouns/webhooks/service/signing.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(24, 9).toString('base64')}`;
const NOW = Date.parse('2026-01-31T12:00:00Z');
const BODY = '{"fp_id":"fp_id_1","name":"Zoë"}';

/** Signs a delivery with the open-source library. */
function signature({ secret = SECRET, id = 'evt_1', at = NOW, body = BODY } = {}): string {
  return new Webhook(secret).sign(id, new Date(at), body);
}

function delivery(changes: Partial<SignedDelivery> = {}): SignedDelivery {
  return {
    secrets: [SECRET],
    headers: headersOf(signature()),
    body: Buffer.from(BODY, 'utf8'),
    now: NOW,
    toleranceMs: 300_000,
    ...changes,
  };
}

function headersOf(
  signatures: string,
  { prefix = 'webhook', id = 'evt_1', timestamp = String(NOW / 1000) } = {},
): [string, string][] {
  return [
    [`${prefix}-id`, id],
    [`${prefix}-timestamp`, timestamp],
    [`${prefix}-signature`, signatures],
  ];
}

/** From the tests of the Standard Webhooks specification. */
const PUBLISHED = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  seconds: 1614265330,
  body: '{"test": 2432232314}',
};

test('signature: the daemon and the open-source library sign the published example as it is signed', () => {
  const { secret, seconds, ...signed } = PUBLISHED;
  const published = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

  expect(signatures([keyOf(secret) ?? new Uint8Array()], PUBLISHED)).toBe(published);
  expect(signature({ secret, at: seconds * 1000, ...signed })).toBe(published);
});

test('verifyWebhook: accepts signatures of the open-source library, for any body and id', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.stringMatching(/^[A-Za-z0-9_]{1,40}$/),
      fc.uint8Array({ minLength: 24, maxLength: 64 }),
      (body, id, key) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const signed = headersOf(signature({ secret, id, body }), { id });
        const verdict = verifyWebhook(
          delivery({ secrets: [secret], headers: signed, body: Buffer.from(body, 'utf8') }),
        );
        expect(verdict).toMatchObject({ valid: true, reason: null, webhook_id: id });
      },
    ),
  );
});

test('verifyWebhook: says yes only where the open-source library does', () => {
  const now = Math.floor(Date.now() / 1000);
  const good = signature({ at: now * 1000 });
  fc.assert(
    fc.property(
      fc.constantFrom(good, good.replace('v1,', 'v2,'), signature({ secret: OTHER, at: now * 1000 })),
      fc.constantFrom('', 'v1,', 'v1,AAAA', good.slice(0, -1), 'v1a,x'),
      fc.boolean(),
      fc.constantFrom(0, -200, 200, -900, 900),
      (one, other, isFirst, offset) => {
        const text = (isFirst ? [one, other] : [other, one]).join(' ');
        const headers = headersOf(text, { timestamp: String(now + offset) });
        const ours = verifyWebhook(delivery({ headers, now: now * 1000 })).valid;
        let theirs = true;
        try {
          new Webhook(SECRET).verify(BODY, Object.fromEntries(headers));
        } catch {
          theirs = false;
        }
        expect(ours).toBe(theirs);
      },
    ),
  );
});

test('verifyWebhook: takes the other header style, names in any case, blanks around values', () => {
  const headers = headersOf(` ${signature()} `, { prefix: 'Svix' });
  expect(verifyWebhook(delivery({ headers })).valid).toBe(true);
});

test('verifyWebhook: one of several secrets and one of several signatures suffice', () => {
  const headers = headersOf(`${signature({ secret: OTHER })} v1a,skipped ${signature()}`);
  const secrets = [`whsec_${Buffer.alloc(32, 1).toString('base64')}`, SECRET];
  expect(verifyWebhook(delivery({ headers, secrets })).valid).toBe(true);
  expect(verifyWebhook(delivery({ headers: headersOf(signature({ secret: OTHER })) })).valid).toBe(false);
});

test('verifyWebhook: names the headers that are missing', () => {
  const headers = headersOf(signature(), { prefix: 'svix' }).slice(0, 1);
  expect(verifyWebhook(delivery({ headers }))).toMatchObject({
    valid: false,
    reason: 'header_missing',
    message: 'Missing: svix-timestamp, svix-signature',
  });
  expect(verifyWebhook(delivery({ headers: [] })).message).toBe(
    'Missing: webhook-id, webhook-timestamp, webhook-signature',
  );
});

test('verifyWebhook: a header that comes twice is not chosen from', () => {
  const headers = [...headersOf(signature()), ['Webhook-Id', 'evt_2'] as const];
  expect(verifyWebhook(delivery({ headers }))).toMatchObject({
    reason: 'header_repeated',
    message: 'More than once: webhook-id',
  });
});

test.each([
  ['a time that is no number', headersOf(signature(), { timestamp: '12x' })],
  ['a time before 1970', headersOf(signature(), { timestamp: '-1' })],
  ['an empty id', headersOf(signature(), { id: '' })],
  ['a signature without its version', headersOf(signature().slice(3))],
  ['base64 with other characters', headersOf(signature().replaceAll(/[+/A]/g, '_'))],
  ['base64 that has other bits at its end', headersOf(`v1,${'A'.repeat(42)}B=`)],
  ['a signature that is too short', headersOf('v1,AAAA')],
])('verifyWebhook: refuses %s as malformed', (_, headers) => {
  expect(verifyWebhook(delivery({ headers }))).toMatchObject({ valid: false, reason: 'header_malformed' });
});

test('verifyWebhook: the time may be off by the tolerance and not by a second more', () => {
  const by = (ms: number) => verifyWebhook(delivery({ now: NOW + ms })).reason;
  expect([by(300_000), by(-300_000), by(300_999)]).toEqual([null, null, null]);
  expect(by(301_000)).toBe('timestamp_too_old');
  expect(by(-301_000)).toBe('timestamp_too_new');
});

test('verifyWebhook: a body with a line end behind it is distinguished from another body', () => {
  const withEnd = verifyWebhook(delivery({ body: Buffer.from(`${BODY}\n`, 'utf8') }));
  expect(withEnd).toMatchObject({ valid: false, reason: 'no_signature_matches' });
  expect(withEnd.hint).toContain('without its last line end');
  expect(verifyWebhook(delivery({ body: Buffer.from('{}', 'utf8') })).hint).toContain('a different secret');
});

test('isWebhookSecret: whsec_ and base64 as it is written, nothing else', () => {
  expect(isWebhookSecret(SECRET)).toBe(true);
  const others = ['', 'whsec_', SECRET.slice(6), `${SECRET}=`, `${SECRET}\n`, 'whsec_AB==', 'whsec_A-_='];
  for (const text of others) expect(isWebhookSecret(text)).toBe(false);
});

const input = {
  stdin: () => Promise.resolve('from stdin'),
  stdinBytes: () => Promise.resolve(Buffer.from([0xff, 0x0a])),
  secret: (text: string) => Promise.resolve(text === '-' ? `${SECRET}\n` : text),
} as unknown as InputSource;
const given: SignedInput = {
  secrets: [SECRET],
  environmentSecret: undefined,
  header: undefined,
  headers: undefined,
  body: '-',
};

test('parseHeaders: lines as in a recording, or a JSON object', () => {
  expect(parseHeaders('POST /hooks HTTP/1.1\r\nHost: x\r\n> webhook-id: evt_1\r\n\r\n')).toEqual([
    ['Host', 'x'],
    ['webhook-id', 'evt_1'],
  ]);
  expect(parseHeaders('{"webhook-id": "evt_1", "webhook-timestamp": 12, "x": ["a", "b"]}')).toEqual([
    ['webhook-id', 'evt_1'],
    ['webhook-timestamp', '12'],
    ['x', 'a'],
    ['x', 'b'],
  ]);
});

test.each(['no colon here', '{"a": {}}', '{not json', 'a b: c'])(
  'parseHeaders: refuses %s without repeating it',
  (text) => {
    expect(() => parseHeaders(text)).toThrow(UsageError);
    expect(() => parseHeaders(text)).not.toThrow(text);
  },
);

test('readSigned: the body comes as it is, byte by byte', async () => {
  expect((await readSigned(given, input)).body).toEqual(Buffer.from([0xff, 0x0a]));
});

test('readSigned: the environment has the secret where none is given', async () => {
  const from = async (changes: Partial<SignedInput>) =>
    (await readSigned({ ...given, ...changes }, input)).secrets;
  expect(await from({ secrets: undefined, environmentSecret: OTHER })).toEqual([OTHER]);
  expect(await from({ environmentSecret: OTHER })).toEqual([SECRET]);
  await expect(from({ secrets: undefined })).rejects.toThrow('--secret is missing');
});

test('readSigned: one thing only comes from stdin, and a secret without its line end', async () => {
  await expect(readSigned({ ...given, secrets: ['-'] }, input)).rejects.toThrow('Only one value');
  expect((await readSigned({ ...given, secrets: ['-'], body: '{}' }, input)).secrets).toEqual([SECRET]);
});

test('readSigned: refuses an invalid secret without repeating it', async () => {
  const refusal = readSigned({ ...given, secrets: ['whsec_not-a-secret'] }, input);
  await expect(refusal).rejects.toThrow(UsageError);
  await expect(refusal).rejects.not.toThrow('not-a-secret');
});
