import { answer, type Handlers } from '../handlers.ts';
import type { Reset } from './service.ts';

export { createReset, type Reset } from './service.ts';

export function resetHandlers(reset: Reset): Handlers<'POST /_kyclone/reset'> {
  return {
    'POST /_kyclone/reset': async ({ body, requestId }) => answer(await reset({ ...body, requestId })),
  };
}
