/** `kyclone fixtures`, `kyclone fake` and `kyclone record`: the real binary against a real daemon. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { loadFixture } from '../../../src/client/fixtures/index.ts';
import { jsonOf } from '../../support/cli.ts';
import { cliIn, refusal, runInProcess } from '../../support/cli-in-process.ts';
import { startCli } from '../../support/running-cli.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { useDaemon } from '../../support/use-shared.ts';

const SEED = `name: a seed
vars: { LAST: Doe, FIRST: null }
steps:
  - id: jane
    call: POST /users
    body: { id.first_name: "\${set.FIRST}", id.last_name: "\${set.LAST}" }
  - call: GET /users/\${jane.id}
outputs: { JANE: "\${jane.id}", QUOTED: "it's \${set.FIRST}" }
`;

const daemon = useDaemon();
const { run: kyclone } = cliIn(() => daemon().home);
const inHome = (name: string) => join(daemon().home, name);

beforeAll(() => writeFileSync(inHome('seed.yaml'), SEED));

describe('fixtures run', () => {
  test('fixtures run: steps and outputs are reported, and kept in a file for the owner alone', async () => {
    const run = await kyclone('fixtures run seed.yaml --set FIRST=Jane --env-out .env --json');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const { files, outputs } = jsonOf(run) as {
      files: { file: string; steps: { id: string; status: number }[] }[];
      outputs: Record<string, string>;
    };
    expect(files[0]?.steps.map(({ id, status }) => [id, status])).toEqual([
      ['jane', 200],
      ['2', 200],
    ]);
    const lines = readFileSync(inHome('.env'), 'utf8').split('\n');
    expect(lines.slice(1)).toEqual([`JANE=${outputs['JANE']}`, `QUOTED="it's Jane"`, '']);
    expect(statSync(inHome('.env')).mode & 0o777).toBe(0o600);
    expect(await kyclone('fixtures run seed.yaml --set FIRST=J --env-out .env')).toMatchObject({ code: 0 });
  });

  test.each([
    'PROMPT_COMMAND',
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'PATH',
    'PS4',
    'GIT_SSH_COMMAND',
    'SSH_ASKPASS',
    'MAKEFLAGS',
    'KYCLONE_BASE_URL',
    'https_proxy',
  ])(
    'fixtures run: --env-out writes no %s, which would run something or send it elsewhere after the sourcing',
    async (name) => {
      const steps = [{ call: 'POST /users', body: { 'id.first_name': 'Jane' } }];
      writeFileSync(inHome('steering.json'), JSON.stringify({ steps, outputs: { [name]: 'touch HIT' } }));
      const refused = await kyclone('fixtures run steering.json --env-out .env.steering');
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(`${name}; nothing was run`);
      expect((await kyclone('fixtures run steering.json')).code).toBe(0);
    },
  );

  test('fixtures run: a file that another wrote is not replaced, and nothing is run then', async () => {
    writeFileSync(inHome('.env.mine'), 'SECRET=1\n');
    const run = await kyclone('fixtures run seed.yaml --set FIRST=Jane --env-out .env.mine');
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(readFileSync(inHome('.env.mine'), 'utf8')).toBe('SECRET=1\n');
  });

  test('fixtures run: what goes wrong ends with its own exit code, and no value', async () => {
    expect(await kyclone('fixtures run seed.yaml')).toMatchObject({ code: 3, stdout: '' });
    expect(await kyclone('fixtures run none.yaml')).toMatchObject({ code: 2, stdout: '' });
    expect(await kyclone('fixtures run')).toMatchObject({ code: 2, stdout: '' });
    expect(await kyclone('fixtures run seed.yaml --set CANARYVALUE')).toMatchObject({
      code: 2,
      stderr: expect.not.stringContaining('CANARY') as string,
    });
    writeFileSync(inHome('bad.yaml'), 'steps: [{ call: POST /users, body: { id.dob: CANARY } }]');
    const refused = await kyclone('fixtures run bad.yaml --json');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(refused.stderr)).toMatchObject({
      code: 'fixture_failed',
      context: { 'id.dob': expect.any(String) as string },
    });
    expect(refused.stderr).not.toContain('CANARY');
  });
});

test('fixtures check: reports unknown paths and identifiers with suggestions, without a daemon', async () => {
  using elsewhere = tempDir();
  const steps = [
    { id: 'a', call: 'POST /userz' },
    { id: 'b', call: 'POST /users', body: { 'id.frist_name': 'x' } },
    {
      id: 'c',
      call: 'POST /users/${b.id}/vault/decrypt',
      body: { fields: ['id.zip:2', 'id.zap'], reason: 'x' },
    },
  ];
  writeFileSync(join(elsewhere.path, 'bad.json'), JSON.stringify({ steps }));
  writeFileSync(join(elsewhere.path, 'good.yaml'), SEED);
  const cli = (...argv: string[]) => runInProcess(['fixtures', 'check', ...argv], { home: elsewhere.path });
  expect(await cli('good.yaml')).toMatchObject({ code: 0, stderr: '' });
  const checked = await cli('good.yaml', 'bad.json', '--json');
  expect(checked.code).toBe(7);
  expect(jsonOf(checked)['problems']).toEqual([
    {
      file: 'bad.json',
      step: 'a',
      problem: 'no endpoint has this method and path; did you mean POST /users?',
    },
    { file: 'bad.json', step: 'b', problem: 'unknown identifier id.frist_name' },
    { file: 'bad.json', step: 'c', problem: 'unknown identifier id.zap' },
  ]);
});

test('fixtures check: warns of a name that YAML reads as null or a number, by line and not by value', async () => {
  using elsewhere = tempDir();
  const body =
    'steps:\n  - call: POST /users\n    body:\n      id.first_name: No\n      id.last_name: 4711\n';
  writeFileSync(join(elsewhere.path, 'names.yaml'), body);
  const cli = (...argv: string[]) => runInProcess(['fixtures', 'check', ...argv], { home: elsewhere.path });
  const checked = await cli('names.yaml');
  expect(checked.code).toBe(0);
  expect(checked.stderr).toMatch(
    /^Warning: names.yaml, line 4: .*id\.first_name.*\nWarning: .*line 5: .*id\.last_name.*\n$/,
  );
  expect(checked.stderr).not.toContain('4711');
  expect(jsonOf(await cli('names.yaml', '--json'))).toMatchObject({
    ok: true,
    problems: [],
    warnings: [{ file: 'names.yaml' }, { file: 'names.yaml' }],
  });
});

test('fixtures check: query parameters and headers that would have no effect are reported', async () => {
  using elsewhere = tempDir();
  const steps = [
    { id: 'a', call: 'GET /users?page_sise=1', query: { cursor: 'x', external_ids: 'y' } },
    { id: 'b', call: 'POST /users', headers: { 'x-externl-id': 'a-value', traceparent: '00' } },
    { id: 'c', call: 'GET /users/${b.id}', headers: { 'X-External-Id': 'a-value', accept: '*/*' } },
    { id: 'd', call: 'GET /users', query: { nothing: 'x' }, expect: { status: 400 } },
  ];
  writeFileSync(join(elsewhere.path, 'bad.json'), JSON.stringify({ steps }));
  const checked = await runInProcess(['fixtures', 'check', 'bad.json', '--json'], { home: elsewhere.path });
  expect(checked.code).toBe(7);
  expect(jsonOf(checked)['problems']).toEqual(
    [
      ['a', 'query.page_sise: this endpoint has no such parameter; did you mean page_size?'],
      ['a', 'query.external_ids: this endpoint has no such parameter; did you mean external_id?'],
      ['b', 'headers.x-externl-id: this endpoint reads no such header; did you mean x-external-id?'],
      ['c', 'headers.x-external-id: this endpoint reads no such header'],
    ].map(([step, problem]) => ({ file: 'bad.json', step, problem })),
  );
});

