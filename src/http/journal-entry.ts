/** Prepares the journal's view of a request: our own words and ids, and masks of everything else (contract §11). */
import type { Endpoint } from '../contract/endpoint.ts';
import { ID_PREFIX } from '../kernel/ids.ts';
import type { JsonValue } from '../kernel/json.ts';
import { maskedAnswer, maskedRequest, type JournalEntry } from '../resources/requests/index.ts';
import { describeIdentifier, maskFile } from '../vault/identifiers/index.ts';
import type { Call } from './call.ts';
import { realTime } from '../kernel/real-time.ts';
import { ignoredParameters } from './validation.ts';

/** The journal's entry for a finished request: no value, no credential, no query value (contract §11). */
export function journalEntry(call: Call, status: number): JournalEntry {
  const { endpoint, caller, upload, download } = call;
  const entry: JournalEntry = {
    id: call.id,
    at: call.at,
    method: call.method,
    path: maskedPath(call.url),
    route: call.route?.template ?? null,
    status,
    code: call.code ?? null,
    ms: Math.round((realTime.elapsed() - call.startedAt) * 1000) / 1000,
    tenant: caller?.tenant ?? null,
    environment: caller?.environment ?? null,
    request: upload
      ? maskFile(shownType(upload.contentType, endpoint), upload.bytesRead)
      : maskedRequest(call.requestBody),
    response: download
      ? maskFile(shownType(download.contentType, endpoint), download.bytes)
      : (call.shownResponse ?? shownAnswer(call)),
    faults: call.fault === undefined ? [] : [call.fault],
  };
  const meant = call.failure?.meant;
  const hints = [
    ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
    ...(call.repeatedMember === undefined
      ? []
      : [`Member ${call.repeatedMember} stands more than once in one object: the last one counts`]),
    ...(endpoint ? ignoredParameters(endpoint.query, queryNames(call.url)) : []),
  ];
  if (hints.length > 0) entry.hint = hints.join(' ');
  if (caller?.kind === 'api_key') entry.key_id = caller.id;
  else if (caller) entry.token_id = caller.id;
  return entry;
}

function queryNames(url: string): Iterable<string> {
  const mark = url.indexOf('?');
  return mark === -1 ? [] : new URLSearchParams(url.slice(mark)).keys();
}

/** The response body as the journal shows it. */
export function shownAnswer({ endpoint, code, responseBody }: Call): JsonValue {
  // A failure holds names only (contract §0.5).
  const holdsValues = endpoint?.carriesVaultData === true && code === undefined;
  return maskedAnswer(responseBody, { holdsValues });
}

/** A file's type comes from a target or a caller and could be any text, so only common types are shown. */
function shownType(contentType: string, endpoint: Endpoint | undefined): string {
  return !endpoint?.takesAnyBody || COMMON_TYPE.test(contentType) ? contentType : '***';
}

const COMMON_TYPE =
  /^(?:application\/(?:json|xml|pdf|zip|gzip|octet-stream|javascript|x-www-form-urlencoded|(?:problem|hal|ld)\+json)|text\/(?:plain|html|css|csv|xml|javascript)|image\/(?:png|jpeg|gif|webp|svg\+xml)|multipart\/form-data)\s*(?:;|$)/i;

/** The path in a form that may be stored: our own words and ids. Any other segment could be a key or a value. */
export function maskedPath(url: string): string {
  const mark = url.indexOf('?');
  const whole = mark === -1 ? url : url.slice(0, mark);
  const path = SHOWN_PATH.test(whole) ? whole : whole.split('/').map(shownOrMasked).join('/');
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

const ID_PREFIXES = [...Object.values(ID_PREFIX), 'slot_'].join('|');
/**
 * An empty segment, a word as paths have them (mistyped ones too, so that they can be found), or an id with its prefix.
 */
const SHOWN_WORD = new RegExp(`^(?:|[a-z_-]{1,32}|openapi\\.json|(?:${ID_PREFIXES})[0-9A-Za-z]{1,32})$`);
/**
 * Nearly every path: words, and ids with a digit or a capital. Without that an id could be read as a word as well, and
 * a path of such ids in two to the power of their number ways.
 */
const SHOWN_PATH = new RegExp(
  `^(?:/(?:|[a-z_-]{1,32}|(?:${ID_PREFIXES})(?=[0-9A-Za-z]{1,32}(?:/|$))[a-z]*[0-9A-Z][0-9A-Za-z]*))*$`,
);
