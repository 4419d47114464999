/** The access log of an environment: who read what of whom, and why, newest first (contract §11). */
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import { defined } from '../../kernel/defined.ts';
import { shortTime } from '../../kernel/text/terminal-text.ts';
import type { Source } from '../../tui/data/source.ts';
import type { Cell } from '../../tui/state/model.ts';
import type { PageQuery } from '../../tui/screens/definition.ts';
import { itemsPane, listScreen } from '../../tui/screens/list-pane.ts';
import { placeOf, subjectOf } from '../entities/screen/place.ts';
import { ACCESS_MISSES, ACCESS_OPERATIONS, ACCESS_OUTCOMES } from './facts.ts';
import { IDENTIFIER_FAMILIES, VERIFICATION_RESULTS } from '../vault/facts.ts';
import { parseInstant } from '../../kernel/time/civil-date.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { parseDuration } from '../../kernel/time/duration.ts';
import { ID_PREFIX } from '../../kernel/ids/ids.ts';
import { DAY_MS } from '../../kernel/numbers/units.ts';
import { type Copies, copiesOf } from '../../tui/screens/space.ts';

export type AccessEntry = AnswerOf<'GET /_kyclone/access-log'>['data'][number];

export const accessScreen = listScreen(
  { name: 'access log', says: 'who read what of whom, and why', words: 'audit reads operators log searches' },
  itemsPane(findEntries, {
    title: 'Access log',
    columns: [
      { heading: 'AT (UTC)', cell: ({ at }) => shortTime(at) },
      { heading: 'OPERATOR', cell: 'operator' },
      { heading: 'OPERATION', cell: 'operation' },
      { heading: 'OUTCOME', cell: outcomeCell },
      { heading: 'WHO', isId: true, atLeast: 8, cell: 'fp_id' },
      { heading: 'IDENTIFIERS', atLeast: 12, cell: whatOf },
      { heading: 'REASON', grows: true, drop: 1, cell: 'reason' },
      { heading: 'BY', drop: 2, cell: ({ actor }) => `${actor.kind} ${actor.id}` },
      { heading: 'REQUEST', isId: true, drop: 3, cell: 'request_id' },
    ],
    empty: 'Nobody has read data here',
    changesWith: ['access'],
    isFeed: true,
    filteredBy: 'daemon',
    finds: 'words, operator:NAME, since:2d',
    row: ({ seq, fp_id, request_id }) => ({
      key: String(seq),
      id: request_id,
      ...(fp_id === null
        ? {
            ...copiesOf(['audit', 'list'], '/_kyclone/access-log'),
            opens: { screen: 'request', params: { request_id } },
          }
        : { ...copiesOfAccess(fp_id), opens: placeOf(fp_id), subject: subjectOf(fp_id) }),
    }),
  }),
);

/** Who read what of one entity. */
export function copiesOfAccess(fpId: string): Copies {
  const path = `/_kyclone/access-log?fp_id=${encodeURIComponent(fpId)}`;
  return copiesOf(['audit', 'list', '--entity', fpId], path);
}

async function findEntries(source: Source, { cursor, filter, size }: PageQuery) {
  const { client, space } = source;
  const wanted = accessQuery(filter, filter === '' ? 0 : await daemonTime(source));
  if (wanted === undefined) return { items: [], more: undefined, banner: ACCESS_FILTERS };
  const { data, meta } = await client.call('GET /_kyclone/access-log', {
    query: { ...space, ...wanted, page_size: size, ...defined({ cursor }) },
  });
  const banner = data.length === 0 && wanted.operator !== undefined ? WHOLE_NAME : undefined;
  return { items: data, more: undefined, next: meta.next, total: meta.count, banner };
}

const WHOLE_NAME = 'operator: means a whole name; a word alone finds a part of it';

/** By the clock of the instance, which may be far from the machine's. */
export async function daemonTime(source: Source): Promise<number> {
  const { now } = await source.once('clock', () => source.client.call('GET /_kyclone/clock'));
  return Date.parse(now);
}

export function outcomeCell({ outcome }: Pick<AccessEntry, 'outcome'>): string | Cell {
  return outcome === 'granted' ? outcome : { text: outcome, tone: 'bad' };
}

/** What an action did; what was read, with the results of a verification, those that don't match first. */
export function whatOf({ effect, identifiers, results }: AccessEntry): string {
  if (effect !== null) return effect;
  if (results === null) return inShort(identifiers);
  const isMiss = (name: string) => results[name] === 'no_match';
  const named = (name: string) => `${name}: ${results[name]?.replaceAll('_', ' ') ?? '-'}`;
  const missesFirst = identifiers.toSorted((one, next) => Number(isMiss(next)) - Number(isMiss(one)));
  return inShort(missesFirst.map(named));
}

/** `id.ssn9 +3`: only the first of several, so that the reason has room. */
function inShort([first, ...others]: readonly string[]): string {
  if (first === undefined) return '-';
  return others.length === 0 ? first : `${first} +${others.length}`;
}

// What a typed filter of the access log asks for: `ada refused id.ssn9 since:2d` (contract §11). Pure.

export type AccessQuery = Omit<
  RequestOf<'GET /_kyclone/access-log'>['query'],
  'tenant' | 'environment' | 'cursor' | 'page_size'
>;

/** The ways to ask, for a filter that can't be read. */
const ACCESS_FILTERS =
  'Filter by words, operator:"NAME", who:ID, identifier:id.ssn9, outcome:refused, result:no_match, misses:repeated, since:2d, until:2026-01-31T12:00 or on:2026-01-31';

const IDENTIFIER = new RegExp(`^(?:${IDENTIFIER_FAMILIES.join('|')})\\.`);
const TERM = /([a-z]+):(?:"([^"]*)"|(\S*))|"([^"]*)"|(\S+)/gi;
const DATE = /^\d{4}-\d\d-\d\d$/;

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
  const [outcome, operation] = [oneOf(ACCESS_OUTCOMES, word), oneOf(ACCESS_OPERATIONS, word)];
  if (outcome !== undefined) return { outcome };
  if (operation !== undefined) return { operation };
  if (IDENTIFIER.test(word)) return { identifier: word };
  return isEntity(word) ? { fp_id: word } : { q: word };
}

function ofTerm(name: string, text: string, now: number): AccessQuery | undefined {
  if (text === '') return undefined;
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
    case 'result':
    case 'misses': {
      const word = oneOf(name === 'result' ? VERIFICATION_RESULTS : ACCESS_MISSES, text);
      return word && { [name]: word };
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

function oneOf<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  return words.find((word) => word === text.toLowerCase());
}

function isEntity(text: string): boolean {
  return text.startsWith(ID_PREFIX.user) || text.startsWith(ID_PREFIX.business);
}

/** A time or date in UTC, or how long ago. */
function momentOf(text: string, now: number): number | undefined {
  if (text === 'today') return now - (now % DAY_MS);
  const at = parseInstant(text) ?? parseInstant(`${text}Z`);
  if (at !== undefined) return at;
  const ms = parseDuration(text, 0);
  return ms === undefined || ms < 0 ? undefined : now - ms;
}
