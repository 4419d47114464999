/** Asking the bank for what is new, and waiting until it has told (contract §7.2, data_refresh). */
import { boolean, option } from '@oclif/core/flags';
import { pollUntil } from '../../client/discover.ts';
import type { Client } from '../../client/client.ts';
import type { BankLink, BankProduct } from '../../contract/bank-records.ts';
import { SECOND_MS } from '../../kernel/units.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import { integerFlag } from '../shell/flags.ts';

/** The contract's, told here again so that no schema library is loaded for them. */
export const PRODUCTS = [
  'accounts',
  'account_numbers',
  'identity',
  'transactions',
  'investments',
] as const satisfies readonly BankProduct[];

const POLL_MS = 200;

export const refreshFlags = {
  product: option({
    summary: 'what to ask for; repeatable; all that the link has unless given',
    options: PRODUCTS,
    multiple: true,
    multipleNonGreedy: true,
  })(),
  wait: boolean({ summary: 'wait until it is done; exit code 124 when the time is up' }),
  timeout: integerFlag({
    summary: 'how long --wait waits, 30 unless given',
    default: 30,
    min: 0,
    max: 86_400,
    helpValue: 'SECONDS',
  }),
};

export const FROZEN_NOTE =
  'The clock is frozen, so this comes to nothing before it is moved: kyclone clock advance 2s';

export function productsOf(link: Pick<BankLink, 'products'>): BankProduct[] {
  const found = PRODUCTS.filter((product) => Object.hasOwn(link.products, product));
  return found.length === 0 ? [...PRODUCTS] : found;
}

export async function isClockFrozen(client: Client): Promise<boolean> {
  return (await client.call('GET /_kyclone/clock')).mode === 'frozen';
}

/**
 * The link once each product was refreshed since `before` was read. Throws CliError: 124 after `timeoutSeconds` of the
 * real time, whatever the clock of the instance does; 1 when the link is disconnected meanwhile.
 */
export async function waitForRefresh(
  client: Client,
  before: BankLink,
  { products, timeoutSeconds }: { products: readonly BankProduct[]; timeoutSeconds: number },
): Promise<BankLink> {
  let link = before;
  const left = () =>
    products.filter(
      (product) => link.products[product]?.refreshed_at === before.products[product]?.refreshed_at,
    );
  const isOver = async () => {
    link = await client.call('GET /bank_links/{link_id}', { params: { link_id: before.id } });
    return left().length === 0 || link.state === 'error';
  };
  await pollUntil(isOver, { everyMs: POLL_MS, timeoutMs: timeoutSeconds * SECOND_MS });
  if (left().length === 0) return link;
  if (link.state === 'error') {
    throw new CliError('The link was disconnected before it was refreshed', {
      code: 'link_disconnected',
      exitCode: EXIT.failed,
      hint: `kyclone bank link --link ${link.id} connects it again`,
    });
  }
  throw new CliError(`Not refreshed after ${timeoutSeconds} s: ${left().join(', ')}`, {
    code: 'timed_out',
    exitCode: EXIT.timedOut,
    hint: (await isClockFrozen(client)) ? FROZEN_NOTE : 'kyclone bank links get LINK shows how it stands',
  });
}
