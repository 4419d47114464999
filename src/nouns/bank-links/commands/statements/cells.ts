/**
 * Dates and amounts as statements write them. Refuses an ambiguous date: the user has to give the order. An amount is
 * converted to decimal text digit by digit, and is never a number.
 */
import { parseDate } from '../../../../kernel/time/civil-date.ts';
import { CURRENCY } from '../../facts.ts';

/** Returns the date as `YYYY-MM-DD`, or a date-time with its offset; undefined if the text is neither. */
export type DateReader = (text: string) => string | undefined;

const TOKENS: Readonly<Record<string, string>> = {
  YYYY: String.raw`(?<year>\d{4})`,
  YY: String.raw`(?<century>\d{2})`,
  MMM: '(?<name>[A-Za-z]{3})',
  MM: String.raw`(?<month>\d{2})`,
  M: String.raw`(?<month>\d{1,2})`,
  DD: String.raw`(?<day>\d{2})`,
  D: String.raw`(?<day>\d{1,2})`,
  HH: String.raw`\d{2}`,
  mm: String.raw`\d{2}`,
  ss: String.raw`\d{2}`,
};
const TOKEN = /YYYY|YY|MMM|MM|M|DD|D|HH|mm|ss/g;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Two-digit years belong to this century. */
const CENTURY = '20';

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)? ?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/;

/** The formats to try when suggesting a `--date-format` that reads all dates of a file. */
const COMMON_FORMATS = [
  'MM/DD/YYYY',
  'DD/MM/YYYY',
  'M/D/YYYY',
  'D/M/YYYY',
  'YYYY/MM/DD',
  'MM/DD/YY',
  'DD/MM/YY',
  'DD.MM.YYYY',
  'D.M.YYYY',
  'DD.MM.YY',
  'MM-DD-YYYY',
  'DD-MM-YYYY',
  'YYYYMMDD',
  'DD MMM YYYY',
  'D MMM YYYY',
  'DD-MMM-YYYY',
  'MMM D, YYYY',
] as const;

/** A time of day without an offset is not a moment: only the date is read. */
export const readIsoDate: DateReader = (text) => {
  const [match, date = '', time, seconds = ':00', offset] = ISO.exec(text.trim()) ?? [];
  if (match === undefined || parseDate(date) === undefined) return undefined;
  if (time === undefined || offset === undefined) return date;
  return `${date}T${time}${seconds}${offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')}`;
};

/**
 * A reader for a format such as `DD.MM.YYYY`; undefined unless the format contains year, month and day exactly once
 * each.
 */
export function dateReader(format: string): DateReader | undefined {
  const tokens = format.match(TOKEN) ?? [];
  const kinds = tokens.filter((token) => /[YMD]/.test(token)).map((token) => token.charAt(0));
  if (kinds.sort().join('') !== 'DMY' || new Set(tokens).size !== tokens.length) return undefined;
  const pattern = format
    .split(new RegExp(`(${TOKEN.source})`))
    .map((part) => TOKENS[part] ?? part.replace(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`))
    .join('');
  const shape = new RegExp(`^${pattern}$`);
  return (text) => {
    const groups = shape.exec(text.trim())?.groups;
    return groups && civilDate(groups);
  };
}

function civilDate({ year, century, month, name, day = '' }: Record<string, string>): string | undefined {
  const number = name === undefined ? month : String(MONTHS.indexOf(name.toLowerCase()) + 1);
  const date = [year ?? `${CENTURY}${century ?? ''}`, number?.padStart(2, '0'), day.padStart(2, '0')].join(
    '-',
  );
  return parseDate(date) === undefined ? undefined : date;
}

/** The common formats that read each of these texts, without those that only add shorter digits. */
export function fittingFormats(texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  const fitting = COMMON_FORMATS.filter((format) => {
    const read = dateReader(format);
    return read !== undefined && texts.every((text) => read(text) !== undefined);
  });
  return fitting.filter(
    (format) => !fitting.some((other) => other !== format && shortForm(other) === format),
  );
}

function shortForm(format: string): string {
  return format.replace(/\bMM\b/, 'M').replace(/\bDD\b/, 'D');
}

export interface Amount {
  /** The form that the import takes (contract §7.4). */
  readonly text: string;
  /** The ISO 4217 code, if a code or an unambiguous currency sign is beside the amount. */
  readonly currency: string | undefined;
  /** As written; parentheses count as a minus. Empty if the amount has no sign. */
  readonly sign: '-' | '+' | '';
}

const LONGEST = 64;
const MARK = String.raw`(\p{Sc}|[A-Z]{3})?`;
const SHAPE = new RegExp(String.raw`^([+-]?) ?${MARK} ?([+-]?)(\.\d+|\d[\d.,' ]*?) ?(-?) ?${MARK}$`, 'u');
const WITH_POINT = /^(\d+|\d{1,3}(?:([, '])\d{3})(?:\2\d{3})*|)(?:\.(\d{1,4})0*)?$/;
const WITH_COMMA = /^(\d+|\d{1,3}(?:([. '])\d{3})(?:\2\d{3})*)(?:,(\d{1,4})0*)?$/;
const WHOLE_DIGITS = 12;
/** Signs of a single currency. A dollar sign may mean many. */
const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP' };
/** Three other letters beside an amount may be a direction, such as `DEB`. */
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/**
 * Reads `-1,234.50`, `$ 12`, `(45.00)`, `12.00-`, `1 234.50`; with a decimal comma `1.234,50 €`. Groups must have
 * three digits; zeros beyond the fourth decimal are dropped. Undefined for anything else.
 */
export function readAmount(text: string, hasDecimalComma: boolean): Amount | undefined {
  const plain = text
    .trim()
    .replace(/\u2212/g, '-')
    .replace(/[\u00a0\u2009\u202f]/g, ' ')
    .replace(/\u2019/g, "'");
  if (plain.length > LONGEST) return undefined;
  const inner = /^\((.*)\)$/.exec(plain)?.[1];
  const [shape, before, first, between, digits = '', behind, last] = SHAPE.exec(inner ?? plain) ?? [];
  const signs = [before, between, behind].filter((sign) => sign !== undefined && sign !== '');
  const marks = [first, last].filter((mark) => mark !== undefined);
  if (shape === undefined || signs.length > (inner === undefined ? 1 : 0) || marks.length > 1)
    return undefined;
  const decimals = decimalOf(digits, hasDecimalComma);
  const [mark] = marks;
  if (decimals === undefined || (mark?.length === 3 && !CURRENCIES.has(mark))) return undefined;
  const sign = inner !== undefined || signs[0] === '-' ? '-' : signs[0] === '+' ? '+' : '';
  return { text: sign === '-' ? `-${decimals}` : decimals, currency: currencyOf(mark), sign };
}

function decimalOf(digits: string, hasDecimalComma: boolean): string | undefined {
  const [match, grouped = '', , part] = (hasDecimalComma ? WITH_COMMA : WITH_POINT).exec(digits) ?? [];
  const whole = grouped.replace(/\D/g, '').replace(/^0+(?=\d)/, '') || '0';
  if (match === undefined || whole.length > WHOLE_DIGITS) return undefined;
  return part === undefined ? whole : `${whole}.${part}`;
}

function currencyOf(mark: string | undefined): string | undefined {
  if (mark === undefined) return undefined;
  return CURRENCY.test(mark) ? mark : SIGNS[mark];
}
