import { answer, type Handlers, type KeysUnder } from '../handlers.ts';
import type { Playbooks } from './service.ts';

export { playbookChoices } from './choices.ts';
export { KEY_PREFIX } from './defaults.ts';
export { findPlaybook, type PlaybookRow } from './repository.ts';
export { createPlaybooks, type Playbooks } from './service.ts';

export function playbookHandlers(playbooks: Playbooks): Handlers<KeysUnder<'/_kyclone/playbooks'>> {
  return {
    'GET /_kyclone/playbooks': ({ query }) => answer(playbooks.list(query)),
    'POST /_kyclone/playbooks': async ({ query, body }) => answer(await playbooks.create(query, body)),
    'GET /_kyclone/playbooks/{key}': ({ params, query }) => answer(playbooks.get(params.key, query)),
    'PATCH /_kyclone/playbooks/{key}': async ({ params, query, body }) =>
      answer(await playbooks.change(params.key, query, body)),
    'DELETE /_kyclone/playbooks/{key}': async ({ params, query }) => {
      await playbooks.remove(params.key, query);
      return answer({});
    },
  };
}
