import type { ActionDefinition } from './definition.ts';

export const onboard: ActionDefinition = {
  name: 'onboard',
  label: 'onboard',
  subject: () => undefined,
  needs: 'not built yet',
  fields: () => [],
  confirm: () => [],
  perform: () => Promise.reject(new Error('not built yet')),
};
