/** Searches people and businesses by anything a caller says (contract §11). */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type SearchedBy, SENSITIVE_SEARCHES } from '../facts.ts';
import { dayOf } from '../../../kernel/time/civil-date.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { orderedPage } from '../../cursor.ts';
import { secretBytes } from '../../../kernel/ids/random.ts';
import { firstOf } from '../../../kernel/time/real-time.ts';
import { accessEntry, CONTROL_CALLER } from '../../../vault/access-entry.ts';
import { type PartIndex, SEARCHED_PARTS, type SearchedPart } from '../../../vault/search/index.ts';
import { type Space, spaceOf } from '../../api-keys/service/index.ts';
import { findEntityByRow } from '../../entities/service/index.ts';
import type { Claims } from '../../claims/service.ts';
import { answer, type Handlers } from '../../handlers.ts';
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

/** A small store is read within this time; for a large one the response reports the progress. */
const PATIENCE_MS = 400;
/** The number of searches that can be continued without another access log entry. */
const REMEMBERED = 256;
/** The most serious signals are enough to choose a case. */
const SIGNALS = 3;

/** How vaults are searched by an attribute. */
interface VaultSearch {
  /** The part in memory that has it. */
  readonly part?: SearchedPart;
  /** The kinds of its fingerprints. */
  readonly fingerprints?: readonly string[];
  /** Its vault identifiers, for the access log; those of its part unless this says otherwise. */
  readonly identifiers?: readonly string[];
}

const IN_VAULTS: Readonly<Partial<Record<SearchedBy, VaultSearch>>> = {
  name: { part: 'name' },
  phone_number: { part: 'phone_number' },
  date_of_birth: { part: 'date_of_birth' },
  tax_number: {
    part: 'tax_number',
    fingerprints: ['ssn9', 'itin'],
    identifiers: ['id.ssn9', 'id.itin', 'business.tin'],
  },
  tax_number_end: { part: 'tax_number' },
  email: { fingerprints: ['email'], identifiers: ['id.email'] },
  drivers_license_number: {
    fingerprints: ['drivers_license_number'],
    identifiers: ['id.drivers_license_number'],
  },
  sandbox_id: { part: 'sandbox_id' },
};

const partOf = (by: SearchedBy) => IN_VAULTS[by]?.part;

function identifiersOf(by: SearchedBy): readonly string[] {
  const { part, identifiers } = IN_VAULTS[by] ?? {};
  return identifiers ?? (part ? Object.values(SEARCHED_PARTS[part].identifiers).flat() : []);
}

interface Found {
  readonly by: SearchedBy;
  readonly ids: IdList;
}

export function createSearch(
  context: Needs<'database' | 'vault' | 'accessLog' | 'clock'> & {
    parts: PartIndex;
    signals: RiskSignals;
    claims: Claims;
  },
) {
  const { database, vault, parts, accessLog, clock, signals, claims } = context;
  const remembered = new Map<string, Buffer>();
  const ownKey = secretBytes(32);

  function find(space: Space, among: Among, { by, texts }: Meaning): Found {
    const stored = idList(texts.flatMap((text) => findBy(space, among, { by, text })));
    const part = partOf(by);
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
    const wanted = IN_VAULTS[by]?.fingerprints;
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
    'POST /_kyclone/search': async ({ query, body, requestId, operator, findsValues }) => {
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
      const wanted = [...new Set(meanings.flatMap(({ by }) => partOf(by) ?? []))];
      const reading = await readParts(among, wanted);
      const none = { data: [], meta: { count: 0, next: null } };
      if (reading) return answer({ ...none, ...answered, reading, unreadable: 0 });

      await parts.settle();
      const all = required.map((meaning) => find(space, among, meaning));
      const some = either?.map((meaning) => find(space, among, meaning));
      const groups = together.map((group) => group.map((meaning) => find(space, among, meaning)));
      const ids = matching(all, some && [...some, ...foundTogether(groups)]);
      const found = [...all, ...(some ?? []), ...groups.flat()];
      const matches = meanings.flatMap(({ by, texts }) =>
        texts.flatMap((text) => fingerprinted(space, by, text)),
      );
      const page = orderedPage(body, {
        by: { id: 'number' },
        list({ after, limit }) {
          const shown = greatestBelow(ids, after?.id ?? Infinity, limit + 1);
          const rows = shown.flatMap((id) => findEntityByRow(database, id) ?? []);
          for (const row of rows) for (const { confirm } of matches) confirm(row);
          return rows;
        },
        count: ids.length,
        view: (row) => ({
          ...inspectedItem(database, vault, row),
          matched: [...new Set(found.flatMap(({ by, ids: own }) => (has(own, row.id) ? [by] : [])))],
        }),
      });
      const unreadable = Math.max(0, ...wanted.map((part) => parts.unreadable(placeOf(among), part)));
      return answer({ ...page, ...answered, reading: null, unreadable });
    },

    /** Entities waiting for a manual review, with the waiting time and the reason. */
    'GET /_kyclone/reviews': ({ query }) => {
      const among = { space: spaceOf(database, query).space, kind: query.kind };
      return answer(
        orderedPage(query, {
          by: { since: 'number', seq: 'number' },
          list: (page) =>
            listWaiting(database, among, page).flatMap((run) => {
              const row = findEntityByRow(database, run.entity);
              return row ? [{ ...run, row }] : [];
            }),
          count: listInReview(database, among).length,
          view({ row, onboarding_id, playbook_key, since }) {
            const all = signals.ofOnboarding(database, onboarding_id, row.kind);
            return {
              ...inspectedItem(database, vault, row),
              waiting_since: timestamp(since),
              onboarding_id,
              playbook_key,
              signals: all
                .slice(0, SIGNALS)
                .map(({ reason_code, note, severity }) => ({ reason_code, note, severity })),
              signal_count: all.length,
              claim: claims.of(database, row),
            };
          },
        }),
      );
    },
  } satisfies Handlers<'POST /_kyclone/search' | 'GET /_kyclone/reviews'>;

  /** Undefined once all parts are complete. */
  async function readParts(among: Among, wanted: readonly SearchedPart[]) {
    const how = () => wanted.flatMap((part) => parts.progress(placeOf(among), part) ?? []);
    if (how().length > 0) await firstOf([parts.whenReady()], PATIENCE_MS);
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
    by: { readonly requestId: string; readonly operator: string | null },
  ): Promise<void> {
    if (!meanings.some(({ by }) => SENSITIVE_SEARCHES.has(by))) return;
    const { tenant, environment } = space;
    const identifiers = [...new Set(meanings.flatMap(({ by }) => identifiersOf(by)))];
    const access = { operation: 'search', identifiers, outcome: 'granted', reason: null } as const;
    const call = { caller: CONTROL_CALLER, ...by };
    await accessLog.record(accessEntry(call, { tenant, environment }, { ...access, at: clock.now() }));
  }
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
