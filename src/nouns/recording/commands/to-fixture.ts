/**
 * Turns a recording into a fixture that does the same on another instance. A response value that a later call uses
 * becomes a reference, as do client tokens and the keys of tenants that the session created. Steps have names such as
 * `user_1`, `token_2`, `decrypt_3`, counted separately for each kind.
 */
import { stringify } from 'yaml';
import { escapeText, writeReference } from '../../../client/fixtures/references.ts';
import { PERSONAL_MEMBER } from '../facts.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { defined } from '../../../kernel/defined.ts';
import { ExactNumber, isJsonObject, jsonText, withMarks, withoutMarks } from '../../../kernel/text/json.ts';
import { withoutTrailing } from '../../../kernel/text/text.ts';

// Values of a recording that a fixture can't keep. Secret values become variables for the user to set. Ids, tokens
// and cursors from the daemon are found in its responses and replaced where later calls use them.

type FixtureVariables = ReturnType<typeof variables>;

function variables() {
  const byValue = new Map<string, string>();
  const names = new Set<string>();

  function fresh(wanted: string): string {
    const base = wanted.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
    let name = base;
    for (let number = 2; names.has(name); number++) name = `${base}_${number}`;
    names.add(name);
    return name;
  }

  return {
    /** A variable for a value; the same value always gets the same one. */
    variableFor(value: string, name: string): string {
      let known = byValue.get(value);
      if (known === undefined) byValue.set(value, (known = fresh(name)));
      return writeReference('set', [known]);
    },
    /** A variable with this name, created once. */
    named(name: string): string {
      names.add(name);
      return writeReference('set', [name]);
    },
    get names(): readonly string[] {
      return [...names];
    },
  };
}

/** The body with variables in place of personal data. `rewrite` changes the other texts. */
function maskedBody(
  body: unknown,
  { step, made, rewrite }: { step: string; made: FixtureVariables; rewrite: (text: string) => string },
): unknown {
  const walk = (value: unknown, name: string, isData: boolean): unknown => {
    if (typeof value === 'string')
      return isData ? made.variableFor(value, `${step}_${name}`) : rewrite(value);
    if (isData && (typeof value === 'number' || value instanceof ExactNumber))
      return made.variableFor(String(value), `${step}_${name}`);
    if (Array.isArray(value)) return value.map((entry) => walk(entry, name, isData));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, entry]) => [
        member,
        // Numbers inside an object member are kept: they don't represent a text.
        walk(
          entry,
          isData ? `${name}_${member}` : member,
          PERSONAL_MEMBER.test(member) || (isData && typeof entry === 'string'),
        ),
      ]),
    );
  };
  return walk(body, 'body', false);
}

/** One of our ids: a prefix and 22 characters. */
const ID = /(?<![0-9A-Za-z_])(?:fp_id|fp_bid|[a-z]+(?:_test|_live)?)_[0-9A-Za-z]{22}(?![0-9A-Za-z])/g;
const IS_ID = /^(?:fp_id|fp_bid|[a-z]+(?:_test|_live)?)_[0-9A-Za-z]{22}$/;
/** Members whose values occur only in this response. */
const ONLY_IN_ANSWERS = new Set(['token', 'validation_token', 'intent_token', 'next', 'cursor']);
const IS_TOKEN = /^[A-Za-z0-9_.-]{16,1024}$/;

type MadeValues = ReturnType<typeof madeValues>;

function madeValues() {
  const references = new Map<string, string>();
  const sent = new Set<string>();
  let pattern: RegExp | undefined;

  return {
    /** Records the values of a response that nobody had sent before. */
    learn(step: string, answer: unknown): void {
      mapTexts(answer, (text, path) => {
        if (references.has(text) || sent.has(text) || !isMade(text, path.at(-1))) return;
        // A member name that no reference can express.
        if (path.some((part) => typeof part === 'string' && /["\\\]]/.test(part))) return;
        references.set(text, writeReference(step, path));
        pattern = undefined;
      });
    },
    /** Records the values that a caller sent: a response that repeats them adds nothing. */
    learnSent(value: unknown): void {
      mapTexts(value, (text) => sent.add(text));
    },
    /** `${step.path}`; undefined if no response contained the value. */
    referenceTo: (value: string) => references.get(value),
    /** The text with references in place of values from responses, and every other `${` escaped. */
    rewritten(text: string): string {
      pattern ??= anyOf(references.keys());
      let written = '';
      let from = 0;
      for (const found of text.matchAll(pattern)) {
        written += escapeText(text.slice(from, found.index)) + (references.get(found[0]) ?? found[0]);
        from = found.index + found[0].length;
      }
      return written + escapeText(text.slice(from));
    },
  };
}

function isMade(text: string, member: string | number | undefined): boolean {
  if (IS_ID.test(text)) return true;
  return typeof member === 'string' && ONLY_IN_ANSWERS.has(member) && IS_TOKEN.test(text);
}

/** Longer values first, because one may be the beginning of another. */
function anyOf(values: Iterable<string>): RegExp {
  const sorted = [...values].sort((a, b) => b.length - a.length);
  if (sorted.length === 0) return /(?!)/g;
  const words = sorted.map((value) => value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?<![0-9A-Za-z])(?:${words.join('|')})(?![0-9A-Za-z])`, 'g');
}

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

function stepNames(): (method: string, path: string) => string {
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

export function toFixture(
  calls: readonly RecordedCall[],
  { name, isMasked }: { name: string; isMasked: boolean },
) {
  const made = madeValues();
  const needed = variables();
  const nameOf = stepNames();
  const keys = new Map<string, string>();
  const bodyOf = ({ body }: RecordedCall, rewrite: (text: string) => string, step: string) =>
    isMasked && body !== undefined
      ? maskedBody(body, { step, made: needed, rewrite })
      : mapTexts(body, rewrite);
  const steps = calls.map((call) => {
    const id = nameOf(call.method, call.path);
    const rewrite = (text: string) => made.rewritten(text);
    const written = {
      id,
      call: `${call.method} ${writtenPath(call, made, needed)}`,
      ...credentialOf(call, { made, needed, keys }),
      ...(Object.keys(call.headers).length > 0 && { headers: mapTexts(call.headers, rewrite) }),
      ...defined({ body: bodyOf(call, rewrite, id) }),
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

function credentialOf(
  call: RecordedCall,
  { made, needed, keys }: { made: MadeValues; needed: FixtureVariables; keys: ReadonlyMap<string, string> },
): Readonly<Record<string, string>> {
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

type Path = readonly (string | number)[];

/** The value with what `change` makes of each of its texts. */
function mapTexts(value: unknown, change: (text: string, path: Path) => unknown, path: Path = []): unknown {
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) return value.map((entry, at) => mapTexts(entry, change, [...path, at]));
  if (!isJsonObject(value)) return value;
  const changed = (name: string, entry: unknown) => [name, mapTexts(entry, change, [...path, name])];
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => changed(name, entry))) as unknown;
}

export function fixtureText(fixture: object, format: 'yaml' | 'json'): string {
  if (format === 'json') return `${jsonText(fixture, 2)}\n`;
  const marked = JSON.parse(withMarks(() => JSON.stringify(fixture))) as unknown;
  return withoutMarks(stringify(marked, { aliasDuplicateObjects: false, lineWidth: 0 }));
}
