/** `kyclone config` with a real daemon: what it stores, what it refuses, and what --now does. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SETTING_NAMES } from '../../../src/nouns/settings/facts.ts';
import { DEFAULT_SETTINGS } from '../../../src/nouns/settings/endpoints/index.ts';
import { cliIn, refusal } from '../../support/cli-in-process.ts';
import { tempPath as tempDir } from '../../support/temp-dir.ts';
import { root } from '../../outbound/tls-servers.ts';
import { useDaemon } from '../../support/use-shared.ts';

test('setting names: the list is that of the schema, so that none can be forgotten', () => {
  const leaves = Object.entries(DEFAULT_SETTINGS).flatMap(([group, value]) =>
    Array.isArray(value) ? [group] : Object.keys(value).map((member) => `${group}.${member}`),
  );
  expect([...SETTING_NAMES].sort()).toEqual(leaves.sort());
});

describe('without a daemon', () => {
  /** Returns functions that run commands in a new home. */
  const inNewHome = () => {
    const home = tempDir();
    return cliIn(() => home, 'config');
  };

  test.each([
    ['egress.policy', 'nonsense', /egress\.policy must be one of strict, local, open; nothing was kept/],
    ['vocabulary.secret_key_header', 'authorization', /a header with another meaning/],
    ['cors.origins', 'not-an-origin', /cors\.origins/],
    ['events.extended', 'perhaps', /events\.extended must be true or false/],
    ['vocabulary.partner_a', 'partner_x', undefined],
  ] as const)('config set %s %s: is judged before it is kept, not at the next start', async (...row) => {
    const [name, value, says] = row;
    const config = inNewHome();
    const outcome = await config.run(['set', name, value]);
    if (says === undefined) {
      expect(outcome).toMatchObject({ code: 0, stdout: `${name} is kept; the next start applies it\n` });
      return;
    }
    expect(outcome.code).toBe(2);
    expect(outcome.stderr).toMatch(says);
    expect(await config.json('list')).toEqual({});
  });

  test('config set: a value comes from a file or from stdin, too', async () => {
    const home = tempDir();
    const { run, json } = cliIn(() => home, 'config');
    writeFileSync(join(home, 'ca.pem'), root.certificate);
    expect(await run('set egress.extra_roots @ca.pem')).toMatchObject({ code: 0 });
    expect(await run('set egress.policy -', { stdin: 'strict\n' })).toMatchObject({ code: 0 });
    expect(await json('list')).toEqual({
      'egress.extra_roots': root.certificate.trimEnd(),
      'egress.policy': 'strict',
    });
  });

  test('config set: two conflicting settings are refused together', async () => {
    const { run } = inNewHome();
    expect((await run('set vocabulary.partner_a same')).code).toBe(0);
    expect(await run('set vocabulary.partner_b same')).toMatchObject(refusal(2, 'must differ'));
  });

  test('config set --now: without a daemon stores nothing and exits with 5', async () => {
    const { run, json } = inNewHome();
    expect((await run('set egress.policy strict --now')).code).toBe(5);
    expect(await json('list')).toEqual({});
  });
});

describe('with a daemon', () => {
  const daemon = useDaemon();
  const { run, json } = cliIn(() => daemon().home);
  const policy = async () => (await json('api GET /_kyclone/settings'))['egress'];

  test('config set: reports that a running instance is unchanged; --now applies the setting', async () => {
    const kept = await run('config set egress.policy strict');
    expect(kept.stdout).toMatch(
      /the next start applies it\. The running instance does not change: add --now/,
    );
    expect(await policy()).toMatchObject({ policy: 'local' });

    const applied = await run('config set egress.policy strict --now');
    expect(applied).toMatchObject({
      code: 0,
      stdout: 'egress.policy is kept; the running instance applies it from now on\n',
    });
    expect(await policy()).toMatchObject({ policy: 'strict' });
    expect(readFileSync(join(daemon().home, 'config', 'config.json'), 'utf8')).toContain('strict');

    const unset = await run('config delete egress.policy');
    expect(unset.stdout).toContain(
      'runs and keeps the value that it has: kyclone config delete egress.policy --now',
    );
    expect(await policy()).toMatchObject({ policy: 'strict' });
    expect((await run('config delete egress.policy --now')).code).toBe(0);
    expect(await policy()).toMatchObject({ policy: 'local' });
  });

  test('config set --now: a seed is taken at a start only', async () => {
    expect(await run('config set seed x --now')).toMatchObject(refusal(2, 'seed'));
  });
});
