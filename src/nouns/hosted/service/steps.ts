/** The rules of a hosted flow's steps: its person, the owners of a business, the document (contract §14). Pure. */
import type { LoginMethod } from '../../onboardings/facts.ts';
import { FLOW_REFUSAL_TEXTS } from '../../../contract/facts/refusals.ts';
import { DOCUMENT_KINDS, type DocumentKind, type DocumentSide } from '../../vault/facts.ts';
import { defined } from '../../../kernel/defined.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import {
  NO_PROGRESS,
  type Contact,
  type SessionProgress,
  type SessionRow,
  type StoredSessionRequest,
  comparable,
  contactsOf,
  dataOf,
  type GivenOwner,
} from '../../onboardings/service/index.ts';
import type { PlaybookRow } from '../../playbooks/service.ts';

// Step 1: how the person is identified.

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

export function wrongCode(left: number): ServiceError {
  const tries = left === 1 ? '1 try is left' : `${left} tries are left`;
  return invalid(`This is not the code that was sent: ${tries}`, {
    context: { code: `${FLOW_REFUSAL_TEXTS.CODE}: ${tries}` },
  });
}

export function unfinished(step: string): ServiceError {
  return new ServiceError('T121', `The flow is not at its end: it is at the step ${step}`);
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

// Step 4: the document.

/** Kinds that show a number or an address but prove no identity. */
const ONE_PAGE: ReadonlySet<DocumentKind> = new Set(['ssn_card', 'proof_of_address']);
const WITH_BACK: ReadonlySet<DocumentKind> = new Set([
  ...(['id_card', 'drivers_license', 'permit', 'residence_document', 'voter_identification'] as const),
  'passport_card',
]);
export const IDENTITY_KINDS = DOCUMENT_KINDS.filter((kind) => !ONE_PAGE.has(kind));

/** The kinds to choose from; empty when no document is required. */
export function documentKinds(
  playbook: Pick<PlaybookRow, 'kind' | 'documents'>,
  known: { readonly isStepUp: boolean; readonly isStored: (identifier: string) => boolean },
): readonly DocumentKind[] {
  const asked = playbook.documents ?? (playbook.kind === 'document' ? DOCUMENT_KINDS : []);
  if (known.isStepUp) {
    const fitting = asked.filter((kind) => IDENTITY_KINDS.includes(kind));
    return fitting.length > 0 ? fitting : IDENTITY_KINDS;
  }
  return asked.some((kind) => known.isStored(imageOf(kind, 'front'))) ? [] : asked;
}

export function sidesOf(kind: DocumentKind, { selfie }: Pick<PlaybookRow, 'selfie'>): DocumentSide[] {
  return [
    'front',
    ...(WITH_BACK.has(kind) ? (['back'] as const) : []),
    ...(selfie ? (['selfie'] as const) : []),
  ];
}

export function imageOf(kind: DocumentKind, side: DocumentSide): string {
  return `document.${kind}.${side}.image`;
}

// Step 3: the owners of a business.

/**
 * Throws `T120` naming `owners.<number>.<member>`, counted from 1, for values that no vault accepts and for the address
 * or number of another owner, and `invalid_request` for stakes of more than 100 per cent in total. `own` is the contact
 * of the person at the page, who is an owner, too. `judge` throws `T120` for data of a user.
 */
export function requireOwners(
  { primary_stake, others }: { primary_stake: number; others: readonly GivenOwner[] },
  own: Contact | undefined,
  judge: (changes: ReadonlyMap<string, JsonValue>) => void,
): void {
  const context: Record<string, string> = {};
  const contacts = new Set(own && [comparable(own.value)]);
  others.forEach((owner, index) => {
    const place = `owners.${index + 1}`;
    if (!owner.first_name) context[`${place}.first_name`] = FLOW_REFUSAL_TEXTS.REQUIRED;
    if (!owner.last_name) context[`${place}.last_name`] = FLOW_REFUSAL_TEXTS.REQUIRED;
    if (!owner.email && !owner.phone_number)
      context[`${place}.email`] = `${FLOW_REFUSAL_TEXTS.REQUIRED}, or a phone number`;
    for (const { identifier, value } of contactsOf(owner)) {
      const contact = comparable(value);
      if (contacts.has(contact))
        context[`${place}.${identifier.slice('id.'.length)}`] = FLOW_REFUSAL_TEXTS.TWICE;
      contacts.add(contact);
    }
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
  throw invalid(`The stakes add up to ${sum} per cent: at most 100 are possible`, {
    context: { primary_stake: `${FLOW_REFUSAL_TEXTS.SHARES}: ${sum} in all` },
  });
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
