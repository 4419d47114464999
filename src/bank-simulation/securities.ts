/**
 * The securities, none of them real, and their closing prices. A price depends only on security and day, past or
 * future, so that a security has one price in every link. Markets are open from Monday to Friday; Friday's close is
 * valid until Monday. Only whole numbers are used, so results are the same on every machine.
 */
import listed from '../fixtures/bank-personas/securities.json' with { type: 'json' };
import type { Day } from '../kernel/time/civil-date.ts';
import { decimal, type Decimal } from '../kernel/numbers/decimal.ts';
import { lastWeekday, weekdayOf, weekOf } from './calendar.ts';
import type { SimulatedSecurity } from './simulation.ts';

export interface PricedSecurity extends Omit<SimulatedSecurity, 'close_price' | 'close_day'> {
  /**
   * Quantities are multiples of `lot` and prices are multiples of `step`, so that a quantity times a price is always in
   * whole cents.
   */
  readonly lot: Decimal;
  /** The price around which it moves. */
  readonly base: Decimal;
  readonly step: Decimal;
  /** The size of its movements, in hundredths of a broad market's; 0 for a fixed price. */
  readonly volatility: number;
}

const SECURITIES: ReadonlyMap<string, PricedSecurity> = new Map(
  listed.map(({ price, lot, ...row }) => [
    row.key,
    {
      ...row,
      type: row.type as PricedSecurity['type'],
      lot: decimal(lot),
      base: decimal(price.base),
      step: decimal(price.step),
      volatility: price.volatility,
    },
  ]),
);

/** Throws for an unknown security. */
export function securityOf(key: string): PricedSecurity {
  const security = SECURITIES.get(key);
  if (!security) throw new Error('No such security');
  return security;
}

/** With the close of the last weekday up to `day`. */
export function asOf(security: PricedSecurity, day: Day): SimulatedSecurity {
  const { key, name, currency, type, ticker, isin, sedol } = security;
  const close = { close_price: closePrice(security, day), close_day: lastWeekday(day) };
  return { key, name, currency, type, ticker, isin, sedol, ...close };
}

/** The number of weekdays since 1970, including this one. */
function weekdayNumber(weekday: Day): number {
  return weekOf(weekday) * 5 + weekdayOf(weekday) - 1;
}

/**
 * Swings of a broad market around its base. Each picks a new random point every so many weekdays, within so many
 * millionths of the base, with straight lines between them. Together they stay below a third up or down, and below
 * 1.8 % of the base from one day to the next.
 */
const SWINGS = [
  { every: 1, within: 4_000 },
  { every: 4, within: 8_000 },
  { every: 16, within: 20_000 },
  { every: 64, within: 50_000 },
  { every: 256, within: 100_000 },
  { every: 1024, within: 120_000 },
] as const;
/** The unit of a swing: millionths of the base, a hundredth of volatility, the longest stretch. */
const PARTS = 1_000_000n * 100n * 1024n;
const LONGEST = 1024;

/** The price on the last weekday up to `day`. Positive while the volatility is below 330. */
export function closePrice({ key, base, step, volatility }: PricedSecurity, day: Day): Decimal {
  const number = weekdayNumber(lastWeekday(day));
  const swing = SWINGS.reduce((sum, { every, within }) => {
    const stretch = Math.floor(number / every);
    const past = number - stretch * every;
    const point = (at: number) => (hash32(`${key} ${every} ${at}`) % (2 * within + 1)) - within;
    return sum + (point(stretch) * (every - past) + point(stretch + 1) * past) * (LONGEST / every);
  }, 0);
  const parts = PARTS + BigInt(swing) * BigInt(volatility);
  return ((base * parts) / (PARTS * step)) * step;
}

/** Evenly distributed over 0 to 2^32 - 1: FNV-1a, with its bits mixed as in MurmurHash3. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
