/** Adds the available playbooks to the refusal of a run without a playbook. */
import { PLAYBOOK_KINDS, type PlaybookKind } from '../contract/facts/onboardings.ts';
import type { EndpointKey } from '../contract/registry.ts';
import { isJsonObject } from '../kernel/json.ts';
import { ServiceError } from '../kernel/errors.ts';
import { playbookChoices } from '../resources/playbooks/index.ts';
import type { Database } from '../storage/database.ts';

const KINDS: Partial<Record<EndpointKey, readonly PlaybookKind[]>> = {
  'POST /users/{fp_id}/kyc': ['kyc', 'document'],
  'POST /businesses/{fp_bid}/kyb': ['kyb'],
  'POST /onboarding/session': PLAYBOOK_KINDS,
};

/** The refusal unchanged, or with the playbooks of `space` when the body names none. */
export function withPlaybooks(
  refusal: unknown,
  {
    key,
    body,
    space,
    database,
  }: { key: EndpointKey; body: unknown; space: number | undefined; database: Database },
): unknown {
  const kinds = KINDS[key];
  if (!kinds || space === undefined || !(refusal instanceof ServiceError)) return refusal;
  if (!isJsonObject(body) || typeof body['key'] === 'string') return refusal;
  const choices = playbookChoices(database, space, kinds);
  return choices === ''
    ? refusal
    : new ServiceError(refusal.code, `${refusal.message}; playbooks: ${choices}`);
}
