export { noteHandlers } from './handlers.ts';
export { createNotes, type Note, type Notes } from './service.ts';
