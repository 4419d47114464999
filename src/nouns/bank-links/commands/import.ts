/**
 * One run of `kyclone bank import`: reads the statement and sends the new rows. Imports all of its transactions, or none
 * with a refusal that names places in the file.
 */
import { string as stringArg } from '@oclif/core/args';
import { boolean, option, string, custom } from '@oclif/core/flags';
import { CURRENCY } from '../facts.ts';
import type { BankAccount } from '../endpoints/records.ts';
import {
  ACCOUNT_HINT,
  assignAccounts,
  DUPLICATES,
  DUPLICATES_HINT,
  settleRepeats,
  unknownRows,
} from './statements/accounts.ts';
import { readIsoDate, type DateReader, dateReader } from './statements/cells.ts';
import { type CsvOptions, dateHint, readCsv } from './statements/csv.ts';
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
} from './statements/statement-file.ts';
import { type ImportSummary, importView, summarize } from './statements/summary.ts';
import { parseColumnNames, DIRECTIONS_HINT } from './statements/columns.ts';
import { defined } from '../../../kernel/defined.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { parsed, UsageError } from '../../../cli/shell/failure.ts';
import { type FlagValues, liveFlag, repeatable } from '../../../cli/shell/flags.ts';

interface ImportFlags extends Partial<FlagValues<typeof importFlags>> {
  /** For rows that name no account. */
  readonly account?: string | undefined;
}

function readRows({ format, text }: StatementFile, csv: CsvOptions, flags: ImportFlags): RowReading {
  switch (format) {
    case 'csv':
      return readCsv(text, csv);
    case 'ofx':
      return readOfx(text, { currency: flags.currency, mayLackId: flags.duplicates !== undefined });
    case 'json':
      return readJson(text);
  }
}

/** The mistakes of the file's reader, plus those that the daemon reports for other members. */
function joined(mistakes: readonly Mistake[], refused: readonly Mistake[]): Mistake[] {
  const known = new Set(mistakes.map(({ place, member }) => `${place} ${member ?? ''}`));
  return [...mistakes, ...refused.filter(({ place, member }) => !known.has(`${place} ${member ?? ''}`))];
}

/** A row that names no currency gets the given one, or else that of its account. */
function withCurrency(
  row: StatementRow,
  { given, accounts }: { given: string | undefined; accounts: readonly BankAccount[] },
): StatementRow {
  const { account_id, currency: own } = row.members;
  const ofAccount = accounts.find(({ id }) => id === account_id)?.balances?.currency;
  return { ...row, members: { ...row.members, ...defined({ currency: own ?? given ?? ofAccount }) } };
}

/** Sorts by place; within a place, in the order found. */
function inOrder(mistakes: readonly Mistake[]): Mistake[] {
  return [...mistakes].sort((one, other) => one.place.localeCompare(other.place, 'en', { numeric: true }));
}

/** The hint that would fix most mistakes. */
function hintFor(
  mistakes: readonly Mistake[],
  { statement, csv, flags }: { statement: StatementFile; csv: CsvOptions; flags: ImportFlags },
): string | undefined {
  const isWrong = (member: string) => mistakes.some((mistake) => mistake.member === member);
  if (isWrong('date') && statement.format === 'csv') return dateHint(statement.text, csv);
  if (isWrong('account_id') && flags.account === undefined) return ACCOUNT_HINT;
  if (isWrong('transaction_id') && flags.duplicates === undefined && hasRepeats(mistakes, statement))
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
    parse: (text) =>
      parsed(
        dateReader(text),
        '--date-format takes a year, a month and a day, each once, such as DD.MM.YYYY',
        'YYYY, YY, MM, M, MMM, DD, D; HH, mm and ss are ignored',
      ),
  })(),
  'decimal-comma': boolean({ summary: 'CSV: amounts are written 1.234,56' }),
  currency: string({
    summary: 'the currency of rows that name none, such as EUR (default: that of the account)',
    helpValue: 'CODE',
    parse: (text) =>
      parsed(CURRENCY.test(text) ? text : undefined, '--currency takes three capital letters, such as EUR'),
  }),
};

/** Flags that a file of another format would not heed. */
const CSV_FLAGS = ['columns', 'date-format', 'decimal-comma'] as const;

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

  /** The daemon checks the rows. If the file contains mistakes, or on a dry run, it only checks them. */
  async run(): Promise<ImportSummary> {
    const { args, flags } = await this.parse(BankImport);
    const { client } = this;
    const params = { link_id: args.link_id };
    const csv: CsvOptions = {
      columns: parseColumnNames(flags.columns ?? []),
      readDate: flags['date-format'] ?? readIsoDate,
      hasDecimalComma: flags['decimal-comma'],
    };
    const statement = await readStatement(args.file, flags.format);
    const ignored = CSV_FLAGS.find((name) => flags[name]);
    if (ignored !== undefined && statement.format !== 'csv')
      throw new UsageError(
        `--${ignored} is for CSV, and FILE is read as ${statement.format.toUpperCase()}`,
        'leave it out, or give --format csv',
      );
    const reading = readRows(statement, csv, flags);
    const { accounts } = await client.call('GET /bank_links/{link_id}/accounts', { params });
    const assigned = assignAccounts(reading.rows, { accounts, chosen: flags.account });
    const numbered = numberRows(assigned).map((row) =>
      withCurrency(row, { given: flags.currency, accounts }),
    );
    const { rows, mistakes: repeats } = settleRepeats(numbered, flags.duplicates);
    const accountIds = new Set(accounts.map(({ id }) => id));
    const unknown = await unknownRows(client, rows, { link: args.link_id, accountIds });
    const mistakes = [...reading.mistakes, ...repeats];
    const refusal = (found: readonly Mistake[], refused: readonly Mistake[] = []) => {
      const all = inOrder(found);
      const { columnOf } = reading;
      return rowsRefused(all, { hint: hintFor(all, { statement, csv, flags }), refused, columnOf });
    };
    try {
      checkSize(unknown);
    } catch (error) {
      // What the reader found is reported first: a file that is split would have the same mistakes.
      throw mistakes.length === 0 ? error : refusal(mistakes);
    }
    const isDryRun = flags['dry-run'];
    const query = isDryRun || mistakes.length > 0 ? { dry_run: true } : {};
    const body = { transactions: unknown.map(({ members }) => members) };
    const refused: Mistake[] = [];
    try {
      if (unknown.length > 0)
        await client.call('POST /bank_links/{link_id}/import/transactions', { params, query, body });
    } catch (error) {
      refused.push(...mistakesOf(error, unknown));
    }
    const all = joined(mistakes, refused);
    if (all.length > 0) throw refusal(all, refused);
    if (rows.length === 0) throw statementRefused('The file contains no transactions');
    if (unknown.length === 0) requireConnected(await client.call('GET /bank_links/{link_id}', { params }));
    const summary = summarize(rows, {
      known: rows.length - unknown.length,
      isDryRun,
      skipped: flags.duplicates === 'skip' ? numbered.length - rows.length : undefined,
      preview: isDryRun ? await previewOf(client, unknown, { link: args.link_id, accounts }) : undefined,
    });
    return this.present(summary, importView);
  }
}

export default { 'bank:import': BankImport };
