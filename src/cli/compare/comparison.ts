/**
 * Compares the emulator's responses with the remote's, exchange by exchange: status, headers, shape, named values,
 * order and rules.
 */
import { memberPlace } from '../../client/fixtures/references.ts';
import type { KnownDifferences } from './known.ts';
import type { Answered, Named, RecordedExchange, RecordedScenario } from './transcript.ts';

type DifferenceKind =
  | 'status'
  | 'header'
  | 'only_remote'
  | 'only_emulator'
  | 'type'
  | 'value'
  | 'length'
  | 'order'
  | 'rule';

interface Difference {
  readonly kind: DifferenceKind;
  /** `status`, `headers.NAME`, `rule`, or a place in the body. */
  readonly place: string;
  /** The value of each side, without data; null if absent. */
  readonly emulator: string | null;
  readonly remote: string | null;
}

/** Texts without a name, whose content stays unknown. */
const UNNAMED: ReadonlySet<string> = new Set(['<text>', '<opaque>']);

/** Whether only the form of an unnamed text differs, which depends on each side's data. */
function isOfNoMeaning({ kind, emulator, remote }: Difference): boolean {
  return kind === 'value' && [emulator, remote].every((text) => text !== null && UNNAMED.has(text));
}

/** The difference at a place; none if both sides have the same there. */
function differs<Side extends string | number | null>(
  kind: DifferenceKind,
  place: string,
  [emulator, remote]: readonly [Side, Side],
): Difference[] {
  const text = (side: Side) => (side === null ? null : String(side));
  return emulator === remote ? [] : [{ kind, place, emulator: text(emulator), remote: text(remote) }];
}

/** All differences, in the order of the response. */
function differencesOf(emulator: Answered, remote: Answered): Difference[] {
  const found = differs('status', 'status', [emulator.status, remote.status]);
  if (found.length > 0) {
    // A failure and a success have nothing else in common.
    if (emulator.status < 400 !== remote.status < 400) return found;
  }
  found.push(...headerDifferences(emulator, remote));
  if (isSameType(emulator, remote)) {
    const { id: step } = emulator;
    found.push(...bodyDifferences({ emulator: emulator.body, remote: remote.body, place: 'body', step }));
  }
  // The differences found already may include the cause of a broken rule.
  if (found.length > 0) return found;
  return differs('rule', 'rule', [
    emulator.broken_rule ?? 'as expected',
    remote.broken_rule ?? 'as expected',
  ]);
}

/** Bodies of different types can't be compared. The difference of the header reports that. */
function isSameType(emulator: Answered, remote: Answered): boolean {
  const typeOf = ({ headers }: Answered) => headers['content-type']?.split(';')[0]?.endsWith('json');
  return typeOf(emulator) === typeOf(remote);
}

function headerDifferences(emulator: Answered, remote: Answered): Difference[] {
  const names = new Set([...Object.keys(emulator.headers), ...Object.keys(remote.headers)]);
  return [...names].flatMap((name) =>
    differs('header', `headers.${name}`, [emulator.headers[name] ?? null, remote.headers[name] ?? null]),
  );
}

interface Part {
  readonly emulator: Named;
  readonly remote: Named;
  readonly place: string;
  readonly step: string;
}

function bodyDifferences({ emulator, remote, place, step }: Part): Difference[] {
  const types = differs('type', place, [typeOf(emulator), typeOf(remote)]);
  if (types.length > 0) return types;
  if (isList(emulator) && isList(remote)) return listDifferences(emulator, remote, { place, step });
  if (isMap(emulator) && isMap(remote)) {
    return memberDifferences(emulator, remote, place, (part) => bodyDifferences({ ...part, step }));
  }
  return differs('value', place, [leaf(emulator), leaf(remote)]);
}

function memberDifferences(
  emulator: NamedMap,
  remote: NamedMap,
  place: string,
  inside: (part: Omit<Part, 'step'>) => Difference[],
): Difference[] {
  const names = new Set([...Object.keys(emulator), ...Object.keys(remote)]);
  return [...names].flatMap((name): Difference[] => {
    const [ours, theirs] = [emulator[name], remote[name]];
    const inner = memberPlace(place, name);
    if (ours === undefined) return differs('only_remote', inner, [null, typeOf(theirs as Named)]);
    if (theirs === undefined) return differs('only_emulator', inner, [typeOf(ours), null]);
    return inside({ emulator: ours, remote: theirs, place: inner });
  });
}

