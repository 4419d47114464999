/** Amounts as statements write them, turned into decimal text by their digits alone: nothing is ever a number. */

export interface Amount {
  /** As the import takes it (contract §7.4). */
  readonly text: string;
  /** ISO 4217, where a code or a sign of one currency stands beside it. */
  readonly currency: string | undefined;
}

const LONGEST = 64;
const MARK = String.raw`(\p{Sc}|[A-Z]{3})?`;
const SHAPE = new RegExp(String.raw`^([+-]?) ?${MARK} ?([+-]?)(\.\d+|\d[\d.,' ]*?) ?(-?) ?${MARK}$`, 'u');
const WITH_POINT = /^(\d+|\d{1,3}(?:([, '])\d{3})(?:\2\d{3})*|)(?:\.(\d{1,4}))?$/;
const WITH_COMMA = /^(\d+|\d{1,3}(?:([. '])\d{3})(?:\2\d{3})*)(?:,(\d{1,4}))?$/;
const WHOLE_DIGITS = 12;
/** Signs that stand for one currency only; a dollar may be of many. */
const SIGNS: Readonly<Record<string, string>> = { '€': 'EUR', '£': 'GBP' };

/**
 * Reads `-1,234.50`, `$ 12`, `(45.00)`, `12.00-`, `1 234.50`; with a decimal comma `1.234,50 €`. Groups of digits are to
 * be of three. Undefined for anything else.
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
  if (decimals === undefined) return undefined;
  const isNegative = inner !== undefined || signs[0] === '-';
  return { text: isNegative ? `-${decimals}` : decimals, currency: currencyOf(marks[0]) };
}

function decimalOf(digits: string, hasDecimalComma: boolean): string | undefined {
  const [match, grouped = '', , part] = (hasDecimalComma ? WITH_COMMA : WITH_POINT).exec(digits) ?? [];
  const whole = grouped.replace(/\D/g, '').replace(/^0+(?=\d)/, '') || '0';
  if (match === undefined || whole.length > WHOLE_DIGITS) return undefined;
  return part === undefined ? whole : `${whole}.${part}`;
}

function currencyOf(mark: string | undefined): string | undefined {
  if (mark === undefined) return undefined;
  return /^[A-Z]{3}$/.test(mark) ? mark : SIGNS[mark];
}
