/**
 * Reports about a user for partners (contract §8), composed of decision, newest run, signals and vault at one moment.
 * Data is sent only after the access log has recorded the read. Credentials of a partner are passed on and never
 * stored.
 */
import { builtInPartner, newAccountId } from '../endpoints/built-in-partner.ts';
import { TERMINAL_STATUSES } from '../../onboardings/facts.ts';
import { SIMULATED_HEADER } from '../../requests/facts.ts';
import type { EndpointKey, AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { isJsonObject, jsonTextOf, type JsonValue } from '../../../kernel/json.ts';
import { realTime } from '../../../kernel/real-time.ts';
import { KIB, SECOND_MS } from '../../../kernel/units.ts';
import { type Destination, type Outbound, OutboundFailure } from '../../../outbound/index.ts';
import { accessEntry, type AccessEntry, denial } from '../../../vault/access-entry.ts';
import { parseIdentifierReference } from '../../../vault/identifiers/index.ts';
import type { StoredValue } from '../../../vault/vault.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import type { Decision, Decisions } from '../../decisions/service.ts';
import { getEntity, type EntityRow } from '../../entities/service/index.ts';
import { answer, answered, DEPRECATED, type Handlers } from '../../handlers.ts';
import type { Onboardings, OnboardingView } from '../../onboardings/service/index.ts';
import type { RiskSignals } from '../../risk-signals/service.ts';
import type { LiveSettings } from '../../settings/service.ts';
import { cipForward, type CipForward, type SubmissionSource } from './cip-forward.ts';
import {
  cipReport,
  CONTACT_IDENTIFIERS,
  FORWARDED_IDENTIFIERS,
  REPORTED_IDENTIFIERS,
  type CipReport,
} from './cip-report.ts';
import { type PartnerRequest, readPartner, partnerAccount, type PartnerAccount } from './partner-request.ts';
import type { Needs } from '../../needs.ts';

const marked = ({ simulated }: PartnerResult) => (simulated ? { [SIMULATED_HEADER]: 'true' } : {});

export function integrationHandlers(
  integrations: Integrations,
): Handlers<Extract<EndpointKey, `${string}/integrations/${string}`>> {
  return {
    'POST /users/{fp_id}/integrations/{partner_a}/cip_report': ({ body, ...call }) =>
      answered(integrations.report(call, body)),
    'POST /users/{fp_id}/integrations/{partner_b}/cip': async ({ body, ...call }) => {
      const result = await integrations.forward(call, body);
      return answer(result.answer, marked(result));
    },
    'POST /users/{fp_id}/integrations/{partner_b}/account': async ({ body, ...call }) => {
      const result = await integrations.openAccount(call, body);
      return answer(result.answer, { ...DEPRECATED, ...marked(result) });
    },
  };
}

// The call to a partner (contract §8.2): one request, within one deadline, under the egress policy. Errors don't name
// the host: if a caller mixes up the members of a call, no secret may appear in a message.

// Converts a partner's response to a JSON object, whatever its form (contract §8.2).

type JsonObject = Record<string, JsonValue>;

/** Deeper than any partner needs; serialising JSON takes stack for each level. */
const NESTING_LIMIT = 64;

/** The JSON object in the bytes; `{raw: text}` when they are not one. */
export function partnerAnswer(bytes: Buffer): JsonObject {
  const value = parsed(jsonTextOf(bytes) ?? '');
  return isJsonObject(value) && !isTooDeep(value) ? value : { raw: bytes.toString('utf8') };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Iterative, since the depth comes from outside. */
function isTooDeep(value: JsonValue): boolean {
  const open = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > NESTING_LIMIT) return true;
    for (const member of Object.values(next.value)) open.push({ value: member, depth: next.depth + 1 });
  }
  return false;
}

type Submission = CipForward | PartnerAccount;

interface PartnerCalls {
  /**
   * Checks the target, `prepare`s the request, and sends it. Throws `invalid_request` when the egress policy refuses
   * the host, `partner_unreachable` without a response, and errors of `prepare`.
   */
  call(
    request: PartnerRequest,
    clientGone: AbortSignal,
    prepare: () => Promise<Submission>,
  ): Promise<{ status: number; body: Record<string, JsonValue> }>;
}

const TIMEOUT_MS = 30 * SECOND_MS;
const ANSWER_LIMIT_BYTES = 256 * KIB;

function createPartnerCalls(context: {
  outbound: Outbound;
  settings: LiveSettings;
  timeoutMs?: number | undefined;
}): PartnerCalls {
  const { outbound, settings, timeoutMs = TIMEOUT_MS } = context;

  function send(
    destination: Destination,
    { authorization, body, signal }: { authorization: string; body: Submission; signal: AbortSignal },
  ) {
    const outgoing = {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', authorization },
      body: Buffer.from(JSON.stringify(body), 'utf8'),
      tls: { pins: [], extraRoots: settings.current.egress.extra_roots },
    };
    return outbound.send(destination, outgoing, { signal, maxBodyBytes: ANSWER_LIMIT_BYTES });
  }

  return {
    async call({ url, authorization }, clientGone, prepare) {
      const deadline = beginDeadline(timeoutMs, clientGone);
      try {
        const { signal } = deadline;
        const { policy } = settings.current.egress;
        const destination = await attempted(outbound.admit(url, policy, signal), url);
        const body = await prepare();
        const answer = await attempted(send(destination, { authorization, body, signal }), url);
        return { status: answer.status, body: partnerAnswer(answer.body) };
      } finally {
        deadline.end();
      }
    },
  };
}

