/**
 * The direction of an amount in the words of statements. A file whose amounts have no sign gives the direction in a
 * column of its own: that column is read, or the file is refused (contract §7.4). A direction is never guessed.
 */
import type { TransactionType } from '../../facts.ts';

/** The two words of one file, as `--columns type=NAME:debit=WORD,credit=WORD` gives them. */
export type DirectionWords = Readonly<Record<TransactionType, string>>;

/** A debit and its credit, as banks of different countries write them. */
const PAIRS = [
  words('debit', 'credit'),
  words('dr', 'cr'),
  words('d', 'c'),
  words('db', 'cr'),
  words('-', '+'),
  words('dbit', 'crdt'),
  words('debito', 'credito'),
  words('debet', 'credit'),
  words('s', 'h'),
  words('soll', 'haben'),
  words('d', 'k'),
  words('debet', 'kredit'),
  words('af', 'bij'),
  words('d', 'h'),
  words('debe', 'haber'),
  words('cargo', 'abono'),
  words('dare', 'avere'),
  words('withdrawal', 'deposit'),
  words('out', 'in'),
];
const KNOWN: ReadonlyMap<string, TransactionType> = new Map(
  PAIRS.flatMap(({ debit, credit }) => [[debit, 'debit'] as const, [credit, 'credit'] as const]),
);

function words(debit: string, credit: string): DirectionWords {
  return { debit, credit };
}

/** Without case, accents and a full stop at the end. */
export function plainWord(text: string): string {
  return text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[\u2212\u2013]/g, '-')
    .trim()
    .toLowerCase()
    .replace(/(?<=\w)\.$/, '');
}

/** Reads one of the known words, or only the named ones if there are any. Undefined for any other text. */
export function directionOf(text: string, named: DirectionWords | undefined): TransactionType | undefined {
  const word = plainWord(text);
  if (named === undefined) return KNOWN.get(word);
  if (word === plainWord(named.debit)) return 'debit';
  return word === plainWord(named.credit) ? 'credit' : undefined;
}

/** Longer texts are names or remarks. */
const LONGEST_WORD = 32;

/**
 * Whether a column may give directions: `certain` if it contains both words of a pair and no other word; `possible` if
 * it has two values, an empty one included, or known words. Dates and numbers are no directions.
 */
export function directionsIn(cells: readonly string[]): 'certain' | 'possible' | undefined {
  const values = new Set(cells.map(plainWord));
  const written = [...values].filter((value) => value !== '');
  const areWords = written.every((value) => value.length <= LONGEST_WORD && !/\d.*\d/.test(value));
  if (written.length === 0 || !areWords) return undefined;
  const areKnown = written.every((value) => KNOWN.has(value));
  const hasPair = PAIRS.some(({ debit, credit }) => values.has(debit) && values.has(credit));
  if (areKnown && hasPair) return 'certain';
  return areKnown || hasPair || values.size === 2 ? 'possible' : undefined;
}
