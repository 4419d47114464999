import type { QueryOf } from '../../contract/endpoint.ts';
import type { EndpointKey, Registry } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import type { EntityRow } from '../entities/index.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Documents } from './service.ts';

export { joinOnboarding } from './repository.ts';
export { createDocuments, type DocumentRecord, type Documents } from './service.ts';

type DocumentKeys = Extract<EndpointKey, `${string} /${string}/documents`>;
type List = Registry['GET /users/{fp_id}/documents'];

export function documentHandlers(context: {
  database: Database;
  documents: Documents;
}): Handlers<DocumentKeys> {
  const list = ({ entity, query }: { entity: EntityRow; query: QueryOf<List> }) =>
    answer(context.documents.list(context.database, entity, query));
  return { 'GET /users/{fp_id}/documents': list, 'GET /businesses/{fp_bid}/documents': list };
}
