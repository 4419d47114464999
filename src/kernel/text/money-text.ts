/** Formats amounts for people. They remain the texts of the API: nothing is computed. */

/** `1,234.56 USD`; `-` for none. */
export function money(amount: string | null, currency: string | undefined): string {
  return amount === null ? '-' : `${grouped(amount)} ${currency ?? ''}`.trimEnd();
}

/** `1234567.89` as `1,234,567.89`; `-` for none. */
export function grouped(amount: string | null): string {
  if (amount === null) return '-';
  const [, whole, part] = /^(-?\d+)(\.\d+)?$/.exec(amount) ?? [];
  return whole === undefined ? amount : inThrees(whole) + (part ?? '');
}

/** Groups the digits by three from the right; a sign stays in front. */
function inThrees(whole: string): string {
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = whole.slice(sign.length);
  const first = digits.length % 3 || 3;
  const groups = [digits.slice(0, first)];
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3));
  return sign + groups.join(',');
}

/** Incoming amounts get a plus, outgoing ones a minus. */
export function signed(amount: string, isIncoming: boolean): string {
  return /[1-9]/.test(amount) ? `${isIncoming ? '+' : '-'}${grouped(amount)}` : grouped(amount);
}