test('fake: --output and --field apply to created people and to printed ones', async () => {
  const fake = (...argv: string[]) => kyclone(['fake', 'user', '--count', '2', ...argv]);
  const bodies = (await fake('--json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const names = bodies.map((body) => body['id.first_name']);
  const cities = bodies.map((body) => body['id.city']);
  expect((await fake('--field', 'id.first_name')).stdout).toBe(`${names.join('\n')}\n`);
  expect((await fake('--create', '--field', 'id.city')).stdout).toBe(`${cities.join('\n')}\n`);
  expect((await fake('--output', 'yaml')).stdout).toMatch(/^---\nid.first_name: .*\n[^]*\n---\n/);
  expect((await fake('--create', '--output', 'id')).stdout).toMatch(/^(?:fp_id_[0-9A-Za-z]{22}\n){2}$/);
  expect(await fake('--output', 'id')).toMatchObject({ code: 2, stdout: '' });
  expect(await fake('--as-fixture', '--output', 'yaml')).toMatchObject({ code: 2, stdout: '' });
});

test('usage: suggests the nearest choice, and does not repeat the input', async () => {
  for (const [argv, meant] of [
    [['users', 'list', '--output', 'jsno'], 'json'],
    [['faults', 'create', '--preset', 'flaki'], 'flaky'],
    [['completion', 'print', 'bsah'], 'bash'],
    [['completion', 'print', '--shell', 'Fihs'], 'fish'],
  ] as const) {
    const refused = await kyclone([...argv]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain(`; did you mean ${meant}?`);
    expect(refused.stderr).not.toContain(argv.at(-1));
  }
  const far = await kyclone('users list --output 123-45-6789');
  expect(far.stderr).toContain('--output takes one of: table, json, yaml, id\n');
  expect((await kyclone('vault get --reason x')).stderr).toContain('Unknown flag --reason\n');
});

test('fake: as a fixture they become businesses; --create needs a daemon', async () => {
  const fixture = await kyclone('fake business --count 2 --as-fixture');
  writeFileSync(inHome('fakes.yaml'), fixture.stdout);
  expect(await kyclone('fixtures run fakes.yaml')).toMatchObject({ code: 0 });
  using nowhere = tempDir();
  expect(await runInProcess(['fake', 'user', '--create'], { home: nowhere.path })).toMatchObject({
    code: 5,
    stdout: '',
  });
});

test('record: a session becomes a file for the owner alone, which runs; a second end is a conflict', async () => {
  expect(await kyclone('record start')).toMatchObject({ code: 0 });
  expect(await kyclone('record start --json')).toMatchObject({ code: 1, stdout: '' });
  const user = jsonOf(await kyclone('users create id.first_name=Canaria --json'));
  await kyclone(`vault set ${String(user['id'])} id.last_name=Doe`);
  expect(jsonOf(await kyclone('record status --json'))).toMatchObject({ is_recording: true, calls: 2 });
  writeFileSync(inHome('taken.yaml'), '');
  expect(await kyclone('record stop --out taken.yaml')).toMatchObject({ code: 2 });
  const stopped = await kyclone('record stop --mask --out session.yaml --json');
  expect(stopped).toMatchObject({ code: 0, stderr: '' });
  expect(jsonOf(stopped)).toMatchObject({
    steps: 2,
    left_out: 0,
    variables: ['USER_1_ID_FIRST_NAME', 'UPDATE_VAULT_1_ID_LAST_NAME'],
  });
  expect(statSync(inHome('session.yaml')).mode & 0o777).toBe(0o600);
  expect(readFileSync(inHome('session.yaml'), 'utf8')).not.toContain('Canaria');
  expect(loadFixture(inHome('session.yaml')).steps[1]?.path).toBe('/users/${user_1.id}/vault');
  const set = ['--set', 'USER_1_ID_FIRST_NAME=A', '--set', 'UPDATE_VAULT_1_ID_LAST_NAME=B'];
  expect(await kyclone(['fixtures', 'run', 'session.yaml', ...set])).toMatchObject({ code: 0 });
  expect(await kyclone('record stop --out other.yaml')).toMatchObject({ code: 1 });
});

test('fake --create: a signal ends the process with the number of those that were created', async () => {
  const running = await startCli(['fake', 'user', '--count', '5000', '--create'], { home: daemon().home });
  running.kill('SIGINT');
  let created = 1;
  while ((await running.next()) !== undefined) created += 1;
  const { code, stderr } = await running.ended;
  expect(code).toBe(130);
  expect(created).toBeLessThan(5000);
  const times = created === 1 ? '' : ` ${created} times`;
  // On a busy machine the last response may not arrive in time.
  const { message } = JSON.parse(stderr) as { message: string };
  expect(message.replace('; sent, and maybe done: POST /users', '')).toBe(
    `Interrupted; done: POST /users${times}`,
  );
});

/** What JavaScript would write in another way. */
const EXACT = {
  'custom.big': '12345678901234567890',
  'custom.exponent': '1e21',
  'custom.price': '1.10',
  'custom.list': '[1.0,{"one":1E3}]',
};
const BODY = `{${Object.entries(EXACT)
  .map(([name, value]) => `"${name}":${value}`)
  .join()}}`;

test.each(['yaml', 'json'])(
  'record, fixtures run, --field: a number stays as it was written (%s)',
  async (format) => {
    const file = `exact.${format}`;
    await kyclone('record start');
    const made = jsonOf(await kyclone(['api', 'POST', '/users', '--data', BODY]));
    expect(await kyclone(`record stop --out ${file}`)).toMatchObject({ code: 0 });
    const text = readFileSync(inHome(file), 'utf8');
    writeFileSync(
      inHome(file),
      text
        .replace('steps:', 'outputs: { ID: "${user_1.id}" }\nsteps:')
        .replace('"steps": [', '"outputs": { "ID": "${user_1.id}" }, "steps": ['),
    );
    const run = jsonOf(await kyclone(`fixtures run ${file} --json`)) as { outputs: { ID: string } };

    for (const id of [String(made['id']), run.outputs.ID]) {
      for (const [name, written] of Object.entries(EXACT)) {
        const data = JSON.stringify({ fields: [name], reason: 'a test' });
        const decrypted = await kyclone(`vault decrypt ${id} ${name} --reason test --field ${name}`);
        const called = await kyclone([
          'api',
          'POST',
          `/users/${id}/vault/decrypt`,
          '--data',
          data,
          '--field',
          name,
        ]);
        const compact = name === 'custom.list' ? ['1.0', '{"one":1E3}'].join('\n') : written;
        expect([decrypted.stdout, called.stdout], name).toEqual([`${compact}\n`, `${compact}\n`]);
      }
    }
  },
);

test('fixtures run: an expected number that is written in another way differs', async () => {
  const step = (price: string) => `steps:
  - { id: jane, call: POST /users, body: { custom.price: 1.10 } }
  - call: POST /users/\${jane.id}/vault/decrypt
    body: { fields: [custom.price], reason: a test }
    expect: { body: { custom.price: ${price} } }
`;
  for (const [price, code] of [
    ['1.10', 0],
    ['1.1', 0],
    ['1.100', 1],
    ['"1.10"', 1],
  ] as const) {
    writeFileSync(inHome('price.yaml'), step(price));
    expect(await kyclone('fixtures run price.yaml'), price).toMatchObject({ code });
  }
});

test('fixtures: a file that is not UTF-8 is refused, not read with other letters', async () => {
  const text = 'steps: [{ call: POST /users, body: { id.first_name: "Jos\xe9" } }]';
  writeFileSync(inHome('latin.yaml'), Buffer.from(text, 'latin1'));
  const [checked, run] = [
    await kyclone('fixtures check latin.yaml'),
    await kyclone('fixtures run latin.yaml'),
  ];
  expect([checked.stdout, run.stderr]).toEqual(Array(2).fill(expect.stringContaining('is not UTF-8 text')));
});

test('fixtures run --env-out: an output with NUL is refused by its name', async () => {
  const text = `steps:
  - { id: jane, call: POST /users, body: { custom.a: "a\\0b" } }
  - { id: read, call: "POST /users/\${jane.id}/vault/decrypt", body: { fields: [custom.a], reason: test } }
outputs: { A: "\${read[\\"custom.a\\"]}" }
`;
  writeFileSync(inHome('nul.yaml'), text);
  const run = await kyclone('fixtures run nul.yaml --env-out nul.env');
  expect(run).toEqual(refusal(1, "The output A of a fixture contains a NUL, which a variable can't hold"));
});

test.each(['.inf', '-.inf', '.nan', '1e400'])(
  'fixtures check: %s, which JSON does not have, is refused',
  async (number) => {
    writeFileSync(
      inHome('number.yaml'),
      `steps: [{ call: POST /users, body: { custom.a: [1], id.b: ${number} } }]\n`,
    );
    expect((await kyclone('fixtures check number.yaml')).stdout).toContain(
      'a number that JSON does not have',
    );
  },
);

test('fixtures check: an output that no object can have is refused', async () => {
  writeFileSync(inHome('proto.yaml'), 'steps: [{ call: GET /users }]\noutputs: { __proto__: x }\n');
  const checked = await kyclone('fixtures check proto.yaml');
  expect(checked.stdout).toContain('a name is letters, digits and underscores');
});
