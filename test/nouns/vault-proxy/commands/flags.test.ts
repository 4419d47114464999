import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../../src/cli/shell/failure.ts';
import type { InputSource } from '../../../../src/cli/shell/input.ts';
import { proxyHeaders, proxyRequest, unsentNote } from '../../../../src/nouns/vault-proxy/commands/flags.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const target = 'https://api.example.com/checks';
const PEM = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';

/** Returns the message of a refusal, which must be a UsageError. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('proxyHeaders', () => {
  test('proxyHeaders: omits flags that are not given', () => {
    expect(proxyHeaders({ target })).toEqual({ 'x-fp-proxy-target-url': target });
  });

  test('proxyHeaders: each flag under the name that the service gives it', () => {
    const given = { target, path: '/v2?a=1', method: 'PUT', id: 'fp_id_0', reason: 'case 1' } as const;
    expect(proxyHeaders(given)).toEqual({
      'x-fp-proxy-target-url': target,
      'x-fp-path-and-query': '/v2?a=1',
      'x-fp-proxy-method': 'PUT',
      'x-fp-id': 'fp_id_0',
      'x-fp-proxy-access-reason': 'case 1',
    });
  });

  test('proxyHeaders: an empty reason is one that was given', () => {
    expect(proxyHeaders({ target, reason: '' })).toHaveProperty('x-fp-proxy-access-reason', '');
  });

  test('proxyHeaders: a header for the target gets the prefix', () => {
    expect(proxyHeaders({ target, header: ['Content-Type: text/csv', 'x-a:  b:c '] })).toMatchObject({
      'x-fp-proxy-fwd-content-type': 'text/csv',
      'x-fp-proxy-fwd-x-a': 'b:c ',
    });
  });

  test('proxyHeaders: a header that is given twice keeps both values, cookies as cookies are joined', () => {
    const header = ['X-A: 1', 'x-a: 2', 'cookie: a=1', 'cookie: b=2'];
    expect(proxyHeaders({ target, header })).toMatchObject({
      'x-fp-proxy-fwd-x-a': '1, 2',
      'x-fp-proxy-fwd-cookie': 'a=1; b=2',
    });
  });

  test('proxyHeaders: a header without a colon is refused and not repeated', () => {
    expect(refusal(() => proxyHeaders({ target, header: ['219-09-9999'] }))).toBe(
      '-H takes "Name: value", @FILE or @-',
    );
  });

  test('proxyHeaders: ingress rules are joined and say that the answer is JSON', () => {
    expect(proxyHeaders({ target, ingress: ['id.dob=$.dob', "custom.a=$['a,b']"] })).toMatchObject({
      'x-fp-proxy-ingress-content-type': 'json',
      'x-fp-proxy-ingress-rule': "id.dob=$.dob, custom.a=$['a,b']",
    });
  });

  test('proxyHeaders: text beyond ASCII goes out as its UTF-8 bytes', () => {
    const { 'x-fp-proxy-access-reason': reason = '' } = proxyHeaders({ target, reason: 'Prüfung 検' });
    expect(Buffer.from(reason, 'latin1').toString('utf8')).toBe('Prüfung 検');
  });

  test.each(['\0', '\u0007', '\b', '\n', '\r', '\u007f'])(
    'proxyHeaders: the control character %j is refused by the name of its flag alone',
    (character) => {
      const text = `a${character}x-secret: 1`;
      expect(refusal(() => proxyHeaders({ target, reason: text }))).toBe(
        '--reason contains a control character',
      );
      expect(refusal(() => proxyHeaders({ target: text }))).toBe('--target contains a control character');
    },
  );
});

describe('certificates', () => {
  test('proxyHeaders: PEM files are sent as base64, pins joined by commas', () => {
    using folder = tempDir();
    const file = join(folder.path, 'a.pem');
    writeFileSync(file, PEM);
    const base64 = Buffer.from(PEM).toString('base64');
    const pair = { 'client-cert': file, 'client-key': file };
    expect(proxyHeaders({ target, 'pin-cert': [file, file], ...pair })).toMatchObject({
      'x-fp-proxy-pin-cert': `${base64},${base64}`,
      'x-fp-proxy-client-cert': base64,
      'x-fp-proxy-client-key': base64,
    });
  });

  test.each(['--pin-cert', '--client-cert', '--client-key'])(
    '%s: a file that is missing is a mistake of this flag',
    (flag) => {
      using folder = tempDir();
      const path = join(folder.path, 'absent.pem');
      const value = flag === '--pin-cert' ? [path] : path;
      const message = refusal(() => proxyHeaders({ target, [flag.slice(2)]: value }));
      expect(message).toBe(`The file of ${flag} cannot be read: there is no such file or folder (ENOENT)`);
    },
  );

  test('--pin-cert: a folder is no file', () => {
    using folder = tempDir();
    expect(refusal(() => proxyHeaders({ target, 'pin-cert': [folder.path] }))).toBe(
      'The file of --pin-cert cannot be read: it is a folder, not a file (EISDIR)',
    );
  });

  test.each(['', 'PRIVATE 219-09-9999'])(
    '--pin-cert: a file without PEM is refused, not left out, and not shown: %j',
    (content) => {
      using folder = tempDir();
      const file = join(folder.path, 'a.pem');
      writeFileSync(file, content);
      expect(refusal(() => proxyHeaders({ target, 'pin-cert': [file] }))).toBe(
        'The file of --pin-cert contains no PEM',
      );
    },
  );
});

describe('proxyRequest', () => {
  const input = {
    stdinBytes: () => Promise.resolve(Buffer.of(0xff, 0x0a)),
    fileBytes: (path: string) => Buffer.concat([Buffer.of(0xfe), Buffer.from(path)]),
  } as unknown as InputSource;

  test.each([
    [undefined, undefined],
    ['dob={{ fp_id_0.id.dob }}', 'dob={{ fp_id_0.id.dob }}'],
    ['-', Buffer.of(0xff, 0x0a)],
    ['@a', Buffer.of(0xfe, 0x61)],
  ])('proxyRequest: --data %j', async (data, body) => {
    const request = await proxyRequest('/vault_proxy/jit', { target, data }, input);
    expect(request).toEqual({
      method: 'POST',
      path: '/vault_proxy/jit',
      headers: { 'x-fp-proxy-target-url': target },
      body: body === undefined ? undefined : Buffer.from(body),
    });
  });

  test('proxyRequest: the flags are judged before stdin is waited for', async () => {
    const endless = { stdinBytes: () => new Promise<Buffer>(() => undefined) } as unknown as InputSource;
    const mistake = { target, data: '-', header: ['none'] };
    await expect(proxyRequest('/vault_proxy/jit', mistake, endless)).rejects.toThrow(UsageError);
  });
});

test.each([
  [{ method: 'GET', data: 'a' }, 'GET sends no body: --data is not sent, and its tokens are not read'],
  [{ method: 'HEAD', data: '' }, 'HEAD sends no body: --data is not sent, and its tokens are not read'],
  [{ method: 'GET' }, undefined],
  [{ method: 'DELETE', data: 'a' }, undefined],
  [{ data: 'a' }, undefined],
] as const)('unsentNote: %j', (flags, note) => {
  expect(unsentNote({ target, ...flags })).toBe(note);
});
