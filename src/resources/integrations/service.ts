/**
 * Reports about a user for partners (contract §8), composed of decision, newest run, signals and vault at one moment.
 * Data is sent only after the access log has recorded the read. Credentials of a partner are passed on and never
 * stored.
 */
import { TERMINAL_STATUSES } from '../../contract/facts/onboardings.ts';
import { builtInPartner } from '../../contract/built-in-partner.ts';
import type { AnswerOf, RequestOf } from '../../contract/registry.ts';
import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Outbound } from '../../outbound/index.ts';
import type { WriteQueue } from '../../storage/writer.ts';
import { accessEntry, type AccessEntry } from '../../vault/access-entry.ts';
import type { AccessLog } from '../../vault/access-log.ts';
import { parseIdentifierReference } from '../../vault/identifiers/index.ts';
import { denial } from '../../vault/rights.ts';
import type { StoredValue, Vault } from '../../vault/vault.ts';
import type { Caller } from '../api-keys/index.ts';
import type { Decision, Decisions } from '../decisions/index.ts';
import { getEntity, type EntityRow } from '../entities/index.ts';
import type { Onboardings, OnboardingView } from '../onboardings/index.ts';
import type { RiskSignals } from '../risk-signals/index.ts';
import type { LiveSettings } from '../settings/index.ts';
import { cipForward } from './cip-forward.ts';
import { cipReport, FORWARDED_IDENTIFIERS, REPORTED_IDENTIFIERS, type CipReport } from './cip-report.ts';
import { createPartnerCalls } from './partner-call.ts';
import { readPartner } from './partner-request.ts';

type ReportKey = 'POST /users/{fp_id}/integrations/{partner_a}/cip_report';
type ForwardKey = 'POST /users/{fp_id}/integrations/{partner_b}/cip';

export interface CipCall {
  readonly caller: Caller;
  readonly entity: EntityRow;
  readonly requestId: string;
  readonly operator: string | null;
  /** Aborts when the client disconnects before the response. */
  readonly clientGone: () => AbortSignal;
}

export interface Integrations {
  report(call: CipCall, body: RequestOf<ReportKey>['body']): Promise<AnswerOf<ReportKey>>;
  /** `simulated`: the response came from the built-in partner. */
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
  /** The partner's timeout: 30 s by default, in real time. */
  readonly timeoutMs?: number | undefined;
}

/** A report being composed. */
interface Composition {
  readonly call: CipCall;
  /** The reason in the access log. */
  readonly reason: 'cip_report' | 'cip';
  readonly defaultApprover: string;
  /** The identifiers to read, for which the key needs decrypt permission. */
  readonly identifiers: readonly string[];
  /** Throws unless there is a suitable decision. */
  readonly decisionOf: (entity: EntityRow) => Decision;
}

const TERMINAL: ReadonlySet<string> = new Set(TERMINAL_STATUSES);
const FORWARDED = [...REPORTED_IDENTIFIERS, ...FORWARDED_IDENTIFIERS];

/** A report with its source data. */
interface Composed {
  readonly report: CipReport;
  readonly values: ReadonlyMap<string, StoredValue | undefined>;
}

export function createIntegrations(context: IntegrationsContext): Integrations {
  const { queue, clock, vault, accessLog, settings, decisions, onboardings, signals } = context;
  const { database } = queue;
  const partner = createPartnerCalls(context);

  function record(
    { call, reason }: Composition,
    identifiers: readonly string[],
    outcome: AccessEntry['outcome'],
  ): Promise<void> {
    const access = { operation: 'integration', identifiers, outcome, reason, at: clock.now() } as const;
    return accessLog.record(accessEntry(call, call.entity, access));
  }

  /**
   * Throws `permission_denied` after the access log entry, since a report shows values that the key could not decrypt.
   */
  async function requireReadable(composition: Composition): Promise<void> {
    const refusal = denial(composition.call.caller, 'decrypt', composition.identifiers);
    if (!refusal) return;
    await record(composition, composition.identifiers, 'refused');
    throw refusal;
  }

  /**
   * Reads everything at once, so that the report has the state of one moment, and writes the access log. Throws
   * `not_found`.
   */
  async function compose(composition: Composition): Promise<Composed> {
    const { call, decisionOf, defaultApprover } = composition;
    const entity = getEntity(database, call.entity, call.entity.fp_id, 'user');
    const decision = decisionOf(entity);
    const runs = terminalRuns(entity);
    const [newest] = runs;
    const references = composition.identifiers.map(parseIdentifierReference);
    const values = vault.reveal(database, entity, { references, version: entity.vault_version });
    const report = cipReport({
      entity,
      decision,
      runs,
      signals: newest ? signals.ofOnboarding(database, newest.id, 'user') : [],
      values,
      ipAddress: vault.attribute(database, entity, 'ip_address'),
      vendors: settings.current.vocabulary.vendors,
      defaultApprover,
    });
    const read = [...values].flatMap(([identifier, value]) => (value === undefined ? [] : [identifier]));
    await record(composition, read, 'granted');
    return { report, values };
  }

  function terminalRuns(entity: EntityRow): OnboardingView[] {
    return onboardings
      .all(database, entity)
      .filter(({ status }) => TERMINAL.has(status))
      .map(({ id }) => onboardings.get(entity, id));
  }

  function anyDecision(entity: EntityRow): Decision {
    const decision = decisions.latest(database, entity);
    if (decision) return decision;
    throw new ServiceError('decision_required', 'The user needs a decision before a report is possible');
  }

  function approval(entity: EntityRow): Decision {
    const decision = decisions.latest(database, entity);
    if (decision?.status === 'pass') return decision;
    const found = decision ? `the latest decision is ${decision.status}` : 'there is no decision';
    throw new ServiceError('decision_not_approved', `Only approved users are sent to the partner: ${found}`);
  }

  return {
    async report(call, { default_approver: defaultApprover }) {
      const composition: Composition = {
        call,
        defaultApprover,
        reason: 'cip_report',
        decisionOf: anyDecision,
        identifiers: REPORTED_IDENTIFIERS,
      };
      await requireReadable(composition);
      return (await compose(composition)).report;
    },

    async forward(call, body) {
      const request = readPartner(body);
      const { account_id: accountId, api_key: apiKey, default_approver: defaultApprover } = body;
      const composition: Composition = {
        call,
        defaultApprover,
        reason: 'cip',
        decisionOf: approval,
        identifiers: FORWARDED,
      };
      await requireReadable(composition);
      approval(call.entity);
      const { partner_b, vocabulary } = settings.current;
      const provider = vocabulary.event_prefix;
      const prepare = async () => {
        const { report, values } = await compose(composition);
        const nationality = values.get('id.nationality');
        return cipForward(report, {
          provider,
          nationality: typeof nationality === 'string' ? nationality : null,
        });
      };
      const simulated = !request.isLoopback && !partner_b.forward;
      const given = simulated
        ? builtInPartner({ accountId, apiKey, provider: (await prepare()).provider, at: clock.now() })
        : await partner.call(request, call.clientGone(), prepare);
      // The contract types this member by its default name.
      const answer = { [vocabulary.partner_response]: given.body, status_code: given.status };
      return { answer: answer as AnswerOf<ForwardKey>, simulated };
    },
  };
}
