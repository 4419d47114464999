/** CIP reports: the partner's path and credentials (contract §8), and the view of a report. */
import { string } from '@oclif/core/flags';
import type { Client } from '../../../client/client.ts';
import type { CliEnvironment } from '../../../cli/shell/environment.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import type { FlagValues } from '../../../cli/shell/flags.ts';
import { hiddenSource, type InputSource } from '../../../cli/shell/input.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { facts, table, type Painted } from '../../../cli/shell/layout.ts';
import type { Style } from '../../../cli/shell/output.ts';
import { isJsonObject } from '../../../kernel/text/json.ts';

export const approverFlag = {
  approver: string({
    summary: 'who approved it, if a run made the decision',
    required: true,
    helpValue: 'NAME',
  }),
};

interface PartnerWords {
  readonly partner_a: string;
  readonly partner_b: string;
}

const FIRST_WORDS: PartnerWords = { partner_a: 'partner_a', partner_b: 'partner_b' };

/** The instance's names for its partners; the default names if there is no control token. */
export async function partnerWords(client: Client, controlToken: string | undefined): Promise<PartnerWords> {
  return controlToken === undefined ? FIRST_WORDS : (await client.call('GET /_kyclone/info')).vocabulary;
}

const CREDENTIAL_HELP = '- for stdin, @FILE, ? for a prompt without echo; default: $KYCLONE_PARTNER_API';
export const credentialFlags = {
  'api-key': string({ summary: `key at the partner: ${CREDENTIAL_HELP}_KEY`, helpValue: '@FILE|-' }),
  'api-secret': string({ summary: `secret at the partner: ${CREDENTIAL_HELP}_SECRET`, helpValue: '@FILE|-' }),
};

/**
 * Reads key and secret: from `-` (stdin), `?` (a prompt without echo) or `@FILE`; or else from the environment; or
 * else from a prompt. Throws UsageError for a literal value, which would be visible in the process list, and
 * InputNeededError.
 */
export async function partnerCredentials(
  { 'api-key': key, 'api-secret': secret }: Partial<FlagValues<typeof credentialFlags>>,
  environment: Pick<CliEnvironment, 'partnerApiKey' | 'partnerApiSecret'>,
  input: InputSource,
): Promise<{ api_key: string; api_secret: string }> {
  if (key === '-' && secret === '-') throw new UsageError('Only one value can come from stdin');
  const read = async (name: 'api-key' | 'api-secret', flag: string | undefined, known: string | undefined) =>
    flag === undefined && known !== undefined
      ? known
      : await input.secret(
          hiddenSource(`--${name}`, `KYCLONE_PARTNER_${name.replace('-', '_').toUpperCase()}`, flag),
          `Partner's ${name.replace('-', ' ')} (--${name})`,
        );
  return {
    api_key: await read('api-key', key, environment.partnerApiKey),
    api_secret: await read('api-secret', secret, environment.partnerApiSecret),
  };
}

export type CipReport = AnswerOf<'POST /users/{fp_id}/integrations/{partner_a}/cip_report'>;
/** The partner's response is under a member named by the vocabulary, beside its status. */
export interface CipAnswer {
  readonly status_code: number;
  readonly [member: string]: unknown;
}

/** The report in parts: the result, the checks, the user's statements, the watchlists. */
export function cipReportView(report: CipReport, style: Style): string {
  const { watchlist, checked_data: data } = report;
  return [
    facts(
      {
        result: checkText(report.result, style),
        user: report.user_id,
        approved: report.approved_at === '' ? null : `${report.approved_at} by ${report.approved_by}`,
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

/** The person who confirmed it, if any. */
function foundText(check: CipReport['result'], vendors: readonly string[]): string {
  return vendors.length === 0 ? check : `${check} (${vendors.join(', ')})`;
}

function withSpaces(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name.replaceAll('_', ' '), value]),
  );
}

/** The partner's response; the vocabulary names its member. */
export function partnerAnswerView(answer: CipAnswer, isSimulated: boolean, style: Style): string {
  const response: unknown = Object.entries(answer).find(([name]) => name !== 'status_code')?.[1];
  return facts(
    {
      status: { text: String(answer.status_code), paint: isAccepted(answer) ? style.good : style.bad },
      by: isSimulated ? 'the built-in partner (simulated: nothing was sent)' : 'the partner',
      ...(isJsonObject(response) ? withSpaces(response) : { answer: response }),
    },
    style,
  );
}

export function isAccepted({ status_code: status }: CipAnswer): boolean {
  return status >= 200 && status < 300;
}
