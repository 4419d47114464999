export { getLink } from './get-link.ts';
export { bankLinkHandlers } from './handlers.ts';
export type { BankPages } from './pages.ts';
export { isWhole, requireChoice, type BankChoice, type BankChoices } from './choice.ts';
export { loadBankSimulations } from './simulations.ts';
export { createBankLinks, type BankLinks } from './service.ts';
