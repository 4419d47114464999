/** Searches people and businesses by anything a caller says (contract §11). */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type SearchedBy, SENSITIVE_SEARCHES } from '../facts.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { dayOf } from '../../../kernel/civil-date.ts';
import { timestamp } from '../../../kernel/clock.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { cursorPage, decodeCursor, encodeCursor, pageSize } from '../../../kernel/cursor.ts';
import { secretBytes } from '../../../kernel/random.ts';
import { realTime } from '../../../kernel/real-time.ts';
import { accessEntry, CONTROL_CALLER } from '../../../vault/access-entry.ts';
import { type PartIndex, SEARCHED_PARTS, type SearchedPart } from '../../../vault/search/index.ts';
import { type Space, spaceOf } from '../../api-keys/service/index.ts';
import { findEntityByRow } from '../../entities/service/index.ts';
import type { Claims } from '../../claims/service.ts';
import { answer, answered, type Handlers } from '../../handlers.ts';
import { inspectedItem } from '../../inspector/service/index.ts';
import type { RiskSignals } from '../../risk-signals/service.ts';
import { type Meaning, nameReadings, readSearch, type SearchMeanings } from './reading.ts';
import {
  type Among,
  amongThese,
  listByExternalIdPart,
  listByIdPrefix,
  listByLabel,
  listByOwnedId,
  listByStatus,
  listByTag,
  listEveryone,
  listInReview,
  listWaiting,
} from './repository.ts';
import type { Needs } from '../../needs.ts';

type SearchRequest = Pick<RequestOf<'POST /_kyclone/search'>, 'query' | 'body'> & {
  readonly requestId: string;
  readonly operator: string | null;
  readonly findsValues: boolean;
};
type SearchResult = AnswerOf<'POST /_kyclone/search'>;

export interface Search {
  search(request: SearchRequest): Promise<SearchResult>;
}

/** A small store is read within this time; for a large one the response reports the progress. */
const PATIENCE_MS = 400;
/** The number of searches that can be continued without another access log entry. */
const REMEMBERED = 256;

/** The vault identifiers of each search, for the access log. */
const IDENTIFIERS: Readonly<Partial<Record<SearchedBy, readonly string[]>>> = {
  name: identifiersOf('name'),
  phone_number: identifiersOf('phone_number'),
  date_of_birth: identifiersOf('date_of_birth'),
  tax_number: ['id.ssn9', 'id.itin', 'business.tin'],
  tax_number_end: identifiersOf('tax_number'),
  email: ['id.email'],
  drivers_license_number: ['id.drivers_license_number'],
};

const PARTS: Readonly<Partial<Record<SearchedBy, SearchedPart>>> = {
  name: 'name',
  phone_number: 'phone_number',
  date_of_birth: 'date_of_birth',
  tax_number: 'tax_number',
  tax_number_end: 'tax_number',
  sandbox_id: 'sandbox_id',
};

interface Found {
  readonly by: SearchedBy;
  readonly ids: IdList;
}

