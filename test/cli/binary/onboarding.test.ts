/**
 * Verification through the real binary and a real daemon: playbooks, runs, decisions, signals, rules, the clock, CIP.
 */
import { describe, expect, test } from 'vitest';
import { jsonOf, runCli } from '../../support/cli.ts';
import { aReadyBusiness, aReadyUser } from '../../support/builders.ts';
import { cliIn } from '../../support/cli-in-process.ts';
import { useDaemon } from '../../support/use-shared.ts';

const wordsFor = (values: object) => Object.entries(values).map(([name, value]) => `${name}=${value}`);
const PERSON = wordsFor(aReadyUser({ 'id.address_line1': 'PO Box 12' }));
const COMPANY = wordsFor(aReadyBusiness());
const NO_ONBOARDING = 'ob_0000000000000000000000';
const PARTNER = { KYCLONE_PARTNER_API_KEY: 'key', KYCLONE_PARTNER_API_SECRET: 'secret' };

const daemon = useDaemon({ isDurable: true });
const { run, json } = cliIn(() => daemon().home);

const aPerson = async (...more: string[]) =>
  String((await json(['users', 'create', ...PERSON, ...more]))['id']);
const aCompany = async () => String((await json(['businesses', 'create', ...COMPANY]))['id']);

describe('runs', () => {
  test('users kyc: the result on stdout, what to do next on stderr, exit code 0 with any outcome', async () => {
    const id = await aPerson();
    const failed = await run(['users', 'kyc', id, '--result', 'fail']);
    expect(failed.code).toBe(0);
    expect(failed.stdout).toMatch(/^status +fail\nreview +no\nonboarding +ob_\w{22}$/m);
    expect(failed.stderr).toContain(`kyclone risk-signals list ${id} --onboarding ob_`);
    expect(await json(['users', 'kyc', id, '--external-id', 'order-1'])).toMatchObject({
      fp_id: id,
      status: 'pass',
    });
    expect((await run(['users', 'kyc', id, '--no-reonboard'])).code).toBe(1);
  });

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

  test('businesses kyb, owners: run and owned', async () => {
    const [business, owner] = [await aCompany(), await aPerson()];
    expect(await json(['businesses', 'kyb', business])).toMatchObject({ fp_id: business, status: 'pass' });
    expect(await json(['businesses', 'owners', business])).toMatchObject({ data: [] });
    const owners = await json(['businesses', 'owners', business, '--add', `${owner}=60`]);
    expect(owners['data']).toEqual([{ fp_id: owner, ownership_stake: 60 }]);
    expect((await run(['businesses', 'owners', business])).stdout).toContain(`${owner}  60 %`);
    expect((await run(['businesses', 'owners', business, '--add', `${owner}=101`])).code).toBe(7);
    expect(await json(['businesses', 'owners', business, '--remove', owner])).toMatchObject({ data: [] });
    expect((await run(['businesses', 'owners', business, '--remove', owner])).code).toBe(6);
    expect((await run(['onboardings', 'list', business])).stdout).toMatch(/^ob_\w{22} {2}pass/m);
  });

  test('--live: the playbook of the other world', async () => {
    const { id } = await json(['users', 'create', ...PERSON, '--live']);
    expect(await json(['users', 'kyc', String(id), '--live'])).toMatchObject({
      playbook_key: 'pb_live_kycdefault000000000000',
    });
  });
});

test('hosted onboarding: begun, completed and validated, each token alone on stdout', async () => {
  const begun = await run(['onboardings', 'start', 'id.first_name=Jane']);
  expect(begun.stdout).toMatch(/^obtok_\w+\n$/);
  const completed = await run(
    ['onboardings', 'complete', '-', ...PERSON.slice(1), '--auth-kind', 'passkey'],
    {
      stdin: begun.stdout,
    },
  );
  expect(completed.stdout).toMatch(/^vtok_\w+\n$/);
  expect(completed.stderr).toMatch(/^User fp_id_\w+: pass/);
  const validated = await json(['onboardings', 'validate', '-'], { stdin: completed.stdout });
  expect(validated).toMatchObject({
    user_auth: { auth_events: [{ kind: 'passkey' }] },
    user: { status: 'pass' },
  });
  expect((await run(['onboardings', 'complete', begun.stdout.trim()])).code).toBe(1);
});

