import { listView, pairs, shortTime, table, yesNo } from '../../../cli/shell/layout.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { type Style, printable } from '../../../cli/shell/output.ts';

export type Inspection = AnswerOf<'GET /_kyclone/entities/{fp_id}'>;
export type Presence = AnswerOf<'GET /users/{fp_id}/vault'>;

const maskedValues = listView<Inspection['vault']>('The vault is empty', [
  ['IDENTIFIER', 'identifier'],
  ['MASKED VALUE', 'mask'],
  ['TYPE', 'type', 3],
  ['VERSION', 'version', 2],
  ['UPDATED (UTC)', ({ updated_at }) => shortTime(updated_at), 1],
]);

export function inspectionView(entity: Inspection, style: Style): string {
  const { id, external_id, status, vault_version, vault } = entity;
  const head = { id, 'external id': external_id, status, 'vault version': vault_version };
  return [pairs(head, style), '', maskedValues(vault, style)].join('\n');
}

export function contentsView(contents: Inspection | Presence, style: Style): string {
  return 'vault_version' in contents
    ? inspectionView(contents as Inspection, style)
    : presenceView(contents, style);
}

export function presenceView(presence: Presence, style: Style): string {
  const rows = Object.entries(presence).map(([identifier, isPresent]) => [identifier, yesNo(isPresent)]);
  return table(['IDENTIFIER', 'PRESENT'], rows, style, 'The vault is empty');
}

/** The longest base64 that is shown. Anything longer is a file that nobody reads in this form. */
const LONGEST_BASE64 = 1_000;

/** Decrypted values or signatures, one per line; files by their size. */
export function valuesView(values: Readonly<Record<string, unknown>>, style: Style): string {
  const shown = Object.entries(values).map(([identifier, value]) => [identifier, shortened(value)] as const);
  const lines = pairs(Object.fromEntries(shown), style);
  if (shown.every(([identifier, text]) => text === values[identifier])) return lines;
  return `${lines}\n${style.dim('Files are shown by size; vault download saves a file, --json prints it whole')}`;
}

function shortened(value: unknown): unknown {
  if (typeof value !== 'string' || value.length <= LONGEST_BASE64) return value;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0) return value;
  return `<${Buffer.byteLength(value, 'base64')} bytes>`;
}

export function deletionView(deleted: Readonly<Record<string, boolean>>, style: Style): string {
  const rows = Object.entries(deleted).map(([identifier, was]) => [
    identifier,
    was ? 'deleted' : 'was not present',
  ]);
  return table(['IDENTIFIER', 'OUTCOME'], rows, style, 'No values were present');
}

export function writtenView(version: string | undefined): string {
  return version === undefined ? 'Written' : `Written; the vault is at version ${version}`;
}

export interface SavedFile {
  readonly identifier: string | null;
  readonly content_type: string;
  readonly bytes: number;
  /** Null for stdout. */
  readonly path: string | null;
}

export function savedFileView({ content_type, bytes, path }: SavedFile, style: Style): string {
  if (path === null) return '';
  return `Saved ${printable(path)} ${style.dim(`(${bytes} bytes, ${printable(content_type)})`)}`;
}