/** Lists of bank data: each side has its own records, although these contain the id of the scenario's link. */
const RECORDS_OF_A_BANK = /\.(?:accounts|transactions|investment_transactions|holdings|securities)$/;

/**
 * Named entries belong to the scenario, and must be the same in the same order. Other entries are each side's own
 * data and may differ in number; the first of them represents their shape.
 */
function listDifferences(
  emulator: readonly Named[],
  remote: readonly Named[],
  { place, step }: Pick<Part, 'place' | 'step'>,
): Difference[] {
  const isOfBank = RECORDS_OF_A_BANK.test(place);
  const isOurs = (entry: Named) => !isOfBank && isOfScenario(entry, step);
  const sides = [emulator, remote].map((entries) => {
    return { named: entries.filter(isOurs), other: entries.filter((entry) => !isOurs(entry)).slice(0, 1) };
  });
  const [ours, theirs] = [sides[0]?.named ?? [], sides[1]?.named ?? []];
  if (ours.length !== theirs.length)
    return differs('length', place, [`${ours.length} of ours`, `${theirs.length} of ours`]);
  const [texts, others] = [ours, theirs].map((entries) => entries.map((entry) => JSON.stringify(entry)));
  const isReordered = String(texts) !== String(others) && String(texts?.sort()) === String(others?.sort());
  if (isReordered) return [{ kind: 'order', place, emulator: 'another order', remote: 'another order' }];
  const [mine, yours] = [sides[0]?.other[0], sides[1]?.other[0]];
  if (!isOfBank && (mine === undefined) !== (yours === undefined) && ours.length === 0) {
    const shown = (one: Named | undefined) => (one === undefined ? 'no entry' : 'entries');
    return differs('length', place, [shown(mine), shown(yours)]);
  }
  const inside = `${place}[]`;
  const found = ours.flatMap((entry, index) =>
    bodyDifferences({ emulator: entry, remote: theirs[index] as Named, place: inside, step }),
  );
  if (mine !== undefined && yours !== undefined) {
    const part = { emulator: mine, remote: yours, place: inside };
    const isRecord = isMap(mine) && isMap(yours);
    found.push(...(isRecord ? shapeDifferences(part) : bodyDifferences({ ...part, step })));
  }
  return unique(found);
}

/**
 * Records that the scenario didn't create have different values, so only members and types are compared. null matches
 * every type.
 */
function shapeDifferences({ emulator, remote, place }: Omit<Part, 'step'>): Difference[] {
  if (emulator === null || remote === null) return [];
  const types = differs('type', place, [typeOf(emulator), typeOf(remote)]);
  if (types.length > 0) return types;
  if (isMap(emulator) && isMap(remote)) return memberDifferences(emulator, remote, place, shapeDifferences);
  const [mine, yours] = [emulator, remote].map((side) => (isList(side) ? side[0] : undefined));
  if (mine === undefined || yours === undefined) return [];
  return shapeDifferences({ emulator: mine, remote: yours, place: `${place}[]` });
}

