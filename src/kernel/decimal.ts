/**
 * Exact decimals of up to four places: an integer of ten-thousandths. Money, quantities and prices are reckoned in
 * these, and are text on the wire; no floating point is anywhere between.
 */
import { withoutTrailing } from './trailing.ts';

export type Decimal = bigint;

const PLACES = 4;
const ONE = 10n ** BigInt(PLACES);
const TEXT = /^-?\d{1,12}(?:\.\d{1,4})?$/;
const MONEY_PLACES = 2;

/** Undefined for anything but up to twelve digits, and up to four after a point. */
export function parseDecimal(text: string): Decimal | undefined {
  return TEXT.test(text) ? read(text) : undefined;
}

/** Reads a text that is known to be a decimal. Throws when it is none. */
export function decimal(text: string): Decimal {
  if (!/^-?\d+(?:\.\d{1,4})?$/.test(text)) throw new Error('Not a decimal of up to four places');
  return read(text);
}

function read(text: string): Decimal {
  const [whole = '', part = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + part.padEnd(PLACES, '0'));
  return text.startsWith('-') ? -value : value;
}

/** With two places, or with as many as it takes to be exact; `least` for quantities, which need none. */
export function decimalText(value: Decimal, least = MONEY_PLACES): string {
  const digits = String(value < 0n ? -value : value).padStart(PLACES + 1, '0');
  const whole = digits.slice(0, -PLACES);
  const part = withoutTrailing(digits.slice(-PLACES), '0').padEnd(least, '0');
  return `${value < 0n ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
}

/** Rounded to hundredths, halves away from zero. */
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
