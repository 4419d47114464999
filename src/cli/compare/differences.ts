/** Where the emulator's answer is not the remote's: status, headers, shape, values with a name, order and rules. */
import { memberPlace } from '../../client/fixtures/references.ts';
import type { Answered, Named } from './transcript.ts';

export type DifferenceKind =
  | 'status'
  | 'header'
  | 'only_remote'
  | 'only_emulator'
  | 'type'
  | 'value'
  | 'length'
  | 'order'
  | 'rule';

export interface Difference {
  readonly kind: DifferenceKind;
  /** `status`, `headers.NAME`, `rule`, or a place in the body. */
  readonly place: string;
  /** As both sides have it, without values; null for what is not there. */
  readonly emulator: string | null;
  readonly remote: string | null;
}

/** All of them, in the order of the answer. */
export function differencesOf(emulator: Answered, remote: Answered): Difference[] {
  const found: Difference[] = [];
  if (emulator.status !== remote.status) {
    found.push({
      kind: 'status',
      place: 'status',
      emulator: String(emulator.status),
      remote: String(remote.status),
    });
    // A refusal and a success have nothing else in common.
    if (emulator.status < 400 !== remote.status < 400) return found;
  }
  found.push(...headerDifferences(emulator, remote));
  if (isSameType(emulator, remote)) found.push(...bodyDifferences(emulator.body, remote.body, 'body'));
  // What a rule looks at may have been found already.
  if (found.length === 0 && emulator.broken_rule !== remote.broken_rule) {
    found.push({
      kind: 'rule',
      place: 'rule',
      emulator: emulator.broken_rule ?? 'as expected',
      remote: remote.broken_rule ?? 'as expected',
    });
  }
  return found;
}

/** Bodies of two types can't be held against each other; that of the header is said. */
function isSameType(emulator: Answered, remote: Answered): boolean {
  const typeOf = ({ headers }: Answered) => headers['content-type']?.split(';')[0]?.endsWith('json');
  return typeOf(emulator) === typeOf(remote);
}

function headerDifferences(emulator: Answered, remote: Answered): Difference[] {
  const names = new Set([...Object.keys(emulator.headers), ...Object.keys(remote.headers)]);
  return [...names].flatMap((name): Difference[] => {
    const [ours, theirs] = [emulator.headers[name], remote.headers[name]];
    if (ours === theirs) return [];
    const sides = { emulator: ours ?? null, remote: theirs ?? null };
    return [{ kind: 'header', place: `headers.${name}`, ...sides }];
  });
}

function bodyDifferences(emulator: Named, remote: Named, place: string): Difference[] {
  const types = [typeOf(emulator), typeOf(remote)] as const;
  if (types[0] !== types[1]) return [{ kind: 'type', place, emulator: types[0], remote: types[1] }];
  if (isList(emulator) && isList(remote)) return listDifferences(emulator, remote, place);
  if (isMap(emulator) && isMap(remote)) {
    const names = new Set([...Object.keys(emulator), ...Object.keys(remote)]);
    return [...names].flatMap((name): Difference[] => {
      const [ours, theirs] = [emulator[name], remote[name]];
      const inner = memberPlace(place, name);
      if (ours === undefined) {
        return [{ kind: 'only_remote', place: inner, emulator: null, remote: typeOf(theirs as Named) }];
      }
      if (theirs === undefined) {
        return [{ kind: 'only_emulator', place: inner, emulator: typeOf(ours), remote: null }];
      }
      return bodyDifferences(ours, theirs, inner);
    });
  }
  if (emulator === remote) return [];
  return [{ kind: 'value', place, emulator: leaf(emulator), remote: leaf(remote) }];
}

/**
 * Entries with a name are those of the scenario: they must be the same in the same order. Others were there before, and
 * there may be more on one side; the first of them stands for their shape.
 */
function listDifferences(emulator: readonly Named[], remote: readonly Named[], place: string): Difference[] {
  const sides = [emulator, remote].map((entries) => {
    const named = entries.filter(isOfScenario);
    return { named, other: entries.filter((entry) => !isOfScenario(entry)).slice(0, 1) };
  });
  const [ours, theirs] = [sides[0]?.named ?? [], sides[1]?.named ?? []];
  if (ours.length !== theirs.length) {
    return [
      { kind: 'length', place, emulator: `${ours.length} of ours`, remote: `${theirs.length} of ours` },
    ];
  }
  const [texts, others] = [ours, theirs].map((entries) => entries.map((entry) => JSON.stringify(entry)));
  const isReordered = String(texts) !== String(others) && String(texts?.sort()) === String(others?.sort());
  if (isReordered) return [{ kind: 'order', place, emulator: 'another order', remote: 'another order' }];
  const pairs = [...ours.map((entry, index) => [entry, theirs[index]] as const)];
  const [mine, yours] = [sides[0]?.other[0], sides[1]?.other[0]];
  if (mine !== undefined && yours !== undefined) pairs.push([mine, yours]);
  else if ((mine === undefined) !== (yours === undefined) && ours.length === 0) {
    const shown = (one: Named | undefined) => (one === undefined ? 'no entry' : 'entries');
    return [{ kind: 'length', place, emulator: shown(mine), remote: shown(yours) }];
  }
  return unique(pairs.flatMap(([one, other]) => bodyDifferences(one, other as Named, `${place}[]`)));
}

/** The same difference of many entries is one. */
function unique(found: readonly Difference[]): Difference[] {
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

/** Whether it holds something that the scenario sent, or an id that it saw before. */
function isOfScenario(value: Named): boolean {
  if (typeof value === 'string') return /^<(?:sent |[a-z0-9_]+[.[])/.test(value);
  if (isList(value)) return value.some(isOfScenario);
  return isMap(value) && Object.values(value).some(isOfScenario);
}

function isList(value: Named): value is readonly Named[] {
  return Array.isArray(value);
}

function isMap(value: Named): value is { readonly [member: string]: Named } {
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

/** A text, a boolean or null in words. */
function leaf(value: Named): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
