/** Bank links (contract §7): assembles their creation, reading, import and refresh. */
import type { AnswerOf } from '../../contract/registry.ts';
import type { Database } from '../../storage/database.ts';
import { createConnections, type BankConnections, type ConnectionsContext } from './connecting.ts';
import { createImports, type Imports } from './importing.ts';
import { countAllLinks, listLinksOfEntity } from './links-repository.ts';
import { createReadings, type Readings } from './reading.ts';
import { createRefreshes, type Refreshes } from './refreshing.ts';
import { choicesOf, type BankChoices } from './choice.ts';
import { createBankPages, type BankPages } from './pages.ts';
import type { EntityRow } from '../entities/index.ts';
import type { PrivateValues } from '../../vault/private-values.ts';
import { loadBankSimulations } from './simulations.ts';

export interface BankLinks extends BankConnections, Readings, Refreshes, Imports {
  personas(): Promise<AnswerOf<'GET /_kyclone/personas'>>;
  /** The pages on which people choose. */
  readonly pages: BankPages;
  choices(suggested: BankChoices['suggested']): Promise<BankChoices>;
  hasConnected(database: Database, entity: EntityRow): boolean;
  /**
   * Call it in the write job of a reset, before the entities and their links are deleted; returns the number of links.
   */
  reset(database: Database): number;
}

export function createBankLinks(
  context: Omit<ConnectionsContext, 'pages'> & { readonly privateValues: PrivateValues },
): BankLinks {
  const { queue, clock, privateValues } = context;
  const pages = createBankPages({ queue, clock, privateValues });
  return {
    pages,
    ...createConnections({ ...context, pages }),
    ...createReadings({ database: queue.database, vault: context.vault }),
    ...createRefreshes(context),
    ...createImports(context),
    async personas() {
      const { personas } = await loadBankSimulations();
      return personas.map(({ name, description }) => ({ name, description, kind: 'bank' }));
    },
    choices: async (suggested) => choicesOf(await loadBankSimulations(), suggested),
    hasConnected: (database, { id }) =>
      listLinksOfEntity(database, id).some(({ state }) => state === 'connected'),
    reset: countAllLinks,
  };
}
