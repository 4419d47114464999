/** What a typed filter of the access log asks for: `ada refused id.ssn9 since:2d` (contract §11). Pure. */
import { ACCESS_MISSES, ACCESS_OPERATIONS, ACCESS_OUTCOMES } from '../../contract/facts/access-log.ts';
import { IDENTIFIER_FAMILIES, VERIFICATION_RESULTS } from '../../contract/facts/vault.ts';
import type { RequestOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { parseDuration } from '../../kernel/duration.ts';
import { ID_PREFIX } from '../../kernel/ids.ts';
import { DAY_MS } from '../../kernel/units.ts';

export type AccessQuery = Pick<
  RequestOf<'GET /_kyclone/access-log'>['query'],
  | 'fp_id'
  | 'external_id'
  | 'identifier'
  | 'operation'
  | 'outcome'
  | 'operator'
  | 'result'
  | 'misses'
  | 'since'
  | 'until'
  | 'q'
>;

/** The ways to ask, for a filter that can't be read. */
export const ACCESS_FILTERS =
  'Filter by words, operator:"NAME", who:ID, identifier:id.ssn9, outcome:refused, result:no_match, misses:repeated, since:2d, until:TIME or on:2026-01-31';

const IDENTIFIER = new RegExp(`^(?:${IDENTIFIER_FAMILIES.join('|')})\\.`);
const TERM = /([a-z]+):(?:"([^"]*)"|(\S+))|"([^"]*)"|(\S+)/gi;
const DATE = /^\d{4}-\d\d-\d\d$/;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/;

/** Undefined if a part can't be read. `now`: epoch ms by the clock of the instance. */
export function accessQuery(filter: string, now: number): AccessQuery | undefined {
  let query: AccessQuery = {};
  const words: string[] = [];
  for (const [whole, name, quoted, plain, phrase, word = phrase ?? whole] of filter.matchAll(TERM)) {
    const part = name === undefined ? ofWord(word) : ofTerm(name.toLowerCase(), quoted ?? plain ?? '', now);
    if (part === undefined) return undefined;
    // The same twice can't be asked for at once.
    if (Object.keys(part).some((each) => each in query)) return undefined;
    if (part.q === undefined) query = { ...query, ...part };
    else words.push(part.q);
  }
  return words.length === 0 ? query : { ...query, q: words.join(' ') };
}

function ofWord(word: string): AccessQuery {
  const [outcome] = ACCESS_OUTCOMES.filter((each) => each === word.toLowerCase());
  if (outcome !== undefined) return { outcome };
  const [operation] = ACCESS_OPERATIONS.filter((each) => each === word.toLowerCase());
  if (operation !== undefined) return { operation };
  if (IDENTIFIER.test(word)) return { identifier: word };
  return isEntity(word) ? { fp_id: word } : { q: word };
}

function ofTerm(name: string, text: string, now: number): AccessQuery | undefined {
  switch (name) {
    case 'operator':
    case 'by':
      return { operator: text };
    case 'who':
    case 'person':
    case 'user':
    case 'business':
      return isEntity(text) ? { fp_id: text } : { external_id: text };
    case 'identifier':
    case 'field':
      return { identifier: text };
    case 'outcome':
    case 'operation': {
      const word = ofWord(text);
      return name in word ? word : undefined;
    }
    case 'result': {
      const [result] = VERIFICATION_RESULTS.filter((each) => each === text.toLowerCase());
      return result === undefined ? undefined : { result };
    }
    case 'misses': {
      const [misses] = ACCESS_MISSES.filter((each) => each === text.toLowerCase());
      return misses === undefined ? undefined : { misses };
    }
    case 'since':
    case 'until': {
      const at = momentOf(text, now);
      return at === undefined ? undefined : { [name]: timestamp(at) };
    }
    case 'on': {
      const at = DATE.test(text) || text === 'today' ? momentOf(text, now) : undefined;
      return at === undefined ? undefined : { since: timestamp(at), until: timestamp(at + DAY_MS) };
    }
    default:
      return undefined;
  }
}

function isEntity(text: string): boolean {
  return text.startsWith(ID_PREFIX.user) || text.startsWith(ID_PREFIX.business);
}

/** A time or date in UTC, or how long ago. */
function momentOf(text: string, now: number): number | undefined {
  if (text === 'today') return now - (now % DAY_MS);
  const withTime = DATE_TIME.exec(text);
  if (withTime !== null || DATE.test(text)) {
    const at = Date.parse(withTime?.[1] === undefined && withTime !== null ? `${text}Z` : text);
    const isOtherDay = DATE.test(text) && !Number.isNaN(at) && !timestamp(at).startsWith(text);
    return Number.isNaN(at) || isOtherDay ? undefined : at;
  }
  const ms = parseDuration(text, 0);
  return ms === undefined || ms < 0 ? undefined : now - ms;
}
