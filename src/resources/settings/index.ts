import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import type { LiveSettings } from './service.ts';

export { createSettings, withAccessOf, type LiveSettings } from './service.ts';

export function settingsHandlers(settings: LiveSettings): Handlers<KeysUnder<'/_kyclone/settings'>> {
  return {
    'GET /_kyclone/settings': () => answer(settings.current),
    'PATCH /_kyclone/settings': async ({ body }) => answer(await settings.merge(body)),
  };
}
