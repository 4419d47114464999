/** Finds a caller by what callers say: the search of the command line, and commands that find an id by a value. */
import { beforeAll, describe, expect, test } from 'vitest';
import { cliIn, refusal } from '../../support/cli-in-process.ts';
import { aReadyUser } from '../../support/builders.ts';
import { useDaemon } from '../../support/use-shared.ts';

const VALUES = {
  phone: '(415) 555-0177',
  tax: '612-45-6789',
  email: 'jane.roe@example.com',
  name: 'Jane Roeberg',
};

const daemon = useDaemon();
let jane: string;
let janet: string;
beforeAll(async () => {
  const person = aReadyUser({
    'id.first_name': 'Jane',
    'id.last_name': 'Roeberg',
    'id.email': VALUES.email,
    'id.phone_number': '+14155550177',
    'id.ssn9': '612456789',
    'id.dob': '1990-01-02',
  });
  jane = await created('users', 'roe-4711', person);
  janet = await created('users', 'roe-4712', { 'id.first_name': 'Janet', 'id.last_name': 'Doe' });
  await created('businesses', 'firm-4711', { 'business.name': 'Rockets and Sons' });
});

const { run, json } = cliIn(() => daemon().home);

async function created(noun: 'users' | 'businesses', externalId: string, data: object): Promise<string> {
  const argv = [noun, 'create', '--external-id', externalId, '--data', '-'];
  return String((await json(argv, { stdin: JSON.stringify(data) }))['id']);
}

describe('users search', () => {
  test('distinguishes people, and reports the meaning it searched for', async () => {
    const { code, stdout } = await run(['users', 'search', 'jan']);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^ID +NAME +STATUS +REVIEW +MATCHED +EXTERNAL ID +CREATED \(UTC\) +LAST ACTIVITY \(UTC\)\n/,
    );
    expect(stdout).toContain(jane);
    expect(stdout).toContain(janet);
    expect(stdout).toContain('J*** R***');
    expect(stdout).toContain('Looked for as external id, sandbox id, name or tag;');
    expect(stdout).not.toMatch(/Roeberg/);
  });

  test('none: is reported', async () => {
    const { code, stdout } = await run(['businesses', 'search', 'nobody at all']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^None found\nLooked for as name or tag;/) as string,
    });
  });

  test('--exact: the search of the API, by the key', async () => {
    const found = await json('users search - --exact', { stdin: VALUES.email });
    expect(found['data']).toMatchObject([{ id: jane }]);
    expect((await json('users search roeb --exact'))['data']).toEqual([]);
  });
});

