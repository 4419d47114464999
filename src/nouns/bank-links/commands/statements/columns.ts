/** Maps the columns of a CSV file to members of a row: by their titles, or with `--columns`. */
import { IMPORT_MEMBERS, TRANSACTION_TYPES } from '../../facts.ts';
import { UsageError } from '../../../../cli/shell/failure.ts';
import { plainWord, type DirectionWords } from './directions.ts';
import { statementRefused } from './rows.ts';

/** An amount may be split into a pair of columns: debits and credits. */
const COLUMN_MEMBERS = [...IMPORT_MEMBERS, ...TRANSACTION_TYPES] as const;
export type ColumnMember = (typeof COLUMN_MEMBERS)[number];

export type Columns = ReadonlyMap<ColumnMember, number>;

/** Common column titles besides the member's own name. The first one present wins. */
const ALIASES: Readonly<Partial<Record<ColumnMember, readonly string[]>>> = {
  amount: ['transaction_amount'],
  date: [
    'transaction_date',
    'date_of_transaction',
    'posting_date',
    'posted_date',
    'post_date',
    'date_posted',
    'booking_date',
  ],
  description: ['payee', 'name', 'merchant', 'details', 'narrative', 'memo'],
  raw_description: ['original_description', 'memo', 'notes'],
  transaction_id: ['id', 'reference', 'reference_number', 'fitid'],
  type: [
    'debit_credit',
    'debit_or_credit',
    'debit_credit_indicator',
    'credit_debit',
    'credit_or_debit',
    'credit_debit_indicator',
    'cr_dr',
    'dr_cr',
    'd_c',
    'c_d',
    's_h',
    'h_s',
    'd_k',
    'k_d',
    'd_h',
    'soll_haben',
    'af_bij',
    'direction',
    'transaction_type',
  ],
  currency: ['currency_code'],
  pending: ['status'],
  datetime: ['timestamp', 'date_time'],
  debit: ['debit_amount', 'debits', 'withdrawal', 'withdrawals', 'money_out', 'paid_out'],
  credit: ['credit_amount', 'credits', 'deposit', 'deposits', 'money_in', 'paid_in'],
};

/** The names from `--columns`: a member's column, or an empty text to leave the member out. */
export interface ColumnNames extends ReadonlyMap<ColumnMember, string> {
  /** The words of the column of directions; undefined for the known ones. */
  readonly words?: DirectionWords | undefined;
}

/** The words of a column of directions; a comma stands between them as between columns. */
const WORDS = /((?:^|,)\s*type\s*=[^,:]*):(debit|credit)=([^,]*),\s*(debit|credit)=([^,]*)/;
const HALF_OF_WORDS = /(?:^|,)\s*type\s*=[^,:]*:(?:debit|credit)=/;

/** Throws UsageError, which doesn't repeat the input. */
export function parseColumnNames(flags: readonly string[]): ColumnNames {
  const names = new Map<ColumnMember, string>();
  const words: DirectionWords[] = [];
  for (const pair of flags.flatMap((flag) => pairsOf(flag, words))) {
    const [, member, name = ''] = /^\s*(\w+)\s*=(.*)$/.exec(pair) ?? [];
    const known = COLUMN_MEMBERS.find((one) => one === member);
    if (known === undefined) {
      throw new UsageError(
        '--columns takes member=NAME, comma-separated',
        `members: ${COLUMN_MEMBERS.join(', ')}`,
      );
    }
    if (names.has(known)) throw new UsageError(`--columns names ${known} twice`);
    names.set(known, name);
  }
  return Object.assign(names, { words: words[0] });
}

/** The pairs of one flag, without the words of directions, which go to `words`. */
function pairsOf(flag: string, words: DirectionWords[]): string[] {
  const pairs = flag.replace(WORDS, (_, column: string, ...given: [string, string, string, string]) => {
    const [side, word, other, its] = given;
    const isRight = side !== other && plainWord(word) !== plainWord(its);
    if (!isRight || plainWord(word) === '' || plainWord(its) === '') throw wrongWords();
    words.push(side === 'debit' ? { debit: word, credit: its } : { debit: its, credit: word });
    return column;
  });
  if (HALF_OF_WORDS.test(pairs)) throw wrongWords();
  return pairs.split(',');
}

function wrongWords(): UsageError {
  const message = '--columns takes two different words for the directions, one for debit and one for credit';
  return new UsageError(message, DIRECTIONS_HINT);
}

export const DIRECTIONS_HINT =
  '--columns type=NAME:debit=WORD,credit=WORD gives the title of the column of directions and its words';

/**
 * Finds the columns by their header. Throws a refusal that names members only, because the first line of a file
 * without a header contains values.
 */
export function findColumns(header: readonly string[], names: ColumnNames): Columns {
  const titles = header.map(plain);
  const columns = new Map<ColumnMember, number>();
  const taken = new Set<number>();
  const take = (member: ColumnMember, at: number) => {
    columns.set(member, at);
    taken.add(at);
  };
  for (const [member, name] of names) {
    if (name !== '') take(member, namedColumn(titles, member, name));
  }
  for (const member of COLUMN_MEMBERS) {
    if (names.has(member)) continue;
    const at = [member, ...(ALIASES[member] ?? [])]
      .map((title) => onlyColumn(titles, title, member))
      .find((found) => found !== undefined && !taken.has(found));
    if (at !== undefined) take(member, at);
  }
  refuseMissing(columns);
  return columns;
}

/** How many members the header has columns for. The separator that finds most of them is used. */
export function countColumns(header: readonly string[], names: ColumnNames): number {
  const known = new Set([
    ...COLUMN_MEMBERS.flatMap((member) => [member, ...(ALIASES[member] ?? [])]),
    ...[...names.values()].map(plain),
  ]);
  return header.map(plain).filter((title) => title !== '' && known.has(title)).length;
}

function namedColumn(titles: readonly string[], member: ColumnMember, name: string): number {
  const at = onlyColumn(titles, plain(name), member);
  if (at === undefined)
    throw statementRefused(`The file has no column with the name that --columns gives for ${member}`);
  return at;
}

function onlyColumn(titles: readonly string[], title: string, member: ColumnMember): number | undefined {
  const at = titles.indexOf(title);
  if (at === -1) return undefined;
  const other = titles.indexOf(title, at + 1);
  if (other !== -1) {
    throw statementRefused(`Columns ${at + 1} and ${other + 1} have the same title, which fits ${member}`, {
      hint: `give one of them another title, or leave the member out: --columns ${member}=`,
    });
  }
  return at;
}

function refuseMissing(columns: Columns): void {
  const hasAmount = columns.has('amount') || columns.has('debit') || columns.has('credit');
  const missing = [
    ...(['date', 'description'] as const).filter((member) => !columns.has(member)),
    ...(hasAmount ? [] : ['amount']),
  ];
  if (missing.length === 0) return;
  throw statementRefused(`The first line is not a header with columns for: ${missing.join(', ')}`, {
    hint: `--columns ${missing.map((member) => `${member}=NAME`).join(',')} gives their titles`,
  });
}

function plain(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}
