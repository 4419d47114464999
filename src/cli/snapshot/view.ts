import type { AnswerOf } from '../../contract/registry.ts';
import { countText } from '../../kernel/count-text.ts';
import { MIB } from '../../kernel/units.ts';
import { facts, shortTime, table } from '../shell/layout.ts';
import { printable, type Style } from '../shell/output.ts';
import type { Loaded, Snapshot } from './files.ts';
import { moreView } from '../entities/view.ts';

type Diff = AnswerOf<'GET /_kyclone/snapshots/{name}/diff'>;
type EntityDiff = Diff['entities'][number];

export function snapshotListView({ data, meta }: AnswerOf<'GET /_kyclone/snapshots'>, style: Style): string {
  const rows = data.map(({ name, created_at: at, bytes, counts, problem }) => [
    name,
    shortTime(at),
    sizeText(bytes),
    problem === undefined ? (counts['users'] ?? 0) : '?',
    problem === undefined ? (counts['businesses'] ?? 0) : '?',
  ]);
  const headings = ['NAME', 'SAVED', 'SIZE', 'USERS', 'BUSINESSES'];
  const problems = data.flatMap(({ name, problem }) =>
    problem === undefined ? [] : [`${name}: ${printable(problem)}`],
  );
  return [
    table(headings, rows, style, 'No snapshots'),
    ...problems,
    ...moreView(meta, data.length, style),
  ].join('\n');
}

export function snapshotView(
  { name, created_at: at, bytes, schema, counts }: Snapshot,
  style: Style,
): string {
  const held = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [countText(what, count)] : []));
  return facts(
    { snapshot: name, saved: at, size: sizeText(bytes), schema, holds: held.length > 0 ? held : 'nobody' },
    style,
  );
}

export function loadedView(loaded: Loaded, style: Style): string {
  const again = revivedText(loaded.revived);
  const told = again === '' ? [] : [`lives again, though it was deleted or revoked since: ${again}`];
  return [snapshotView(loaded, style), ...told].join('\n');
}

export function snapshotDeletedView({ final }: AnswerOf<'DELETE /_kyclone/snapshots/{name}'>): string {
  const gone = revivedText(final);
  return gone === ''
    ? 'Deleted'
    : `Deleted. No other snapshot here can bring back what was deleted or revoked: ${gone}`;
}

function revivedText({ entities, tokens, keys }: Loaded['revived']): string {
  const counted = { entities, client_tokens: tokens, api_keys: keys };
  return Object.entries(counted)
    .flatMap(([what, count]) => (count > 0 ? [countText(what, count)] : []))
    .join(', ');
}

/** An entity a line: + added, - removed, ~ changed; what of it changed stands behind. No value is known here. */
export function snapshotDiffView({ from, to, entities }: Diff, style: Style): string {
  const later = to === '' ? 'now' : to;
  if (entities.length === 0) return `No difference between ${printable(from)} and ${printable(later)}`;
  const lines = entities.map((entity) => {
    const line = `${SIGN[entity.change]} ${printable(entity.id)}`;
    const paint = entity.change === 'added' ? style.good : entity.change === 'removed' ? style.bad : plain;
    return [paint(line), ...changesOf(entity).map((text) => style.dim(printable(text)))].join('  ');
  });
  const counted = (change: EntityDiff['change']) =>
    entities.filter((entity) => entity.change === change).length;
  const sum = `${counted('added')} added, ${counted('removed')} removed, ${counted('changed')} changed`;
  return [...lines, `${printable(from)} to ${printable(later)}: ${sum}`].join('\n');
}

const SIGN = { added: '+', removed: '-', changed: '~' } as const;
const plain = (text: string) => text;

function changesOf({ change, identifiers, also }: EntityDiff): string[] {
  const { added, removed, changed } = identifiers;
  if (change !== 'changed') return [];
  return [
    ...added.map((name) => `+${name}`),
    ...removed.map((name) => `-${name}`),
    ...changed.map((name) => `~${name}`),
    ...also,
  ];
}

function sizeText(bytes: number): string {
  return bytes < MIB ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / MIB).toFixed(1)} MiB`;
}
