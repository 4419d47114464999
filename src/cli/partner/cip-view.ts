import type { AnswerOf } from '../../contract/registry.ts';
import { facts, table, type Painted } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';

export type CipReport = AnswerOf<'POST /users/{fp_id}/integrations/{partner_a}/cip_report'>;
/** Beside its status, what the partner said is under a name of the vocabulary. */
export interface PartnerAnswer {
  readonly status_code: number;
  readonly [member: string]: unknown;
}

/** The report in parts: what it comes to, what was checked against what, what the user says, the watchlists. */
export function cipReportView(report: CipReport, style: Style): string {
  const { watchlist, checked_data: data } = report;
  return [
    facts(
      {
        result: checkText(report.result, style),
        user: report.user_id,
        approved: report.approved_at === null ? null : `${report.approved_at} by ${report.approved_by}`,
        reason: report.approved_reason,
        'check began': report.check_initiated_at,
        'check ended': report.check_completed_at,
        'kyc passed': report.kyc_completed_at,
        'ip address': report.ip_address,
      },
      style,
    ),
    part(
      'CHECKED',
      { name: data.customer_name, address: data.address, born: data.date_of_birth, 'tax id': data.tax_id },
      style,
    ),
    part(
      'FOUND',
      {
        address: foundText(report.matched_address, report.matched_addresses),
        'date of birth': foundText(report.date_of_birth, report.date_of_birth_breakdown),
        'tax id': foundText(report.tax_id, report.tax_id_breakdown),
      },
      style,
    ),
    part('SELF-REPORTED', withSpaces(report.self_reported), style),
    part(
      'WATCHLISTS',
      {
        result: checkText(watchlist.result, style),
        sanctions: watchlist.sanction,
        'monitored lists': watchlist.monitored_lists,
        'politically exposed': watchlist.politically_exposed_person,
        'adverse media': watchlist.adverse_media,
        checked: watchlist.check_completed_at,
      },
      style,
    ),
    ...(watchlist.records.length === 0 ? [] : [recordsTable(watchlist.records, style)]),
  ].join('\n\n');
}

function recordsTable(records: CipReport['watchlist']['records'], style: Style): string {
  const rows = records.map((record) => [record.reason_code, record.list, record.matched_name]);
  return table(['HIT', 'LIST', 'MATCHED NAME'], rows, style, '');
}

function part(heading: string, members: Readonly<Record<string, unknown>>, style: Style): string {
  return `${style.dim(heading)}\n${facts(members, style)}`;
}

function checkText(check: CipReport['result'], style: Style): Painted {
  return { text: check, paint: check === 'clear' ? style.good : style.warn };
}

/** Who confirmed it, where somebody did. */
function foundText(check: CipReport['result'], vendors: readonly string[]): string {
  return vendors.length === 0 ? check : `${check} (${vendors.join(', ')})`;
}

/** `net_worth` as `net worth`. */
function withSpaces(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name.replaceAll('_', ' '), value]),
  );
}

/** What the partner said; the member it is under has a name of the vocabulary. */
export function partnerAnswerView(answer: PartnerAnswer, isSimulated: boolean, style: Style): string {
  const said: unknown = Object.entries(answer).find(([name]) => name !== 'status_code')?.[1];
  return facts(
    {
      status: { text: String(answer.status_code), paint: isAccepted(answer) ? style.good : style.bad },
      by: isSimulated ? 'the built-in partner (simulated: nothing was sent)' : 'the partner',
      ...(isObject(said) ? withSpaces(said) : { answer: said }),
    },
    style,
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isAccepted({ status_code: status }: PartnerAnswer): boolean {
  return status >= 200 && status < 300;
}
