/**
 * Verification through the real binary and a real daemon: runs, decisions and the clock.
 */
import { describe, expect, test } from 'vitest';
import { jsonOf, runCli } from '../../support/cli.ts';
import { aReadyUser, asFields } from '../../support/builders.ts';
import { cliIn } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';

const PERSON = asFields(aReadyUser({ 'id.address_line1': 'PO Box 12' }));

const daemon = useDaemon({ isDurable: true });
const { run, json } = cliIn(() => daemon().home);

const aPerson = async (...more: string[]) =>
  String((await json(['users', 'create', ...PERSON, ...more]))['id']);

describe('runs', () => {
  test('users kyc --expect: 1 with another outcome', async () => {
    const id = await aPerson();
    const review = ['users', 'kyc', id, '--result', 'manual_review', '--expect'];
    expect((await run([...review, 'manual_review'])).code).toBe(0);
    const other = await run([...review, 'pass']);
    expect(other.code).toBe(1);
    expect(other.stderr).toBe('Expected pass; it is fail, to be reviewed\n');
  });

  test('users kyc --wait: 124 while it is pending; the onboarding once it is not', async () => {
    const id = await aPerson();
    const pending = await run(`users kyc ${id} --result pending --wait --timeout 0 --json`);
    expect(pending).toMatchObject({ code: 124, stdout: '' });
    const { context } = JSON.parse(pending.stderr) as { context: { onboarding_id: string } };
    const wait = ['onboardings', 'get', context.onboarding_id, '--wait', '--expect', 'fail', '--json'];
    const waiting = runCli(wait, { home: daemon().home });
    await json(['onboardings', 'resolve', context.onboarding_id, 'fail']);
    expect(jsonOf(await waiting)).toMatchObject({ id: context.onboarding_id, status: 'fail' });
    expect((await run(['onboardings', 'resolve', context.onboarding_id, 'pass'])).code).toBe(1);
    expect(await json(['users', 'kyc', id, '--wait'])).toMatchObject({ status: 'pass', playbook_version: 1 });
  });
});

test('decisions create: takes the text from stdin', async () => {
  const id = await aPerson();
  await json(['users', 'kyc', id, '--result', 'manual_review']);
  await json(['decisions', 'create', id, 'pass', '--annotation', '-'], { stdin: 'passport seen\n' });
  expect((await run(['decisions', 'list', id])).stdout).toContain('passport seen');
});

test('clock: set and freeze take their time as an argument or with --at, and only one', async () => {
  for (const time of [['2030-02-01T00:00:00Z'], ['--at', '2030-02-01T00:00:00Z']]) {
    expect(await json(['clock', 'freeze', ...time])).toMatchObject({ now: '2030-02-01T00:00:00.000Z' });
    expect((await run(['clock', 'set', ...time])).stdout).toMatch(/^now +2030-02-01T00:00:/m);
    for (const move of ['set', 'freeze'])
      expect((await run(['clock', move, '2030-03-01T00:00:00Z', '--at', '2030-02-01T00:00:00Z'])).code).toBe(
        2,
      );
  }
  expect((await run(['clock', 'set'])).code).toBe(2);
  await json(['clock', 'resume']);
});

test('api: a method in any case', async () => {
  expect(await json(['api', 'Get', '/users'])).toHaveProperty('data');
  expect(await run(['api', 'fetch', '/users'])).toMatchObject({ code: 2 });
});

test('clock offset: back, by an argument or by --by, one of the two', async () => {
  await json(['clock', 'freeze', '--at', '2030-01-01T00:00:00Z']);
  for (const [words, now] of [
    [['-2h'], '2029-12-31T22:00:00.000Z'],
    [['--by', '-1h'], '2029-12-31T21:00:00.000Z'],
    [['--by=-PT2M'], '2029-12-31T20:58:00.000Z'],
    [['500ms'], '2029-12-31T20:58:00.500Z'],
  ] as const)
    expect(await json(['clock', 'offset', ...words])).toMatchObject({ now });
  for (const words of [[], ['1h', '--by', '1h']])
    expect((await run(['clock', 'offset', ...words])).code).toBe(2);
  await json(['clock', 'resume']);
});
