/**
 * `kyclone compare`, the real binary, with a second instance as the remote. A server between them changes one response
 * in a known way. The command must find that change and nothing else.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { UPLOADS } from '../../../src/cli/compare/scenarios.ts';
import { jsonOf, spawnCli } from '../../support/cli.ts';
import { runInProcess } from '../../support/cli-in-process.ts';
import { ROOT, type TestDaemon } from '../../support/daemon.ts';
import { ask, PNG } from '../../support/example-world.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { useDaemon, useShared } from '../../support/use-shared.ts';

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}
type Change = (answer: Answer) => void;

const OF_THE_CONNECTION = ['content-length', 'transfer-encoding', 'connection', 'keep-alive', 'date'];

const emulator = useDaemon();
const remote = useDaemon();
/** The target that the vault proxy of both instances calls. */
const target = useShared(() => loopbackServer(answerJson(200, { received: true, by: 'the target' })));
/** Changes to responses, by the number of the request, from 0; `gone` closes the connection. */
let changes = new Map<number, Change | 'gone'>();
let count = 0;
let folder: ReturnType<typeof tempDir> | undefined;
const place = () => folder?.path ?? '';

const between = useShared(() =>
  loopbackServer((request, response) => {
    const change = changes.get(count++);
    const body = between().seen.at(-1)?.bytes ?? Buffer.of();
    const pass = async () => {
      const { method = 'GET', url = '/' } = request;
      const given = await fetch(remote().url + url, {
        method,
        headers: sendable(request.headers),
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      });
      const answer = {
        status: given.status,
        headers: Object.fromEntries([...given.headers].filter(([name]) => !OF_THE_CONNECTION.includes(name))),
        // Latin-1 has a character for each byte, which keeps files unchanged.
        body: Buffer.from(await given.arrayBuffer()).toString('latin1'),
      };
      if (typeof change === 'function') change(answer);
      response.writeHead(answer.status, answer.headers).end(answer.body, 'latin1');
    };
    if (change === 'gone') response.destroy();
    else pass().catch(() => response.destroy());
  }),
);
beforeEach(() => {
  changes = new Map();
  count = 0;
  folder?.[Symbol.dispose]();
  folder = tempDir();
});
afterAll(() => folder?.[Symbol.dispose]());

function sendable(headers: Readonly<Record<string, string | string[] | undefined>>) {
  const kept = Object.entries(headers).filter(
    ([name]) => name.startsWith('x-') || ['authorization', 'content-type'].includes(name),
  );
  return Object.fromEntries(kept) as Record<string, string>;
}

function scenario(name: string): { steps: { id: string }[] } {
  const path = join(ROOT, 'src', 'cli', 'compare', 'scenarios', `${name}.json`);
  return JSON.parse(readFileSync(path, 'utf8')) as { steps: { id: string }[] };
}

/** Returns the flags that a scenario needs. */
async function givenFor(name: string): Promise<string[]> {
  if (name === 'proxy-call') {
    return ['--set', `TARGET=${target().url}/take`, '--remote-set', `TARGET=${target().url}/take`];
  }
  if (name !== 'linked-bank') return [];
  const { id } = await ask(remote(), 'POST', '/users', {});
  const { intent_token } = await ask(remote(), 'POST', '/_kyclone/bank_link_intents', { fp_id: id });
  return ['--remote-set', `BANK_INTENT=${String(intent_token)}`];
}

const compare = (argv: readonly string[], key = remote().apiKey) =>
  runInProcess(['compare', ...argv], {
    home: emulator().home,
    cwd: place(),
    environment: { KYCLONE_REMOTE_API_KEY: key },
  });
const run = (...argv: string[]) => compare(['run', '--remote', between().url, ...argv]);
const usersOf = async (daemon: TestDaemon) =>
  ((await ask(daemon, 'GET', '/users')) as unknown as { meta: { count: number } }).meta.count;
const idsOf = (outcome: Parameters<typeof jsonOf>[0]) =>
  (jsonOf(outcome)['data'] as { id: string }[]).map(({ id }) => id);

type Members = Record<string, unknown>;
const body =
  (edit: (members: Members) => unknown): Change =>
  (answer) => {
    const members = JSON.parse(answer.body) as Members;
    answer.body = JSON.stringify(edit(members) ?? members);
  };
const set =
  (more: Partial<Answer>): Change =>
  (answer) =>
    Object.assign(answer, more);
const status = (code: number) => set({ status: code });
const text = (written: string) => set({ body: written });
const tooMany =
  (seconds: string): Change =>
  (answer) =>
    Object.assign(answer, { status: 429, headers: { ...answer.headers, 'retry-after': seconds } });
