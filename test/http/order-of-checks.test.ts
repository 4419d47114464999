/** When two things are wrong with a request, the answer is about the one that is checked first (contract §0.4). */
import { expect, onTestFinished, test } from 'vitest';
import { JSON_BODY_LIMIT_BYTES } from '../../src/contract/facts/limits.ts';
import { PERMISSIONS, SCOPES } from '../../src/contract/facts/permissions.ts';
import { HOST, type TestService } from '../support/service.ts';
import { shareStage } from '../support/shared-stage.ts';

const shared = shareStage();

interface Draft {
  host: string;
  origin: string | undefined;
  isReady: boolean;
  method: string;
  path: string;
  hasCredential: boolean;
  hasScope: boolean;
  /** Whether the credential covers the identifiers of the body. */
  isPermitted: boolean;
  contentType: string;
  isTooLarge: boolean;
  isBroken: boolean;
  hasEntity: boolean;
  body: Record<string, unknown>;
}

interface Fault {
  readonly name: string;
  readonly status: number;
  readonly code: string;
  readonly cause: (draft: Draft) => void;
}

/** The faults of a list, by name: the status and code of the refusal, and what causes it. */
function faults(of: Record<string, [status: number, code: string, cause: Fault['cause']]>): readonly Fault[] {
  return Object.entries(of).map(([name, [status, code, cause]]) => ({ name, status, code, cause }));
}

const transport = faults({
  Host: [421, 'misdirected_request', (draft) => (draft.host = 'evil.example')],
  Origin: [403, 'origin_refused', (draft) => (draft.origin = 'null')],
  readiness: [503, 'not_ready', (draft) => (draft.isReady = false)],
});
const route = faults({
  path: [404, 'not_found', (draft) => (draft.path += '/no/where')],
  method: [405, 'method_not_allowed', (draft) => (draft.method = 'PUT')],
});
const credential = faults({ credential: [401, 'unauthenticated', (draft) => (draft.hasCredential = false)] });
const scope = faults({ scope: [403, 'scope_missing', (draft) => (draft.hasScope = false)] });
const tokenScope = faults({ 'token scope': [403, 'permission_denied', (draft) => (draft.hasScope = false)] });
const content = faults({
  'content type': [415, 'unsupported_media_type', (draft) => (draft.contentType = 'text/plain')],
  size: [413, 'payload_too_large', (draft) => (draft.isTooLarge = true)],
  'JSON syntax': [400, 'invalid_json', (draft) => (draft.isBroken = true)],
});
const entity = faults({ entity: [404, 'not_found', (draft) => (draft.hasEntity = false)] });
const shape = (member: Record<string, unknown>) =>
  faults({ shape: [400, 'invalid_request', (draft) => Object.assign(draft.body, member)] });
const permission = faults({
  'identifier permission': [403, 'permission_denied', (draft) => (draft.isPermitted = false)],
});
const reading = faults({
  reason: [400, 'reason_required', (draft) => Reflect.deleteProperty(draft.body, 'reason')],
  transform: [400, 'transform_failed', (draft) => (draft.body['transforms'] = ["date_format('%Y','%m')"])],
});
const values = faults({ values: [400, 'T120', (draft) => (draft.body['id.dob'] = 'yesterday')] });

interface Operation {
  /** The path on the service. With a key it is relative to `/users/{fp_id}`. */
  readonly path: string;
  readonly method: string;
  readonly credential: 'key' | 'token';
  readonly body: Record<string, unknown>;
  readonly faults: readonly Fault[];
}

const beforeScope = [...transport, ...route, ...credential];
const SHOE_SIZE = { fields: ['id.shoe_size'] };
const READ = { fields: ['id.email'], reason: 'a test' };

