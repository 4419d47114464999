/** All SQL of document records and their images. `entity` is the row id of the entity; times are epoch milliseconds. */
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { integer, joined, optional, table, text, textOf, type RowOf } from '../../storage/table.ts';
import type { RecordKind, DocumentFace } from './document-image.ts';

const DOCUMENTS = table('documents', {
  id: text,
  entity: integer,
  kind: textOf<RecordKind>(),
  onboarding_id: optional(text),
  created_at: integer,
});
const IMAGES = table(
  'document_images',
  {
    document: text,
    side: textOf<DocumentFace>(),
    identifier: text,
    version: integer,
    id: joined('documents.id', text),
    kind: joined('documents.kind', textOf<RecordKind>()),
    onboarding_id: joined('documents.onboarding_id', optional(text)),
    created_at: joined('documents.created_at', integer),
  },
  { from: 'documents JOIN document_images ON document = documents.id' },
);

/** An image with its record. */
export type ImageRow = RowOf<typeof IMAGES>;

export const isDocumentId = DOCUMENTS.has<[id: string]>('id = ?');

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

export const insertDocument = DOCUMENTS.insert;
export const insertImage = IMAGES.insert;

/** Assigns the entity's records without an onboarding to this one. */
export function joinOnboarding(database: Database, entity: number, onboarding: string): void {
  const sql = 'UPDATE documents SET onboarding_id = ? WHERE entity = ? AND onboarding_id IS NULL';
  statement<[string, number]>(sql).run(database, onboarding, entity);
}

export const deleteImage = IMAGES.delete<{ entity: number; identifier: string; version: number }>(
  `document IN (SELECT id FROM documents WHERE entity = @entity)
     AND identifier = @identifier AND version = @version`,
);
export const deleteImagesOf = IMAGES.delete<[entity: number, identifier: string]>(
  'document IN (SELECT id FROM documents WHERE entity = ?) AND identifier = ?',
);
export const deleteEmptyDocuments = DOCUMENTS.delete<[entity: number]>(
  'entity = ? AND NOT EXISTS (SELECT 1 FROM document_images WHERE document = documents.id)',
);

/** Records newest first, ties by id descending; of one onboarding, or of all with null. */
export const listImages = IMAGES.all<{ entity: number; onboarding_id: string | null }>(
  `WHERE entity = @entity AND (@onboarding_id IS NULL OR onboarding_id = @onboarding_id)
   ORDER BY documents.created_at DESC, documents.id DESC`,
);
