import { SIMULATED_HEADER } from '../../contract/facts/requests.ts';
import type { EndpointKey } from '../../contract/registry.ts';
import { answer, type Handlers } from '../handlers.ts';
import type { Integrations } from './service.ts';

export { createIntegrations, type Integrations } from './service.ts';

export function integrationHandlers(
  integrations: Integrations,
): Handlers<Extract<EndpointKey, `${string}/integrations/${string}`>> {
  return {
    'POST /users/{fp_id}/integrations/{partner_a}/cip_report': async ({ body, ...call }) =>
      answer(await integrations.report(call, body)),
    'POST /users/{fp_id}/integrations/{partner_b}/cip': async ({ body, ...call }) => {
      const { answer: given, simulated } = await integrations.forward(call, body);
      return answer(given, simulated ? { [SIMULATED_HEADER]: 'true' } : undefined);
    },
  };
}