describe('an id by what finds one', () => {
  test.each([VALUES.phone, VALUES.email, VALUES.tax])('users get %s, from stdin', async (value) => {
    expect((await json('users get -', { stdin: value }))['id']).toBe(jane);
  });

  test('several: are listed masked, without repeating the search text', async () => {
    const { code, stderr } = await run(['users', 'get', 'jan']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/FP_ID matches 2: fp_id_\w+ \(J\*\*\* \w\*\*\*, none\), fp_id_\w+ \(/);
    expect(stderr).not.toMatch(/\bjan\b/i);
  });

  test('a name or a part is enough to look, not to act', async () => {
    const act = await run(['users', 'delete', VALUES.name, '--yes']);
    expect(act.code).toBe(2);
    expect(act.stderr).toContain(`takes no names or parts, because they may match others later`);
    expect(act.stderr).toContain(jane);
    expect(act.stderr).not.toContain('Roeberg');
    expect(await run(['users', 'get', 'oe-4711'])).toMatchObject({ code: 2 });
    const look = await run(['inspect', '--once', '--user', VALUES.name]);
    expect(look).toMatchObject({ code: 0, stdout: expect.stringContaining(jane) as string });
  });

  test('one of another kind is not meant', async () => {
    expect(await run('businesses get -', { stdin: VALUES.email })).toMatchObject({ code: 6 });
  });

  test('none: reports the meanings searched for, in the words of the command line', async () => {
    const { code, stderr } = await run(['audit', 'list', '--entity', '(415) 555-9999']);
    expect(code).toBe(6);
    expect(stderr).toContain('--entity is not an id, and the search finds no user or business');
    expect(stderr).toContain('Looked for as phone');
    expect(stderr).not.toMatch(/\b9999\b/);
  });

  test('a part that is no date: says so, and not that nobody is found, since the other words find somebody', async () => {
    const { code, stderr } = await run(['inspect', '--once', '--user', `${VALUES.name} 31.02.1988`]);
    expect(code).toBe(6);
    expect(stderr).toMatch(/--user is not an id, and a part of it can't be read as a date\n.*30 Dec 1988/);
    expect(stderr).not.toMatch(/finds no|31\.02/);
  });
});

test('the key of another tenant: ids and masked names are those of its people', async () => {
  const { key } = await json<{ key: string }>('keys create --name elsewhere --tenant elsewhere');
  const environment = {
    KYCLONE_BASE_URL: daemon().url,
    KYCLONE_API_KEY: key,
    KYCLONE_CONTROL_TOKEN: daemon().controlToken,
  };
  const phone = '(212) 555-0188';
  const data = JSON.stringify({
    'id.first_name': 'Zenobia',
    'id.last_name': 'Quist',
    'id.phone_number': '+12125550188',
  });
  const zenobia = String((await json('users create --data -', { environment, stdin: data }))['id']);

  expect((await json('users get -', { environment, stdin: phone }))['id']).toBe(zenobia);
  const ofDefault = await run('users get -', { environment, stdin: VALUES.email });
  expect(ofDefault).toMatchObject({ code: 6 });
  expect((await run('users list', { environment })).stdout).toMatch(
    new RegExp(`${zenobia} .*Z\\*\\*\\* Q\\*\\*\\*`),
  );
  expect((await run(['users', 'list'])).stdout).not.toContain(zenobia);
});

test('list --review: users awaiting a review, with time and reason', async () => {
  expect((await run(['users', 'list', '--review'])).stdout).toBe('Nobody waits for a review\n');
  const made = await run(['users', 'kyc', jane, '--result', 'manual_review']);
  expect(made, made.stderr).toMatchObject({ code: 0 });
  const { stdout } = await run(['users', 'list', '--review']);
  expect(stdout).toMatch(/^ID +NAME +WAITS SINCE \(UTC\) +CLAIMED BY +WHY\n/);
  expect(stdout).toContain(jane);
  expect(stdout).not.toContain(janet);
  expect(await json('users list --review')).toMatchObject({ data: [{ id: jane }], meta: { count: 1 } });
  expect((await run(['users', 'list', '--review', '--tenant', 'default'])).stdout).toContain(jane);
  // Any other list is of the key's tenant.
  for (const others of [[], ['--external-id', 'x']]) {
    expect(await run(['users', 'list', '--tenant', 'default', ...others])).toMatchObject(
      refusal(2, /^Error: --tenant goes with --review\n/),
    );
  }
});

test('claim: needs a name, and is in the queue until it is released', async () => {
  expect(await run(['users', 'claim', jane])).toMatchObject(
    refusal(2, /^Error: The command needs your name\nHint: give --as NAME, or set KYCLONE_ACTOR\n/),
  );
  expect((await run(['users', 'claim', jane, '--as', 'Ada'])).stdout).toMatch(/^Claimed by Ada until /);
  expect((await run(['users', 'list', '--review'])).stdout).toMatch(new RegExp(`${jane} .* Ada `));
  expect((await run(['users', 'claim', jane, '--as', 'Bo'])).stderr).toMatch(
    /^Error: Ada works on this case until \S+; --take-over takes it over\n/,
  );
  expect((await run(['users', 'release', jane, '--as', 'Bo'])).stderr).toMatch(
    /^Error: Ada works on this case until \S+\n/,
  );
  expect(await run(['users', 'release', jane, '--as', 'Ada'])).toMatchObject({
    code: 0,
    stdout: 'Released\n',
  });
});