const SUCCESS = set({ status: 200, body: '{}' });
const without = (member: string) => body((members) => ({ ...members, [member]: undefined }));
const given = (more: Members) => body((members) => ({ ...members, ...more }));
const data = (edit: (entries: unknown[]) => unknown) =>
  body((members) => ({ ...members, data: edit(members['data'] as unknown[]) }));
const each = (member: string, edit: (entry: object) => object, most?: number) =>
  body((members) => ({ ...members, [member]: (members[member] as object[]).slice(0, most).map(edit) }));
const withoutHeader =
  (name: string): Change =>
  (answer) => {
    answer.headers = Object.fromEntries(Object.entries(answer.headers).filter(([each]) => each !== name));
  };
const type =
  (value: string): Change =>
  (answer) =>
    (answer.headers['content-type'] = value);
/** The first file that the `documents` scenario uploads. */
const FRONT = Buffer.from(UPLOADS.get('front.png') ?? []).toString('base64');
const PASSPORT = 'document.passport.front.image';
const STRANGE_ID = 'fp_id_abcdefghijABCDEFGHIJ12';
const STATUS = 'x-fp-proxy-upstream-status-code';

type Changed = readonly [step: string, what: string, change: Change, found: readonly string[]];
/** The step, what is changed, and where the command must report it. */
const CHANGES: readonly Changed[] = [
  ['users/create', 'status 201', status(201), ['status:status']],
  ['users/taken', 'another refusal', status(409), ['status:status']],
  ['users/gone', 'a success in place of a refusal', SUCCESS, ['status:status']],
  ['users/read', 'a missing member', without('status'), ['body.status:only_emulator']],
  ['users/read', 'an extra member', given({ nickname: 'x' }), ['body.nickname:only_remote']],
  [
    'users/read',
    'another type',
    given({ requires_manual_review: 'false' }),
    ['body.requires_manual_review:type'],
  ],
  ['users/create', 'null for a text', given({ external_id: null }), ['body.external_id:type']],
  ['vault/create', 'absent for null', without('external_id'), ['body.external_id:only_emulator']],
  [
    'users/create',
    'a missing member that later answers have',
    without('sandbox_id'),
    ['body.sandbox_id:only_emulator'],
  ],
  ['users/read', 'a missing header', withoutHeader('x-request-id'), ['headers.x-request-id:header']],
  [
    'users/no_credential',
    'a missing challenge',
    withoutHeader('www-authenticate'),
    ['headers.www-authenticate:header'],
  ],
  ['users/read', 'another content type', type('text/plain'), ['headers.content-type:header']],
  ['users/read', 'no charset', type('application/json'), ['headers.content-type:header']],
  ['users/taken', 'another error code', given({ code: 'conflict' }), ['body.code:value']],
  [
    'users/taken',
    'another shape of errors',
    body((error) => ({ error })),
    ['body.message:only_emulator', 'body.code:only_emulator', 'body.error:only_remote'],
  ],
  ['search/find', 'another order', data((entries) => entries.reverse()), ['body.data:order']],
  ['users/again', 'no idempotency', given({ id: STRANGE_ID }), ['body.id:value']],
  ['search/nobody', 'an entry too many', given({ data: [{ id: STRANGE_ID }] }), ['body.data:length']],
  ['search/find', 'an entry too few', data((entries) => entries.slice(1)), ['body.data:length']],
  ['vault/transform', 'another mask', given({ 'id.ssn9': '###-##-6789' }), ['body["id.ssn9"]:value']],
  ['vault/fields', 'another truth', given({ 'id.phone_number': true }), ['body["id.phone_number"]:value']],
  ['vault/decrypt', 'an old value', given({ 'id.city': 'Springfield' }), ['body["id.city"]:value']],
  ['users/find', 'a wrong count', given({ meta: { count: 2, next: null } }), ['rule:rule']],
  ['users/read', 'broken JSON', text('{"id":'), ['body:type']],
  [
    'documents/with_image',
    'an image without its version',
    body((documents) =>
      (documents as unknown as { images: { front: { identifier: string } } }[]).map((document) => ({
        ...document,
        images: { front: { identifier: document.images.front.identifier } },
      })),
    ),
    ['body[].images.front.version:only_emulator'],
  ],
  [
    'documents/image',
    'another image',
    given({ [PASSPORT]: PNG.toString('base64') }),
    [`body["${PASSPORT}"]:value`],
  ],
  ['documents/download', 'other bytes', text(PNG.toString('latin1')), ['body:type']],
  ['documents/replaced', 'the image before', given({ [PASSPORT]: FRONT }), [`body["${PASSPORT}"]:value`]],
  ['documents/not_its_field', 'a field too many', SUCCESS, ['status:status']],
  ['linked-bank/again', 'an intent that is taken twice', status(200), ['status:status']],
  [
    'linked-bank/after_reset',
    'a link that stays connected',
    given({ state: 'connected' }),
    ['body.state:value'],
  ],
  [
    'linked-bank/transactions',
    'a transaction without its date',
    each('transactions', (one) => ({ ...one, date: undefined })),
    ['body.transactions[].date:only_emulator'],
  ],
  [
    'linked-bank/accounts',
    'accounts of another kind, in another number',
    each('accounts', (one) => ({ ...one, account_type: 'other' }), 1),
    [],
  ],
  ['proxy-call/post', 'no status of the target', withoutHeader(STATUS), [`headers.${STATUS}:header`]],
  [
    'proxy-call/get',
    'a target that is not called',
    text('{}'),
    ['body.received:only_emulator', 'body.by:only_emulator'],
  ],
  ['proxy-call/unresolved', 'a template that is sent half filled', SUCCESS, ['status:status']],
  ['users/delete', 'an empty body', text(''), ['body:type']],
];