test('decisions and risk signals: listed, made by hand with the text from stdin', async () => {
  const id = await aPerson();
  const { onboarding_id: onboarding } = await json(['users', 'kyc', id, '--result', 'manual_review']);
  expect((await run(['users', 'get', id])).stdout).toMatch(/^status +fail\nreview +needed$/m);
  await json(['decisions', 'create', id, 'pass', '--annotation', '-', '--reviewer', 'ann@example.com'], {
    stdin: 'passport seen\n',
  });
  const { data } = await json<{ data: unknown[] }>(['decisions', 'list', id]);
  expect(data).toMatchObject([
    { kind: 'manual', status: 'pass', annotation: 'passport seen', reviewer_email: 'ann@example.com' },
    { kind: 'playbook_run', status: 'fail' },
  ]);
  expect((await run(['decisions', 'list', id])).stdout).toContain('passport seen (ann@example.com)');
  const signals = await json<unknown[]>(['risk-signals', 'list', id]);
  expect(signals).toContainEqual(expect.objectContaining({ reason_code: 'address_input_is_po_box' }));
  expect(await json(['risk-signals', 'list', id, '--onboarding', String(onboarding)])).toEqual(signals);
  const search = ['risk-signals', 'catalogue', '--search', 'input po box', '--severity', 'low'];
  const found = await json<unknown[]>(search);
  expect(found).toMatchObject([{ reason_code: 'address_input_is_po_box' }]);
});

test('playbooks: created, changed, listed, deleted', async () => {
  const key = 'pb_test_cli';
  const create = `playbooks create Light --kind kyc --key ${key}`;
  const made = await json(`${create} --require id.last_name --require id.ssn9,id.ssn4 --delay 2m`);
  expect(made).toMatchObject({
    key,
    requirements: [['id.last_name'], ['id.ssn9', 'id.ssn4']],
    delay_ms: 120_000,
    version: 1,
  });
  expect((await run(create)).code).toBe(1);
  expect(await json(['playbooks', 'update', key, '--no-rules', '--delay', '0'])).toMatchObject({
    has_rules: false,
    delay_ms: 0,
    version: 2,
  });
  expect((await run(['playbooks', 'list', '--kind', 'kyc'])).stdout).toMatch(
    new RegExp(`^${key} .* none +Light$`, 'm'),
  );
  expect((await run(['playbooks', 'get', key])).stdout).toContain('one of id.ssn9, id.ssn4');
  expect(await json(['users', 'kyc', await aPerson(), '--playbook', key])).toMatchObject({ status: 'none' });
  expect((await run(['playbooks', 'delete', key])).code).toBe(3);
  expect(await json(['playbooks', 'delete', key, '--yes'])).toEqual({});
  expect((await run(['playbooks', 'get', key])).code).toBe(6);
});

