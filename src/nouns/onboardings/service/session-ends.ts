/** The end of hosted flows: their results, and the tokens that validate them (contract §10). */
import { timingSafeEqual } from 'node:crypto';
import type { AnswerOf } from '../../../contract/registry.ts';
import { defined } from '../../../kernel/defined.ts';
import type { Database } from '../../../storage/database.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import type { Completion } from './session-runs.ts';
import { digestOf, TOKEN_CHARACTERS, type SessionTokens } from './session-tokens.ts';
import {
  cancelOthers,
  completeSession,
  findSessionByValidation,
  type SessionRow,
} from './sessions-repository.ts';
import type { UserFlow } from './sessions-request.ts';
import { invalid } from '../../../kernel/errors.ts';
import type { Needs } from '../../needs.ts';

type Completed = AnswerOf<'POST /_kyclone/sessions/complete'>;

/** The result of a completed session, for its validation. */
export interface SessionOutcome {
  readonly auth: { readonly kind: NonNullable<Completion['auth_kind']>; readonly at: number };
  /** Ids of onboardings; absent for a flow without a run. */
  readonly user?: string;
  readonly business?: string;
  readonly fp_id: string;
  /** For a flow without a run. */
  readonly flow?: UserFlow['flow'];
}

/** What came of a flow. */
export type Played = Pick<Completed, 'user' | 'business'> & {
  readonly fp_id: string;
  readonly authKind: SessionOutcome['auth']['kind'];
};

const VALIDATION = { prefix: 'vtok_', pattern: /^vtok_[0-9A-Za-z]{34}$/, ttlMs: 15 * 60_000 } as const;

export function createSessionEnds(
  context: Needs<'queue' | 'clock' | 'random'> & { readonly tokens: SessionTokens },
) {
  const { queue, clock, random, tokens } = context;
  return {
    /** Completes the session, within a write job. */
    end(database: Database, session: SessionRow, { fp_id, authKind, user, business }: Played): Completed {
      const validation_token = VALIDATION.prefix + random.secretText(TOKEN_CHARACTERS);
      const at = clock.now();
      const outcome: SessionOutcome = {
        auth: { kind: authKind, at },
        fp_id,
        ...defined({ flow: tokens.requestOf(session).flow }),
        ...(user && { user: user.onboarding_id }),
        ...(business && { business: business.onboarding_id }),
      };
      completeSession(database, session, {
        fp_id,
        fp_bid: business?.fp_id ?? null,
        completed_at: at,
        validation_digest: digestOf(validation_token),
        validation_expires_at: at + VALIDATION.ttlMs,
        outcome: JSON.stringify(outcome),
      });
      const onboarded = (business ?? user)?.fp_id;
      if (onboarded !== undefined) cancelOthers(database, session, onboarded, at);
      return { validation_token, ...defined({ user, business }) };
    },

    /** The result that a validation token stands for. Throws `invalid_request`. */
    outcomeOf(caller: Caller, token: string): SessionOutcome {
      const session = VALIDATION.pattern.test(token)
        ? findSessionByValidation(queue.database, digestOf(token))
        : undefined;
      const { validation_digest: digest, validation_expires_at: until, outcome } = session ?? {};
      const isKnown = digest && session?.space === caller.space && timingSafeEqual(digest, digestOf(token));
      if (!isKnown || typeof outcome !== 'string') {
        throw invalid('No onboarding of this tenant and environment ended with this validation_token');
      }
      if (clock.now() >= (until ?? 0))
        throw invalid('validation_token has expired: it is valid for 15 minutes');
      return JSON.parse(outcome) as SessionOutcome;
    },
  };
}
