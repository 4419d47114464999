/**
 * Transactions, holdings and investment transactions for people. Amounts stay the texts that they came as: a sign for
 * the direction and marks for the thousands are put to them, nothing is reckoned.
 */
import type { BankAccount, BankTransaction, Holding, InvestmentTransaction, Security } from '../../contract/bank-links.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { SCREEN_WIDTH, shortened, table, type Painted } from '../layout.ts';
import { displayWidth, printable, type Style } from '../output.ts';

/** What a line says, whatever it is about. */
export interface LedgerRow {
  readonly date: string;
  /** With its sign, and the currency. */
  readonly amount: string;
  readonly account_id: string;
  readonly isPending: boolean;
  readonly what: string;
}
