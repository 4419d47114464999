/** The topics of the docs page by name, with their anchors. Pure. */
import { nearest } from '../../kernel/text/nearest.ts';
import type { OpenApiDocument } from '../../contract/openapi.ts';
import { anchorOf, SECTIONS } from './anchors.ts';
import type { DocsReference } from './reference.ts';

export interface Topic {
  readonly name: string;
  readonly anchor: string;
}

/** Sections first, since the first topic of a name counts. */
export function docsTopics(document: OpenApiDocument, reference: DocsReference): Topic[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: anchor }]) => [
      { name: anchor, anchor },
      { name: `${method.toUpperCase()} ${path}`, anchor },
    ]),
  );
  const named: readonly (readonly [Parameters<typeof anchorOf>[0], readonly string[]])[] = [
    ['identifier', reference.identifiers.map(({ identifier }) => identifier)],
    ['transform', reference.transforms.map(({ name }) => name)],
    ['event', reference.events.map(({ kind }) => kind)],
    ['error', document['x-errors'].map(({ code }) => code)],
    ['reason', reference.reasonCodes.map(({ reason_code: code }) => code)],
    ['schema', Object.keys(document.components.schemas)],
    ['resource', document.tags.map(({ name }) => name)],
  ];
  return [
    ...Object.keys(SECTIONS).map((name) => ({ name, anchor: name })),
    ...operations,
    ...named.flatMap(([entry, names]) => names.map((name) => ({ name, anchor: anchorOf(entry, name) }))),
  ];
}

/** An event kind without its prefix, which is a setting. */
function bareKind(kind: string): string {
  return kind.slice(kind.indexOf('.') + 1);
}

/** The topic of this name in any case, where any word matches `<alias>`; undefined if there is none. */
export function findTopic(topics: readonly Topic[], typed: string): Topic | undefined {
  const wanted = typed.trim().replace(/\s+/g, ' ').toLowerCase();
  const exact = topics.find(({ name }) => name.toLowerCase() === wanted);
  return exact ?? topics.find(({ name }) => fitsPlaces(name.toLowerCase(), wanted));
}

/** `card.<alias>.number` for `card.main.number`, `custom.<name>` for `custom.a.b`. */
function fitsPlaces(name: string, wanted: string): boolean {
  if (!name.includes('<')) return bareKind(wanted) === name && name.includes('.');
  const words = wanted.split('.');
  const segments = name.split('.');
  const isOpenEnd = segments.at(-1) === '<name>';
  if (isOpenEnd ? words.length < segments.length : words.length !== segments.length) return false;
  return segments.every((segment, at) =>
    segment.startsWith('<') ? words[at] !== '' : segment === words[at],
  );
}

/** Suggestions for a mistyped name: names that contain it, else the nearest one. At most five. */
export function suggestTopics(topics: readonly Topic[], typed: string): string[] {
  const wanted = typed.trim().toLowerCase();
  const holding = wanted.length < 3 ? [] : topics.filter(({ name }) => name.toLowerCase().includes(wanted));
  if (holding.length > 0) return holding.slice(0, MOST_SUGGESTIONS).map(({ name }) => name);
  const names = new Map(topics.map(({ name }) => [name.toLowerCase(), name]));
  const meant = names.get(nearest(wanted, names.keys()) ?? '');
  return meant === undefined ? [] : [meant];
}

const MOST_SUGGESTIONS = 5;
