import type { EndpointKey } from '../../contract/registry.ts';
import { listParameter } from '../../kernel/list-parameter.ts';
import type { Database } from '../../storage/database.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Duplicates } from './service.ts';

export { createDuplicates, type DuplicateRecord, type Duplicates } from './service.ts';

type DuplicateKeys = Extract<EndpointKey, `${string} /${string}/duplicates`>;

export function duplicateHandlers(context: {
  database: Database;
  duplicates: Duplicates;
}): Handlers<DuplicateKeys> {
  const { database, duplicates } = context;
  return {
    'GET /users/{fp_id}/duplicates': async (request) => {
      const { kinds, ...query } = request.query;
      const words = kinds === undefined ? {} : { kinds: listParameter('kinds', kinds) };
      return answer(await duplicates.compare(database, request, { ...query, ...words }));
    },
  };
}
