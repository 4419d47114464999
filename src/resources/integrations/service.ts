/** What partners want to know of a user (contract §8). */
import { unbuilt } from '../unbuilt.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Outbound } from '../../outbound/index.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Caller } from '../api-keys/index.ts';
import type { Decisions } from '../decisions/index.ts';
import type { EntityRow } from '../entities/index.ts';
import type { Onboardings } from '../onboardings/index.ts';
import type { RiskSignals } from '../risk-signals/index.ts';
import type { LiveSettings } from '../settings/index.ts';

type ReportKey = 'POST /users/{fp_id}/integrations/{partner_a}/cip_report';
type ForwardKey = 'POST /users/{fp_id}/integrations/{partner_b}/cip';

export interface CipCall {
  readonly caller: Caller;
  readonly entity: EntityRow;
  readonly requestId: string;
  /** Fires when the client goes away before it is answered. */
  readonly clientGone: AbortSignal;
}

export interface Integrations {
  report(call: CipCall, body: RequestOf<ReportKey>['body']): Promise<AnswerOf<ReportKey>>;
  /** `simulated`: the built-in partner answered. */
  forward(
    call: CipCall,
    body: RequestOf<ForwardKey>['body'],
  ): Promise<{ answer: AnswerOf<ForwardKey>; simulated: boolean }>;
}

export interface IntegrationsContext {
  readonly queue: WriteQueue;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly accessLog: AccessLog;
  readonly settings: LiveSettings;
  readonly outbound: Outbound;
  readonly decisions: Decisions;
  readonly onboardings: Onboardings;
  readonly signals: RiskSignals;
  /** How long a partner is waited for: 30 s, in real time. */
  readonly timeoutMs?: number | undefined;
}

export function createIntegrations(_context: IntegrationsContext): Integrations {
  return unbuilt<Integrations>({});
}
