import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Endpoint } from '../contract/endpoint.ts';
import type { Key } from '../contract/registry.ts';
import type { Held } from '../kernel/byte-budget.ts';
import type { ServiceError } from '../kernel/errors.ts';
import type { Caller, TokenCaller } from '../resources/api-keys/index.ts';
import type { JsonValue } from '../kernel/json.ts';
import { maskedAnswer, maskedRequest, type JournalEntry } from '../resources/requests/index.ts';
import type { Match, Route } from './router.ts';
import { describeIdentifier, maskFile } from '../vault/identifiers/index.ts';

/** What is known of a request while it passes through. */
export interface Exchange {
  readonly reply?: FastifyReply;
  /** Milliseconds of the process clock, for the duration. */
  readonly startedAt: number;
  /** Epoch milliseconds by the instance's clock. */
  readonly at: number;
  endpoint?: Endpoint & { key: Key };
  /** The path template of the endpoint. */
  route?: string;
  match?: Pick<Match, 'params'> & { readonly route: Route };
  caller?: Caller | TokenCaller;
  requestBody?: unknown;
  /** A member that the JSON body names more than once, as it may be shown. */
  repeatedMember?: string;
  responseBody?: unknown;
  /** What the journal shows of an answer that is not kept. */
  shownResponse?: JsonValue;
  /** The file that came in: its type, and its size once it has. */
  upload?: { readonly contentType: string; readonly bytesRead: number };
  /** The file that goes out. */
  download?: { readonly contentType: string; readonly bytes: number };
  code?: string;
  failure?: ServiceError;
  /** The fault rule that applied. */
  fault?: string;
  /** Whether it passed the guards of host and origin. */
  isGuest?: boolean;
  /** Whether its credential was right. */
  isAdmitted?: boolean;
  held?: Held;
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
}

/** The journal's entry of a finished request: no value, no credential, no query value (contract §11). */
export function journalEntry(request: FastifyRequest, status: number): JournalEntry {
  const { exchange } = request;
  const { endpoint, caller, upload, download } = exchange;
  const entry: JournalEntry = {
    id: request.id,
    at: exchange.at,
    method: request.method,
    path: maskedPath(request.url),
    route: exchange.route ?? null,
    status,
    code: exchange.code ?? null,
    ms: Math.round((performance.now() - exchange.startedAt) * 1000) / 1000,
    tenant: caller?.tenant ?? null,
    environment: caller?.environment ?? null,
    request: upload
      ? maskFile(shownType(upload.contentType, endpoint), upload.bytesRead)
      : maskedRequest(exchange.requestBody),
    response: download
      ? maskFile(shownType(download.contentType, endpoint), download.bytes)
      : (exchange.shownResponse ?? shownAnswer(exchange)),
    faults: exchange.fault === undefined ? [] : [exchange.fault],
  };
  const meant = exchange.failure?.meant;
  const hints = [
    ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
    ...(exchange.repeatedMember === undefined
      ? []
      : [`Member ${exchange.repeatedMember} stands more than once in one object: the last one counts`]),
  ];
  if (hints.length > 0) entry.hint = hints.join(' ');
  if (caller?.kind === 'api_key') entry.key_id = caller.id;
  else if (caller) entry.token_id = caller.id;
  return entry;
}

/** The answer as the journal shows it. */
export function shownAnswer({ endpoint, code, responseBody }: Exchange): JsonValue {
  // A failure holds names only (contract §0.5).
  const holdsValues = endpoint?.carriesVaultData === true && code === undefined;
  return maskedAnswer(responseBody, { holdsValues });
}

/** What a target or its caller names a body could be anything; what is common is shown. */
function shownType(contentType: string, endpoint: Endpoint | undefined): string {
  return !endpoint?.takesAnyBody || COMMON_TYPE.test(contentType) ? contentType : '***';
}

const COMMON_TYPE =
  /^(?:application\/(?:json|xml|pdf|zip|gzip|octet-stream|javascript|x-www-form-urlencoded|(?:problem|hal|ld)\+json)|text\/(?:plain|html|css|csv|xml|javascript)|image\/(?:png|jpeg|gif|webp|svg\+xml)|multipart\/form-data)\s*(?:;|$)/i;

/** The path as it may be kept: words and ids of ours; whatever else stands in it could be a key or a value. */
export function maskedPath(url: string): string {
  const mark = url.indexOf('?');
  const path = (mark === -1 ? url : url.slice(0, mark)).split('/').map(shownOrMasked).join('/');
  if (mark === -1) return path;
  const names = url
    .slice(mark + 1)
    .split('&')
    .map((pair) => `${shownOrMasked(pair.split('=')[0] ?? '')}=***`);
  return `${path}?${names.join('&')}`;
}

function shownOrMasked(word: string): string {
  return SHOWN_WORD.test(word) || describeIdentifier(word) ? word : '***';
}

/** Nothing, a word as paths have them (a mistyped one too, for whoever looks for it), or an id with its prefix. */
const SHOWN_WORD =
  /^(?:|[a-z_-]{1,32}|openapi\.json|(?:fp_id|fp_bid|key|req|slot|tok|doc|tag|link|acct|txn|itxn|sec|ob|evt|dlv|whk|rule|flt|pb_test|pb_live)_[0-9A-Za-z]{1,32})$/;
