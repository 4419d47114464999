import type { Database } from '../../storage/database.ts';
import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import type { Owners } from './service.ts';

export { createOwners, type Owner, type Owners } from './service.ts';

export function ownerHandlers(context: {
  database: Database;
  owners: Owners;
}): Handlers<KeysUnder<'/businesses/{fp_bid}/owners'>> {
  const { database, owners } = context;
  return {
    'GET /businesses/{fp_bid}/owners': ({ entity, query }) => answer(owners.list(database, entity, query)),
    'POST /businesses/{fp_bid}/owners': async ({ entity, body }) => {
      await owners.add(entity, body);
      return answer({});
    },
    'DELETE /businesses/{fp_bid}/owners/{fp_id}': async ({ entity, params }) => {
      await owners.remove(entity, params.fp_id);
      return answer({});
    },
  };
}
