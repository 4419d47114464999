export { bankLinkHandlers } from './handlers.ts';
export { createBankLinks, type BankLinks } from './service.ts';
