/** The final page of a flow: its result, without any entered data (contract §14). */
import { timestamp } from '../../kernel/clock.ts';
import type { OnboardingView, SessionRow } from '../onboardings/index.ts';
import type { FlowState } from './flow.ts';

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
    identify: { is_verified: false, sent_to: null, by: null, methods: [], tries_left: 0 },
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