function indexOf(step: string): number {
  const [name = '', id] = step.split('/');
  return scenario(name).steps.findIndex((one) => one.id === id);
}

/** The step that a step repeats. What changes one of the two changes what is known of the other. */
const REPEATED = new Map([['users/again', 'users/create']]);
/** Returns the changes by scenario, in rounds that change each step once. */
function rounds(): (readonly [scenario: string, what: string, round: readonly Changed[]])[] {
  const all = new Map<string, Changed[]>();
  for (const change of CHANGES) {
    const [step] = change;
    const [name = ''] = step.split('/');
    for (let number = 0; ; number++) {
      const round = all.get(`${name} ${number}`) ?? [];
      if (round.some(([other]) => other === step || other === REPEATED.get(step))) continue;
      all.set(`${name} ${number}`, [...round, change]);
      break;
    }
  }
  return [...all].map(([key, round]) => [
    key.split(' ')[0] ?? '',
    round.map(([step, what]) => `${step}: ${what}`).join('; '),
    round,
  ]);
}

describe('compare run', () => {
  test('compare run: nothing is different between two instances, a playbook, a linked bank and a target included', async () => {
    const { data } = await ask(remote(), 'GET', '/_kyclone/playbooks');
    const kyc = (data as { key: string; kind: string }[]).find(({ kind }) => kind === 'kyc');
    const outcome = await run(
      `--remote-set=KYC_PLAYBOOK=${kyc?.key}`,
      ...(await givenFor('linked-bank')),
      ...(await givenFor('proxy-call')),
      '--json',
    );
    const exchanges = jsonOf(outcome)['exchanges'] as { outcome: string }[];
    expect(exchanges.filter((each) => each.outcome !== 'same')).toEqual([]);
    expect(jsonOf(outcome)).toMatchObject({
      ok: true,
      counts: { different: 0, not_comparable: 0 },
      data: [],
    });
    expect(outcome.code).toBe(0);
  });

  test.each(rounds())(
    'compare run: %s: each change is found, and nothing else: %s',
    async (name, _, round) => {
      for (const [step, , change] of round) changes.set(indexOf(step), change);
      const outcome = await run('--scenario', name, ...(await givenFor(name)), '--json');
      const found = round.flatMap(([step, , , places]) => places.map((each) => `${step}:${each}`));
      expect(idsOf(outcome).sort()).toEqual(found.sort());
      expect(outcome.code).toBe(found.length > 0 ? 1 : 0);
    },
  );

  test('compare run: --allow keeps known differences, and names those that are gone', async () => {
    changes.set(4, given({ nickname: 'x' }));
    writeFileSync(join(place(), 'known.txt'), '# agreed\nusers/*:body.nickname:only_remote\nusers/old:*\n');
    const outcome = await run('--scenario', 'users', '--allow', 'known.txt', '--json');
    expect(jsonOf(outcome)).toMatchObject({ ok: true, data: [{ known: true }], unused: ['users/old:*'] });
    expect(outcome.code).toBe(0);
  });

  test('compare run: a 429 is waited for as long as it asks, and sent again', async () => {
    changes.set(0, tooMany('1'));
    const outcome = await run('--scenario', 'users');
    expect(outcome.stderr).toContain('The remote reports too many requests; waiting 1 s');
    expect(outcome.stdout).toContain(' 0 not comparable; 0 new differences');
    expect([outcome.code, count]).toEqual([0, scenario('users').steps.length + 1]);
  });

  test('compare run: what would be waited for too long is not comparable', async () => {
    changes.set(4, tooMany('9999'));
    const outcome = await run('--scenario', 'users', '--json');
    expect(jsonOf(outcome)).toMatchObject({ ok: true, counts: { not_comparable: 1 }, data: [] });
    expect(count).toBe(scenario('users').steps.length);
  });

  test('compare run: without an intent and a target nothing is compared, and the reason says so', async () => {
    const outcome = await run('--scenario', 'linked-bank', '--scenario', 'proxy-call', '--json');
    const reasons = (jsonOf(outcome)['exchanges'] as { reason: string }[]).map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(
      new Set(['remote: there is no value for BANK_INTENT', 'remote: there is no value for TARGET']),
    );
    expect([outcome.code, count]).toEqual([1, 0]);
  });

  test("compare run: deletes the user made for the emulator's intent", async () => {
    const before = await usersOf(emulator());
    expect(await run('--scenario', 'linked-bank', ...(await givenFor('linked-bank')))).toMatchObject({
      code: 0,
    });
    expect(await usersOf(emulator())).toBe(before);
  });

  test('compare run: a remote that nothing can be compared with is no success', async () => {
    for (const index of scenario('bank-links').steps.keys()) changes.set(index, status(503));
    expect(await run('--scenario', 'bank-links')).toMatchObject({ code: 1 });
  });
});

