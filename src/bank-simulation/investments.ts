/**
 * The activity within an investment account: buys, sells, dividends, interest, fees and deposits. Cash never falls
 * below zero, and only securities that are held are sold. An event without enough cash, or with an amount of zero, is
 * skipped.
 *
 * Amounts are exact: lots and price steps are chosen so that quantity times price is in whole cents, without rounding.
 */
import { dateText, type Day, startOfDay } from '../kernel/time/civil-date.ts';
import { decimal, share, times, type Decimal } from '../kernel/numbers/decimal.ts';
import { MINUTE_MS } from '../kernel/numbers/units.ts';
import { calendarDay, lastWeekday, localTime, parseOffset } from './calendar.ts';
import { chanceOf, seedOf, type Chance } from './chance.ts';
import { asOf, closePrice, type PricedSecurity, securityOf } from './securities.ts';
import type { InvestmentEntry, SimulatedHolding, SimulatedSecurity } from './simulation.ts';

// Decides on which weekdays an event of an investment account happens, wherever the weekends fall around the day of the
// link.

/** An event on a weekend moves to the Friday before. */
type Schedule = ByDays | ByMonths;

interface ByDays {
  /**
   * Days from the day of the link: -30 is thirty days before it. Each happens once, within the history if it is
   * negative.
   */
  readonly days: readonly number[];
  /** After the last of `days`, the interval in days at which the event repeats. */
  readonly again?: number;
}

interface ByMonths {
  /** A day of the month, 1 to 28. */
  readonly monthly: number;
  /** In months: 3 is March, June, September, December. */
  readonly every?: number;
}

/** Whether the event happens on `day`, or would on a weekend that moves to it. `anchor` is the day of the link. */
function isDue(schedule: Schedule, day: Day, anchor: Day): boolean {
  return [day, day + 1, day + 2].some((nominal) => {
    if (lastWeekday(nominal) !== day) return false;
    return 'days' in schedule ? isOn(schedule, nominal - anchor) : isOnDate(schedule, nominal);
  });
}

function isOn({ days, again }: ByDays, offset: number): boolean {
  const since = offset - Math.max(...days);
  return days.includes(offset) || (again !== undefined && since > 0 && since % again === 0);
}

function isOnDate({ monthly, every = 1 }: ByMonths, day: Day): boolean {
  const { dayOfMonth, month } = calendarDay(day);
  return dayOfMonth === monthly && (month + 1) % every === 0;
}

/** The plan in a persona's form. Amounts are decimal texts. */
export interface InvestmentPlan {
  /** The cash before the first day: the opening balance of the account. */
  readonly opening_cash: string;
  /** The keys of the securities that the plan trades. */
  readonly securities: readonly string[];
  readonly activities: readonly Activity[];
}

interface Planned {
  /** Unique within the plan. */
  readonly name: string;
  readonly description: string;
  readonly on: Schedule;
}

interface Buy extends Planned {
  readonly type: 'buy';
  readonly security: string;
  /** The least and most to spend; buys as many lots as that pays for. */
  readonly spend: readonly [least: string, most: string];
  /** In addition to the amount. */
  readonly fees?: string;
}

interface Sell extends Planned {
  readonly type: 'sell';
  readonly security: string;
  /** Percent of the holding, 1 to 100; only whole lots are sold. */
  readonly percent: number;
  readonly fees?: string;
}

/** A dividend or interest: ten-thousandths of the value of the holding, or of the cash. */
interface Income extends Planned {
  readonly type: 'cash';
  readonly security: string | null;
  readonly ten_thousandths: number;
}

interface Fee extends Planned {
  readonly type: 'fee';
  readonly security: null;
  readonly amount: string;
}

type Activity = Buy | Sell | Income | Fee;

/** The state after a day. Plain data. */
export interface InvestmentState {
  readonly cash: Decimal;
  /** Holdings by the keys of the securities. `cost` is the price paid with fees, at the average of all buys. */
  readonly positions: Readonly<Record<string, Position>>;
}

interface Position {
  readonly quantity: Decimal;
  readonly cost: Decimal;
}