/** Aborts after `timeoutMs`, or when the client disconnects. A timer of our own, as in the vault proxy. */
function beginDeadline(timeoutMs: number, clientGone: AbortSignal): { signal: AbortSignal; end(): void } {
  const deadline = new AbortController();
  const abort = () => deadline.abort();
  const timer = realTime.setTimeout(abort, timeoutMs);
  if (clientGone.aborted) abort();
  clientGone.addEventListener('abort', abort);
  return {
    signal: deadline.signal,
    end() {
      realTime.clearTimeout(timer);
      clientGone.removeEventListener('abort', abort);
    },
  };
}

async function attempted<T>(step: Promise<T>, url: URL): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    const isRefused = error.kind === 'refused';
    const why = withoutHost(error.message, url) ?? WORDS[error.kind];
    throw new ServiceError(
      isRefused ? 'invalid_request' : 'partner_unreachable',
      isRefused ? `hostname: ${why}` : `No answer of the partner: ${why}`,
    );
  }
}

const WORDS = {
  refused: 'the egress policy refuses it',
  unreachable: 'it cannot be reached',
  timeout: 'it took too long',
  too_large: 'it is too large',
} as const;

/** Undefined when the message still contains the host, or may contain it. */
function withoutHost(message: string, { hostname, host, port, protocol }: URL): string | undefined {
  const withPort = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const bare = hostname.replace(/^\[|\]$/g, '');
  let shown = message;
  for (const name of [withPort, host, hostname, bare]) {
    if (shown.startsWith(`${name} `)) shown = `the host${shown.slice(name.length)}`;
  }
  shown = shown.replaceAll(withPort, 'the host');
  return shown.toLowerCase().includes(bare.toLowerCase()) ? undefined : shown;
}

type ReportKey = 'POST /users/{fp_id}/integrations/{partner_a}/cip_report';
type ForwardKey = 'POST /users/{fp_id}/integrations/{partner_b}/cip';

type AccountKey = 'POST /users/{fp_id}/integrations/{partner_b}/account';

interface PartnerResult {
  readonly answer: AnswerOf<ForwardKey>;
  /** Whether the response came from the built-in partner. */
  readonly simulated: boolean;
}

interface CipCall {
  readonly caller: Caller;
  readonly entity: EntityRow;
  readonly requestId: string;
  readonly operator: string | null;
  /** Aborts when the client disconnects before the response. */
  readonly clientGone: () => AbortSignal;
}

export interface Integrations {
  report(call: CipCall, body: RequestOf<ReportKey>['body']): Promise<AnswerOf<ReportKey>>;
  forward(call: CipCall, body: RequestOf<ForwardKey>['body']): Promise<PartnerResult>;
  openAccount(call: CipCall, body: RequestOf<AccountKey>['body']): Promise<PartnerResult>;
}

interface IntegrationsContext extends Needs<'queue' | 'clock' | 'vault' | 'accessLog' | 'outbound'> {
  readonly settings: LiveSettings;
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
  readonly reason: 'cip_report' | 'cip' | 'account';
  readonly defaultApprover: string;
  /** The identifiers to read, for which the key needs decrypt permission. */
  readonly identifiers: readonly string[];
  /** Throws unless there is a suitable decision. */
  readonly decisionOf: (entity: EntityRow) => Decision;
}

const TERMINAL: ReadonlySet<string> = new Set(TERMINAL_STATUSES);

/** One kind of submission to partner B. */
interface Shape extends Pick<Composition, 'reason'> {
  /** Those that are read besides the report's. */
  readonly identifiers: readonly string[];
  /** What the built-in partner answers for. */
  readonly accountId: string;
  compose(report: CipReport, source: SubmissionSource): Submission;
}

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

  /** Sends what `compose` makes of an approved user to the partner of the body. */
  async function submit(
    call: CipCall,
    body: RequestOf<AccountKey>['body'],
    { reason, identifiers, accountId, ...shape }: Shape,
  ): Promise<PartnerResult> {
    const request = readPartner(body);
    const { api_key: apiKey, default_approver: defaultApprover } = body;
    const composition: Composition = {
      call,
      defaultApprover,
      reason,
      decisionOf: approval,
      identifiers: [...REPORTED_IDENTIFIERS, ...identifiers],
    };
    await requireReadable(composition);
    approval(call.entity);
    const { partner_b, vocabulary } = settings.current;
    const provider = vocabulary.event_prefix;
    const prepare = async () => {
      const { report, values } = await compose(composition);
      return shape.compose(report, { provider, values });
    };
    const simulated = !request.isLoopback && !partner_b.forward;
    const given = simulated
      ? builtInPartner({ accountId, apiKey, provider: (await prepare()).provider, at: clock.now() })
      : await partner.call(request, call.clientGone(), prepare);
    // The contract types this member by its default name.
    const answer = { [vocabulary.partner_response]: given.body, status_code: given.status };
    return { answer: answer as AnswerOf<ForwardKey>, simulated };
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

    forward: (call, body) =>
      submit(call, body, {
        reason: 'cip',
        identifiers: FORWARDED_IDENTIFIERS,
        accountId: body.account_id,
        compose: cipForward,
      }),

    openAccount: (call, body) =>
      submit(call, body, {
        reason: 'account',
        identifiers: CONTACT_IDENTIFIERS,
        accountId: newAccountId(call.entity.fp_id),
        compose: partnerAccount,
      }),
  };
}
