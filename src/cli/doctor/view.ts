import type { Check } from './check.ts';
import { printable, type Style } from '../shell/output.ts';

export function doctorView({ checks }: { checks: readonly Check[] }, style: Style): string {
  const mark = { ok: style.good('ok  '), warn: style.warn('warn'), fail: style.bad('fail') };
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, outcome, message }) => `${mark[outcome]}  ${name.padEnd(width)}  ${printable(message)}`)
    .join('\n');
}
