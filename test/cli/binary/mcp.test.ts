/** `kyclone mcp`: the real binary and a real daemon, called by the protocol's own client. */
import { beforeAll, describe, expect, test } from 'vitest';
import { startAssistant, type Assistant } from '../../support/assistant.ts';
import { runCli, spawnCli } from '../../support/cli.ts';
import { startDaemon } from '../../support/daemon.ts';
import { useDaemon, useShared } from '../../support/use-shared.ts';
import { aReadyUser } from '../../support/builders.ts';
import { ask } from '../../support/example-world.ts';
import { answerJson, loopbackServer } from '../../support/loopback.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { hasTerminal, runOnTerminal } from '../../support/terminal.ts';

const READING = [
  'status',
  'list_identifiers',
  'list_outcome_rules',
  'list_fault_rules',
  'read_clock',
  'list_failed_requests',
  'get_request',
  'explain_proxy_call',
];
const CHANGING = [
  'create_outcome_rule',
  'delete_outcome_rule',
  'create_fault_rule',
  'delete_fault_rules',
  'set_clock',
  'make_people',
];
const CANARY = 'Zanzibar-4711';
const SSN = '219099999';

const daemon = useDaemon();
const target = useShared(() => loopbackServer(answerJson(200, { ok: true })));
const reader = useShared(() => startAssistant(daemon().home));
const changer = useShared(() => startAssistant(daemon().home, { flags: ['--allow-changes'] }));
let user: string;
const requestIds: Record<string, string> = {};

