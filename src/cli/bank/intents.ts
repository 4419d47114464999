/** Whose bank link is to come about: a user's, a business's, or one that is there already (contract §7.3). */
import { string } from '@oclif/core/flags';
import type { Client } from '../../client/client.ts';
import type { RequestOf } from '../../contract/registry.ts';
import { UsageError } from '../shell/failure.ts';
import { entityFlag } from '../shell/flags.ts';

export const ownerFlags = {
  user: entityFlag('link a bank of this user', { names: 'user', helpValue: 'FP_ID' }),
  business: entityFlag('link a bank of this business', { names: 'business', helpValue: 'FP_BID' }),
  link: string({ summary: 'connect this link again', helpValue: 'LINK' }),
};

interface Wanted {
  readonly user?: string | undefined;
  readonly business?: string | undefined;
  readonly link?: string | undefined;
  readonly persona?: string | undefined;
  readonly institution?: string | undefined;
}

/** Reads the link that is to be connected again: an intent names the owner too. Throws UsageError. */
export async function intentBody(
  wanted: Wanted,
  client: Client,
): Promise<RequestOf<'POST /_kyclone/bank_link_intents'>['body']> {
  const { persona, institution, link } = wanted;
  const words = {
    ...(persona !== undefined && { persona }),
    ...(institution !== undefined && { institution }),
  };
  const fp_id = ownerOf(wanted);
  if (fp_id !== undefined) return { fp_id, ...words };
  const { id, fp_id: owner } = await client.call('GET /bank_links/{link_id}', {
    params: { link_id: link ?? '' },
  });
  return { fp_id: owner, link_id: id, ...words };
}

/** Undefined where a link says it. */
function ownerOf({ user, business, link }: Wanted): string | undefined {
  if ([user, business, link].filter((id) => id !== undefined).length !== 1)
    throw new UsageError('One of --user, --business and --link says whose bank it is');
  return user ?? business;
}
