import { withoutTrailing } from '../text/text.ts';

/**
 * Exact decimals of up to four places, held as an integer of ten-thousandths. Money, quantities and prices use them and
 * are text on the wire; no step uses floating point.
 */

export type Decimal = bigint;

const PLACES = 4;
const ONE = 10n ** BigInt(PLACES);
const TEXT = /^-?\d{1,12}(?:\.\d{1,4})?$/;
const MONEY_PLACES = 2;

/** Undefined unless the text has at most twelve digits before the point and at most four after it. */
export function parseDecimal(text: string): Decimal | undefined {
  return TEXT.test(text) ? read(text) : undefined;
}

/** Reads a text that is known to be a decimal; throws otherwise. */
export function decimal(text: string): Decimal {
  if (!/^-?\d+(?:\.\d{1,4})?$/.test(text)) throw new Error('Not a decimal of up to four places');
  return read(text);
}

function read(text: string): Decimal {
  const [whole = '', part = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + part.padEnd(PLACES, '0'));
  return text.startsWith('-') ? -value : value;
}

/** Prints at least `least` places, and more where the value needs them. Quantities need none. */
export function decimalText(value: Decimal, least = MONEY_PLACES): string {
  const digits = String(value < 0n ? -value : value).padStart(PLACES + 1, '0');
  const whole = digits.slice(0, -PLACES);
  const part = withoutTrailing(digits.slice(-PLACES), '0').padEnd(least, '0');
  return `${value < 0n ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
}

/** Multiplies, and rounds to hundredths, halves away from zero. */
export function times(one: Decimal, other: Decimal): Decimal {
  return rounded(one * other, ONE);
}

/** `numerator` parts in `denominator` of `value`, rounded to hundredths, halves away from zero. */
export function share(value: Decimal, numerator: bigint, denominator: bigint): Decimal {
  return rounded(value * numerator, denominator);
}

const HUNDREDTH = ONE / 100n;

function rounded(value: bigint, divisor: bigint): Decimal {
  const step = divisor * HUNDREDTH;
  const magnitude = value < 0n ? -value : value;
  const steps = (2n * magnitude + step) / (2n * step);
  return (value < 0n ? -steps : steps) * HUNDREDTH;
}
