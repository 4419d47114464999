import type { ActionDefinition } from './definition.ts';

export const save: ActionDefinition = {
  name: 'save',
  label: 'save',
  subject: () => undefined,
  needs: 'not built yet',
  fields: () => [],
  confirm: () => [],
  perform: () => Promise.reject(new Error('not built yet')),
};