describe('requests sent', () => {
  test.each<[what: string, key: string | undefined, argv: string[], code: number]>([
    ['a live key', 'sk_live_00000000000000000000000000000000', [], 4],
    ['no key of ours', 'something-else', [], 2],
    ['a key in argv', undefined, ['--remote-key', 'sk_test_00000000000000000000000000000000'], 2],
  ])('compare: %s is refused before anything is sent', async (_what, key, argv, code) => {
    const before = between().seen.length;
    const outcome = await compare(['run', '--remote', between().url, ...argv], key);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).not.toMatch(/sk_(?:live|test)_0|something-else/);
    expect(between().seen).toHaveLength(before);
  });

  test('compare: http is for this machine only', async () => {
    const elsewhere = [
      'http://sandbox.example',
      'http://10.0.0.1',
      'ftp://localhost',
      'https://a:b@x.example',
    ];
    for (const url of elsewhere)
      expect(await compare(['record', '--remote', url, '--out', 'x.json']), url).toMatchObject({ code: 2 });
  });

  test('compare: a redirect is an answer; the key goes nowhere else', async () => {
    await using elsewhere = await loopbackServer(answerJson(200, {}));
    changes.set(4, (a) => Object.assign(a, { status: 307, headers: { location: `${elsewhere.url}/users` } }));
    const outcome = await run('--scenario', 'users', '--json');
    expect(idsOf(outcome)[0]).toBe('users/read:status:status');
    expect(elsewhere.seen).toEqual([]);
  });

  test('compare: a remote that says that it is live ends it', async () => {
    changes.set(1, given({ is_live: true }));
    const outcome = await run('--scenario', 'users');
    expect([outcome.code, count]).toEqual([4, 2]);
  });

  test.each([
    ['as: control', 'GET /users'],
    ['as: live_key', 'GET /users'],
    ['as: key', 'GET /_kyclone/info'],
  ])('compare: a scenario with %s %s is refused', async (as, call) => {
    writeFileSync(join(place(), 'own.yaml'), `steps:\n  - call: ${call}\n    ${as}\n`);
    const outcome = await run('--scenario', './own.yaml');
    expect([outcome.code, count]).toEqual([7, 0]);
  });
});