export function createSearch(
  context: Needs<'queue' | 'vault' | 'accessLog' | 'clock'> & {
    parts: PartIndex;
  },
): Search {
  const { queue, vault, parts, accessLog, clock } = context;
  const { database } = queue;
  const remembered = new Map<string, Buffer>();
  const ownKey = secretBytes(32);

  function find(space: Space, among: Among, { by, texts }: Meaning): Found {
    const stored = idList(texts.flatMap((text) => findBy(space, among, { by, text })));
    const part = PARTS[by];
    if (part === undefined || texts.length === 0) return { by, ids: stored };
    const inMemory = idList(parts.find(placeOf(among), part, partWords(by, texts)));
    return { by, ids: inAny([stored, inMemory]) };
  }

  /** Searches everything except the parts in memory. */
  function findBy(space: Space, among: Among, { by, text }: { by: SearchedBy; text: string }): number[] {
    switch (by) {
      case 'id':
        return [...listByIdPrefix(database, among, text), ...listByOwnedId(database, among, text)];
      case 'external_id':
        return listByExternalIdPart(database, among, text);
      case 'label':
        return listByLabel(database, among, text);
      case 'tag':
        return listByTag(database, among, text);
      case 'status':
        return listByStatus(database, among, text);
      case 'review':
        return review(among, text === 'needed');
      case 'email':
      case 'tax_number':
      case 'drivers_license_number':
        return amongThese(
          database,
          among,
          fingerprinted(space, by, text).flatMap(({ found }) => found),
        );
      default:
        return [];
    }
  }

  function review(among: Among, isNeeded: boolean): number[] {
    const waiting = listInReview(database, among);
    if (isNeeded) return waiting;
    const others = new Set(waiting);
    return listEveryone(database, among).filter((id) => !others.has(id));
  }

  function fingerprinted(space: Space, by: SearchedBy, text: string) {
    const wanted = FINGERPRINTS[by];
    if (wanted === undefined) return [];
    return vault.searchBy(database, space, text).filter(({ kind }) => wanted.includes(kind));
  }

  /** Whether an earlier response belongs to the same search. */
  function goesOn(searchId: string | undefined, digest: Buffer): searchId is string {
    const known = searchId === undefined ? undefined : remembered.get(searchId);
    return known !== undefined && timingSafeEqual(known, digest);
  }

  function remember(digest: Buffer): string {
    const [oldest] = remembered.size >= REMEMBERED ? remembered.keys() : [];
    if (oldest !== undefined) remembered.delete(oldest);
    const id = Buffer.from(secretBytes(16)).toString('base64url');
    remembered.set(id, digest);
    return id;
  }

  return {
    async search({ query, body, requestId, operator, findsValues }) {
      const space = spaceOf(database, query);
      const among = { space: space.space, kind: body.kind };
      const read = readSearch(body.search, dayOf(clock.now()));
      const { required, either, together, tooShort } = findsValues ? read : withoutValues(read);
      const meanings = [...required, ...(either ?? []), ...together.flat()];
      const text = JSON.stringify([space.space, body.kind, body.search, findsValues]);
      const digest = createHmac('sha256', ownKey).update(text, 'utf8').digest();
      const isKnown = goesOn(body.search_id, digest);
      const search_id = isKnown ? (body.search_id ?? '') : remember(digest);
      if (!isKnown) await note(space, meanings, { requestId, operator });

      const answered = {
        search_id,
        searched_by: [...new Set(meanings.filter(({ texts }) => texts.length > 0).map(({ by }) => by))],
        too_short: tooShort.map(({ by, needs }) => ({ searched_by: by, needs })),
      };
      const wanted = [...new Set(meanings.flatMap(({ by }) => PARTS[by] ?? []))];
      const reading = await readParts(among, wanted);
      if (reading) return { data: [], meta: { count: 0, next: null }, ...answered, reading, unreadable: 0 };

      await parts.settle();
      const all = required.map((meaning) => find(space, among, meaning));
      const some = either?.map((meaning) => find(space, among, meaning));
      const groups = together.map((group) => group.map((meaning) => find(space, among, meaning)));
      const ids = matching(all, some && [...some, ...foundTogether(groups)]);
      const size = pageSize(body.page_size);
      const after = body.cursor === undefined ? Infinity : decodeCursor(body.cursor, ['number'])[0];
      const shown = greatestBelow(ids, after, size + 1);
      const rows = shown.flatMap((id) => findEntityByRow(database, id) ?? []);
      const found = [...all, ...(some ?? []), ...groups.flat()];
      const claims = meanings.flatMap(({ by, texts }) =>
        texts.flatMap((text) => fingerprinted(space, by, text)),
      );
      for (const row of rows) for (const { confirm } of claims) confirm(row);
      return {
        ...cursorPage(rows, {
          size,
          count: ids.length,
          cursorOf: (row) => encodeCursor(row.id),
          view: (row) => ({
            ...inspectedItem(database, vault, row),
            matched: [...new Set(found.flatMap(({ by, ids: own }) => (has(own, row.id) ? [by] : [])))],
          }),
        }),
        ...answered,
        reading: null,
        unreadable: Math.max(0, ...wanted.map((part) => parts.unreadable(placeOf(among), part))),
      };
    },
  };

  /** Undefined once all parts are complete. */
  async function readParts(among: Among, wanted: readonly SearchedPart[]) {
    const how = () => wanted.flatMap((part) => parts.progress(placeOf(among), part) ?? []);
    if (how().length > 0) await soon(parts.whenReady());
    const waited = how();
    if (waited.length === 0) return undefined;
    return {
      done: waited.reduce((sum, { done }) => sum + done, 0),
      of: waited.reduce((sum, { of }) => sum + of, 0),
    };
  }

  async function note(
    space: Space,
    meanings: readonly Meaning[],
    by: Pick<SearchRequest, 'requestId' | 'operator'>,
  ): Promise<void> {
    if (!meanings.some(({ by }) => SENSITIVE_SEARCHES.has(by))) return;
    const { tenant, environment } = space;
    const identifiers = [...new Set(meanings.flatMap(({ by }) => IDENTIFIERS[by] ?? []))];
    const access = { operation: 'search', identifiers, outcome: 'granted', reason: null } as const;
    const call = { caller: CONTROL_CALLER, ...by };
    await accessLog.record(accessEntry(call, { tenant, environment }, { ...access, at: clock.now() }));
  }
}

