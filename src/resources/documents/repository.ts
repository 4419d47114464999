/** All SQL of document records and their images. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import type { RecordKind, DocumentFace } from './document-image.ts';

export interface ImageRow {
  readonly id: string;
  readonly kind: RecordKind;
  readonly onboarding_id: string | null;
  readonly created_at: number;
  readonly side: DocumentFace;
  readonly identifier: string;
  readonly version: number;
}

export function isDocumentId(database: Database, id: string): boolean {
  return scalarStatement<[string], 1>('SELECT 1 FROM documents WHERE id = ?').get(database, id) !== undefined;
}

/** The newest record of the kind, if this side is free. At the same time, the last record is the newest. */
export function findDocumentToJoin(
  database: Database,
  image: { entity: number; kind: RecordKind; side: DocumentFace },
): string | undefined {
  return scalarStatement<[number, string, string], string>(`SELECT id FROM (
       SELECT id FROM documents WHERE entity = ? AND kind = ? ORDER BY created_at DESC, rowid DESC LIMIT 1
     ) AS newest
     WHERE NOT EXISTS (SELECT 1 FROM document_images WHERE document = newest.id AND side = ?)`).get(
    database,
    image.entity,
    image.kind,
    image.side,
  );
}

export function insertDocument(
  database: Database,
  row: {
    id: string;
    entity: number;
    kind: RecordKind;
    onboarding_id: string | null;
    created_at: number;
  },
): void {
  const sql = 'INSERT INTO documents (id, entity, kind, onboarding_id, created_at) VALUES (?, ?, ?, ?, ?)';
  statement<[string, number, string, string | null, number]>(sql).run(
    database,
    row.id,
    row.entity,
    row.kind,
    row.onboarding_id,
    row.created_at,
  );
}

/** Assigns the entity's records without an onboarding to this one. */
export function joinOnboarding(database: Database, entity: number, onboarding: string): void {
  const sql = 'UPDATE documents SET onboarding_id = ? WHERE entity = ? AND onboarding_id IS NULL';
  statement<[string, number]>(sql).run(database, onboarding, entity);
}

export function insertImage(
  database: Database,
  row: { document: string; side: DocumentFace; identifier: string; version: number },
): void {
  statement<[string, string, string, number]>(
    'INSERT INTO document_images (document, side, identifier, version) VALUES (?, ?, ?, ?)',
  ).run(database, row.document, row.side, row.identifier, row.version);
}

export function deleteImage(
  database: Database,
  image: { entity: number; identifier: string; version: number },
): void {
  statement<[number, string, number]>(`DELETE FROM document_images
     WHERE document IN (SELECT id FROM documents WHERE entity = ?) AND identifier = ? AND version = ?`).run(
    database,
    image.entity,
    image.identifier,
    image.version,
  );
}

export function deleteImagesOf(database: Database, entity: number, identifier: string): void {
  statement<[number, string]>(`DELETE FROM document_images
     WHERE document IN (SELECT id FROM documents WHERE entity = ?) AND identifier = ?`).run(
    database,
    entity,
    identifier,
  );
}

export function deleteEmptyDocuments(database: Database, entity: number): void {
  statement<[number]>(`DELETE FROM documents
     WHERE entity = ? AND NOT EXISTS (SELECT 1 FROM document_images WHERE document = documents.id)`).run(
    database,
    entity,
  );
}

/** A row for each image, records newest first, ties by id descending; optionally of one onboarding only. */
export function listImages(database: Database, entity: number, onboardingId: string | null): ImageRow[] {
  return statement<
    { entity: number; onboarding_id: string | null },
    ImageRow
  >(`SELECT id, kind, onboarding_id, created_at, side, identifier, version
     FROM documents JOIN document_images ON document = id
     WHERE entity = @entity AND (@onboarding_id IS NULL OR onboarding_id = @onboarding_id)
     ORDER BY created_at DESC, id DESC`).all(database, { entity, onboarding_id: onboardingId });
}
