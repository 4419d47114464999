export { playbookChoices } from './choices.ts';
export { KEY_PREFIX } from './defaults.ts';
export { playbookHandlers } from './handlers.ts';
export { findPlaybook, type PlaybookRow } from './repository.ts';
export { createPlaybooks, type Playbooks } from './service.ts';