test('outcomes: a rule decides, once, and shows no value', async () => {
  const rule = await json(['outcomes', 'create', 'fail', '--where', 'id.middle_name=-', '--times', '1'], {
    stdin: 'Oyelaran\n',
  });
  const id = String(rule['id']);
  expect(JSON.stringify(rule)).not.toContain('Oyelaran');
  const person = await aPerson('id.middle_name=Oyelaran');
  expect(await json(['users', 'kyc', person])).toMatchObject({ status: 'fail' });
  expect(await json(['users', 'kyc', person])).toMatchObject({ status: 'pass' });
  expect((await run(['outcomes', 'list'])).stdout).toMatch(new RegExp(`^${id} .*spent`, 'm'));
  await json(['outcomes', 'update', id, '--any-times', '--outcome', 'none', '--disable']);
  expect(await json(['outcomes', 'get', id])).toMatchObject({
    outcome: 'none',
    enabled: false,
    remaining: null,
  });
  expect(await json(['outcomes', 'delete', id])).toEqual({});
  expect((await run(['outcomes', 'get', id])).code).toBe(6);
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

test('clock: stopped, moved both ways, and what falls due is run', async () => {
  await json(['clock', 'freeze', '--at', '2030-01-01T00:00:00Z']);
  const { id } = await json(['outcomes', 'create', 'pass', '--external-id', 'clocked-*', '--delay', '2m']);
  const person = await aPerson();
  await json(['users', 'update', person, '--external-id', 'clocked-1']);
  const { onboarding_id: onboarding } = await json(['users', 'kyc', person]);
  const advanced = await run(['clock', 'advance', '2m']);
  expect(advanced.stdout).toMatch(/^now +2030-01-01T00:02:00\.000Z\nmode +frozen$/m);
  expect(advanced.stdout).toMatch(/^ran +[1-9]\d* pieces? of due work$/m);
  expect(await json(['onboardings', 'get', String(onboarding)])).toMatchObject({ status: 'pass' });
  expect(await json(['clock', 'offset', '-2h'])).toMatchObject({ now: '2029-12-31T22:02:00.000Z' });
  expect(await json(['clock', 'offset', '--by', '-1h'])).toMatchObject({ now: '2029-12-31T21:02:00.000Z' });
  expect(await json(['clock', 'offset', '--by=-PT2M'])).toMatchObject({ now: '2029-12-31T21:00:00.000Z' });
  expect(await json(['clock', 'offset', '500ms'])).toMatchObject({ now: '2029-12-31T21:00:00.500Z' });
  expect((await run(['clock', 'set', '2031-01-01T00:00:00Z'])).stdout).toMatch(/^now +2031-01-01T00:00:/m);
  await json(['clock', 'resume']);
  expect(await json(['clock', 'get'])).toMatchObject({ mode: 'real', offset_ms: 0 });
  await json(['outcomes', 'delete', String(id)]);
});

describe('cip', () => {
  test('users cip-report: prints the decision and the findings', async () => {
    const id = await aPerson();
    const report = ['users', 'cip-report', id, '--approver', 'Ann Lee'];
    expect((await run(report)).code).toBe(1);
    await json(['users', 'kyc', id]);
    expect(await json(report)).toMatchObject({ user_id: id, result: 'clear', approved_by: 'Ann Lee' });
    expect((await run(report)).stdout).toMatch(/^address +PO Box 12, Enclave, CA 94117, US$/m);
  });

  test('users cip: the partner’s answer; 1 when it says no; credentials are not repeated', async () => {
    const id = await aPerson();
    await json(['users', 'kyc', id]);
    const send = (account: string) =>
      run(`users cip ${id} --hostname partner.example --approver Ann --account ${account}`, {
        environment: PARTNER,
      });
    const accepted = await send('acct-1');
    expect(accepted).toMatchObject({ code: 0, stderr: '' });
    expect(accepted.stdout).toMatch(/^status +200\nby +the built-in partner \(simulated/);
    const refused = await send('reject-1 --json');
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stdout)).toMatchObject({ status_code: 422 });
    expect(JSON.parse(refused.stderr)).toMatchObject({ code: 'partner_refused' });
    const literal = await send('acct-1 --api-key hunter22');
    expect(literal).toMatchObject({ code: 2, stdout: '' });
    expect(literal.stderr).not.toContain('hunter22');
  });
});

describe('failures', () => {
  /** The arguments, the exit code, and the error code. */
  const FAILURES: readonly [string[], number, string][] = [
    [['users', 'kyc', 'ID', '--playbook', 'pb_test_none'], 7, 'playbook_unknown'],
    [['users', 'kyc', 'ID', '--result', 'maybe'], 2, 'usage'],
    [['users', 'kyc', 'fp_id_0000000000000000000000'], 6, 'not_found'],
    [['onboardings', 'get', NO_ONBOARDING], 6, 'not_found'],
    [['onboardings', 'validate', 'vtok_nothing'], 7, 'invalid_request'],
    [['decisions', 'create', 'ID', 'pass'], 2, 'usage'],
    [['decisions', 'create', 'ID', 'none', '--annotation', 'x'], 2, 'usage'],
    [['decisions', 'create', 'ID', 'pass', '--annotation', 'x'], 7, 'invalid_request'],
    [['risk-signals', 'list', 'ID', '--onboarding', NO_ONBOARDING], 6, 'not_found'],
    [['playbooks', 'create', 'x', '--kind', 'kyc', '--require', 'id.nose'], 7, 'invalid_request'],
    [['playbooks', 'create', 'x', '--kind', 'kyc', '--delay', 'soon'], 2, 'usage'],
    [['outcomes', 'create', 'pass'], 2, 'usage'],
    [['outcomes', 'create', 'pass', '--kind', 'kyc', '--add-signal', 'no_such_code'], 7, 'invalid_request'],
    [['clock', 'offset'], 2, 'usage'],
    [['clock', 'offset', '1h', '--by', '1h'], 2, 'usage'],
    [['clock', 'advance', 'soon'], 2, 'usage'],
    [['clock', 'advance', '90000'], 2, 'usage'],
    [['clock', 'set', 'tomorrow'], 7, 'invalid_request'],
  ];

  test.each(FAILURES)('%j: ends with %i', async (argv, exitCode, code) => {
    const { id } = await json(['users', 'create']);
    const failed = await run([...argv.map((word) => (word === 'ID' ? String(id) : word)), '--json']);
    expect(failed).toMatchObject({ code: exitCode, stdout: '' });
    expect(JSON.parse(failed.stderr)).toMatchObject({ code, exit_code: exitCode });
  });
});
