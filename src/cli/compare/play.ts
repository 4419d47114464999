/** Plays a scenario against one side and names the values in the responses. An unexpected response doesn't end it. */
import { isUint8Array } from 'node:util/types';
import { jsonOf } from '../../kernel/text/json.ts';
import { createHash } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Exchange, RawRequest } from '../../client/client.ts';
import {
  FixtureError,
  missingVariables,
  ownVariables,
  playFixture,
  shownCall,
  type Fixture,
} from '../../client/fixtures/index.ts';
import { memberPlace } from '../../client/fixtures/references.ts';
import { ERRORS } from '../../contract/errors.ts';
import { JSON_TYPE } from '../../nouns/requests/facts.ts';
import { endpoints } from '../../contract/registry.ts';
import { ID_PREFIX } from '../../kernel/ids/ids.ts';
import { deleteWhatWasMade, requireGoingOn, type Playing } from './interruption.ts';
import { digestOf, type Named, type RecordedExchange, type RecordedScenario } from './transcript.ts';

// Replaces values by names, so that the responses of two sides can be compared and stored. A sent value is named by
// the place that sent it, an id by the place where it first occurred. Words of the contract stay, and anything else
// becomes its kind. The same scenario gives the same names on both sides, although no id or value is equal.

/** Headers that programs rely on. Others belong to the server in between. */
const HEADERS_THAT_MATTER = [
  'content-type',
  'content-disposition',
  'cache-control',
  'location',
  'retry-after',
  'www-authenticate',
  'x-request-id',
  'x-fp-vault-version',
  'x-fp-proxy-upstream-status-code',
  'x-fp-proxy-ingress-skipped',
];
/** Headers with values that are part of the contract. For the others, only their presence counts. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set(['content-type', 'cache-control']);
const PLAIN_TEXT = /^[a-z0-9 /+.;=,*"-]{1,100}$/;

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const OPAQUE = /^[A-Za-z0-9_\-.+/=]{10,}$/;
const MASKED = /[*\u2022]/;
const CODE = /^[a-z][a-z0-9_]{1,63}$/;
const MEMBER = /^[A-Za-z_][A-Za-z0-9_.-]{0,127}$/;
const PREFIXES = Object.values(ID_PREFIX);

class TranscriptNames {
  readonly #sent = new Map<string, string>();
  readonly #files = new Map<string, string>();
  readonly #seen = new Map<string, string>();

  /** Records what a step sends, to recognise it in a response. */
  noteRequest(id: string, { headers = {}, body, path }: RawRequest): void {
    for (const [name, text] of Object.entries(headers)) {
      if (name.startsWith('x-') && name !== 'x-fp-authorization') this.#send(text, `${id}.headers.${name}`);
    }
    for (const [name, text] of new URLSearchParams(path.split('?')[1] ?? '')) {
      this.#send(text, `${id}.query.${name}`);
    }
    if (typeof body === 'string' && JSON_TYPE.test(headers['content-type'] ?? '')) {
      this.#sendAll(JSON.parse(body), `${id}.body`);
    } else if (isUint8Array(body)) {
      this.#files.set(digest(body), `<sent ${id}.file>`);
      // A decrypted file comes back as base64.
      this.#send(Buffer.from(body).toString('base64'), `${id}.file`);
    }
  }

  #sendAll(value: unknown, place: string): void {
    if (typeof value === 'string') this.#send(value, place);
    else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      for (const [name, member] of Object.entries(value)) {
        this.#sendAll(member, isList ? `${place}[${name}]` : memberPlace(place, name));
      }
    }
  }

  #send(text: string, place: string): void {
    const isKnown = text === '' || this.#sent.has(text) || this.#seen.has(text);
    if (!isKnown) this.#sent.set(text, `<sent ${place}>`);
  }

  headers(given: Exchange['headers']): Record<string, string> {
    const named: Record<string, string> = {};
    for (const name of HEADERS_THAT_MATTER) {
      const text = given[name];
      if (text === undefined) continue;
      const value = String(text)
        .toLowerCase()
        .split(';')
        .map((part) => part.trim())
        .join('; ');
      named[name] = PLAIN_HEADERS.has(name) && PLAIN_TEXT.test(value) ? value : '<text>';
    }
    return named;
  }

  body(id: string, { status, headers, body }: Exchange<Buffer>): Named {
    if (body.length === 0) return '<empty>';
    if (JSON_TYPE.test(headers['content-type'] ?? '')) {
      const value = jsonOf(body.toString('utf8'));
      return value === undefined ? '<broken JSON>' : this.#named(value, id, status >= 400);
    }
    return this.#files.get(digest(body)) ?? '<bytes>';
  }

  #named(value: unknown, place: string, isError: boolean): Named {
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number') return '<number>';
    if (typeof value === 'string') return this.#text(value, place, isError);
    if (Array.isArray(value)) {
      return value.map((entry, index) => this.#named(entry, `${place}[${index}]`, isError));
    }
    const members = Object.entries(value as object).map(([name, member]): [string, Named] => {
      const shown = this.#member(name);
      return [shown, this.#named(member, memberPlace(place, shown), isError)];
    });
    return Object.fromEntries(members);
  }

  /** A member name that is an id or a value is replaced like one. */
  #member(name: string): string {
    const known = this.#seen.get(name);
    if (known !== undefined) return known;
    const isId = PREFIXES.some((prefix) => name.startsWith(prefix) && name.length > prefix.length + 8);
    return MEMBER.test(name) && !isId ? name : '<name>';
  }

  #text(text: string, place: string, isError: boolean): Named {
    if (text === '') return '';
    const known = this.#seen.get(text) ?? this.#sent.get(text);
    if (known !== undefined) return known;
    if (words().has(text) || (isError && place.endsWith('.code') && CODE.test(text))) return text;
    if (TIME.test(text)) return '<time>';
    if (DATE.test(text)) return '<date>';
    // The shape of a mask, without its visible characters.
    if (MASKED.test(text)) return `<mask ${text.replace(/[A-Za-z]/g, 'a').replace(/\d/g, '9')}>`;
    const prefix = PREFIXES.filter((each) => text.startsWith(each)).sort((a, b) => b.length - a.length)[0];
    if (prefix !== undefined && OPAQUE.test(text)) return this.#first(text, place, `<id ${prefix}>`);
    return OPAQUE.test(text) ? this.#first(text, place, '<opaque>') : '<text>';
  }

  #first(text: string, place: string, kind: string): string {
    this.#seen.set(text, `<${place}>`);
    return kind;
  }
}

