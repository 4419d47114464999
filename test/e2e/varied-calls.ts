/**
 * Sixty varied calls, as a script of an instance's life, for tests that run it more than once and compare the results.
 */
import { aReadyBusiness, aReadyUser, aUser, KYB, KYC } from '../support/builders.ts';
import { exchange, type Kycloned } from '../support/kycloned.ts';

/** One call and its response, without secrets and without what belongs to the machine. */
export interface Line {
  readonly call: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Headers that HTTP adds, not the service. */
const MACHINE_HEADERS = new Set(['date', 'connection', 'keep-alive']);
/**
 * Tokens, keys and secrets never follow from the seed. MACHINE_MEMBERS depend on the machine, such as its clock or the
 * port.
 */
const SECRET_MEMBERS = new Set(['token', 'intent_token', 'validation_token', 'secret', 'key', 'prefix']);
const MACHINE_MEMBERS = new Set(['ms', 'real_now', 'offset_ms', 'started_at', 'pid', 'bytes']);
/** These hashes depend on the vault's key, which is new for each instance. */
const KEYED_MEMBERS = new Set(['hash', 'prev_hash', 'head']);

type Body = Readonly<Record<string, unknown>>;

/** Runs the script with a fresh daemon. */
export async function variedCalls(daemon: Kycloned): Promise<Line[]> {
  const lines: Line[] = [];

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const isControl = path.startsWith('/_kyclone/');
    const send = isControl ? daemon.control : daemon.call;
    const reply = await send(method, path, { body, headers });
    lines.push(line(`${method} ${path}`, reply, daemon.url));
    if (reply.status >= 500) throw new Error(`${method} ${path}: ${reply.text}`);
    return reply.body;
  }
  const id = (body: Body, member = 'id') => String(body[member]);
  const withToken = async (token: string, method: string, path: string, body?: unknown) => {
    const reply = await exchange(`${daemon.url}${path}`, method, {
      body,
      headers: { 'x-fp-authorization': token },
    });
    lines.push(line(`${method} ${path}`, reply, daemon.url));
  };

  await call('PATCH', '/_kyclone/settings', { events: { extended: true } });
  await call('POST', '/_kyclone/webhooks', { url: 'http://127.0.0.1:9/hooks' });
  await call('POST', '/_kyclone/outcomes', { match: { external_id: 'fails-*' }, outcome: 'fail' });
  const playbook = id(
    await call('POST', '/_kyclone/playbooks', { name: 'Light', kind: 'kyc', requirements: [['id.email']] }),
    'key',
  );

  const named = async (external: string) => {
    const user = id(await call('POST', '/users', undefined, { 'x-external-id': external }));
    await call('PATCH', `/users/${user}/vault`, aReadyUser());
    return user;
  };
  const jane = await named('customer-1');
  const loser = await named('fails-1');
  const twin = id(await call('POST', '/users', undefined, { 'x-idempotency-id': 'create-twin' }));
  await call('POST', '/users', undefined, { 'x-idempotency-id': 'create-twin' });
  await call('PATCH', `/users/${twin}/vault`, aUser());
  const slow = id(await call('POST', '/users', aReadyUser()));
  const acme = id(await call('POST', '/businesses', aReadyBusiness()));
  await call('POST', '/users', { 'id.dob': 'yesterday' });
  await call('GET', '/users');
  await call('GET', `/users/${jane}`);
  await call('GET', '/users/fp_id_0000000000000000000000');
  await call('PATCH', `/users/${jane}/vault`, { 'id.last_name': 'Achterberg', 'custom.rank': 'first' });
  await call('GET', `/users/${jane}/vault`);
  await call('POST', `/users/${jane}/vault/decrypt`, { fields: ['id.ssn9', 'id.ssn4'], reason: 'a test' });
  await call('POST', `/users/${jane}/vault/decrypt`, { fields: ['id.ssn9'] });
  await call('POST', `/users/${jane}/vault/validate`, { 'id.zip': 'no zip' });
  await call('DELETE', `/users/${jane}/vault`, '{"fields":["custom.rank"]}', { 'content-length': '26' });
  const front = `/users/${jane}/vault/document.passport.front.image/upload`;
  await call('POST', front, '%PDF-1.4', { 'content-type': 'application/pdf' });
  await call('GET', `/users/${jane}/documents`);
  await call('POST', '/users/search', { search: 'wilhelmina@oyelaran.example' });
  await call('GET', `/users/${jane}/duplicates`);

