/** Statements as OFX, 1.x and 2.x: the transactions of bank accounts and credit cards, of any number of statements. */
import { parseSync } from 'ofx-js';
import { parseDate } from '../../../kernel/civil-date.ts';
import { readAmount } from './amounts.ts';
import { readIsoDate } from './dates.ts';
import { statementRefused } from './failures.ts';
import { asXml } from './ofx-markup.ts';
import { onOneLine, type Mistake, type Reading, type StatementRow } from './rows.ts';

type Aggregate = Readonly<Record<string, unknown>>;

/** Where statements stand: messages, answers, the statement, whose it is. */
const STATEMENTS = [
  ['BANKMSGSRSV1', 'STMTTRNRS', 'STMTRS', 'BANKACCTFROM'],
  ['CREDITCARDMSGSRSV1', 'CCSTMTTRNRS', 'CCSTMTRS', 'CCACCTFROM'],
] as const;

const DATE_TIME =
  /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2})?(?:\.(\d{1,3}))?)? ?(?:\[([+-]?)(\d{1,2})(?:\.(\d{1,2}))?(?::[^\]]*)?\])?$/;
/** Hours may have a fraction; some write minutes there. */
const MINUTES: Readonly<Record<string, string>> = {
  ...{ '': '00', '0': '00', '00': '00', '25': '15', '5': '30', '50': '30', '75': '45' },
  ...{ '30': '30', '45': '45' },
};

/** Throws a refusal for a file that is no such document, or has no statement of a bank account or a card. */
export function readOfx(text: string): Reading {
  const document = parseSync(asXml(text)).OFX as unknown;
  const statements = STATEMENTS.flatMap(([messages, answer, statement, owner]) =>
    within(within(within([document], messages), answer), statement).map((one) => ({ one, owner })),
  );
  if (statements.length === 0) {
    throw statementRefused('The file holds no statement of a bank account or a credit card');
  }
  const rows: StatementRow[] = [];
  const mistakes: Mistake[] = [];
  for (const { one, owner } of statements) {
    const bankAccount = within([one], owner).map((account) => textOf(account, 'ACCTID'))[0] ?? '';
    for (const transaction of within(within([one], 'BANKTRANLIST'), 'STMTTRN')) {
      const place = `transaction ${rows.length + 1}`;
      const read = readTransaction(transaction, textOf(one, 'CURDEF'));
      mistakes.push(...read.mistakes.map((mistake) => ({ ...mistake, place })));
      rows.push({ place, bankAccount, fitId: read.fitId, members: read.members });
    }
  }
  return { rows, mistakes };
}

function readTransaction(transaction: Aggregate, currencyOfStatement: string) {
  const text = (name: string) => textOf(transaction, name);
  const wrong: Omit<Mistake, 'place'>[] = [];
  const amount = amountText(text('TRNAMT'));
  if (amount === undefined) wrong.push({ member: 'amount', reason: 'TRNAMT must be an amount' });
  const posted = postingTime(text('DTPOSTED'));
  if (posted === undefined) wrong.push({ member: 'date', reason: 'DTPOSTED must be a date' });
  const fitId = text('FITID');
  if (fitId === '') wrong.push({ member: 'transaction_id', reason: 'FITID is missing' });
  const names = [text('NAME'), ...within([transaction], 'PAYEE').map((payee) => textOf(payee, 'NAME'))];
  const [description, rest] = [...names, text('MEMO')].filter((one) => one !== '');
  const check = text('CHECKNUM');
  const named = description ?? (check === '' ? '' : `Check ${check}`);
  if (named === '') wrong.push({ member: 'description', reason: 'NAME and MEMO are missing' });
  const currency = within([transaction], 'CURRENCY').map((one) => textOf(one, 'CURSYM'))[0] ?? '';
  const members = {
    ...(amount !== undefined && { amount }),
    ...posted,
    ...(named !== '' && { description: named }),
    ...(rest !== undefined && { raw_description: rest }),
    ...textMember('currency', currency === '' ? currencyOfStatement : currency),
  };
  return { members, fitId: fitId === '' ? undefined : fitId, mistakes: wrong };
}

/** A decimal with a point or a comma, as OFX has them: no groups, no currency. */
function amountText(text: string): string | undefined {
  if (!/^[+-]?(?:\d+(?:[.,]\d+)?|[.,]\d+)$/.test(text)) return undefined;
  return readAmount(text.replace(',', '.').replace(/^\+/, ''), false)?.text;
}

/**
 * The date of the file, and the moment where it tells the time: `20260131120000[-5:EST]`. A time without an offset is
 * Greenwich's, as OFX has it.
 */
function postingTime(text: string): { date: string; datetime?: string } | undefined {
  const [match, year, month, day, hour, minute, second = '00', fraction, sign, hours, part = ''] =
    DATE_TIME.exec(text) ?? [];
  const date = `${year ?? ''}-${month ?? ''}-${day ?? ''}`;
  if (match === undefined || parseDate(date) === undefined) return undefined;
  if (hour === undefined) return { date };
  const time = `${date}T${hour}:${minute ?? ''}:${second}${fraction === undefined ? '' : `.${fraction}`}`;
  const minutes = MINUTES[part] ?? '';
  const offset =
    hours === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${hours.padStart(2, '0')}:${minutes}`;
  const datetime = time + offset;
  return readIsoDate(datetime) === datetime ? { date, datetime } : undefined;
}

function textMember(name: string, text: string): Record<string, string> {
  return text === '' ? {} : { [name]: text };
}

/** The aggregates of a name in these; the parser makes a list of what comes twice only. */
function within(aggregates: readonly unknown[], name: string): Aggregate[] {
  return aggregates.filter(isAggregate).flatMap((aggregate) => {
    const found = aggregate[name];
    return (Array.isArray(found) ? (found as unknown[]) : [found]).filter(isAggregate);
  });
}

function isAggregate(value: unknown): value is Aggregate {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(aggregate: Aggregate, name: string): string {
  const value = aggregate[name];
  const first = Array.isArray(value) ? (value as unknown[])[0] : value;
  return typeof first === 'string' ? onOneLine(first) : '';
}
