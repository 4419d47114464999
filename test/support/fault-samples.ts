/** A successful request for every endpoint of the fault rules. */
import type { TestService } from './service.ts';

interface Stage {
  readonly service: TestService;
}

const A_RULE = { match: { path: '/nowhere/**' }, status: 503 };

const ofRule = async ({ service }: Stage) => ({
  params: { id: (await service.call('POST /_kyclone/faults', { body: A_RULE })).body.id },
  body: undefined,
});

export const faultSamples = {
  'POST /_kyclone/faults': () => ({ params: {}, body: A_RULE }),
  'GET /_kyclone/faults/{id}': ofRule,
  'DELETE /_kyclone/faults/{id}': ofRule,
  'DELETE /_kyclone/faults': () => ({ params: {}, body: undefined }),
};