  const tokenOf = async (scope: string) => {
    const path = `/users/${jane}/client_token`;
    const body = await call('POST', path, { scope, fields: ['id.email'], decrypt_reason: 'a test' });
    return id(body, 'token');
  };
  const token = await tokenOf('vault_and_decrypt');
  await withToken(token, 'GET', '/users/client_token');
  await withToken(token, 'PATCH', '/users/vault', { 'id.email': 'jane@example.com' });
  await withToken(token, 'POST', '/users/vault/decrypt', { fields: ['id.email'] });

  const first = id(await call('POST', `/users/${jane}/kyc`, { key: KYC }), 'onboarding_id');
  await call('GET', `/onboardings/${first}`);
  await call('POST', `/users/${loser}/kyc`, { key: KYC });
  await call('POST', `/users/${twin}/kyc`, { key: playbook, fixture_result: 'manual_review' });
  await call('POST', `/users/${slow}/kyc`, { key: KYC, fixture_result: 'pending' });
  await call('POST', `/users/${twin}/kyc`, { key: 'pb_test_unknown0000000000000' });
  await call('POST', `/businesses/${acme}/kyb`, { key: KYB, fixture_result: 'fail' });
  await call('PUT', '/_kyclone/clock', { action: 'advance', by: '1d' });
  for (const path of ['onboardings', 'decisions', 'risk_signals']) {
    await call('GET', `/users/${loser}/${path}`);
    await call('GET', `/businesses/${acme}/${path}`);
  }
  await call('POST', `/users/${jane}/decisions`, { status: 'pass', annotation: 'seen' });
  await call('POST', `/users/${jane}/tags`, { tag: 'seen' });
  await call('POST', `/users/${jane}/label`, { kind: 'active' });
  await call('POST', '/onboarding/session', { key: KYC });

  const intent = await call('POST', '/_kyclone/bank_link_intents', { fp_id: jane });
  const link = id(await call('POST', '/bank_links', { intent_token: intent['intent_token'] }));
  await call('GET', `/bank_links/${link}`);
  for (const path of ['accounts', 'transactions', 'investments/holdings', 'investments/transactions']) {
    await call('GET', `/bank_links/${link}/${path}`);
  }
  await call('POST', `/bank_links/${link}/data_refresh`, ['transactions']);
  await call('POST', '/_kyclone/events/trigger', { kind: 'watchlist_check.completed', fp_id: jane });
  await call('PUT', '/_kyclone/clock', { action: 'advance', by: '1h' });

  await call('GET', '/_kyclone/events?page_size=100');
  await call('GET', `/_kyclone/entities/${jane}`);
  await call('GET', '/_kyclone/entities');
  await call('GET', '/_kyclone/access-log?page_size=100');
  await call('GET', '/_kyclone/requests?page_size=100');
  await call('GET', '/_kyclone/personas');
  await call('DELETE', `/users/${twin}`);
  await call('POST', '/_kyclone/reset', {});
  await call('POST', '/users', aUser());
  await call('GET', '/no/such/path');
  return lines;
}

function line(
  call: string,
  { status, headers, text }: { status: number; headers: object; text: string },
  url: string,
): Line {
  const kept = Object.entries(headers).filter(([name]) => !MACHINE_HEADERS.has(name));
  return {
    call,
    status,
    headers: Object.fromEntries(
      kept.filter(([name]) => name !== 'content-length' || !/token|key|secret|bytes/.test(text)),
    ),
    body: withoutSecrets(JSON.parse(withoutPlace(text, url)) as unknown),
  };
}

/** Removes the address, the token of a link to a session, and fingerprints, which depend on the vault's key. */
function withoutPlace(text: string, url: string): string {
  return text
    .replaceAll(url, 'http://the-instance')
    .replace(/#(?:\w+tok|blit)_\w+/g, '#***')
    .replace(/"[0-9a-f]{64}"/g, '"***"');
}

/** Keeps the order of members, so that a different order shows as a difference. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]: [string, unknown]) => {
      const isLeftOut =
        MACHINE_MEMBERS.has(name) ||
        KEYED_MEMBERS.has(name) ||
        (SECRET_MEMBERS.has(name) && typeof member === 'string' && !member.startsWith('pb_'));
      return [name, isLeftOut ? '***' : withoutSecrets(member)];
    }),
  );
}