export interface InvestmentSource {
  readonly seed: string;
  /** The key of the account. */
  readonly account: string;
  readonly currency: string;
  readonly anchor: Day;
}

/** Cash that is paid in. */
export interface Deposit {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly amount: Decimal;
  readonly description: string;
}

/** Throws for a plan with an unknown security. */
export function createInvestments(plan: InvestmentPlan, source: InvestmentSource) {
  const securities = plan.securities.map(securityOf);
  const place = `${source.seed}\0${source.account}`;

  function happenings(day: Day, deposits: readonly Deposit[]): Happening[] {
    const planned = plan.activities
      .filter(({ on }) => isDue(on, day, source.anchor))
      .map((activity): Happening => {
        const chance = chanceOf(seedOf(`${place}\0${activity.name}`), day);
        const at = momentOf(activity, day, chance);
        return { at, key: `${source.account}-${dateText(day)}-${activity.name}`, activity, chance };
      });
    const incoming = deposits.map((deposit, index): Happening => {
      return { at: deposit.at, key: `${source.account}-${dateText(day)}-deposit ${index}`, deposit };
    });
    return [...incoming, ...planned].sort((one, other) => one.at - other.at);
  }

  return {
    /** The state before the first day. */
    begin: (): InvestmentState => ({ cash: decimal(plan.opening_cash), positions: {} }),
    /** Simulates one day; entries are in chronological order. Does not modify its arguments. */
    next(
      state: InvestmentState,
      day: Day,
      deposits: readonly Deposit[],
    ): { readonly state: InvestmentState; readonly entries: InvestmentEntry[] } {
      const entries: InvestmentEntry[] = [];
      let current = state;
      for (const happening of happenings(day, deposits)) {
        const movement = movementOf(happening, current, day);
        if (!movement) continue;
        current = afterwards(current, movement);
        entries.push(entryOf(happening, movement, source));
      }
      return { state: current, entries };
    },
    /** The state after these entries, which must follow `state`. */
    after: (state: InvestmentState, entries: readonly InvestmentEntry[]): InvestmentState =>
      entries.reduce(afterwards, state),
    /** The holdings, at the closing prices of `day`. */
    holdings: (state: InvestmentState, day: Day): SimulatedHolding[] =>
      securities.flatMap((security) => holdingOf(source.account, security, state, day) ?? []),
    /** All securities of the plan, in its order. */
    securities: (day: Day): SimulatedSecurity[] => securities.map((security) => asOf(security, day)),
  };
}

type Happening = { readonly at: number; readonly key: string } & (
  | { readonly deposit: Deposit }
  | { readonly activity: Activity; readonly chance: Chance }
);

/** The markets are open from 14:30 to 21:00 (UTC); the institution's own bookings happen in the early morning. */
const OPEN_MINUTE = 14 * 60 + 30;
const CLOSE_MINUTE = 21 * 60;
const BOOKING_MINUTE = 5 * 60;
const BOOKED_MINUTE = 8 * 60;

function momentOf({ type }: Activity, day: Day, chance: Chance): number {
  const minute = isTrade(type)
    ? chance.between(OPEN_MINUTE, CLOSE_MINUTE - 1)
    : chance.between(BOOKING_MINUTE, BOOKED_MINUTE - 1);
  return startOfDay(day) + minute * MINUTE_MS;
}

function isTrade(type: InvestmentEntry['type']): boolean {
  return type === 'buy' || type === 'sell';
}

type Movement = Pick<InvestmentEntry, 'type' | 'amount' | 'quantity' | 'price' | 'fees' | 'security'>;

const WITHOUT_SECURITY = { quantity: null, price: null, fees: null, security: null } as const;

/** Undefined when the event is skipped. */
function movementOf(happening: Happening, state: InvestmentState, day: Day): Movement | undefined {
  if ('deposit' in happening) {
    return { ...WITHOUT_SECURITY, type: 'transfer', amount: happening.deposit.amount };
  }
  const { activity, chance } = happening;
  if (activity.type === 'buy') return buy(activity, chance, state, day);
  if (activity.type === 'sell') return sell(activity, state, day);
  if (activity.type === 'cash') return income(activity, state, day);
  const amount = decimal(activity.amount);
  return amount > state.cash ? undefined : { ...WITHOUT_SECURITY, type: 'fee', amount };
}