/** Makes a request of an app; returns its journal id. */
async function appCall(
  name: string,
  path: string,
  body: unknown,
  { key = daemon().apiKey, headers = {} }: { key?: string; headers?: Record<string, string> } = {},
): Promise<Record<string, unknown>> {
  const response = await fetch(daemon().url + path, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  requestIds[name] = response.headers.get('x-request-id') ?? '';
  return (await response.json()) as Record<string, unknown>;
}

beforeAll(async () => {
  const person = aReadyUser({ 'id.first_name': CANARY, 'id.ssn9': SSN });
  const made = await appCall('made', '/users', person);
  user = String(made['id']);
  await appCall('mistaken', '/users', { 'id.frist_name': CANARY });
  await appCall('live', '/users', { 'id.frist_name': CANARY }, { key: daemon().liveApiKey });
  await appCall(
    'proxied',
    '/vault_proxy/jit',
    { ssn: `{{ ${user}.id.ssn9 }}` },
    { headers: { 'x-fp-proxy-target-url': target().url, 'x-fp-proxy-access-reason': 'a test' } },
  );
});

async function toolsOf({ client }: Assistant) {
  return (await client.listTools()).tools;
}

describe('tools', () => {
  test('tools: those that read, marked so; the others only where changes are allowed', async () => {
    const read = await toolsOf(reader());
    expect(read.map(({ name }) => name)).toEqual(READING);
    expect(read.map(({ annotations }) => annotations?.readOnlyHint)).toEqual(READING.map(() => true));
    const all = await toolsOf(changer());
    expect(all.map(({ name }) => name)).toEqual([...READING, ...CHANGING]);
    const changing = all.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    expect(changing.map(({ name }) => name)).toEqual(CHANGING);
  });

  test('tools: what changes is refused without --allow-changes, and changes nothing', async () => {
    const before = await reader().ask('read_clock');
    for (const name of CHANGING) {
      const refused = await reader().refusal(name, { action: 'freeze' });
      expect(refused).toContain('kyclone mcp --allow-changes');
    }
    expect(await reader().ask('read_clock')).toMatchObject({ mode: before['mode'] });
  });

  test('tools: an unknown tool or member is reported, without its value', async () => {
    expect(await reader().refusal(CANARY)).toMatch(/^No such tool/);
    for (const { name } of await toolsOf(changer())) {
      const text = await changer().refusal(name, { nonsense: CANARY });
      expect(text).toContain('There is no member nonsense');
      expect(text).not.toContain(CANARY);
    }
  });
});

describe('reading', () => {
  test('status: where it is and what time, without what opens it', async () => {
    const status = await reader().ask('status');
    expect(status).toMatchObject({
      base_url: daemon().url,
      instance: 'default',
      storage: 'ephemeral',
      environment: 'sandbox',
      changes_allowed: false,
      clock: { mode: 'real' },
    });
    expect(await changer().ask('status')).toMatchObject({ changes_allowed: true });
  });

  test('list_failed_requests: newest first with hints; no successful and no live requests', async () => {
    const { failed_requests: failed } = await reader().ask('list_failed_requests', { since: '1h' });
    const ids = (failed as { id: string }[]).map(({ id }) => id);
    expect(ids).toContain(requestIds['mistaken']);
    expect(ids).not.toContain(requestIds['live']);
    expect(ids).not.toContain(requestIds['made']);
    const mistaken = (failed as Record<string, unknown>[]).find(({ id }) => id === requestIds['mistaken']);
    expect(mistaken).toMatchObject({ method: 'POST', path: '/users', status: 400 });
    expect(mistaken?.['hint']).toContain('id.first_name');
    expect(await reader().ask('list_failed_requests', { status: 418 })).toEqual({ failed_requests: [] });
    expect(await reader().refusal('list_failed_requests', { since: CANARY })).toMatch(
      /^since must be a time, or how long ago/,
    );
    await reader().refusal('list_failed_requests', { limit: 0 });
  });

  test('get_request: the masked entry; a live one and an unknown one are refused', async () => {
    const request = { request_id: requestIds['mistaken'] };
    expect(await reader().ask('get_request', request)).toMatchObject({ status: 400, environment: 'sandbox' });
    const live = await reader().refusal('get_request', { request_id: requestIds['live'] });
    expect(live).toMatch(/live environment/);
    const unknown = await reader().refusal('get_request', { request_id: 'req_0' });
    expect(unknown).toMatch(/list_failed_requests/);
  });

  test('explain_proxy_call: the newest or the one that is named, with masks', async () => {
    const newest = await reader().ask('explain_proxy_call');
    expect(newest).toMatchObject({ request: { id: requestIds['proxied'] } });
    expect(await reader().ask('explain_proxy_call', { request_id: requestIds['proxied'] })).toEqual(newest);
    const { explanation } = newest as { explanation: { tokens: { token: string; found: boolean }[] } };
    expect(explanation.tokens).toMatchObject([{ found: true }]);
    const other = await reader().refusal('explain_proxy_call', { request_id: requestIds['mistaken'] });
    expect(other).toMatch(/not a call of the vault proxy/);
    const live = await reader().refusal('explain_proxy_call', { request_id: requestIds['live'] });
    expect(live).toMatch(/live environment/);
  });

  test('list_identifiers: those that begin so, with rule and example', async () => {
    const { identifiers } = await reader().ask('list_identifiers', { prefix: 'id.ssn9' });
    expect(identifiers).toMatchObject([{ identifier: 'id.ssn9', searchable: true }]);
    await reader().refusal('list_identifiers', { prefix: 'nothing.' });
  });
});

describe('changing', () => {
  test('create_outcome_rule, list, delete: the rule decides runs, its value is masked', async () => {
    const match = { identifier: { name: 'id.first_name', equals: CANARY } };
    const rule = await changer().ask('create_outcome_rule', { match, outcome: 'fail' });
    const listed = await reader().ask('list_outcome_rules');
    expect(listed['outcome_rules']).toEqual([rule]);
    const run = await appCall('run', `/users/${user}/kyc`, { key: 'pb_test_kycdefault000000000000' });
    expect(run).toMatchObject({ status: 'fail' });
    expect(await changer().ask('delete_outcome_rule', { id: rule['id'] })).toEqual({ deleted: rule['id'] });
    expect(await reader().ask('list_outcome_rules')).toEqual({ outcome_rules: [] });
    const gone = await changer().refusal('delete_outcome_rule', { id: 'rule_0' });
    expect(gone).toMatch(/What to do: /);
    const bad = await changer().refusal('create_outcome_rule', { match: {}, outcome: 'perhaps' });
    expect(bad).toMatch(/outcome must be/);
  });

  test('create_fault_rule, delete_fault_rules: requests fail, and no longer', async () => {
    const status = async () => (await fetch(`${daemon().url}/users`)).status;
    const before = await status();
    const rule = await changer().ask('create_fault_rule', { preset: 'down', match: { path: '/users' } });
    expect(await status()).toBe(503);
    expect((await reader().ask('list_fault_rules'))['fault_rules']).toMatchObject([
      { id: rule['id'], hits: 1 },
    ]);
    expect(await changer().ask('delete_fault_rules', { id: rule['id'] })).toEqual({ deleted: rule['id'] });
    expect(await status()).toBe(before);
    await changer().ask('create_fault_rule', { latency_ms: 1, times: 1 });
    expect(await changer().ask('delete_fault_rules')).toEqual({ deleted: 'all' });
    expect((await reader().ask('list_fault_rules'))['fault_rules']).toEqual([]);
    const nothing = await changer().refusal('create_fault_rule', { match: { path: '/users' } });
    expect(nothing).toMatch(/give preset, status, latency_ms or abort/);
  });

  test('set_clock: moves the clock, and refuses an invalid duration', async () => {
    const frozen = await changer().ask('set_clock', { action: 'freeze', at: '2027-01-31T12:00:00Z' });
    expect(frozen['clock']).toMatchObject({ mode: 'frozen', now: '2027-01-31T12:00:00.000Z' });
    await changer().ask('set_clock', { action: 'advance', by: '2m' });
    expect(await reader().ask('read_clock')).toMatchObject({ now: '2027-01-31T12:02:00.000Z' });
    const bad = await changer().refusal('set_clock', { action: 'advance', by: CANARY });
    expect(bad).not.toContain(CANARY);
    await changer().ask('set_clock', { action: 'resume' });
    expect(await reader().ask('read_clock')).toMatchObject({ mode: 'real' });
  });

  test('make_people: they are in the sandbox, the answer has their ids alone', async () => {
    const { created } = await changer().ask('make_people', { count: 2, seed: 7, with_card: true });
    const people = created as { id: string; identifiers: string[] }[];
    expect(people).toHaveLength(2);
    expect(people[0]?.identifiers).toContain('card.primary.number');
    for (const { id } of people)
      expect(await ask(daemon(), 'GET', `/users/${id}/vault?fields=id.first_name`)).toMatchObject({
        'id.first_name': true,
      });
    const business = await changer().ask('make_people', { kind: 'business' });
    expect((business['created'] as { id: string }[])[0]?.id).toMatch(/^fp_bid_/);
    await changer().refusal('make_people', { count: 51 });
  });
});

test('canary: no message holds a vaulted value, a key or a token', async () => {
  const token = await appCall('token', `/users/${user}/client_token`, {
    fields: ['id.first_name'],
    scopes: ['decrypt'],
  });
  await appCall('decrypted', `/users/${user}/vault/decrypt`, { fields: ['id.ssn9'], reason: 'a test' });
  for (const request_id of Object.values(requestIds)) {
    await reader().call('get_request', { request_id });
    await reader().call('explain_proxy_call', { request_id });
  }
  await reader().call('list_failed_requests');
  const heard = [...reader().heard, ...changer().heard, reader().stderr(), changer().stderr()].join('\n');
  expect(heard).toContain(requestIds['decrypted']);
  const { token: secret } = token as { token: string };
  expect(secret).toMatch(/^[a-z]+_\w+$/);
  const secrets = [daemon().apiKey, daemon().liveApiKey, daemon().controlToken, secret];
  for (const each of [CANARY, SSN, '219-09-9999', ...secrets]) expect(heard).not.toContain(each);
});

test('a live key in the place of the sandbox key is refused, and nothing is made with it', async () => {
  const environment = {
    KYCLONE_BASE_URL: daemon().url,
    KYCLONE_API_KEY: daemon().liveApiKey,
    KYCLONE_CONTROL_TOKEN: daemon().controlToken,
  };
  await using other = await startAssistant(daemon().home, { flags: ['--allow-changes'], environment });
  for (const name of ['status', 'make_people'])
    expect(await other.refusal(name)).toMatch(/^KYCLONE_API_KEY is a live key/);
});

test('without a daemon it says how to start one, and finds those that come and come again', async () => {
  using home = tempDir();
  await using assistant = await startAssistant(home.path);
  const missing = await assistant.refusal('status');
  expect(missing).toMatch(/kyclone start -d/);
  for (let n = 0; n < 2; n++) {
    await using started = await startDaemon({ home: home.path });
    expect(await assistant.ask('status')).toMatchObject({ base_url: started.url });
    await started.end();
    expect(await assistant.refusal('read_clock')).toMatch(/kyclone start -d/);
  }
});

describe('the end', () => {
  const request = (id: number, method: string, params: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const asked = [
    request(1, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'a test', version: '1.0.0' },
    }),
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    'this is no message',
    request(2, 'tools/call', { name: 'status', arguments: {} }),
    '',
  ].join('\n');

  test('input that ends: all that was asked is answered, on a line each, and the exit code is 0', async () => {
    const { code, stdout, stderr } = await runCli(['mcp'], { home: daemon().home, stdin: asked });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ id }) => id)).toEqual([1, 2]);
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('%s: ends like other commands, after answering earlier requests', async (signal, code) => {
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    const { child, output, ended } = spawnCli(['mcp'], { home: daemon().home, stdio });
    child.stdout?.on('data', () => output.stdout.includes('"id":2') && child.kill(signal));
    child.stdin?.write(asked);
    const { stdout, ...end } = await ended;
    expect(end).toEqual({ code, stderr: '' });
    expect(child.signalCode).toBeNull();
    expect(stdout).toMatch(/^(?:.+\n){2}$/);
  });

  test.runIf(hasTerminal)('on a terminal it explains its use, and reads nothing', async () => {
    const { code, screen } = await runOnTerminal(['mcp'], { home: daemon().home });
    expect(code).toBe(2);
    expect(screen).toContain('mcp speaks with a program over its standard input, which is a terminal here');
    expect(screen).toContain('docs/assistants.md');
  });

  test('no input at all: it ends at once', async () => {
    expect(await runCli(['mcp'], { home: daemon().home })).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
