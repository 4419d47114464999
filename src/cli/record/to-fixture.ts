/**
 * Turns a recording into a fixture that does the same on another instance. A response value that a later call uses
 * becomes a reference, as do client tokens and the keys of tenants that the session created. Steps have names such as
 * `user_1`, `token_2`, `decrypt_3`, counted separately for each kind.
 */
import { stringify } from 'yaml';
import type { AnswerOf } from '../../contract/registry.ts';
import { madeValues, ID, type MadeValues, maskedBody, variables, type FixtureVariables } from './masking.ts';
import { withoutTrailing } from '../../kernel/trailing.ts';

const BY_WORD: Readonly<Record<string, string>> = {
  client_token: 'token',
  users: 'user',
  businesses: 'business',
  vault: 'vault',
  'api-keys': 'key',
  playbooks: 'playbook',
  outcomes: 'outcome',
  faults: 'fault',
  webhooks: 'webhook',
  bank_links: 'link',
  bank_link_intents: 'intent',
  onboardings: 'onboarding',
};
const BY_METHOD: Readonly<Record<string, string>> = {
  GET: 'read_',
  PATCH: 'update_',
  DELETE: 'delete_',
  PUT: 'put_',
  POST: '',
};
/** Path segments without ids and identifiers, which name the subject of a call and not its action. */
const IS_WORD = /^[a-z][a-z_-]{0,40}$/;

export function stepNames(): (method: string, path: string) => string {
  const counts = new Map<string, number>();
  return (method, path) => {
    const words = (path.split('?')[0] ?? '')
      .split('/')
      .filter((word) => IS_WORD.test(word) && word !== '_kyclone');
    const word = words.at(-1) ?? 'call';
    const noun = BY_WORD[word] ?? word.replaceAll('-', '_');
    const kind = withoutTrailing(`${BY_METHOD[method] ?? ''}${noun}`, '_');
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return `${kind}_${count}`;
  };
}

export type RecordedCall = AnswerOf<'DELETE /_kyclone/recording'>['recorded'][number];

export interface WrittenFixture {
  readonly name: string;
  readonly vars?: Readonly<Record<string, null>>;
  readonly steps: readonly Readonly<Record<string, unknown>>[];
}

export interface Conversion {
  readonly fixture: WrittenFixture;
  /** Variables that must be set for a run. */
  readonly variables: readonly string[];
}

export function toFixture(
  calls: readonly RecordedCall[],
  { name, isMasked }: { name: string; isMasked: boolean },
): Conversion {
  const made = madeValues();
  const needed = variables();
  const nameOf = stepNames();
  const keys = new Map<string, string>();
  const steps = calls.map((call) => {
    const id = nameOf(call.method, call.path);
    const rewrite = (text: string) => made.rewritten(text);
    const written = {
      id,
      call: `${call.method} ${writtenPath(call, made, needed)}`,
      ...credentialOf(call, { made, needed, keys }),
      ...(Object.keys(call.headers).length > 0 && { headers: mapTexts(call.headers, rewrite) }),
      ...(call.body !== undefined && {
        body: isMasked
          ? maskedBody(call.body, { step: id, made: needed, rewrite })
          : mapTexts(call.body, rewrite),
      }),
      expect: { status: call.status },
    };
    made.learnSent([call.body, call.headers]);
    // A refused call returns nothing that a later call could need.
    if (call.status < 300) {
      made.learn(id, call.response);
      const keyId = newKeyId(call);
      if (keyId !== undefined) keys.set(keyId, `\${${id}.key}`);
    }
    return written;
  });
  const names = needed.names;
  const vars = Object.fromEntries(names.map((variable) => [variable, null]));
  return { fixture: { name, ...(names.length > 0 && { vars }), steps }, variables: names };
}

/**
 * An id in the path that no response contained is older than the recording. It becomes a variable, unless the call
 * did not find it.
 */
function writtenPath({ path, status }: RecordedCall, made: MadeValues, needed: FixtureVariables): string {
  const written = made.rewritten(path);
  if (status === 404) return written;
  return written.replace(ID, (id) => {
    const prefix = id.slice(0, id.lastIndexOf('_'));
    return prefix.startsWith('pb_') ? id : needed.variableFor(id, prefix);
  });
}

interface Sources {
  readonly made: MadeValues;
  readonly needed: FixtureVariables;
  readonly keys: ReadonlyMap<string, string>;
}

function credentialOf(call: RecordedCall, { made, needed, keys }: Sources): Readonly<Record<string, string>> {
  const { caller, token, tenant, key_id: keyId } = call;
  const isControl = call.path.startsWith('/_kyclone/');
  if (caller === 'token') {
    const known = made.referenceTo(token ?? '') ?? needed.variableFor(token ?? '', 'client_token');
    return { as: `token ${known}` };
  }
  if (caller === 'control') return {};
  if (caller === 'none') return { as: 'none' };
  const key = keyId === undefined ? undefined : keys.get(keyId);
  if (key !== undefined) return { key };
  if (tenant !== null && tenant !== 'default') {
    return { key: needed.named(`KEY_${tenant}_${caller}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_')) };
  }
  return caller === 'live_key' || isControl ? { as: caller } : {};
}

/** The id of the API key that this call created. The key itself is never recorded. */
function newKeyId({ method, path, response }: RecordedCall): string | undefined {
  if (method !== 'POST' || !/^\/_kyclone\/api-keys\/?(?:\?|$)/.test(path)) return undefined;
  const { id } = response as { id?: unknown };
  return typeof id === 'string' ? id : undefined;
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((entry: unknown) => mapTexts(entry, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, mapTexts(entry, change)]));
}

export function fixtureText(fixture: WrittenFixture, format: 'yaml' | 'json'): string {
  if (format === 'json') return `${JSON.stringify(fixture, null, 2)}\n`;
  return stringify(fixture, { aliasDuplicateObjects: false, lineWidth: 0 });
}
