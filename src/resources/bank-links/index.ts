import type { EndpointKey } from '../../contract/registry.ts';
import { answer, linkByHost, type Handlers, type KeysUnder } from '../handlers.ts';
import type { BankLinks } from './service.ts';

export { getLink } from './get-link.ts';
export type { BankPages } from './pages.ts';
export { isWhole, requireChoice, type BankChoice, type BankChoices } from './choice.ts';
export { loadBankSimulations } from './simulations.ts';
export { createBankLinks, type BankLinks } from './service.ts';

type BankLinkKeys =
  | KeysUnder<'/bank_links'>
  | Extract<
      EndpointKey,
      'GET /_kyclone/bank_links' | 'POST /_kyclone/bank_link_intents' | 'GET /_kyclone/personas'
    >;

export function bankLinkHandlers(links: BankLinks): Handlers<BankLinkKeys> {
  return {
    'GET /bank_links': ({ caller, query }) => answer(links.list(caller, query)),
    'POST /bank_links': async ({ caller, body }) => answer(await links.connect(caller, body)),
    'GET /bank_links/{link_id}': ({ caller, params }) => answer(links.get(caller, params.link_id)),
    'DELETE /bank_links/{link_id}': async ({ caller, params }) => {
      await links.remove(caller, params.link_id);
      return answer({});
    },
    'GET /bank_links/{link_id}/accounts': ({ caller, params }) =>
      answer(links.accounts(caller, params.link_id)),
    'GET /bank_links/{link_id}/transactions': ({ caller, params, query }) =>
      answer(links.transactions(caller, params.link_id, query)),
    'GET /bank_links/{link_id}/investments/holdings': ({ caller, params, query }) =>
      answer(links.holdings(caller, params.link_id, query)),
    'GET /bank_links/{link_id}/investments/transactions': ({ caller, params, query }) =>
      answer(links.investmentTransactions(caller, params.link_id, query)),
    'POST /bank_links/{link_id}/data_refresh': async ({ caller, params, body }) => {
      await links.refresh(caller, params.link_id, body);
      return answer({});
    },
    'POST /bank_links/{link_id}/import/transactions': async ({ caller, params, query, body }) => {
      await links.import(caller, params.link_id, { ...body, isDryRun: query.dry_run === true });
      return answer({});
    },
    'POST /bank_links/{link_id}/reset': async ({ caller, params }) => {
      await links.disconnect(caller, params.link_id);
      return answer({});
    },
    'GET /_kyclone/bank_links': ({ query }) => answer(links.inspect(query)),
    'POST /_kyclone/bank_link_intents': async (request) =>
      answer(linkByHost(request, await links.intend(request.body))),
    'GET /_kyclone/personas': async () => answer(await links.personas()),
  };
}