function unique(found: readonly Difference[]): Difference[] {
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

/** Whether the value contains something that the scenario sent, or an id from an earlier response. */
function isOfScenario(value: Named, step: string): boolean {
  if (typeof value === 'string') {
    const from = /^<(sent |[a-z0-9_]+(?=[.[]))/.exec(value)?.[1];
    return from !== undefined && from !== step;
  }
  if (isList(value)) return value.some((entry) => isOfScenario(entry, step));
  return isMap(value) && Object.values(value).some((member) => isOfScenario(member, step));
}

function isList(value: Named): value is readonly Named[] {
  return Array.isArray(value);
}

type NamedMap = { readonly [member: string]: Named };

function isMap(value: Named): value is NamedMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf(value: Named): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object') return 'object';
  if (typeof value === 'boolean') return 'boolean';
  if (value === '<number>') return 'number';
  return value === '<empty>' || value === '<bytes>' || value === '<broken JSON>' ? value : 'text';
}

function leaf(value: Named): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

export interface FoundDifference extends Difference {
  /** As in a file of --allow. */
  readonly id: string;
  readonly known: boolean;
}

export interface ComparedExchange {
  readonly scenario: string;
  readonly step: string;
  readonly call: string;
  readonly outcome: 'same' | 'different' | 'not_comparable';
  /** Why the exchange is not comparable; null otherwise. */
  readonly reason: string | null;
}

export interface Comparison {
  /** At least one exchange was compared, and all differences are known. */
  readonly ok: boolean;
  readonly counts: {
    readonly same: number;
    readonly different: number;
    readonly not_comparable: number;
    readonly new_differences: number;
  };
  readonly exchanges: readonly ComparedExchange[];
  readonly data: readonly FoundDifference[];
  /** Lines of --allow that matched no difference. */
  readonly unused: readonly string[];
}

export interface ScenarioPair {
  readonly emulator: RecordedScenario;
  /** Undefined if the transcript has no scenario of this name. */
  readonly remote: RecordedScenario | undefined;
}

export function compareAll(pairs: readonly ScenarioPair[], known: KnownDifferences): Comparison {
  const exchanges: ComparedExchange[] = [];
  const found: FoundDifference[] = [];
  for (const { emulator, remote } of pairs) {
    const lost = new LostNames();
    for (const [index, ours] of emulator.exchanges.entries()) {
      const about = { scenario: emulator.name, step: ours.id, call: ours.call };
      const { reason, differences: all } = compareOne(ours, remoteExchange(emulator, remote, index));
      const unexplained = all.filter((each) => !lost.explain(each));
      lost.note(ours.id, reason, unexplained);
      const differences = unexplained.filter((each) => !isOfNoMeaning(each));
      found.push(
        ...differences.map((each) => {
          const id = `${emulator.name}/${ours.id}:${each.place}:${each.kind}`;
          return { id, known: known.has(id), ...each };
        }),
      );
      const outcome = reason !== null ? 'not_comparable' : differences.length > 0 ? 'different' : 'same';
      exchanges.push({ ...about, outcome, reason });
    }
  }
  const count = (outcome: ComparedExchange['outcome']) =>
    exchanges.filter((each) => each.outcome === outcome).length;
  const counts = {
    same: count('same'),
    different: count('different'),
    not_comparable: count('not_comparable'),
    new_differences: found.filter((each) => !each.known).length,
  };
  const ok = counts.new_differences === 0 && counts.same + counts.different > 0;
  return { ok, counts, exchanges, data: found, unused: known.unused };
}

/**
 * Names that only one side has, because the responses differ where the value first occurred. A later difference in
 * such a name has the same cause, and is not reported again.
 */
class LostNames {
  readonly #places: string[] = [];

  note(step: string, reason: string | null, differences: readonly Difference[]): void {
    if (reason !== null) this.#places.push(`<${step}`);
    for (const { place } of differences) {
      const inner = place.startsWith('body') ? place.slice('body'.length) : '';
      this.#places.push(`<${step}${inner}`);
    }
  }

  explain({ kind, emulator, remote }: Difference): boolean {
    return kind === 'value' && [emulator, remote].some((name) => name !== null && this.#has(name));
  }

  #has(name: string): boolean {
    const plain = name.replace(/\[\d+\]/g, '[]');
    return this.#places.some((place) => plain.startsWith(place) && /^[>.[]/.test(plain.slice(place.length)));
  }
}

function remoteExchange(
  emulator: RecordedScenario,
  remote: RecordedScenario | undefined,
  index: number,
): RecordedExchange | string {
  if (remote === undefined) return 'the transcript has no such scenario';
  if (remote.digest !== emulator.digest) return 'the scenario has changed since it was recorded';
  return remote.exchanges[index] ?? 'the transcript has no such step';
}

function compareOne(
  ours: RecordedExchange,
  theirs: RecordedExchange | string,
): { reason: string | null; differences: readonly Difference[] } {
  const not = (reason: string) => ({ reason, differences: [] });
  if (typeof theirs === 'string') return not(theirs);
  if ('skipped' in theirs) return not(`remote: ${theirs.skipped}`);
  if ('skipped' in ours) return not(`emulator: ${ours.skipped}`);
  if (theirs.status === 403 && ours.status < 400) return not('remote: its key may not do this (403)');
  return { reason: null, differences: differencesOf(ours, theirs) };
}
