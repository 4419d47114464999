/**
 * The vault proxy (contract §3.3, §10): sends a request to a third party, with vaulted data in its body that the caller
 * never sees. Each step completes its checks before the next one; a refused call sends nothing.
 */
import type { Rendering } from '../endpoints.ts';
import type { Held } from '../../../kernel/byte-budget.ts';
import { ServiceError, conflict } from '../../../kernel/errors.ts';
import { nextTurn } from '../../../kernel/turns.ts';
import { MIB, SECOND_MS } from '../../../kernel/units.ts';
import type { Destination } from '../../../outbound/index.ts';
import { TransformBudget } from '../../../vault/transforms/index.ts';
import type { Caller } from '../../api-keys/service/index.ts';
import { findEntity } from '../../entities/service/index.ts';
import type { Journal } from '../../requests/service.ts';
import type { LiveSettings } from '../../settings/service.ts';
import {
  inMembers,
  notedHeaders,
  requireOwnHeaders,
  withStored,
  type Configurations,
} from './stored-request.ts';
import {
  breaksOut,
  formatOf,
  contentTypeOf,
  joined,
  streams,
  wholeBody,
  type FilledBody,
} from './body-format.ts';
import {
  beginExplanation,
  cut,
  noteConnection,
  noteHeaders,
  unread,
  withoutQuery,
  type Explanation,
  hintsFor,
} from './explanation.ts';
import { headerNotes, outgoingHeaders } from './forwarded-headers.ts';
import {
  readProxyHeaders,
  readReflectHeaders,
  type ProxyRequest,
  requireOwnKeyStays,
} from './proxy-headers.ts';
import { createIngress, requireStorable } from './ingress.ts';
import { parseIngressRules, type IngressRule } from './ingress-rules.ts';
import { answered, answerHeaders, asText, attempted, keptNotes, type ProxiedAnswer } from './proxy-answer.ts';
import { parseTemplate, type ProxyTemplate } from './proxy-template.ts';
import {
  bodyTooLarge,
  createResolution,
  reasonMissing,
  SENT_LIMIT_BYTES,
  type TokenReading,
  type TokenValue,
} from './resolution.ts';
import { realTime } from '../../../kernel/real-time.ts';
import type { Needs } from '../../needs.ts';

export interface ProxyCall {
  readonly caller: Caller;
  readonly requestId: string;
  readonly operator: string | null;
  readonly rawHeaders: readonly string[];
  /** Aborts when the client disconnects before the response. */
  readonly clientGone: AbortSignal;
  readonly held: Held;
  readonly body: Buffer;
  /** The id of the stored configuration for the call (contract §3.4). */
  readonly configuration?: string;
}

