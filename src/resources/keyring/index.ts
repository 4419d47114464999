import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import type { KeyringOperations } from './service.ts';

export { createKeyringOperations, type KeyringOperations } from './service.ts';

export function keyringHandlers(keyring: KeyringOperations): Handlers<KeysUnder<'/_kyclone/keyring'>> {
  return {
    'GET /_kyclone/keyring': () => answer(keyring.describe()),
    'POST /_kyclone/keyring/rotate': async ({ query }) =>
      answer(await keyring.rotate({ wait: query.wait ?? false })),
    'POST /_kyclone/keyring/slots': async ({ body }) => answer(await keyring.addSlot(body)),
    'DELETE /_kyclone/keyring/slots/{id}': async ({ params }) => {
      await keyring.removeSlot(params.id);
      return answer({});
    },
  };
}