const FINGERPRINTS: Readonly<Partial<Record<SearchedBy, readonly string[]>>> = {
  email: ['email'],
  tax_number: ['ssn9', 'itin'],
  drivers_license_number: ['drivers_license_number'],
};

function identifiersOf(part: SearchedPart): readonly string[] {
  const { user, business } = SEARCHED_PARTS[part].identifiers;
  return [...user, ...business];
}

function placeOf({ space, kind }: Among) {
  return { space, kinds: kind === undefined ? (['user', 'business'] as const) : [kind] };
}

/** What is left for a caller who may decrypt nothing; throws `permission_denied` when a term names a value. */
function withoutValues({ required, either, together, tooShort }: SearchMeanings): SearchMeanings {
  const isOpen = ({ by }: Meaning) => !SENSITIVE_SEARCHES.has(by);
  const named = required.find((meaning) => !isOpen(meaning));
  if (named) {
    throw new ServiceError(
      'permission_denied',
      `This console session lacks the permission decrypt:*, which a search by ${named.by} needs`,
    );
  }
  return {
    required,
    either: either?.filter(isOpen),
    together: together.filter((group) => group.every(isOpen)),
    tooShort,
  };
}

/** A name needs all words; other texts are searched separately. */
function partWords(by: SearchedBy, texts: readonly string[]): readonly (readonly string[])[] {
  return by === 'name' ? nameReadings(texts) : texts.map((text) => [text]);
}

/** Entities in all of the first, and in one of the second if there are any. */
function matching(all: readonly Found[], some: readonly Found[] | undefined): IdList {
  const lists = all.map(({ ids }) => ids);
  return inAll(some ? [...lists, inAny(some.map(({ ids }) => ids))] : lists);
}

/** Entities that match one of each group. */
function foundTogether(groups: readonly (readonly Found[])[]): Found[] {
  const [first] = groups;
  if (first === undefined) return [];
  const lists = groups.map((group) => inAny(group.map(({ ids }) => ids)));
  return first.map(({ by, ids }) => ({ by, ids: inAll([ids, ...lists]) }));
}

/** Settles with the work, or after a time limit. */
async function soon(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = realTime.setTimeout(resolve, PATIENCE_MS)));
  await Promise.race([work, late]);
  realTime.clearTimeout(timer);
}

