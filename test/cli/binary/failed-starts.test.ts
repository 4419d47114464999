/** A start that fails leaves a fresh home empty and a used one unchanged. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../../support/cli.ts';
import { contentsOf } from '../../support/contents.ts';
import { startKycloned } from '../../support/kycloned.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';
import { tempDir } from '../../support/temp-dir.ts';
import '../../support/tier-all.ts';

const KEY = '0f'.repeat(32);
const API_KEY = `sk_test_${'a'.repeat(32)}`;

interface Failure {
  readonly options: (place: { readonly beside: string; readonly port: number }) => readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The variables of an earlier start, for a case in which the vault exists already. */
  readonly used?: Readonly<Record<string, string>>;
  readonly code: number;
}

const FAILURES: readonly (readonly [string, Failure])[] = [
  ['a bad setting', { options: () => ['--set', 'no.such.setting=1'], code: 2 }],
  [
    'a port that is taken, with an API key file and a setting',
    {
      options: ({ beside, port }) => [
        '--port',
        `${port}`,
        '--api-key-file',
        join(beside, 'keys'),
        '--set',
        'egress.policy=strict',
      ],
      code: 8,
    },
  ],
  [
    'a wrong key',
    {
      options: () => [],
      environment: { KYCLONE_VAULT_KEY: 'short' },
      used: { KYCLONE_VAULT_KEY: 'a5'.repeat(32) },
      code: 4,
    },
  ],
  [
    'a damaged import file, with an API key file',
    {
      options: ({ beside }) => ['--import', join(beside, 'damaged'), '--api-key-file', join(beside, 'keys')],
      code: 1,
    },
  ],
  [
    'an import file that is not there',
    { options: ({ beside }) => ['--import', join(beside, 'nowhere')], code: 2 },
  ],
  [
    'a key file whose folder cannot be created',
    {
      options: () => ['--key-file', '/proc/kyclone/vault.key'],
      used: { KYCLONE_VAULT_KEY: 'a5'.repeat(32) },
      code: 4,
    },
  ],
];

describe.each(FAILURES)('%s', (_name, { options, environment = {}, used, code }) => {
  test.each([['start', '-d'], ['start']])('start %s: fails and leaves nothing behind', async (...argv) => {
    await using taken = await loopbackServer(answerJson(200, {}));
    using home = tempDir();
    using beside = tempDir();
    writeFileSync(join(beside.path, 'damaged'), 'no snapshot '.repeat(500));
    writeFileSync(join(beside.path, 'keys'), `${API_KEY}\n`, { mode: 0o600 });
    const given = options({ beside: beside.path, port: taken.port });
    const port = given.includes('--port') ? [] : ['--port', '0'];
    const start = (variables: Readonly<Record<string, string>>) =>
      runCli([...argv, ...port, ...given, '--json'], { home: home.path, environment: variables });

    const fresh = await start(environment);
    expect([fresh.code, fresh.stdout], fresh.stderr).toEqual([code, '']);
    expect(JSON.parse(fresh.stderr)).toMatchObject({
      exit_code: code,
      ...(code === 8 && { code: 'port_taken' }),
    });
    expect(readdirSync(home.path, { recursive: true })).toEqual([]);

    const daemon = await startKycloned({ home: home.path, environment: { KYCLONE_VAULT_KEY: KEY } });
    await daemon.stop();
    const before = contentsOf(home.path);
    const again = await start({ KYCLONE_VAULT_KEY: KEY, ...environment, ...used });
    expect([again.code, again.stdout], again.stderr).toEqual([code, '']);
    expect(contentsOf(home.path)).toEqual(before);
  });
});
