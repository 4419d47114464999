/** The first step of a hosted flow: how its person is identified (contract §14, step 1). Pure. */
import type { LoginMethod } from '../../contract/facts/onboardings.ts';
import { defined } from '../../kernel/defined.ts';
import {
  NO_PROGRESS,
  type Contact,
  type SessionProgress,
  type SessionRow,
  type StoredSessionRequest,
} from '../onboardings/index.ts';
import { invalid } from './refusals.ts';

/** The methods that the page offers. A passkey is offered only where the link names it. */
export function methodsOf({ limit_auth_methods }: StoredSessionRequest): LoginMethod[] {
  return [...(limit_auth_methods ?? (['email', 'phone'] as const))];
}

export function contactsIn(request: StoredSessionRequest): Contact['identifier'][] {
  return methodsOf(request).flatMap((method) => CONTACTS[method] ?? []);
}

const CONTACTS: Readonly<Partial<Record<LoginMethod, Contact['identifier']>>> = {
  email: 'id.email',
  phone: 'id.phone_number',
};

export function verifiedBy({ identifier }: Contact): 'email' | 'sms' {
  return identifier === 'id.email' ? 'email' : 'sms';
}

/** The contact in the body of a call. Throws `invalid_request` for one that the link doesn't take. */
export function contactOf(
  data: Readonly<Record<string, unknown>> | undefined,
  identifiers: readonly Contact['identifier'][],
): Contact {
  const [[name, value] = [], ...others] = Object.entries(data ?? {});
  const identifier = identifiers.find((each) => each === name);
  if (identifier !== undefined && typeof value === 'string' && others.length === 0)
    return { identifier, value };
  throw invalid(
    identifiers.length === 0
      ? 'data must be absent: this link takes a passkey only'
      : `data must be ${identifiers.length > 1 ? 'either ' : ''}${identifiers.join(' or ')}, and nothing else`,
  );
}

/** What a flow of a stepped-up onboarding keeps of its person: nobody else can be identified in it. */
interface SteppedUp {
  readonly session: Pick<SessionRow, 'fp_id'>;
  readonly progress: SessionProgress;
  readonly isStepUp: boolean;
}

/** The person stays verified. */
export function steppedUp({ session, progress }: SteppedUp): SessionProgress {
  const { wrongCodes, contact, verifiedBy, bank } = progress;
  const fp_id = session.fp_id ?? undefined;
  return { ...NO_PROGRESS, wrongCodes, ...defined({ contact, verifiedBy, fp_id, bank }) };
}

/** The progress of a flow that its person has left. */
export function canceled(flow: SteppedUp): SessionProgress {
  const { wrongCodes, contact } = flow.progress;
  const fp_id = flow.session.fp_id ?? undefined;
  return { ...NO_PROGRESS, wrongCodes, ...(flow.isStepUp && defined({ contact, fp_id })) };
}
