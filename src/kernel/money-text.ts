/** Amounts for people. They stay the texts that they came as: nothing is reckoned. */

/** `1,234.56 USD`; `-` for none. */
export function money(amount: string | null, currency: string | undefined): string {
  return amount === null ? '-' : `${grouped(amount)} ${currency ?? ''}`.trimEnd();
}

/** `1234567.89` as `1,234,567.89`; `-` for none. */
export function grouped(amount: string | null): string {
  if (amount === null) return '-';
  const [, whole, part] = /^(-?\d+)(\.\d+)?$/.exec(amount) ?? [];
  return whole === undefined ? amount : whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + (part ?? '');
}

/** What comes in has a plus, what goes out a minus. */
export function signed(amount: string, isIncoming: boolean): string {
  return /[1-9]/.test(amount) ? `${isIncoming ? '+' : '-'}${grouped(amount)}` : grouped(amount);
}