/** Lists of row ids, ascending and without repeats. A search can match everyone, so each step takes linear time. */
type IdList = Float64Array;

export function idList(ids: readonly number[]): IdList {
  return withoutRepeats(Float64Array.from(ids).sort());
}

/** The ids that are in at least one list. */
export function inAny(lists: readonly IdList[]): IdList {
  const filled = lists.filter(({ length }) => length > 0);
  if (filled.length <= 1) return filled[0] ?? new Float64Array();
  const all = new Float64Array(filled.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of filled) {
    all.set(list, end);
    end += list.length;
  }
  return withoutRepeats(all.sort());
}

/** The ids that are in every list. */
export function inAll(lists: readonly IdList[]): IdList {
  const [first = new Float64Array(), ...others] = lists.toSorted((one, other) => one.length - other.length);
  return others.reduce((kept, list) => kept.filter((id) => has(list, id)), first);
}

export function has(list: IdList, id: number): boolean {
  return list[firstFrom(list, id)] === id;
}

/** Up to `most` ids below `before`, greatest first. */
export function greatestBelow(list: IdList, before: number, most: number): number[] {
  const end = firstFrom(list, before);
  return [...list.subarray(Math.max(0, end - most), end)].reverse();
}

/** The place of the first id that is not less. */
function firstFrom(list: IdList, id: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? Infinity) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

function withoutRepeats(sorted: Float64Array): IdList {
  let end = 0;
  for (let at = 0; at < sorted.length; at += 1) {
    const id = sorted[at] ?? 0;
    if (end === 0 || sorted[end - 1] !== id) sorted[end++] = id;
  }
  return sorted.subarray(0, end);
}

export function searchHandlers(
  context: Needs<'queue' | 'vault'> & {
    readonly signals: RiskSignals;
    readonly claims: Claims;
    readonly search: Search;
  },
): Handlers<'POST /_kyclone/search' | 'GET /_kyclone/reviews'> {
  const { queue, search } = context;
  const reviews = { ...context, database: queue.database };
  return {
    'POST /_kyclone/search': (request) => answered(search.search(request)),
    'GET /_kyclone/reviews': ({ query }) => answer(listReviews(reviews, query)),
  };
}

// Entities waiting for a manual review, with the waiting time and the reason (contract §11).

/** The most serious signals are enough to choose a case. */
const SIGNALS = 3;

function listReviews(
  {
    database,
    vault,
    signals,
    claims,
  }: Needs<'database' | 'vault'> & { signals: RiskSignals; claims: Claims },
  query: RequestOf<'GET /_kyclone/reviews'>['query'],
): AnswerOf<'GET /_kyclone/reviews'> {
  const { space } = spaceOf(database, query);
  const among = { space, kind: query.kind };
  const size = pageSize(query.page_size);
  const [since, seq] = query.cursor === undefined ? [] : decodeCursor(query.cursor, ['number', 'number']);
  const after = since === undefined || seq === undefined ? undefined : { since, seq };
  const runs = listWaiting(database, among, { after, limit: size });
  const rows = runs.flatMap(([place, entity, onboarding_id, playbook_key, at]) => {
    const row = findEntityByRow(database, entity);
    return row ? [{ row, place, onboarding_id, playbook_key, at }] : [];
  });
  return cursorPage(rows, {
    size,
    count: listInReview(database, among).length,
    cursorOf: ({ at, place }) => encodeCursor(at, place),
    view({ row, onboarding_id, playbook_key, at }) {
      const all = signals.ofOnboarding(database, onboarding_id, row.kind);
      return {
        ...inspectedItem(database, vault, row),
        waiting_since: timestamp(at),
        onboarding_id,
        playbook_key,
        signals: all
          .slice(0, SIGNALS)
          .map(({ reason_code, note, severity }) => ({ reason_code, note, severity })),
        signal_count: all.length,
        claim: claims.of(database, row),
      };
    },
  });
}
