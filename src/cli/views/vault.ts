import type { AnswerOf } from '../../contract/registry.ts';
import { columns, pairs, type Style } from '../output.ts';

export type Inspection = AnswerOf<'GET /_kyclone/entities/{fp_id}'>;
export type Presence = AnswerOf<'GET /users/{fp_id}/vault'>;

/** What is there, masked by the daemon. */
export function inspectionView(entity: Inspection, style: Style): string {
  const head = {
    id: entity.id,
    'external id': entity.external_id,
    status: entity.status,
    'vault version': entity.vault_version,
  };
  const rows = entity.vault.map((datum) => [
    datum.identifier,
    datum.mask,
    datum.type,
    datum.version,
    datum.updated_at,
  ]);
  return [
    pairs(head, style),
    '',
    columns(['IDENTIFIER', 'MASKED VALUE', 'TYPE', 'VERSION', 'UPDATED'], rows, style, 'The vault is empty'),
  ].join('\n');
}

export function presenceView(presence: Presence, style: Style): string {
  const rows = Object.entries(presence).map(([identifier, isPresent]) => [
    identifier,
    isPresent ? 'yes' : 'no',
  ]);
  return columns(['IDENTIFIER', 'PRESENT'], rows, style, 'The vault is empty');
}

/** Decrypted values or signatures, one a line. */
export function valuesView(values: Readonly<Record<string, unknown>>, style: Style): string {
  return pairs(values, style);
}

export function deletionView(deleted: Readonly<Record<string, boolean>>, style: Style): string {
  const rows = Object.entries(deleted).map(([identifier, was]) => [
    identifier,
    was ? 'deleted' : 'was not there',
  ]);
  return columns(['IDENTIFIER', 'OUTCOME'], rows, style, 'Nothing was there');
}

export function writtenView(version: string | undefined): string {
  return version === undefined ? 'Written' : `Written; the vault is at version ${version}`;
}
