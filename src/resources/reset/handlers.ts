import { answer, type Handlers } from '../handlers.ts';
import { resetInstance, type ResetContext } from './service.ts';

export function resetHandlers(context: ResetContext): Handlers<'POST /_kyclone/reset'> {
  return {
    'POST /_kyclone/reset': async ({ body }) => answer(await resetInstance(context, body ?? {})),
  };
}
