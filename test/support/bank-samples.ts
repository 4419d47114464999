/**
 * A successful request for every endpoint of the banks, and a request that causes each error that the endpoint
 * declares.
 */
import { bankOf } from './bank-links.ts';
import type { LooseParts, TestService } from './service.ts';

interface Stage {
  readonly service: TestService;
  readonly user: string;
}

async function intent({ service, user }: Stage): Promise<string> {
  return (await bankOf(service).intent(user)).intent_token;
}

const ofLink = async ({ service, user }: Stage) => ({
  params: { link_id: (await bankOf(service).link(user)).id },
  body: undefined,
});

/** A request about a link that was disconnected. */
const disconnected =
  (body: unknown) =>
  async (stage: Stage): Promise<LooseParts> => {
    const { params } = await ofLink(stage);
    await bankOf(stage.service).reset(params.link_id);
    return { params, body };
  };

const aRow = (account_id: string) => ({
  account_id,
  amount: '-12.50',
  date: '2026-02-27',
  description: 'Lunch',
});

async function anImport(stage: Stage) {
  const { params } = await ofLink(stage);
  const [account] = await bankOf(stage.service).accounts(params.link_id);
  return { params, body: { transactions: [aRow(account?.id ?? '')] } };
}

const PRODUCTS = { products: ['transactions' as const] };

export const bankSamples = {
  'GET /bank_links': async (stage: Stage) => {
    await ofLink(stage);
    return { params: {}, body: undefined };
  },
  'GET /_kyclone/bank_links': async (stage: Stage) => {
    await ofLink(stage);
    return { params: {}, body: undefined, query: { state: 'connected' as const } };
  },
  'POST /bank_links': async (stage: Stage) => ({
    params: {},
    body: { intent_token: await intent(stage), external_id: 'link-1' },
  }),
  'GET /bank_links/{link_id}': ofLink,
  'DELETE /bank_links/{link_id}': ofLink,
  'GET /bank_links/{link_id}/accounts': ofLink,
  'GET /bank_links/{link_id}/transactions': ofLink,
  'GET /bank_links/{link_id}/investments/holdings': ofLink,
  'GET /bank_links/{link_id}/investments/transactions': ofLink,
  'POST /bank_links/{link_id}/data_refresh': async (stage: Stage) => ({
    ...(await ofLink(stage)),
    body: PRODUCTS,
  }),
  'POST /bank_links/{link_id}/import/transactions': anImport,
  'POST /bank_links/{link_id}/reset': ofLink,
  'POST /_kyclone/bank_link_intents': ({ user }: Stage) => ({ params: {}, body: { fp_id: user } }),
};

export const bankProvocations = {
  'GET /_kyclone/bank_links': { not_found: () => ({ query: { tenant: 'nobody' } }) },
  'POST /bank_links': {
    intent_invalid: () => ({ body: { intent_token: 'blit_nobody' } }),
    conflict: async (stage: Stage) => {
      const body = { intent_token: await intent(stage) };
      await stage.service.call('POST /bank_links', { body });
      return { body };
    },
  },
  'POST /bank_links/{link_id}/data_refresh': {
    link_disconnected: disconnected(PRODUCTS),
    rate_limited: async (stage: Stage) => {
      const { params } = await ofLink(stage);
      const { service } = stage;
      await service.call('PATCH /_kyclone/settings', { body: { bank: { refresh_limits: true } } });
      await bankOf(service).refresh(params.link_id, PRODUCTS);
      return { params, body: PRODUCTS };
    },
  },
  'POST /bank_links/{link_id}/import/transactions': {
    link_disconnected: async (stage: Stage) => {
      const sample = await anImport(stage);
      await bankOf(stage.service).reset(sample.params.link_id);
      return sample;
    },
  },
  'POST /_kyclone/bank_link_intents': { not_found: () => ({ body: { fp_id: 'fp_id_nobody' } }) },
};
