/** One run of `kyclone bank import`: reads the statement and sends the new rows. */
import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string, custom } from '@oclif/core/flags';
import type { Client } from '../../../client/client.ts';
import { CURRENCY } from '../facts.ts';
import {
  ACCOUNT_HINT,
  assignAccounts,
  DUPLICATES,
  DUPLICATES_HINT,
  settleRepeats,
  unknownRows,
  type Duplicates,
} from './statements/accounts.ts';
import { readIsoDate, type DateReader, dateReader } from './statements/cells.ts';
import { dateHint, readCsv } from './statements/csv.ts';
import { readOfx } from './statements/ofx.ts';
import { previewOf } from './statements/preview.ts';
import {
  mistakesOf,
  requireConnected,
  rowsRefused,
  statementRefused,
  numberRows,
  type Mistake,
  type RowReading,
  type StatementRow,
} from './statements/rows.ts';
import {
  STATEMENT_FORMATS,
  readJson,
  checkSize,
  readStatement,
  type StatementFile,
  type StatementFormat,
} from './statements/statement-file.ts';
import { type ImportSummary, importView, summarize } from './statements/summary.ts';
import { parseColumnNames, DIRECTIONS_HINT, type ColumnNames } from './statements/columns.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import { liveFlag, repeatable } from '../../../cli/shell/flags.ts';

interface ImportOrder {
  readonly linkId: string;
  /** A path, or `-` for stdin. */
  readonly file: string;
  readonly format: StatementFormat | undefined;
  /** For rows that name no account. */
  readonly accountId: string | undefined;
  readonly currency: string | undefined;
  readonly columns: ColumnNames;
  /** Undefined means ISO dates. */
  readonly readDate: DateReader | undefined;
  readonly hasDecimalComma: boolean;
  readonly duplicates: Duplicates | undefined;
  readonly isDryRun: boolean;
}

/**
 * Imports all transactions of a statement, or none. The daemon checks the rows. If the file contains mistakes, or on
 * a dry run, it only checks them. Throws a refusal that names places in the file.
 */
async function importStatement(client: Client, order: ImportOrder): Promise<ImportSummary> {
  const statement = await readStatement(order.file, order.format);
  requireCsv(statement, order);
  const reading = readRows(statement, order);
  const params = { link_id: order.linkId };
  const { accounts } = await client.call('GET /bank_links/{link_id}/accounts', { params });
  const assigned = assignAccounts(reading.rows, { accounts, chosen: order.accountId });
  const numbered = numberRows(assigned).map((row) => withCurrency(row, order.currency));
  const { rows, mistakes: repeats } = settleRepeats(numbered, order.duplicates);
  const accountIds = new Set(accounts.map(({ id }) => id));
  const unknown = await unknownRows(client, rows, { link: order.linkId, accountIds });
  const mistakes = [...reading.mistakes, ...repeats];
  const { columnOf } = reading;
  try {
    checkSize(unknown);
  } catch (error) {
    // What the reader found is reported first: a file that is split would have the same mistakes.
    if (mistakes.length === 0) throw error;
    const found = inOrder(mistakes);
    throw rowsRefused(found, { hint: hintFor(found, { statement, order }), columnOf });
  }
  const isTrial = order.isDryRun || mistakes.length > 0;
  const refused = unknown.length === 0 ? [] : await send(client, { params, rows: unknown, isTrial });
  const all = inOrder(joined(mistakes, refused));
  if (all.length > 0) throw rowsRefused(all, { hint: hintFor(all, { statement, order }), refused, columnOf });
  if (rows.length === 0) throw statementRefused('The file contains no transactions');
  if (unknown.length === 0) requireConnected(await client.call('GET /bank_links/{link_id}', { params }));
  const known = rows.length - unknown.length;
  const skipped = order.duplicates === 'skip' ? numbered.length - rows.length : undefined;
  const { isDryRun } = order;
  const preview = isDryRun ? await previewOf(client, unknown, { link: order.linkId, accounts }) : undefined;
  return summarize(rows, { known, isDryRun, skipped, preview });
}

/** Throws UsageError for a flag that a file of this format would not heed. */
function requireCsv({ format }: StatementFile, { columns, readDate, hasDecimalComma }: ImportOrder): void {
  if (format === 'csv') return;
  const given = {
    columns: columns.size > 0,
    'date-format': readDate !== undefined,
    'decimal-comma': hasDecimalComma,
  };
  const ignored = Object.entries(given).find(([, isGiven]) => isGiven);
  if (ignored)
    throw new UsageError(
      `--${ignored[0]} is for CSV, and FILE is read as ${format.toUpperCase()}`,
      'leave it out, or give --format csv',
    );
}

function readRows({ format, text }: StatementFile, order: Omit<ImportOrder, 'linkId' | 'file'>): RowReading {
  switch (format) {
    case 'csv':
      return readCsv(text, { ...order, readDate: order.readDate ?? readIsoDate });
    case 'ofx':
      return readOfx(text, { currency: order.currency, mayLackId: order.duplicates !== undefined });
    case 'json':
      return readJson(text);
  }
}

/** The mistakes that the daemon reports; none if it imported the rows, or would import them. */
async function send(
  client: Client,
  {
    params,
    rows,
    isTrial,
  }: {
    readonly params: { readonly link_id: string };
    readonly rows: readonly StatementRow[];
    readonly isTrial: boolean;
  },
): Promise<Mistake[]> {
  const query = isTrial ? { dry_run: true } : {};
  const body = { transactions: rows.map(({ members }) => members) };
  try {
    await client.call('POST /bank_links/{link_id}/import/transactions', { params, query, body });
    return [];
  } catch (error) {
    return mistakesOf(error, rows);
  }
}

