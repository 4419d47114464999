/**
 * Reports about a user for partners (contract §8), composed of decision, newest run, signals and vault at one moment.
 * Data is sent only after the access log has recorded the read. Credentials of a partner are passed on and never
 * stored.
 */
import { isIPv4, isIPv6 } from 'node:net';
import { builtInPartner, newAccountId } from '../endpoints/built-in-partner.ts';
import { TERMINAL_STATUSES } from '../../onboardings/facts.ts';
import { SIMULATED_HEADER } from '../../requests/facts.ts';
import type { EndpointKey, AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { attempt } from '../../../kernel/attempt.ts';
import { ServiceError, invalid } from '../../../kernel/errors.ts';
import { isJsonObject, jsonTextOf, parseJson, type JsonValue } from '../../../kernel/text/json.ts';
import { KIB, SECOND_MS } from '../../../kernel/numbers/units.ts';
import { beginDeadline, OutboundFailure } from '../../../outbound/index.ts';
import { accessEntry, type AccessEntry, denial } from '../../../vault/access-entry.ts';
import { parseIdentifierReference } from '../../../vault/identifiers/index.ts';
import type { StoredValue } from '../../../vault/vault.ts';
import type { Decision, Decisions } from '../../decisions/service.ts';
import { getEntity, type EntityRow } from '../../entities/service/index.ts';
import { answer, type Handlers } from '../../handlers.ts';
import type { Onboardings, OnboardingView } from '../../onboardings/service/index.ts';
import type { RiskSignals } from '../../risk-signals/service.ts';
import type { LiveSettings } from '../../settings/service.ts';
import { cipForward, partnerAccount, type SubmissionSource } from './cip-forward.ts';
import {
  cipReport,
  CONTACT_IDENTIFIERS,
  FORWARDED_IDENTIFIERS,
  REPORTED_IDENTIFIERS,
  type CipReport,
} from './cip-report.ts';
import type { Needs } from '../../needs.ts';

/** Deeper than any partner needs; serialising JSON takes stack for each level. */
const NESTING_LIMIT = 64;

/** The JSON object in the bytes, with its numbers as they are written; `{raw: text}` when they are not one. */
export function partnerAnswer(bytes: Buffer): Record<string, JsonValue> {
  const value = attempt(() => parseJson(jsonTextOf(bytes) ?? ''));
  return isJsonObject(value) && !isTooDeep(value) ? value : { raw: bytes.toString('utf8') };
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

type Submission = ReturnType<typeof cipForward | typeof partnerAccount>;

const TIMEOUT_MS = 30 * SECOND_MS;
const ANSWER_LIMIT_BYTES = 256 * KIB;

/** Errors don't name the host: if a caller mixes up the members of a call, no secret may appear in a message. */
async function attempted<T>(step: Promise<T>, url: URL): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    const isRefused = error.kind === 'refused';
    const why = withoutHost(error.message, url) ?? WORDS[error.kind];
    if (isRefused) throw invalid(`hostname: ${why}`);
    const what =
      error.status === undefined
        ? 'No answer of the partner'
        : `The partner answered with status ${error.status}, but the answer can't be passed on`;
    throw new ServiceError('partner_unreachable', `${what}: ${why}`);
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
  let shown = ` ${message}`;
  for (const name of [withPort, host, hostname, bare]) {
    shown = shown.replaceAll(` ${name} `, ' the host ');
  }
  shown = shown.trimStart().replaceAll(withPort, 'the host');
  return shown.toLowerCase().includes(bare.toLowerCase()) ? undefined : shown;
}

type IntegrationHandlers = Handlers<Extract<EndpointKey, `${string}/integrations/${string}`>>;
type AccountKey = 'POST /users/{fp_id}/integrations/{partner_b}/account';
type AccountCall = Omit<Parameters<IntegrationHandlers[AccountKey]>[0], 'params'>;

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
  readonly call: Omit<AccountCall, 'body'>;
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

export function createIntegrations(context: IntegrationsContext): IntegrationHandlers {
  const { queue, clock, vault, accessLog, settings, decisions, onboardings, signals } = context;
  const { outbound, timeoutMs = TIMEOUT_MS } = context;
  const { database } = queue;

  /**
   * Checks the target, `prepare`s the request, and sends it. Throws `invalid_request` when the egress policy refuses the
   * host, `partner_unreachable` without a response, and errors of `prepare`.
   */
  async function sendTo(
    { url, authorization }: PartnerRequest,
    clientGone: AbortSignal,
    prepare: () => Promise<Submission>,
  ) {
    const { signal, end } = beginDeadline(timeoutMs, clientGone);
    try {
      const { policy, extra_roots: extraRoots } = settings.current.egress;
      const destination = await attempted(outbound.admit(url, policy, signal), url);
      const outgoing = {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/json', authorization },
        body: Buffer.from(JSON.stringify(await prepare()), 'utf8'),
        tls: { pins: [], extraRoots },
      };
      const limits = { signal, maxBodyBytes: ANSWER_LIMIT_BYTES };
      const { status, body } = await attempted(outbound.send(destination, outgoing, limits), url);
      return { status, body: partnerAnswer(body) };
    } finally {
      end();
    }
  }

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
  async function submit({ body, ...call }: AccountCall, { reason, identifiers, accountId, ...shape }: Shape) {
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
      : await sendTo(request, call.clientGone(), prepare);
    // The contract types this member by its default name.
    const result = { [vocabulary.partner_response]: given.body, status_code: given.status };
    return answer(result as AnswerOf<AccountKey>, simulated ? { [SIMULATED_HEADER]: 'true' } : undefined);
  }

  return {
    'POST /users/{fp_id}/integrations/{partner_a}/cip_report': async ({ body, ...call }) => {
      const composition: Composition = {
        call,
        defaultApprover: body.default_approver,
        reason: 'cip_report',
        decisionOf: anyDecision,
        identifiers: REPORTED_IDENTIFIERS,
      };
      await requireReadable(composition);
      return answer((await compose(composition)).report);
    },

    'POST /users/{fp_id}/integrations/{partner_b}/cip': (call) =>
      submit(call, {
        reason: 'cip',
        identifiers: FORWARDED_IDENTIFIERS,
        accountId: call.body.account_id,
        compose: cipForward,
      }),

    'POST /users/{fp_id}/integrations/{partner_b}/account': (call) =>
      submit(call, {
        reason: 'account',
        identifiers: CONTACT_IDENTIFIERS,
        accountId: newAccountId(call.entity.fp_id),
        compose: partnerAccount,
      }),
  };
}

// The partner of a call: its address, account and credentials (contract §8.2). Errors name the member, never its value,
// which may be a misplaced credential.

type Cip = RequestOf<'POST /users/{fp_id}/integrations/{partner_b}/cip'>['body'];
/** Without an account the request opens one. */
type Body = Omit<Cip, 'account_id'> & Partial<Pick<Cip, 'account_id'>>;

interface PartnerRequest {
  readonly url: URL;
  /** Whether the host is this machine: `localhost`, 127.0.0.0/8 or ::1. */
  readonly isLoopback: boolean;
  /** Basic (RFC 7617). */
  readonly authorization: string;
}

/** `localhost`, `partner.example:8443`, `http://127.0.0.1:80`, `[::1]`, without anything before or after. */
const PLACE = /^(https?:\/\/)?([^\s/\\?#@]+)$/i;
const AUTHORITY = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

/** Throws `invalid_request` naming the member. */
export function readPartner({ account_id, api_key, api_secret, hostname }: Body): PartnerRequest {
  return { ...readPlace(hostname, account_id), authorization: basic(api_key, api_secret) };
}

function readPlace(hostname: string, accountId = ''): Pick<PartnerRequest, 'url' | 'isLoopback'> {
  const [, scheme, rest = ''] = PLACE.exec(hostname) ?? [];
  const authority = isIPv6(rest) ? `[${rest}]` : rest;
  if (!AUTHORITY.test(authority) || !URL.canParse(`http://${authority}`)) {
    throw refusal('hostname', 'is a host with or without a port and http:// or https://, and nothing else');
  }
  const isLoopback = isLoopbackHost(new URL(`http://${authority}`).hostname);
  // On their own these would be path steps, even percent-encoded.
  if (/^\.{1,2}$/.test(accountId)) throw refusal('account_id', 'may not be . or ..');
  const path = accountId === '' ? '/v1/accounts' : `/v1/accounts/${encodeURIComponent(accountId)}/cip`;
  const prefix = scheme ?? (isLoopback ? 'http://' : 'https://');
  return { url: new URL(`${prefix}${authority}${path}`), isLoopback };
}

/** In the form of a URL, which normalises addresses. */
function isLoopbackHost(host: string): boolean {
  const bare = host.replace(/\.$/, '');
  return bare === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

function basic(key: string, secret: string): string {
  if (key.includes(':')) throw refusal('api_key', 'may hold no colon: Basic could not carry it');
  if (CONTROL.test(key)) throw refusal('api_key', 'may hold no control characters');
  if (CONTROL.test(secret)) throw refusal('api_secret', 'may hold no control characters');
  return `Basic ${Buffer.from(`${key}:${secret}`, 'utf8').toString('base64')}`;
}

function refusal(member: string, why: string): ServiceError {
  return invalid(`${member} ${why}`);
}
