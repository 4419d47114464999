/**
 * The choice of a bank (contract §14, step 5): as a step of an onboarding, or on the page of an intent, which only has
 * this step. Choices are stored with the session or the intent. Only `POST /bank_links` creates a link from them.
 */
import { DEFAULT_INSTITUTION } from '../../bank-links/facts.ts';
import type { Answer } from '../../../contract/handler.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import type { Database } from '../../../storage/database.ts';
import type { WriteQueue } from '../../../storage/writer.ts';
import type { FlowCaller } from '../../api-keys/service/index.ts';
import {
  isWhole,
  loadBankSimulations,
  requireChoice,
  type BankChoice,
  type BankLinks,
} from '../../bank-links/service/index.ts';
import { answer, type Handlers, type KeysUnder, written } from '../../handlers.ts';
import type { SessionProgress } from '../../onboardings/service/index.ts';
import { ownerOfBank, redirectUrlOf, stateOf, type HostedFlow, type FlowState } from './flow.ts';
import { unfinished } from './steps.ts';
import { conflict } from '../../../kernel/errors.ts';

export function createBankStep(context: {
  readonly queue: WriteQueue;
  readonly banks: BankLinks;
  readonly current: (database: Database, caller: FlowCaller) => HostedFlow;
  readonly keep: (database: Database, flow: HostedFlow, progress: SessionProgress) => FlowState;
  readonly step: (
    caller: FlowCaller,
    change: (database: Database, flow: HostedFlow) => SessionProgress,
  ) => Promise<Answer<FlowState>>;
}) {
  const { queue, banks, current, keep, step } = context;
  const { pages } = banks;
  const isOfIntent = ({ flow }: FlowCaller) => flow === 'bank_link';

  function intentState(database: Database, caller: FlowCaller): FlowState {
    const { intent, entity, link, choice, isOver } = pages.read(database, caller);
    const { institution = null, persona = null, accounts = null } = choice ?? {};
    return {
      state: isOver ? 'completed' : 'open',
      flow: 'bank_link',
      kind: null,
      title: null,
      owners: null,
      document: null,
      result: null,
      screens: [],
      values: {},
      review: [],
      note: null,
      is_live: entity.environment === 'live',
      expires_at: timestamp(intent.expires_at),
      steps: isOver ? [] : ['bank'],
      step: isOver ? null : 'bank',
      is_step_up: false,
      identify: { is_verified: true, sent_to: null, by: null, methods: [], tries_left: 0, is_fixed: true },
      bank: {
        link: link
          ? {
              institution: link.institution,
              persona: link.persona,
              state: link.state,
              error_code: link.error_code,
            }
          : null,
        institution,
        persona,
        accounts: accounts && [...accounts],
        is_agreed: isOver,
        has_owner: true,
      },
    };
  }

  /** The redirect target of an intent's page, with added parameters. */
  function leadOf(database: Database, caller: FlowCaller, added: Record<string, string>): string | null {
    const { redirect_url } = pages.read(database, caller);
    return redirectTo(redirect_url, added);
  }

  return {
    intentState,
    handlers: {
      async 'GET /hosted/session/bank'({ caller }) {
        if (isOfIntent(caller)) {
          const { institution, persona } = pages.read(queue.database, caller).intent;
          return answer(await banks.choices({ institution, persona }));
        }
        const flow = current(queue.database, caller);
        requireAsked(flow);
        const persona = flow.playbook?.kind === 'kyb' ? 'business' : 'default';
        return answer(await banks.choices({ institution: DEFAULT_INSTITUTION, persona }));
      },

      // Throws `conflict`, `invalid_request`.
      async 'POST /hosted/session/bank'({ caller, body: { institution, persona = null, accounts = null } }) {
        const worlds = await loadBankSimulations();
        const choice: BankChoice = { institution: institution.trim(), persona, accounts };
        if (isOfIntent(caller)) {
          return written(queue, (database) => {
            pages.choose(database, caller, choice, worlds);
            return intentState(database, caller);
          });
        }
        return step(caller, (_database, flow) => {
          requireAsked(flow);
          requireChoice(worlds, choice);
          const { hasConsented: _consent, ...progress } = flow.progress;
          return { ...progress, bank: choice };
        });
      },

      // Throws `conflict`, `T121`.
      'POST /hosted/session/bank/complete': ({ caller }) =>
        written(queue, (database) => {
          if (isOfIntent(caller)) {
            pages.agree(database, caller);
            const redirect_to = leadOf(database, caller, {});
            return { intent_token: null, redirect_to, flow: intentState(database, caller) };
          }
          const flow = current(database, caller);
          requireAsked(flow);
          const { bank } = flow.progress;
          if (!isWhole(bank)) throw unfinished('bank');
          const owner = ownerOfBank(flow);
          if (!owner) {
            throw conflict('Nobody is there yet to link the bank to: go through /hosted/onboarding first');
          }
          return {
            intent_token: banks.mintAgreed(database, owner, bank),
            redirect_to: redirectTo(redirectUrlOf(flow), {}),
            flow: keep(database, flow, { ...flow.progress, bank: { ...bank, isAgreed: true } }),
          };
        }),

      'POST /hosted/session/bank/cancel': ({ caller }) =>
        written(queue, (database) => {
          if (isOfIntent(caller)) {
            pages.leave(database, caller);
            const redirect_to = leadOf(database, caller, { canceled: 'true' });
            return { redirect_to, flow: intentState(database, caller) };
          }
          const flow = current(database, caller);
          const { bank: _bank, ...progress } = flow.progress;
          return {
            redirect_to: redirectTo(redirectUrlOf(flow), { canceled: 'true' }),
            flow: flow.progress.bank ? keep(database, flow, progress) : stateOf(flow),
          };
        }),
    } satisfies Handlers<KeysUnder<'/hosted/session/bank'>>,
  };
}

/** Throws `conflict` when the flow has no open bank step. */
function requireAsked({ progress, asksForBank }: HostedFlow): void {
  if (progress.verifiedBy === undefined) throw conflict('The one-time code comes first');
  if (!asksForBank) throw conflict('The flow asks for no bank');
  if (progress.bank?.isAgreed) throw conflict('The bank was chosen already');
}

// The redirect at the end of a page (contract §14). Pure.

/** The `redirect_url` with these parameters added; null without one. */
export function redirectTo(
  redirectUrl: string | undefined,
  added: Readonly<Record<string, string>>,
): string | null {
  if (redirectUrl === undefined) return null;
  const url = new URL(redirectUrl);
  for (const [name, value] of Object.entries(added)) url.searchParams.set(name, value);
  return url.href;
}
