/** The lines of a JSON value as a tree: what is folded has no lines. */
import { isJsonObject, jsonText } from '../../kernel/text/json.ts';

export interface JsonLine {
  /** JSONPath of the value (RFC 9535): `$.users[0]['id.first_name']`. It identifies the line. */
  readonly path: string;
  /** The name or the index in the parent; undefined for the whole document. */
  readonly name: string | number | undefined;
  readonly value: unknown;
  /** 1 for the whole document. */
  readonly level: number;
  /** The place among the members of the parent, from 1, and their number. */
  readonly position: number;
  readonly siblings: number;
  /** Undefined for what can't be folded. */
  readonly isOpen: boolean | undefined;
}

const FIRST_LINES = 200;

/** Returns the lines of all values whose parents are open. */
export function jsonLines(value: unknown, open: ReadonlySet<string>): JsonLine[] {
  const lines: JsonLine[] = [];
  // A stack in place of recursion: documents may be nested as deep as they like.
  const pending: Omit<JsonLine, 'isOpen'>[] = [
    { path: '$', name: undefined, value, level: 1, position: 1, siblings: 1 },
  ];
  for (let line = pending.pop(); line !== undefined; line = pending.pop()) {
    const isOpen = isFoldable(line.value) ? open.has(line.path) : undefined;
    lines.push({ ...line, isOpen });
    // One at a time: a call takes fewer arguments than an array has members.
    if (isOpen) for (const child of childrenOf(line).reverse()) pending.push(child);
  }
  return lines;
}

/** Returns the paths that are open at first: level by level, until about as many lines are shown. */
export function firstOpen(value: unknown, most = FIRST_LINES): Set<string> {
  const open = new Set<string>();
  let lines = 1;
  const queue: Parent[] = [{ path: '$', value, level: 1 }];
  // The queue grows while it is read.
  for (const parent of queue) {
    if (!isFoldable(parent.value)) continue;
    lines += Object.keys(parent.value).length;
    // The document itself is open, however long it is.
    if (lines > most && open.size > 0) break;
    open.add(parent.path);
    for (const child of childrenOf(parent)) queue.push(child);
  }
  return open;
}

export interface Folding {
  readonly base: 'first' | 'all' | 'none';
  /** What was folded and unfolded by hand since. */
  readonly byHand: ReadonlyMap<string, boolean>;
}

/** Returns the paths that are open. Paths that were folded by hand stay so when a later value has them too. */
export function openPaths(value: unknown, { base, byHand }: Folding): Set<string> {
  const open = base === 'none' ? new Set(['$']) : firstOpen(value, base === 'all' ? Infinity : FIRST_LINES);
  for (const [path, isOpen] of byHand) {
    if (isOpen) open.add(path);
    else open.delete(path);
  }
  return open;
}

/** Returns the text of a copied value: a string as it is, all else as JSON. */
export function copiedText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : jsonText(value, 2);
}

/** Returns what stands for a folded value: how many members it has. */
export function foldedText(value: object): string {
  const count = Object.keys(value).length;
  if (Array.isArray(value)) return count === 0 ? '[]' : `[ ${count} ${count === 1 ? 'item' : 'items'} ]`;
  return count === 0 ? '{}' : `{ ${count} ${count === 1 ? 'member' : 'members'} }`;
}

/** Returns the line that a key moves to (ARIA tree pattern), or undefined for any other key. */
export function targetIndex(key: string, lines: readonly JsonLine[], index: number): number | undefined {
  const level = lines[index]?.level ?? 1;
  if (key === 'ArrowDown' || key === 'j') return Math.min(index + 1, lines.length - 1);
  if (key === 'ArrowUp' || key === 'k') return Math.max(index - 1, 0);
  if (key === 'Home') return 0;
  if (key === 'End') return lines.length - 1;
  if (key === 'ArrowRight') return lines[index]?.isOpen ? index + 1 : undefined;
  if (key === 'ArrowLeft') return lines.findLastIndex((line, at) => at < index && line.level === level - 1);
  return undefined;
}

function isFoldable(value: unknown): value is object {
  return (Array.isArray(value) || isJsonObject(value)) && Object.keys(value).length > 0;
}

type Parent = Pick<JsonLine, 'path' | 'value' | 'level'>;

function childrenOf({ path, value, level }: Parent): Omit<JsonLine, 'isOpen'>[] {
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((each: unknown, index) => [index, each])
    : Object.entries(value as object);
  return entries.map(([name, child], index) => ({
    path: path + segment(name),
    name,
    value: child,
    level: level + 1,
    position: index + 1,
    siblings: entries.length,
  }));
}

function segment(name: string | number): string {
  if (typeof name === 'number') return `[${name}]`;
  if (/^[A-Za-z_]\w*$/.test(name)) return `.${name}`;
  // JSON escapes what RFC 9535 escapes, except that the quotes differ.
  return `['${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}']`;
}
