import type { ActionDefinition } from './definition.ts';

export const resend: ActionDefinition = {
  name: 'resend',
  label: 'resend',
  subject: () => undefined,
  needs: 'not built yet',
  fields: () => [],
  confirm: () => [],
  perform: () => Promise.reject(new Error('not built yet')),
};
