import { ACME } from './people.ts';
import { fact, status, type Step } from './tour.ts';

export const businessSteps: readonly Step[] = [
  {
    title: 'Businesses have vaults too',
    request: () => ({ method: 'POST', path: '/businesses', body: ACME }),
    claims: [
      status(200),
      { says: 'the business has an id', holds: ({ body }) => /^fp_bid_\w{22}$/.test(String(body['id'])) },
    ],
    remember: ({ body }, facts) => facts.set('business', String(body['id'])),
  },
  {
    title: 'They are read in the same way',
    request: (facts) => ({
      method: 'POST',
      path: `/businesses/${fact(facts, 'business')}/vault/decrypt`,
      body: { fields: ['business.tin'], reason: 'demo: tax form', transforms: ['suffix(4)'] },
    }),
    claims: [
      status(200),
      {
        says: 'the last four digits of the tax number come back',
        holds: ({ body }) => body['business.tin'] === ACME['business.tin'].slice(-4),
      },
    ],
  },
];