describe('compare record, compare replay', () => {
  const record = (...argv: string[]) =>
    compare(['record', '--remote', between().url, '--out', 'answers.json', ...argv]);
  const transcript = () => readFileSync(join(place(), 'answers.json'), 'utf8');

  test('compare record: no credential, id or value is in the transcript; compare replay: offline', async () => {
    expect(await record()).toMatchObject({ code: 0 });
    const sent = between().seen.length;
    const text = transcript();
    expect(text).toContain('<create.id>');
    const values = ['Juniper', 'Larkfield', '123456789', '@example'];
    for (const secret of [remote().apiKey, remote().controlToken, ...values])
      expect(text).not.toContain(secret);
    expect(text).not.toMatch(/fp_b?id_(?!0{22})[0-9A-Za-z]{22}|(?:cttok|sk_test)_[0-9A-Za-z]{8}/);
    const replayed = await compare(['replay', 'answers.json', '--json']);
    expect(jsonOf(replayed)).toMatchObject({ ok: true, counts: { different: 0 } });
    expect(between().seen).toHaveLength(sent);
  });

  test("compare replay: finds the remote's differences; --output id prints lines for --allow", async () => {
    changes.set(4, given({ nickname: 'secret-nickname' }));
    expect(await record('--scenario', 'users')).toMatchObject({ code: 0 });
    expect(transcript()).not.toContain('secret-nickname');
    const found = await compare(['replay', 'answers.json', '--output', 'id']);
    expect(found).toMatchObject({ code: 1, stdout: 'users/read:body.nickname:only_remote\n' });
    writeFileSync(join(place(), 'known.txt'), found.stdout);
    expect(await compare(['replay', 'answers.json', '--allow', 'known.txt'])).toMatchObject({ code: 0 });
  });

  test('compare record: resumes after the last scenario of an interrupted transcript', async () => {
    const own = ['--scenario', 'users', '--scenario', 'search'];
    changes.set(scenario('users').steps.length + 2, 'gone');
    expect(await record(...own)).toMatchObject({ code: 5 });
    expect(JSON.parse(transcript())).toMatchObject({ complete: false, scenarios: [{ name: 'users' }] });
    count = 1000;
    expect(await record(...own)).toMatchObject({ code: 2 });
    expect(await record(...own, '--resume')).toMatchObject({ code: 0 });
    expect(count).toBe(1000 + scenario('search').steps.length);
    expect(JSON.parse(transcript())).toMatchObject({
      complete: true,
      scenarios: [{ name: 'users' }, { name: 'search' }],
    });
    expect(await compare(['replay', 'answers.json'])).toMatchObject({ code: 0 });
  });

  test('compare record: a failing scenario deletes the data it created, or names them', async () => {
    const before = await usersOf(remote());
    changes.set(3, 'gone');
    const broken = await record('--scenario', 'search');
    expect(broken.code).toBe(5);
    expect(broken.stderr).toContain('search: everything it created is deleted');
    expect(await usersOf(remote())).toBe(before);

    changes = new Map(Array.from({ length: 100 }, (_, index) => [index + 2, 'gone'] as const));
    count = 0;
    const left = await record('--scenario', 'search', '--force');
    expect(left.stderr).toMatch(
      /search: could not be deleted: DELETE \/users\/fp_id_\w+, DELETE \/users\/fp_id_/,
    );
    expect(await usersOf(remote())).toBe(before + 2);
  });

  test('compare record: Ctrl-C deletes the created data, and exits as by that signal', async () => {
    const before = await usersOf(remote());
    const argv = [
      'compare',
      'record',
      '--remote',
      between().url,
      '--out',
      'answers.json',
      '--scenario=search',
    ];
    const environment = { KYCLONE_REMOTE_API_KEY: remote().apiKey };
    const { child, ended } = spawnCli(argv, { home: emulator().home, cwd: place(), environment });
    changes.set(2, () => void child.kill('SIGINT'));
    const { code, stderr } = await ended;
    expect([code, child.signalCode]).toEqual([130, null]);
    expect(stderr).toContain('search: everything it created is deleted');
    expect(stderr).toContain('Interrupted');
    expect(await usersOf(remote())).toBe(before);
  });

  test('compare replay: a scenario of a file that has changed since is not comparable', async () => {
    const file = join(place(), 'own.yaml');
    const steps = (path: string) => `steps:\n  - call: GET ${path}\n`;
    writeFileSync(file, steps('/users?page_size=1'));
    expect(await record('--scenario', './own.yaml')).toMatchObject({ code: 0 });
    expect(await compare(['replay', 'answers.json'])).toMatchObject({ code: 2 });
    writeFileSync(file, steps('/users?page_size=2'));
    const outcome = await compare(['replay', 'answers.json', '--scenario', './own.yaml', '--json']);
    expect(jsonOf(outcome)).toMatchObject({ ok: false, counts: { not_comparable: 1 } });
    expect(outcome.code).toBe(1);
  });

  test.each(['', '{}', '{"format":"kyclone-transcript-1","complete":true,"scenarios":[{}]}'])(
    'compare replay: %j is no transcript',
    async (text) => {
      writeFileSync(join(place(), 'answers.json'), text);
      expect(await compare(['replay', 'answers.json'])).toMatchObject({ code: 2 });
    },
  );
});
