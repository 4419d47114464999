/** Dates as statements write them. What could be two dates is none: who imports says which way round it is. */
import { parseDate } from '../../../kernel/civil-date.ts';

/** The date as `YYYY-MM-DD`, or a date-time with its offset; undefined for what is neither. */
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

/** Years of two digits are of this century. */
const CENTURY = '20';

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d)(:[0-5]\d(?:\.\d{1,9})?)? ?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?)?$/;

/** What is tried to tell which `--date-format` reads all dates of a file. */
const COMMON_FORMATS = [
  ...['MM/DD/YYYY', 'DD/MM/YYYY', 'M/D/YYYY', 'D/M/YYYY', 'YYYY/MM/DD', 'MM/DD/YY', 'DD/MM/YY'],
  ...['DD.MM.YYYY', 'D.M.YYYY', 'DD.MM.YY', 'MM-DD-YYYY', 'DD-MM-YYYY', 'YYYYMMDD'],
  ...['DD MMM YYYY', 'D MMM YYYY', 'DD-MMM-YYYY', 'MMM D, YYYY'],
] as const;

/** A time of day without an offset tells no moment: its date is read, the time left out. */
export const readIsoDate: DateReader = (text) => {
  const [match, date = '', time, seconds = ':00', offset] = ISO.exec(text.trim()) ?? [];
  if (match === undefined || parseDate(date) === undefined) return undefined;
  if (time === undefined || offset === undefined) return date;
  return `${date}T${time}${seconds}${offset.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')}`;
};

/** Of a format such as `DD.MM.YYYY`; undefined when it doesn't say where year, month and day are, each once. */
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

/** The common formats that read each of these texts; those that only allow shorter digits besides are left out. */
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
