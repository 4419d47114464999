/**
 * Document records group the images of a vault, each with its vault version (contract §5). They are updated in the
 * write jobs of the vault, so that records and images never disagree.
 */
import { DOCUMENT_SIDES, type DocumentSide, type DocumentType } from '../vault/facts.ts';
import type { AnswerOf, EndpointKey } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/time/clock.ts';
import { newId } from '../../kernel/ids/ids.ts';
import type { Database } from '../../storage/database.ts';
import { scalarStatement, statement } from '../../storage/statement.ts';
import { integer, joined, optional, type RowOf, table, text, textOf } from '../../storage/table.ts';
import type { FileListener } from '../../vault/files/file-listener.ts';
import { forBusinessesToo } from '../entities/service/index.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Needs } from '../needs.ts';

/** A document kind, or custom. `selfie` is only a type in a record, never a kind. */
type RecordKind = Exclude<DocumentType, 'selfie'>;

const SIDE_OF_KIND = /^document\.([a-z_]+)\.(front|back|selfie)\.image$/;

/**
 * The kind of record for a stored file, and the side that it shows; undefined when it is no document image, such as a
 * file under `custom.*` (contract §5). The identifier must be a known one, by its canonical name.
 */
function documentImageOf(identifier: string): { kind: RecordKind; side: DocumentSide } | undefined {
  if (identifier.startsWith('document.custom.') || identifier === 'document.finra_compliance_letter') {
    return { kind: 'custom', side: 'front' };
  }
  const [, kind, side] = SIDE_OF_KIND.exec(identifier) ?? [];
  return kind === undefined ? undefined : { kind: kind as RecordKind, side: side as DocumentSide };
}

// All SQL of document records and their images. `entity` is the row id of the entity; times are epoch milliseconds.

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
    side: textOf<DocumentSide>(),
    identifier: text,
    version: integer,
    id: joined('documents.id', text),
    kind: joined('documents.kind', textOf<RecordKind>()),
    onboarding_id: joined('documents.onboarding_id', optional(text)),
    created_at: joined('documents.created_at', integer),
  },
  { from: 'documents JOIN document_images ON document = documents.id' },
);

type ImageRow = RowOf<typeof IMAGES>;

const isDocumentId = DOCUMENTS.has<[id: string]>('id = ?');

/** The newest record of the kind, if this side is free. At the same time, the last record is the newest. */
function findDocumentToJoin(
  database: Database,
  image: { entity: number; kind: RecordKind; side: DocumentSide },
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

/** Assigns the entity's records without an onboarding to this one. */
export function joinOnboarding(database: Database, entity: number, onboarding: string): void {
  const sql = 'UPDATE documents SET onboarding_id = ? WHERE entity = ? AND onboarding_id IS NULL';
  statement<[string, number]>(sql).run(database, onboarding, entity);
}

const deleteImage = IMAGES.delete<{ entity: number; identifier: string; version: number }>(
  `document IN (SELECT id FROM documents WHERE entity = @entity)
     AND identifier = @identifier AND version = @version`,
);
const deleteImagesOf = IMAGES.delete<[entity: number, identifier: string]>(
  'document IN (SELECT id FROM documents WHERE entity = ?) AND identifier = ?',
);
const deleteEmptyDocuments = DOCUMENTS.delete<[entity: number]>(
  'entity = ? AND NOT EXISTS (SELECT 1 FROM document_images WHERE document = documents.id)',
);

/** Records newest first, ties by id descending; of one onboarding, or of all with null. */
const listImages = IMAGES.all<{ entity: number; onboarding_id: string | null }>(
  `WHERE entity = @entity AND (@onboarding_id IS NULL OR onboarding_id = @onboarding_id)
   ORDER BY documents.created_at DESC, documents.id DESC`,
);

export type DocumentRecord = AnswerOf<'GET /users/{fp_id}/documents'>[number];

export type Documents = ReturnType<typeof createDocuments>;

export function createDocuments(
  context: Needs<'database' | 'random'> & {
    /** The open onboarding of the entity with this row id. */
    openOnboarding: (database: Database, entity: number) => string | undefined;
  },
) {
  const { random, openOnboarding } = context;

  /** Newest first, ties by id descending; empty for an onboarding of another entity. */
  function list(
    database: Database,
    entity: { readonly id: number },
    { onboarding_id = null }: { readonly onboarding_id?: string | null } = {},
  ): DocumentRecord[] {
    const byRecord = new Map<string, ImageRow[]>();
    for (const row of listImages(database, { entity: entity.id, onboarding_id })) {
      const images = byRecord.get(row.id);
      if (images) images.push(row);
      else byRecord.set(row.id, [row]);
    }
    return [...byRecord.values()].map(documentView);
  }

  const listener: FileListener = {
    stored(database, { id: entity }, { identifier, version, at }) {
      const image = documentImageOf(identifier);
      if (!image) return;
      const { kind, side } = image;
      // A custom record has only a front image, so no other image joins it.
      let document = findDocumentToJoin(database, { entity, kind, side });
      if (document === undefined) {
        document = newId('document', random, (id) => isDocumentId(database, id));
        const onboarding_id = openOnboarding(database, entity) ?? null;
        DOCUMENTS.insert(database, { id: document, entity, kind, onboarding_id, created_at: at });
      }
      IMAGES.insert(database, { document, side, identifier, version });
    },

    removed(database, { id: entity }, { identifier, version }) {
      if (!documentImageOf(identifier)) return;
      deleteImage(database, { entity, identifier, version });
      deleteEmptyDocuments(database, entity);
    },

    purged(database, { id: entity }, identifier) {
      if (!documentImageOf(identifier)) return;
      deleteImagesOf(database, entity, identifier);
      deleteEmptyDocuments(database, entity);
    },
  };

  return {
    list,
    listener,
    handlers: {
      ...forBusinessesToo({
        'GET /users/{fp_id}/documents': ({ entity, query }) => answer(list(context.database, entity, query)),
      }),
      'GET /users/{fp_id}/liveness': ({ entity }) => {
        const checks = list(context.database, entity)
          .filter(({ images }) => images.selfie !== undefined)
          .map(({ id: document_id, created_at: timestamp, onboarding_id }) => ({
            timestamp,
            document_id,
            onboarding_id,
          }));
        return answer(checks);
      },
    } satisfies Handlers<Extract<EndpointKey, `${string} /${string}/${'documents' | 'liveness'}`>>,
  };
}

/** The record of these images, at least one. */
function documentView(images: readonly ImageRow[]): DocumentRecord {
  const [first] = images;
  if (!first) throw new Error('a document record without images');
  const isOnlySelfie = images.every(({ side }) => side === 'selfie');
  const inOrder = DOCUMENT_SIDES.flatMap((side) => images.filter((image) => image.side === side));
  return {
    id: first.id,
    created_at: timestamp(first.created_at),
    document_type: isOnlySelfie ? 'selfie' : first.kind,
    onboarding_id: first.onboarding_id ?? '',
    images: Object.fromEntries(
      inOrder.map(({ side, identifier, version }) => [side, { identifier, version }]),
    ),
  };
}
