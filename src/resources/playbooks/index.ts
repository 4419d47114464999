export { playbookHandlers } from './handlers.ts';
export type { PlaybookRow } from './repository.ts';
export { createPlaybooks, type Playbooks } from './service.ts';
