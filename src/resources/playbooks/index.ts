export { playbookHandlers } from './handlers.ts';
export { createPlaybooks, type PlaybookRow, type Playbooks } from './service.ts';