/** The mistakes of the file's reader, plus those that the daemon reports for other members. */
function joined(mistakes: readonly Mistake[], refused: readonly Mistake[]): Mistake[] {
  const known = new Set(mistakes.map(({ place, member }) => `${place} ${member ?? ''}`));
  return [...mistakes, ...refused.filter(({ place, member }) => !known.has(`${place} ${member ?? ''}`))];
}

function withCurrency(row: StatementRow, currency: string | undefined): StatementRow {
  const isOwn = row.members['currency'] !== undefined && row.members['currency'] !== null;
  return isOwn || currency === undefined ? row : { ...row, members: { ...row.members, currency } };
}

/** Sorts by place; within a place, in the order found. */
function inOrder(mistakes: readonly Mistake[]): Mistake[] {
  return [...mistakes].sort((one, other) => one.place.localeCompare(other.place, 'en', { numeric: true }));
}

/** The hint that would fix most mistakes. */
function hintFor(
  mistakes: readonly Mistake[],
  { statement, order }: { readonly statement: StatementFile; readonly order: ImportOrder },
): string | undefined {
  const isWrong = (member: string) => mistakes.some((mistake) => mistake.member === member);
  if (isWrong('date') && statement.format === 'csv')
    return dateHint(statement.text, { ...order, readDate: order.readDate ?? readIsoDate });
  if (isWrong('account_id') && order.accountId === undefined) return ACCOUNT_HINT;
  if (isWrong('transaction_id') && order.duplicates === undefined && hasRepeats(mistakes, statement))
    return DUPLICATES_HINT;
  if (statement.format !== 'csv') return undefined;
  if (isWrong('type')) return DIRECTIONS_HINT;
  const unneeded = (['transaction_id', 'datetime', 'pending'] as const).find(isWrong);
  return unneeded === undefined ? undefined : `--columns ${unneeded}= ignores that column`;
}

/** Whether an id repeats, or an OFX file lacks one. */
function hasRepeats(mistakes: readonly Mistake[], { format }: StatementFile): boolean {
  return format === 'ofx' || mistakes.some(({ reason }) => reason.startsWith('is that of '));
}

const importFlags = {
  duplicates: option({
    summary:
      'rows with the id of an earlier row, or OFX transactions without one: skip the later ones, or keep all ' +
      '(default: nothing is imported)',
    options: DUPLICATES,
  })(),
  columns: string({
    summary:
      'CSV: titles of the columns, such as date=Datum,amount=Betrag; an empty title leaves the member out; ' +
      'type=NAME:debit=WORD,credit=WORD gives the words of a column of directions; repeatable',
    helpValue: 'MEMBER=NAME',
    ...repeatable,
  }),
  'date-format': custom<DateReader>({
    summary: 'CSV: how dates are written, such as MM/DD/YYYY (default: YYYY-MM-DD)',
    helpValue: 'FORMAT',
    parse: (text) => {
      const read = dateReader(text);
      if (read !== undefined) return Promise.resolve(read);
      const message = '--date-format takes a year, a month and a day, each once, such as DD.MM.YYYY';
      return Promise.reject(
        new UsageError(message, 'YYYY, YY, MM, M, MMM, DD, D; HH, mm and ss are ignored'),
      );
    },
  })(),
  'decimal-comma': boolean({ summary: 'CSV: amounts are written 1.234,56' }),
  currency: string({
    summary: 'the currency of rows that name none, such as EUR (default: USD)',
    helpValue: 'CODE',
    parse: (text) =>
      CURRENCY.test(text)
        ? Promise.resolve(text)
        : Promise.reject(new UsageError('--currency takes three capital letters, such as EUR')),
  }),
};

class BankImport extends BaseCommand<ImportSummary> {
  static override summary = 'Import the transactions of a statement: CSV, OFX or JSON; all of them or none';
  static override description =
    'Mistakes in the file are reported line by line, without values, and then nothing is imported. A CSV file has a ' +
    'header; its columns are found by title, or with --columns. OFX transactions go to the account whose mask is the ' +
    'end of the number in the file; their ids are made of the account and FITID. A statement can be imported again: a ' +
    'row with an id replaces the one with this id, and a row without an id that equals an existing one is not added.';
  static override examples = [
    'link_… statement.ofx --dry-run',
    'A CSV file of another country:\nlink_… umsaetze.csv --columns ' +
      'date=Datum,amount=Betrag,description=Text --date-format DD.MM.YYYY --decimal-comma --account ' +
      'acct_…',
  ];
  static override args = {
    link_id: stringArg({ description: 'id of the link (link_…)', required: true }),
    file: stringArg({ description: 'path of the statement, or - for stdin', required: true }),
  };
  static override flags = {
    account: string({ summary: 'the account of rows that name none', helpValue: 'ID' }),
    format: option({
      summary: 'what the file is (default: by its extension, else by its content)',
      options: STATEMENT_FORMATS,
    })(),
    'dry-run': boolean({
      summary:
        'check the rows and show what would be imported, the first rows with sign and balance; nothing is',
    }),
    ...importFlags,
    ...liveFlag,
  };

  async run(): Promise<ImportSummary> {
    const { args, flags } = await this.parse(BankImport);
    const summary = await importStatement(this.client, {
      linkId: args.link_id,
      file: args.file,
      format: flags.format,
      accountId: flags.account,
      currency: flags.currency,
      columns: parseColumnNames(flags.columns ?? []),
      readDate: flags['date-format'],
      hasDecimalComma: flags['decimal-comma'],
      duplicates: flags.duplicates,
      isDryRun: flags['dry-run'],
    });
    return this.present(summary, importView);
  }
}

export default { 'bank:import': BankImport };
