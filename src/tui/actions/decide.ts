import type { ActionDefinition } from './definition.ts';

export const decide: ActionDefinition = {
  name: 'decide',
  label: 'decide',
  subject: () => undefined,
  needs: 'not built yet',
  fields: () => [],
  confirm: () => [],
  perform: () => Promise.reject(new Error('not built yet')),
};
