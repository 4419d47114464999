/**
 * Flags and arguments that the bank link commands share, and the body of an intent: for a user, a business or an
 * existing link (contract §7.3).
 */
import { string as stringArg } from '@oclif/core/args';
import { boolean, custom, string } from '@oclif/core/flags';
import { NUMBERED_PAGE_SIZE } from '../../../contract/facts/limits.ts';
import { parseDate } from '../../../kernel/time/civil-date.ts';
import { ApiError } from '../../../client/errors.ts';
import { CliError, describeFailure, parsed, UsageError } from '../../../cli/shell/failure.ts';
import { type FlagValues, integerFlag, liveFlag, entityFlag, repeatable } from '../../../cli/shell/flags.ts';
import type { Client } from '../../../client/client.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { defined } from '../../../kernel/defined.ts';

export const linkArg = { link: stringArg({ description: 'id of a bank link (link_…)', required: true }) };

/** A calendar date, kept as written. */
const dateFlag = custom({
  helpValue: 'DATE',
  parse: (text, _context, { name }) =>
    parsed(
      parseDate(text) === undefined ? undefined : text,
      `--${name} takes a calendar date, such as 2026-01-31`,
    ),
});

export const accountFlag = {
  account: string({
    summary: 'only of this account (acct_…); repeatable',
    helpValue: 'ID',
    ...repeatable,
    parse: (text) =>
      parsed(/^[^\s,]+$/.exec(text)?.[0], '--account takes the id of one account, and may be given again'),
  }),
};

export const ledgerFlags = {
  ...accountFlag,
  from: dateFlag({ summary: 'the earliest date' }),
  to: dateFlag({ summary: 'the latest date' }),
  page: integerFlag({ summary: 'which page, starting at 1', min: 1, helpValue: 'N' }),
  size: integerFlag({
    summary: `entries on a page, ${NUMBERED_PAGE_SIZE.default} unless given`,
    min: NUMBERED_PAGE_SIZE.least,
    max: NUMBERED_PAGE_SIZE.most,
    helpValue: 'N',
  }),
  all: boolean({ summary: 'every page, each as soon as it is read; NDJSON under --json' }),
  ...liveFlag,
};

export type LedgerQuery = ReturnType<typeof ledgerQuery>;

/** The filters of a ledger request, without the page. Throws UsageError for contradictory flags. */
export function ledgerQuery(flags: Partial<FlagValues<typeof ledgerFlags>>) {
  const { account, from, to, page, size, all } = flags;
  if (from !== undefined && to !== undefined && from > to) throw new UsageError('--from is after --to');
  if (all && page !== undefined) throw new UsageError('--all reads every page: omit --page');
  if (all && size !== undefined) throw new UsageError('--all reads every page: omit --size');
  return { account_ids: accountIds(account), start_date: from, end_date: to };
}

export function accountIds(accounts: readonly string[] | undefined): string | undefined {
  return accounts?.join(',');
}

export const ownerFlags = {
  user: entityFlag('link a bank of this user', { names: 'user', helpValue: 'FP_ID' }),
  business: entityFlag('link a bank of this business', { names: 'business', helpValue: 'FP_BID' }),
  link: string({ summary: 'connect this link again', helpValue: 'LINK' }),
};

interface Wanted extends Partial<FlagValues<typeof ownerFlags>> {
  readonly persona?: string | undefined;
  readonly institution?: string | undefined;
}

/** Reads the link to reconnect first, because an intent names the owner too. Throws UsageError. */
export async function intentBody(
  wanted: Wanted,
  client: Client,
): Promise<RequestOf<'POST /_kyclone/bank_link_intents'>['body']> {
  const { persona, institution, link } = wanted;
  const words = defined({ persona, institution });
  const fp_id = ownerOf(wanted);
  if (fp_id !== undefined) return { fp_id, ...words };
  const { id, fp_id: owner } = await client.call('GET /bank_links/{link_id}', {
    params: { link_id: link ?? '' },
  });
  return { fp_id: owner, link_id: id, ...words };
}

/**
 * Creates the intent. Throws CliError 6 when no entity has the id of `--user` or `--business`; otherwise throws what
 * the client throws.
 */
export async function intentOf(
  body: RequestOf<'POST /_kyclone/bank_link_intents'>['body'],
  { user, business }: Wanted,
  client: Client,
): Promise<AnswerOf<'POST /_kyclone/bank_link_intents'>> {
  try {
    return await client.call('POST /_kyclone/bank_link_intents', { body });
  } catch (error) {
    const isNobody = error instanceof ApiError && error.code === 'not_found';
    if (!isNobody || (user ?? business) === undefined) throw error;
    const [flag, noun] = user === undefined ? ['--business', 'business'] : ['--user', 'user'];
    throw new CliError(`${flag}: no ${noun} has this id`, describeFailure(error));
  }
}

/** Undefined if a link determines the owner. */
function ownerOf({ user, business, link }: Wanted): string | undefined {
  if ([user, business, link].filter((id) => id !== undefined).length !== 1)
    throw new UsageError('One of --user, --business and --link is required');
  return user ?? business;
}
