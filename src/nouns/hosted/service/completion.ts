/** The end of a flow: what it stores in vaults, and its final page (contract §14). */
import { timestamp } from '../../../kernel/time/clock.ts';
import type {
  Contact,
  OnboardingView,
  SessionProgress,
  SessionRow,
} from '../../onboardings/service/index.ts';
import type { FlowState, HostedFlow } from './flow.ts';
import type { DocumentSide } from '../../vault/facts.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import { decodeFile, type StoredFile } from '../../../vault/files/index.ts';
import { imageOf } from './steps.ts';

// The data that a completed flow stores in vaults (contract §14). Pure.

export function enteredOf(flow: HostedFlow, contact: Contact | undefined) {
  const { progress, playbook, isContactStored, request } = flow;
  const document = progress.document;
  // Somebody who was recognised keeps their own spelling of it.
  const isNewContact = !isContactStored && progress.fp_id === undefined;
  const ofPerson: Record<string, JsonValue> = {
    ...(contact && isNewContact && { [contact.identifier]: contact.value }),
    ...(document && { [`document.${document.kind}.issuing_country`]: document.country }),
  };
  if (request.flow === 'update_auth_methods') return { data: ofPerson };
  if (playbook?.kind === 'kyb' && !flow.asked) return { data: ofPerson, business_data: { ...progress.data } };
  return { data: { ...ofPerson, ...progress.data } };
}

export function filesOf({ document }: SessionProgress): ReadonlyMap<string, StoredFile> {
  const files = Object.entries(document?.files ?? {}) as [DocumentSide, string][];
  return new Map(
    document ? files.map(([side, encoded]) => [imageOf(document.kind, side), fileOf(encoded)]) : [],
  );
}

export function fileOf(encoded: string): StoredFile {
  return decodeFile(Buffer.from(encoded, 'base64'));
}

export function endedState(
  session: SessionRow,
  view: (onboarding: string) => OnboardingView | undefined,
): FlowState {
  const isLive = session.environment === 'live';
  const ended =
    session.outcome === null
      ? {}
      : (JSON.parse(session.outcome) as { user?: string; business?: string; flow?: FlowState['flow'] });
  const id = ended.business ?? ended.user;
  const run = id === undefined ? undefined : view(id);
  return {
    state: session.completed_at === null ? 'closed' : 'completed',
    flow: ended.flow ?? 'onboard',
    kind: null,
    title: null,
    is_live: isLive,
    expires_at: timestamp(session.expires_at),
    steps: [],
    step: null,
    is_step_up: false,
    identify: { is_verified: false, sent_to: null, by: null, methods: [], tries_left: 0, is_fixed: true },
    screens: [],
    values: {},
    owners: null,
    document: null,
    bank: null,
    review: [],
    note: null,
    // A page shows its person no decision about them, except in the sandbox.
    result:
      run && !isLive ? { status: run.status, requires_manual_review: run.requires_manual_review } : null,
  };
}
