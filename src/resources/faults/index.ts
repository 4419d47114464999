import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import type { Faults } from './service.ts';

export { createFaults, type FaultedRequest, type FaultRule, type Faults } from './service.ts';

export function faultHandlers(faults: Faults): Handlers<KeysUnder<'/_kyclone/faults'>> {
  return {
    'GET /_kyclone/faults': ({ query }) => answer(faults.list(query)),
    'POST /_kyclone/faults': async ({ body }) => answer(await faults.create(body)),
    'GET /_kyclone/faults/{id}': ({ params }) => answer(faults.get(params.id)),
    'DELETE /_kyclone/faults/{id}': async ({ params }) => {
      await faults.remove(params.id);
      return answer({});
    },
    'DELETE /_kyclone/faults': async () => {
      await faults.clear();
      return answer({});
    },
  };
}
