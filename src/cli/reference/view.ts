/** The views of reference lists, which need no daemon. */
import type { ErrorEntry } from '../../contract/errors.ts';
import type { EventEntry } from '../../fixtures/event-catalogue.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { fitted, table, yesNo } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';

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

export interface ErrorLine extends ErrorEntry {
  readonly code: string;
}

const MASKED_COLUMNS = 24;

/** At least two lines for each: the longest names take most of a line. */
export function identifierView(entries: readonly IdentifierLine[], style: Style): string {
  const rows = entries.map((entry) => [
    entry.identifier,
    fitted(entry.masked, MASKED_COLUMNS, style),
    identifierNote(entry),
  ]);
  return table(
    ['IDENTIFIER', 'MASKED', 'RULE AND EXAMPLE'],
    rows,
    style,
    'No identifier has this prefix',
    true,
  );
}

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

export function transformListView(entries: readonly TransformLine[], style: Style): string {
  const rows = entries.map(({ form, description, example, input, output }) => [
    form,
    `${description}. ${input === null ? `Example: ${example}` : `${example} of ${input}: ${output ?? ''}`}`,
  ]);
  return table(['TRANSFORM', 'WHAT IT DOES'], rows, style, 'No transforms');
}

export function eventKindView(entries: readonly EventEntry[], style: Style): string {
  const rows = entries.map(({ kind, by_default: isDefault, summary, body }) => [
    kind,
    yesNo(isDefault),
    `${summary}. Members: ${Object.keys(body).join(', ')}`,
  ]);
  return table(['KIND', 'BY DEFAULT', 'WHEN AND MEMBERS'], rows, style, 'No such kind', true);
}

export function errorListView(entries: readonly ErrorLine[], style: Style): string {
  const rows = entries.map(({ code, status, meaning, hint }) => [
    code,
    status,
    [meaning, ...(hint === undefined ? [] : [hint])].join('; '),
  ]);
  return table(['CODE', 'STATUS', 'MEANING AND HINT'], rows, style, 'No such code');
}