function buy(activity: Buy, chance: Chance, { cash }: InvestmentState, day: Day): Movement | undefined {
  const security = securityOf(activity.security);
  const price = closePrice(security, day);
  const fees = activity.fees === undefined ? null : decimal(activity.fees);
  const [least, most] = activity.spend.map(decimal) as [Decimal, Decimal];
  const wanted = chance.amount({ least, most });
  const available = cash - (fees ?? 0n);
  const lots = (wanted < available ? wanted : available) / times(security.lot, price);
  if (lots <= 0n) return undefined;
  const quantity = lots * security.lot;
  return { type: 'buy', amount: times(quantity, price), quantity, price, fees, security: security.key };
}

function sell(activity: Sell, { positions }: InvestmentState, day: Day): Movement | undefined {
  const security = securityOf(activity.security);
  const held = positions[security.key]?.quantity ?? 0n;
  const quantity = ((held * BigInt(activity.percent)) / (100n * security.lot)) * security.lot;
  const price = closePrice(security, day);
  const amount = times(quantity, price);
  const fees = activity.fees === undefined ? null : decimal(activity.fees);
  if (amount <= (fees ?? 0n)) return undefined;
  return { type: 'sell', amount, quantity, price, fees, security: security.key };
}

function income(activity: Income, { cash, positions }: InvestmentState, day: Day): Movement | undefined {
  const { security } = activity;
  const base =
    security === null
      ? cash
      : times(positions[security]?.quantity ?? 0n, closePrice(securityOf(security), day));
  const amount = share(base, BigInt(activity.ten_thousandths), 10_000n);
  return amount > 0n ? { ...WITHOUT_SECURITY, type: 'cash', amount, security } : undefined;
}

function afterwards({ cash, positions }: InvestmentState, movement: Movement): InvestmentState {
  const { type, amount, quantity, security } = movement;
  const fees = movement.fees ?? 0n;
  const left = cash - fees + (type === 'buy' || type === 'fee' ? -amount : amount);
  if (quantity === null || security === null) return { cash: left, positions };
  const { [security]: held = { quantity: 0n, cost: 0n }, ...others } = positions;
  const position =
    type === 'buy'
      ? { quantity: held.quantity + quantity, cost: held.cost + amount + fees }
      : { quantity: held.quantity - quantity, cost: held.cost - share(held.cost, quantity, held.quantity) };
  return { cash: left, positions: position.quantity === 0n ? others : { ...others, [security]: position } };
}

function entryOf(happening: Happening, movement: Movement, source: InvestmentSource): InvestmentEntry {
  const { description } = 'deposit' in happening ? happening.deposit : happening.activity;
  return {
    ledger: 'investment',
    key: happening.key,
    account: source.account,
    at: happening.at,
    currency: source.currency,
    datetime: isTimed(movement) ? localTime(happening.at, OFFSET) : null,
    description,
    ...movement,
  };
}

/** Exchanges report the time of a trade. Funds trade once a day, and bookings only have a date. */
function isTimed({ type, security }: Movement): boolean {
  if (!isTrade(type) || security === null) return false;
  return ['equity', 'etf', 'cryptocurrency'].includes(securityOf(security).type);
}

/** Exchange and institution are five hours behind UTC all year. */
const OFFSET = parseOffset('-05:00');

function holdingOf(
  account: string,
  security: PricedSecurity,
  { positions }: InvestmentState,
  day: Day,
): SimulatedHolding | undefined {
  const position = positions[security.key];
  if (!position) return undefined;
  const price = closePrice(security, day);
  return {
    account,
    security: security.key,
    quantity: position.quantity,
    cost_basis: position.cost,
    price,
    price_at: startOfDay(lastWeekday(day)) + CLOSE_MINUTE * MINUTE_MS,
    value: times(position.quantity, price),
  };
}
