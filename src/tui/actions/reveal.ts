import type { ActionDefinition } from './definition.ts';

export const reveal: ActionDefinition = {
  name: 'reveal',
  label: 'reveal',
  subject: () => undefined,
  needs: 'not built yet',
  fields: () => [],
  confirm: () => [],
  perform: () => Promise.reject(new Error('not built yet')),
};
