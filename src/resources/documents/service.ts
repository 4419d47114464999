/**
 * Document records group the images of a vault, each with its vault version (contract §5). They are updated in the
 * write jobs of the vault, so that records and images never disagree.
 */
import type { AnswerOf } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { Randomness } from '../../kernel/random.ts';
import type { Database } from '../../storage/database.ts';
import type { FileListener } from '../../vault/files/file-listener.ts';
import { documentImageOf, SIDES } from './document-image.ts';
import {
  deleteEmptyDocuments,
  deleteImage,
  deleteImagesOf,
  findDocumentToJoin,
  insertDocument,
  insertImage,
  isDocumentId,
  listImages,
  type ImageRow,
} from './repository.ts';

export type DocumentRecord = AnswerOf<'GET /users/{fp_id}/documents'>[number];

export interface Documents {
  readonly listener: FileListener;
  /** Newest first, ties by id descending; empty for an onboarding of another entity. */
  list(
    database: Database,
    entity: { readonly id: number },
    filter?: { readonly onboarding_id?: string },
  ): DocumentRecord[];
}

export function createDocuments(context: {
  random: Randomness;
  /** The open onboarding of the entity with this row id. */
  openOnboarding: (database: Database, entity: number) => string | undefined;
}): Documents {
  const { random, openOnboarding } = context;
  return {
    listener: {
      stored(database, { id: entity }, { identifier, version, at }) {
        const image = documentImageOf(identifier);
        if (!image) return;
        const { kind, side } = image;
        // A custom record has only a front image, so no other image joins it.
        let document = findDocumentToJoin(database, { entity, kind, side });
        if (document === undefined) {
          document = newId('document', random, (id) => isDocumentId(database, id));
          const onboarding_id = openOnboarding(database, entity) ?? null;
          insertDocument(database, { id: document, entity, kind, onboarding_id, created_at: at });
        }
        insertImage(database, { document, side, identifier, version });
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
    },

    list(database, entity, { onboarding_id } = {}) {
      const byRecord = new Map<string, ImageRow[]>();
      for (const row of listImages(database, {
        entity: entity.id,
        onboarding_id: onboarding_id ?? null,
      })) {
        const images = byRecord.get(row.id);
        if (images) images.push(row);
        else byRecord.set(row.id, [row]);
      }
      return [...byRecord.values()].map(documentView);
    },
  };
}

/** The record of these images, at least one. */
function documentView(images: readonly ImageRow[]): DocumentRecord {
  const [first] = images;
  if (!first) throw new Error('a document record without images');
  const isOnlySelfie = images.every(({ side }) => side === 'selfie');
  const inOrder = SIDES.flatMap((side) => images.filter((image) => image.side === side));
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
