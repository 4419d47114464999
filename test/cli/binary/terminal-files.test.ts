/** Files at a terminal: a progress bar for slow transfers, and no bytes on the screen. */
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { jsonOf, runCli } from '../../support/cli.ts';
import { hasTerminal, runOnTerminal, type TerminalSession } from '../../support/terminal.ts';
import { useDaemon } from '../../support/use-shared.ts';

const LEASE = 'document.custom.lease';
const MIB = 1024 * 1024;
const FULL_BAR = `[${'='.repeat(30)}] 100% of 2.0 MiB`;
const BAR = /\[[=-]{30}\] \d+% of 2\.0 MiB/;

describe.skipIf(!hasTerminal && process.env['CI'] === undefined)('files on a terminal', () => {
  const daemon = useDaemon({ isDurable: true });
  let id: string;
  const path = (name: string) => join(daemon().home, name);
  const run = (argv: readonly string[], session: Omit<TerminalSession, 'home'> = {}) =>
    runOnTerminal(argv, { home: daemon().home, ...session });
  const piped = (argv: readonly string[]) => runCli(argv, { home: daemon().home });

  beforeAll(() => {
    writeFileSync(path('small.bin'), randomBytes(MIB - 1));
    writeFileSync(path('big.bin'), randomBytes(2 * MIB));
  });
  beforeEach(async () => {
    id = String(jsonOf(await piped(['users', 'create', '--json']))['id']);
  });

  const upload = (name: string, ...flags: string[]) => ['vault', 'upload', id, LEASE, path(name), ...flags];

  test('vault upload: the progress bar completes and disappears before the result', async () => {
    const { code, screen } = await run(upload('big.bin'));
    expect(code).toBe(0);
    expect(screen).toMatch(new RegExp(`Uploading ${BAR.source}`));
    expect(screen).toContain(FULL_BAR);
    expect(screen).toContain('\u001b[2KWritten; the vault is at version 1');
  });

  test.each([
    ['a small file', 'small.bin', [], {}],
    ['--quiet', 'big.bin', ['--quiet'], {}],
    ['CI', 'big.bin', [], { CI: 'true' }],
  ])('vault upload: no bar for %s', async (_, name, flags, environment) => {
    const { code, screen } = await run(upload(name, ...flags), { environment });
    expect(code).toBe(0);
    expect(screen).not.toContain('Uploading');
  });

  test('vault upload: the progress bar disappears before an error, too', async () => {
    writeFileSync(path('huge.bin'), randomBytes(11 * MIB));
    const { code, screen } = await run(upload('huge.bin'));
    expect(code).toBe(7);
    expect(screen).toContain('\u001b[2K\u001b[31mError:');
  });

  test('vault download: a bar, too; the file is whole', async () => {
    await piped(upload('big.bin'));
    const argv = ['vault', 'download', id, LEASE, '--reason', 'r', '--out', path('got.bin')];
    const { code, screen } = await run(argv);
    expect(code).toBe(0);
    expect(screen).toMatch(new RegExp(`Downloading ${BAR.source}`));
    expect(screen).toContain(FULL_BAR);
    expect(readFileSync(path('got.bin')).equals(readFileSync(path('big.bin')))).toBe(true);
  });

  test('vault download: shows no file on a terminal, and reads none for it', async () => {
    await piped(upload('small.bin'));
    const { code, screen } = await run(['vault', 'download', id, LEASE, '--reason', 'r']);
    expect(code).toBe(2);
    expect(screen).toContain('--out FILE');
    expect(jsonOf(await piped(['audit', 'list', '--entity', id, '--json']))['data']).toEqual([]);
  });

  test('vault download --out -: shows it all the same', async () => {
    writeFileSync(path('note.txt'), 'a note');
    await piped(upload('note.txt'));
    const { code, screen } = await run(['vault', 'download', id, LEASE, '--reason', 'r', '--out', '-']);
    expect(code).toBe(0);
    expect(screen).toBe('a note');
  });

  test('api: shows no file on a terminal', async () => {
    await piped(upload('small.bin'));
    const mint = ['users', 'token', id, '--scope', 'decrypt_download', '--field', LEASE, '--reason', 'r'];
    const token = (await piped(mint)).stdout.trim();
    const { code, screen } = await run(['api', 'GET', `/users/vault/decrypt/${token}`]);
    expect(code).toBe(2);
    expect(screen.length).toBeLessThan(500);
  });

  test('users search: asks for the value without echo', async () => {
    await piped(['vault', 'set', id, 'id.email=hidden@example.com']);
    const { code, screen } = await run(['users', 'search'], {
      typing: [{ after: /Value to search for/, keys: 'hidden@example.com\r' }],
    });
    expect(code).toBe(0);
    expect(screen).toContain(id);
    expect(screen).not.toContain('hidden@');
  });
});
