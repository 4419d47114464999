import type { ActionDefinition } from './definition.ts';

export const trigger: ActionDefinition = {
  name: 'trigger',
  label: 'trigger',
  subject: () => undefined,
  needs: 'not built yet',
  fields: () => [],
  confirm: () => [],
  perform: () => Promise.reject(new Error('not built yet')),
};
