/** The views of reference lists, which need no daemon. */
import type { ErrorEntry } from '../../contract/errors.ts';
import type { EventEntry } from '../../fixtures/event-catalogue.ts';
import type { JsonValue } from '../../kernel/text/json.ts';
import { fitted, listView } from '../shell/layout.ts';

/** In the form of the vault's catalogue. */
export interface IdentifierLine {
  readonly identifier: string;
  readonly rule: string;
  readonly mask: string;
  readonly masked: string;
  readonly example: JsonValue;
  readonly searchable: boolean;
  readonly derived: boolean;
  readonly derived_from: readonly string[];
}

/** In the form of the catalogue of transforms. */
export interface TransformLine {
  readonly form: string;
  readonly description: string;
  readonly example: string;
  readonly input: string | null;
  readonly output: string | null;
}

interface ErrorLine extends ErrorEntry {
  readonly code: string;
}

const MASKED_COLUMNS = 24;

/** At least two lines for each: the longest names take most of a line. */
export const identifierView = listView<readonly IdentifierLine[]>('No identifier has this prefix', [
  ['IDENTIFIER', 'identifier'],
  ['MASKED', ({ masked }, style) => fitted(masked, MASKED_COLUMNS, style)],
  ['RULE AND EXAMPLE', identifierNote, 'below'],
]);

function identifierNote({
  rule,
  mask,
  example,
  searchable,
  derived,
  derived_from: sources,
}: IdentifierLine): string {
  const origin = `${derived ? 'derived' : 'also read'} from ${sources.join(', ')}`;
  return [
    rule,
    ...(sources.length > 0 && !rule.startsWith('another name') ? [origin] : []),
    ...(searchable ? ['searchable'] : []),
    `mask: ${mask}`,
    ...(example === null
      ? []
      : [`example: ${typeof example === 'string' ? example : JSON.stringify(example)}`]),
  ].join('; ');
}

export const transformListView = listView<readonly TransformLine[]>('No transforms', [
  ['TRANSFORM', 'form'],
  [
    'WHAT IT DOES',
    ({ description, example, input, output }) =>
      `${description}. ${input === null ? `Example: ${example}` : `${example} of ${input}: ${output ?? ''}`}`,
  ],
]);

export const eventKindView = listView<readonly EventEntry[]>('No such kind', [
  ['KIND', 'kind'],
  ['BY DEFAULT', 'by_default'],
  [
    'WHEN AND MEMBERS',
    ({ summary, body }) => `${summary}. Members: ${Object.keys(body).join(', ')}`,
    'below',
  ],
]);

export const errorListView = listView<readonly ErrorLine[]>('No such code', [
  ['CODE', 'code'],
  ['STATUS', 'status'],
  ['MEANING AND HINT', ({ meaning, hint }) => [meaning, ...(hint === undefined ? [] : [hint])].join('; ')],
]);