export interface Reflection {
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

export type VaultProxy = ReturnType<typeof createVaultProxy>;

export interface VaultProxyContext extends Needs<'queue' | 'vault' | 'accessLog' | 'clock' | 'outbound'> {
  readonly settings: LiveSettings;
  readonly journal: Journal;
  readonly configurations: Configurations;
  /** For everything that a request does outbound (contract §0.10). */
  readonly timeoutMs?: number | undefined;
}

const OF_CONFIGURATION = ' of the proxy configuration';
const TIMEOUT_MS = 30 * SECOND_MS;
const ANSWER_LIMIT_BYTES = 5 * MIB;
/** A returned body is in memory as received and as sent. */
const COPIES_SHOWN = 2;
/** Other work gets a turn while a body is written. */
const WRITTEN_PER_TURN_BYTES = MIB;

/** The checked request, before anything is read from the vault. */
interface Plan {
  readonly request: ProxyRequest;
  readonly contentType: string | undefined;
  /** Undefined for methods without a body. */
  readonly template: ProxyTemplate | undefined;
  readonly rules: readonly IngressRule[];
  readonly destination: Destination;
  /** Aborts all outbound work. */
  readonly signal: AbortSignal;
}

/** A call in progress, with its explanation so far. */
interface ProxyCallState {
  readonly call: ProxyCall;
  readonly explanation: Explanation;
  /** For the transforms of its tokens and rules. */
  readonly budget: TransformBudget;
  contentType?: string | undefined;
  sendsBody: boolean;
  isPinned: boolean;
  /** The body after its tokens were parsed. */
  parsed?: ProxyTemplate;
  request?: ProxyRequest;
  /** The names of tokens whose values have a meaning of their own where they went in unescaped. */
  breaking: readonly string[];
  /** About the target's answer. */
  remarks: readonly string[];
  /** Callbacks for the end of the call. */
  readonly over: (() => void)[];
}

export function createVaultProxy(context: VaultProxyContext) {
  const { queue, settings, journal, outbound, configurations, timeoutMs = TIMEOUT_MS } = context;
  const resolution = createResolution(context);
  const ingress = createIngress(context);

  /** Runs a call and stores its explanation, also on failure. */
  async function explained<T>(call: ProxyCall, run: (state: ProxyCallState) => Promise<T>): Promise<T> {
    const explanation = beginExplanation(settings.current.egress.policy, headerNotes(call.rawHeaders));
    const budget = new TransformBudget();
    const known = { sendsBody: true, isPinned: false, breaking: [], remarks: [] };
    const state: ProxyCallState = { call, explanation, budget, ...known, over: [] };
    let failure: ServiceError | undefined;
    try {
      return await run(state);
    } catch (error) {
      failure = asFailure(error);
      throw error;
    } finally {
      for (const end of state.over) end();
      explanation.hints = hintsFor({
        ...state,
        failure,
        template: call.body.toString('latin1'),
        isAbandoned: call.clientGone.aborted,
        isConfigured: call.configuration !== undefined,
      });
      journal.explain(call.requestId, explanation);
    }
  }

  function templateOf(
    state: ProxyCallState,
    fpId: string | undefined,
    forwardedType: string | undefined,
  ): ProxyTemplate {
    const { body, caller } = state.call;
    if (fpId !== undefined && !findEntity(queue.database, caller, fpId)) {
      throw new ServiceError('not_found', 'Header x-fp-id names no entity of this tenant and environment');
    }
    state.contentType = contentTypeOf(body, forwardedType);
    const template = parseTemplate(body, {
      contentType: state.contentType,
      defaultEntity: fpId,
      budget: state.budget,
    });
    state.explanation.tokens = unread(template.tokens);
    state.parsed = template;
    return template;
  }

  /**
   * Starts the time limit of a call. If the client disconnects, nothing more is sent, except with ingress, whose values
   * must be stored. Uses a timer of our own: Node's garbage collection drops `AbortSignal.timeout` within
   * `AbortSignal.any`, and the call would never end.
   */
  function beginDeadline({ call, over }: ProxyCallState, { ingressRules }: ProxyRequest): AbortSignal {
    const deadline = new AbortController();
    const end = () => deadline.abort();
    const timer = realTime.setTimeout(end, timeoutMs);
    if (ingressRules.length === 0) {
      if (call.clientGone.aborted) end();
      call.clientGone.addEventListener('abort', end);
    }
    over.push(() => {
      realTime.clearTimeout(timer);
      call.clientGone.removeEventListener('abort', end);
    });
    return deadline.signal;
  }

  /** The effective headers of a call: its own, and those of its configuration. */
  function headersBy({ call, explanation }: ProxyCallState): readonly string[] {
    const { caller, configuration, rawHeaders } = call;
    if (configuration === undefined) return rawHeaders;
    const { enabled, request } = configurations.open(caller, configuration);
    requireOwnHeaders(rawHeaders);
    if (!enabled) throw conflict('The proxy configuration is disabled');
    const headers = withStored(rawHeaders, request);
    noteHeaders(explanation, headerNotes(notedHeaders(headers)));
    return headers;
  }

  async function plan(state: ProxyCallState): Promise<Plan> {
    const headers = headersBy(state);
    try {
      return await planned(state, headers);
    } catch (error) {
      throw state.call.configuration === undefined ? error : inMembers(error, OF_CONFIGURATION);
    }
  }

  async function planned(state: ProxyCallState, headers: readonly string[]): Promise<Plan> {
    const { call, explanation } = state;
    const request = readProxyHeaders(headers);
    state.request = request;
    state.isPinned = request.tls.pins.length > 0;
    const { secret_key_header } = settings.current.vocabulary;
    requireOwnKeyStays(request, { rawHeaders: call.rawHeaders, secretKeyHeader: secret_key_header });
    const signal = beginDeadline(state, request);
    explanation.target = withoutQuery(request.url);
    state.sendsBody = sendsBody(request);
    const { fpId, forwarded, ingressRules, url } = request;
    const empty = { ...state, call: { ...call, body: Buffer.alloc(0) } };
    const template = templateOf(state.sendsBody ? state : empty, fpId, forwarded['content-type']);
    const rules = parseIngressRules(ingressRules, fpId, state.budget);
    explanation.ingress = rules.map(({ text }) => ({
      rule: cut(text),
      matched: false,
      stored_as: null,
      reason: null,
    }));
    requireStorable(queue.database, rules, call.caller);
    const destination = await attempted(outbound.admit(url, explanation.policy, signal), explanation);
    explanation.resolved_addresses = [...destination.addresses];
    return {
      request,
      contentType: state.contentType,
      template: state.sendsBody ? template : undefined,
      rules,
      destination,
      signal,
    };
  }

  function readingOf(
    { call, explanation, budget }: ProxyCallState,
    operation: TokenReading['operation'],
    reason: string,
  ): TokenReading {
    const { caller, requestId, operator, held } = call;
    return { caller, requestId, operator, held, operation, reason, explanation, budget };
  }

  /** The body with its values; undefined when none is sent. */
  async function fill(
    state: ProxyCallState,
    template: ProxyTemplate | undefined,
    reading: TokenReading,
  ): Promise<FilledBody | undefined> {
    if (!template) return undefined;
    const values = await resolution.values(template.tokens, reading);
    state.breaking = breakingTokens(state, template, values);
    const pieces: FilledBody[] = [];
    let bytes = 0;
    let bytesOfTurn = 0;
    for (const piece of template.pieces(values)) {
      pieces.push(piece);
      // Escaping makes values longer.
      if ((bytes += piece.byteLength) > SENT_LIMIT_BYTES) throw bodyTooLarge();
      if (streams(piece)) continue;
      reading.held.take(piece.length);
      if ((bytesOfTurn += piece.length) < WRITTEN_PER_TURN_BYTES) continue;
      bytesOfTurn = 0;
      await nextTurn();
    }
    return joined(pieces);
  }

  /** For a response that shows it. */
  async function whole(body: FilledBody | undefined, { held }: ProxyCall): Promise<Buffer> {
    if (body === undefined) return Buffer.alloc(0);
    await held.reserve(COPIES_SHOWN * body.byteLength);
    return wholeBody(body);
  }

  return {
    /** Sends the request, and returns the target's response. */
    forward: (call: ProxyCall): Promise<ProxiedAnswer> =>
      explained(call, async (state) => {
        const { explanation } = state;
        const { request, contentType, template, rules, destination, signal } = await plan(state);
        const body = await fill(state, template, readingOf(state, 'proxy', request.reason));
        const { extra_roots } = settings.current.egress;
        const outgoing = {
          method: request.method,
          headers: outgoingHeaders(request.forwarded, contentType),
          body,
          tls: { ...request.tls, extraRoots: extra_roots },
        };
        const sent = outbound.send(destination, outgoing, { signal, maxBodyBytes: ANSWER_LIMIT_BYTES });
        const answer = await attempted(sent, explanation);
        noteConnection(explanation, answer);
        state.remarks = answer.remarks;
        // The target was called already, so the memory can no longer be refused.
        call.held.note(COPIES_SHOWN * answer.body.length);
        const taken = await answered(
          answer,
          ingress.apply(answer, rules, { caller: call.caller, budget: state.budget }),
          explanation,
        );
        explanation.ingress = keptNotes(taken.notes);
        return { status: answer.status, headers: answerHeaders(answer, taken), body: taken.body };
      }),

    /** The body as it would be sent. */
    reflect: (call: ProxyCall): Promise<Reflection> =>
      explained(call, async (state) => {
        const { fpId, reason, contentType } = readReflectHeaders(call.rawHeaders);
        const template = templateOf(state, fpId, contentType);
        if (reason === '' && template.tokens.length === 0) throw reasonMissing();
        const body = await fill(state, template, readingOf(state, 'reflect', reason));
        return { contentType: state.contentType, body: await whole(body, call) };
      }),

    /** The request as it would be sent, with the same checks; masked unless a reason is given. */
    render: (call: ProxyCall): Promise<Rendering> =>
      explained(call, async (state) => {
        const { explanation } = state;
        const { request, contentType, template, rules } = await plan(state);
        const reading = readingOf(state, 'reflect', request.reason);
        const isMasked = request.reason === '';
        const body = isMasked
          ? template?.render(await resolution.masks(template.tokens, reading))
          : await fill(state, template, reading);
        return {
          method: request.method,
          url: request.url.href,
          headers: outgoingHeaders(request.forwarded, contentType),
          ...asText(await whole(body, call)),
          masked: isMasked,
          policy: explanation.policy,
          resolved_addresses: explanation.resolved_addresses,
          tokens: explanation.tokens,
          stripped: explanation.headers.stripped,
          ingress: rules.map(({ text }) => text),
        };
      }),
  };
}

function asFailure(error: unknown): ServiceError {
  return error instanceof ServiceError
    ? error
    : new ServiceError('internal_error', 'Something went wrong inside');
}

/** The names of the tokens whose values went in unescaped, and could be read as more than values. */
function breakingTokens(
  { call, contentType }: ProxyCallState,
  { tokens, places }: ProxyTemplate,
  values: readonly TokenValue[],
): string[] {
  const format = formatOf(contentType, call.body.toString('latin1', 0, LOOKED_AT_BYTES));
  const names = tokens.flatMap(({ name, transforms }, index) => {
    const isWrapped = transforms.at(-1)?.name === 'wrap_quotes';
    const value = values[index] ?? null;
    return breaksOut(value, places[index] ?? 'none', { format, isWrapped }) ? [name] : [];
  });
  return [...new Set(names)];
}

/** Enough to know the format of a body by its beginning. */
const LOOKED_AT_BYTES = 200;

function sendsBody({ method }: ProxyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}
