/** Bank links (contract §7): how they come and go, what they return, and how that grows. */
import type { AnswerOf } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import { createConnections, type Connections, type ConnectionsContext } from './connecting.ts';
import { createImports, type Imports } from './importing.ts';
import { countAllLinks } from './links-repository.ts';
import { createReadings, type Readings } from './reading.ts';
import { createRefreshes, type Refreshes } from './refreshing.ts';
import { loadBankSimulations } from './simulations.ts';

export interface BankLinks extends Connections, Readings, Refreshes, Imports {
  personas(): Promise<AnswerOf<'GET /_kyclone/personas'>>;
  /** In the write job of a reset, before the entities go and the links with them; returns how many there were. */
  reset(database: Database): number;
}

export function createBankLinks(context: ConnectionsContext): BankLinks {
  return {
    ...createConnections(context),
    ...createReadings({ database: context.queue.database, vault: context.vault }),
    ...createRefreshes(context),
    ...createImports(context),
    async personas() {
      const { personas } = await loadBankSimulations();
      return personas.map(({ name, description }) => ({ name, description, kind: 'bank' }));
    },
    reset: countAllLinks,
  };
}
