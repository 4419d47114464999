export { getLink } from './get-link.ts';
export { bankLinkHandlers } from './handlers.ts';
export { createBankLinks, type BankLinks } from './service.ts';