const integrity: Operation = {
  path: '/vault/integrity',
  method: 'POST',
  credential: 'key',
  body: { fields: ['id.email'], signing_key: 'ab' },
  faults: [...beforeScope, ...scope, ...content, ...entity, ...shape({ signing_key: 'odd' }), ...permission],
};
const decrypt: Operation = {
  path: '/vault/decrypt',
  method: 'POST',
  credential: 'key',
  body: READ,
  faults: [...beforeScope, ...content, ...entity, ...shape(SHOE_SIZE), ...permission, ...reading],
};
const write: Operation = {
  path: '/vault/validate',
  method: 'POST',
  credential: 'key',
  body: { 'id.last_name': 'Doe' },
  faults: [...credential, ...content, ...entity, ...shape({ 'id.shoe_size': '42' }), ...values],
};
const tokenDecrypt: Operation = {
  path: '/users/vault/decrypt',
  method: 'POST',
  credential: 'token',
  body: READ,
  faults: [...beforeScope, ...tokenScope, ...content, ...shape(SHOE_SIZE), ...permission, ...reading],
};
const tokenWrite: Operation = {
  path: '/users/vault',
  method: 'PATCH',
  credential: 'token',
  body: { 'id.email': 'mina@oyelaran.example' },
  faults: [
    ...credential,
    ...tokenScope,
    ...content,
    ...shape({ 'id.shoe_size': '42' }),
    ...permission,
    ...values,
  ],
};
const operations = [integrity, decrypt, write, tokenDecrypt, tokenWrite];

/** Returns all pairs in the order of the list, except pairs of two faults of the route, which exclude each other. */
function pairsOf(operation: Operation): (readonly [first: Fault, second: Fault, operation: Operation])[] {
  return operation.faults.flatMap((first, index) =>
    operation.faults
      .slice(index + 1)
      .filter((second) => !(route.includes(first) && route.includes(second)))
      .map((second) => [first, second, operation] as const),
  );
}

const pairs = operations.flatMap((operation) =>
  pairsOf(operation).map(
    ([first, second]) => [operation.path, first.name, second.name, { operation, first, second }] as const,
  ),
);

test.each(pairs)(
  '%s: %s is judged before %s',
  async (_path, _first, _second, { operation, first, second }) => {
    expect(await answerTo(operation, [first, second])).toEqual([first.status, first.code]);
  },
);

/** Each fault alone has its own status and code. */
const alone = operations.flatMap((operation) =>
  operation.faults.map((fault) => [operation.path, fault.name, { operation, fault }] as const),
);

test.each(alone)('%s: a wrong %s alone is reported', async (_path, _name, { operation, fault }) => {
  expect(await answerTo(operation, [fault])).toEqual([fault.status, fault.code]);
});

async function answerTo(operation: Operation, faults: readonly Fault[]) {
  const { service, user } = await shared.stage();
  const draft: Draft = {
    host: HOST,
    origin: undefined,
    isReady: true,
    method: operation.method,
    path: operation.path,
    hasCredential: true,
    hasScope: true,
    isPermitted: true,
    contentType: 'application/json',
    isTooLarge: false,
    isBroken: false,
    hasEntity: true,
    body: { ...operation.body },
  };
  for (const fault of faults) fault.cause(draft);

  const isKey = operation.credential === 'key';
  const as = await (isKey ? aKeyFor(service, draft) : aTokenFor(service, user, draft));
  if (!draft.isReady) service.instance.readiness = { ready: false, reason: 'stopping' };
  onTestFinished(() => void (service.instance.readiness = { ready: true }));
  const text = JSON.stringify(draft.body).slice(0, draft.isBroken ? -1 : undefined);
  const reply = await service.send({
    method: draft.method,
    path: isKey ? `/users/${draft.hasEntity ? user : `fp_id_${'0'.repeat(22)}`}${draft.path}` : draft.path,
    headers: {
      host: draft.host,
      'content-type': draft.contentType,
      ...(draft.origin !== undefined && { origin: draft.origin }),
    },
    body: draft.isTooLarge ? text.padEnd(JSON_BODY_LIMIT_BYTES + 1) : text,
    as: draft.hasCredential ? as : null,
  });
  return [reply.status, (reply.body as { code: string }).code];
}

function aKeyFor(service: TestService, { hasScope, isPermitted }: Draft): Promise<string> {
  return service.key({
    scopes: SCOPES.filter((each) => hasScope || each !== 'preview:vault_integrity'),
    permissions: [...PERMISSIONS, ...(isPermitted ? ['decrypt:*'] : [])],
  });
}

function aTokenFor(service: TestService, user: string, { hasScope, isPermitted }: Draft): Promise<string> {
  const fields = ['id.dob', isPermitted ? 'id.email' : 'id.city'];
  return hasScope
    ? service.token(user, { scope: 'vault_and_decrypt', fields })
    : service.token(user, { scope: 'decrypt_download', fields: ['id.email'] });
}