function digest(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

let known: ReadonlySet<string> | undefined;

/** The words that responses of the contract can contain, and its error codes. */
function words(): ReadonlySet<string> {
  if (known !== undefined) return known;
  const found = new Set<string>(Object.keys(ERRORS));
  const walk = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if (Array.isArray(schema)) {
      for (const one of schema) walk(one);
      return;
    }
    for (const [name, member] of Object.entries(schema)) {
      if (name === 'const' && typeof member === 'string') found.add(member);
      else if (name === 'enum' && Array.isArray(member)) {
        for (const one of member) if (typeof one === 'string') found.add(one);
      } else walk(member);
    }
  };
  for (const { response } of endpoints) walk(response);
  return (known = found);
}

/** Lists are ordered by time in milliseconds, so two entities of one step after the other need different ones. */
const MS_BETWEEN_STEPS = 2;

/** Why a side has no meaningful response. */
export interface NoAnswer {
  readonly skipped: string;
}

export interface PlayedSide {
  /** Rejects when further requests are pointless. */
  send(request: RawRequest): Promise<Exchange<Buffer> | NoAnswer>;
}

export interface PlayedScenario {
  /** The name in results: the scenario's own, or that of its file. */
  readonly name: string;
  readonly fixture: Fixture;
}

export async function playScenario(
  { name, fixture }: PlayedScenario,
  side: PlayedSide,
  set: Readonly<Record<string, string>>,
  playing: Playing,
): Promise<RecordedScenario> {
  const missing = missingVariables(fixture, set);
  if (missing.length > 0) {
    const skipped = `there is no value for ${missing.join(', ')}`;
    const exchanges = fixture.steps.map((step) => ({ id: step.id, call: shownCall(step), skipped }));
    return { name, digest: digestOf(fixture), exchanges };
  }
  const play = playFixture(fixture, { set: ownVariables(fixture, set) });
  const naming = new TranscriptNames();
  const exchanges: RecordedExchange[] = [];
  const sendOr = async (request: RawRequest, from: number) => {
    try {
      requireGoingOn(playing);
      return await side.send(request);
    } catch (error) {
      const made = async (index: number) => {
        const next = await requestOf(() => play.request(index));
        return 'skipped' in next ? undefined : next;
      };
      const send = (next: RawRequest) => side.send(next);
      await deleteWhatWasMade({ name, fixture, from, request: made, send }, error, playing);
      throw error;
    }
  };
  for (const [index, step] of fixture.steps.entries()) {
    const { id } = step;
    const call = shownCall(step);
    const request = await requestOf(() => play.request(index));
    if ('skipped' in request) {
      exchanges.push({ id, call, ...request });
      continue;
    }
    naming.noteRequest(id, request);
    await setTimeout(MS_BETWEEN_STEPS);
    const exchange = await sendOr(request, index);
    if ('skipped' in exchange) {
      exchanges.push({ id, call, ...exchange });
      continue;
    }
    const { unexpected } = play.take(index, exchange);
    const headers = naming.headers(exchange.headers);
    const body = naming.body(id, exchange);
    const rule = unexpected?.details.member ?? (unexpected && unexpected.details.status === undefined);
    exchanges.push({
      id,
      call,
      status: exchange.status,
      headers,
      body,
      broken_rule: typeof rule === 'string' ? rule : rule === true ? 'an expected value is missing' : null,
    });
  }
  return { name, digest: digestOf(fixture), exchanges };
}

/** An earlier response lacks a value that this step needs, so there is nothing to send. */
async function requestOf(make: () => Promise<RawRequest>): Promise<RawRequest | NoAnswer> {
  try {
    return await make();
  } catch (error) {
    const isMissing = error instanceof FixtureError && error.code === 'fixture_failed';
    if (isMissing) return { skipped: 'an earlier response lacks a value that this call needs' };
    throw error;
  }
}
