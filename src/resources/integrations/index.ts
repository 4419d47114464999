import { SIMULATED_HEADER } from '../../contract/facts/requests.ts';
import type { EndpointKey } from '../../contract/registry.ts';
import { answer, DEPRECATED, type Handlers } from '../handlers.ts';
import type { Integrations, PartnerResult } from './service.ts';

export { createIntegrations, type Integrations } from './service.ts';

const marked = ({ simulated }: PartnerResult) => (simulated ? { [SIMULATED_HEADER]: 'true' } : {});

export function integrationHandlers(
  integrations: Integrations,
): Handlers<Extract<EndpointKey, `${string}/integrations/${string}`>> {
  return {
    'POST /users/{fp_id}/integrations/{partner_a}/cip_report': async ({ body, ...call }) =>
      answer(await integrations.report(call, body)),
    'POST /users/{fp_id}/integrations/{partner_b}/cip': async ({ body, ...call }) => {
      const result = await integrations.forward(call, body);
      return answer(result.answer, marked(result));
    },
    'POST /users/{fp_id}/integrations/{partner_b}/account': async ({ body, ...call }) => {
      const result = await integrations.openAccount(call, body);
      return answer(result.answer, { ...DEPRECATED, ...marked(result) });
    },
  };
}
