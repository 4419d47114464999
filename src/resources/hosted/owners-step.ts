/** The owners step of a business (contract §14, step 3). Pure. */
import { FLOW_REFUSAL_TEXTS } from '../../contract/facts/refusals.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { dataOf, type GivenOwner } from '../onboardings/index.ts';

/**
 * Throws `T120` naming `owners.<number>.<member>`, counted from 1, for values that no vault accepts, and
 * `invalid_request` for stakes of more than 100 per cent in total. `judge` throws `T120` for data of a user.
 */
export function requireOwners(
  { primary_stake, others }: { primary_stake: number; others: readonly GivenOwner[] },
  judge: (changes: ReadonlyMap<string, JsonValue>) => void,
): void {
  const context: Record<string, string> = {};
  others.forEach((owner, index) => {
    const place = `owners.${index + 1}`;
    if (!owner.first_name) context[`${place}.first_name`] = FLOW_REFUSAL_TEXTS.REQUIRED;
    if (!owner.last_name) context[`${place}.last_name`] = FLOW_REFUSAL_TEXTS.REQUIRED;
    if (!owner.email && !owner.phone_number)
      context[`${place}.email`] = `${FLOW_REFUSAL_TEXTS.REQUIRED}, or a phone number`;
    for (const [identifier, message] of Object.entries(refusalsOf(owner, judge))) {
      context[`${place}.${identifier.replace(/^id\./, '')}`] = message;
    }
  });
  if (Object.keys(context).length > 0) {
    throw new ServiceError('T120', `Owners are not valid: ${Object.keys(context).slice(0, 20).join(', ')}`, {
      context,
    });
  }
  const sum = others.reduce((all, { ownership_stake }) => all + ownership_stake, primary_stake);
  if (sum <= 100) return;
  throw new ServiceError(
    'invalid_request',
    `The stakes add up to ${sum} per cent: at most 100 are possible`,
    {
      context: { primary_stake: `${FLOW_REFUSAL_TEXTS.SHARES}: ${sum} in all` },
    },
  );
}

function refusalsOf(
  owner: GivenOwner,
  judge: (changes: ReadonlyMap<string, JsonValue>) => void,
): Readonly<Record<string, string>> {
  try {
    judge(dataOf(owner));
    return {};
  } catch (error) {
    if (error instanceof ServiceError && error.context) return error.context;
    throw error;
  }
}
