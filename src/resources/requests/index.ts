export { createJournal, type Journal, type JournalEntry } from './journal.ts';
export { maskedBody } from './masked-body.ts';
export { requestHandlers } from './handlers.ts';
