export { createJournal, type Journal, type JournalEntry } from './journal.ts';
export { maskedAnswer, maskedRequest } from './masked-body.ts';
export { requestHandlers } from './handlers.ts';
