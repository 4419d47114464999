/**
 * The vault proxy (contract §3.3, §10): sends a request to a third party, with vaulted data in its body that the caller
 * never sees. Each step completes its checks before the next one; a refused call sends nothing.
 */
import type { EndpointKey } from '../../../contract/registry.ts';
import { ServiceError, conflict } from '../../../kernel/errors.ts';
import { nextTurn } from '../../../kernel/time/turns.ts';
import { MIB, SECOND_MS } from '../../../kernel/numbers/units.ts';
import { TransformBudget } from '../../../vault/transforms/index.ts';
import { findEntity } from '../../entities/service/index.ts';
import { answer as answerOf, type Handlers } from '../../handlers.ts';
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
  type CallFacts,
  cut,
  keptHeaders,
  noteConnection,
  noteRefusal,
  unread,
  withoutQuery,
  hintsFor,
} from './explanation.ts';
import { headerNotes, outgoingHeaders } from './forwarded-headers.ts';
import { readProxyHeaders, readReflectHeaders, requireOwnKeyStays } from './proxy-headers.ts';
import { createIngress, requireStorable } from './ingress.ts';
import { parseIngressRules } from './ingress-rules.ts';
import { answered, answerHeaders, asText, attempted, keptNotes } from './proxy-answer.ts';
import { parseTemplate, type ProxyTemplate } from './proxy-template.ts';
import {
  bodyTooLarge,
  createResolution,
  reasonMissing,
  SENT_LIMIT_BYTES,
  type TokenReading,
  type TokenValue,
} from './resolution.ts';
import { beginDeadline } from '../../../outbound/index.ts';
import type { Needs } from '../../needs.ts';

export type { Configurations, StoredRequest } from './stored-request.ts';
export { describeCertificate, requireSendable } from './stored-request.ts';

type ProxyKeys = Extract<EndpointKey, `POST /vault_proxy/${string}`>;

/** A request to the proxy. */
type ProxyCall = Omit<Parameters<Handlers<ProxyKeys>['POST /vault_proxy/jit']>[0], 'params' | 'headers'>;

const OF_CONFIGURATION = ' of the proxy configuration';
const TIMEOUT_MS = 30 * SECOND_MS;
const ANSWER_LIMIT_BYTES = 5 * MIB;
/** A returned body is in memory as received and as sent. */
const COPIES_SHOWN = 2;
/** Other work gets a turn while a body is written. */
const WRITTEN_PER_TURN_BYTES = MIB;

/** A call in progress, with its explanation so far. */
interface ProxyCallState extends CallFacts {
  readonly call: ProxyCall;
  readonly body: Buffer;
  readonly clientGone: AbortSignal;
  /** The id of the stored configuration for the call (contract §3.4). */
  readonly configuration: string | undefined;
  /** For the transforms of its tokens and rules. */
  readonly budget: TransformBudget;
  /** Callbacks for the end of the call. */
  readonly over: (() => void)[];
}

export function createVaultProxy(
  context: Needs<'queue' | 'vault' | 'accessLog' | 'clock' | 'outbound'> & {
    readonly settings: LiveSettings;
    readonly journal: Journal;
    readonly configurations: Configurations;
    /** For everything that a request does outbound (contract §0.10). */
    readonly timeoutMs?: number | undefined;
  },
): Handlers<ProxyKeys> {
  const { queue, settings, journal, outbound, configurations, timeoutMs = TIMEOUT_MS } = context;
  const resolution = createResolution(context);
  const ingress = createIngress(context);

  /** Runs a call and stores its explanation, also on failure. */
  async function explained<T>(
    call: ProxyCall,
    run: (state: ProxyCallState) => Promise<T>,
    configuration?: string,
  ): Promise<T> {
    const explanation = beginExplanation(settings.current.egress.policy, headerNotes(call.rawHeaders));
    const { body = new Uint8Array() } = call;
    const state: ProxyCallState = {
      call,
      body: Buffer.from(body.buffer, body.byteOffset, body.length),
      clientGone: call.clientGone(),
      configuration,
      explanation,
      budget: new TransformBudget(),
      breaking: [],
      remarks: [],
      over: [],
    };
    let failure: ServiceError | undefined;
    try {
      return await run(state);
    } catch (error) {
      failure = asFailure(error);
      noteRefusal(explanation, failure.message);
      throw error;
    } finally {
      for (const end of state.over) end();
      explanation.hints = hintsFor(state, {
        failure,
        template: state.body.toString('latin1'),
        isAbandoned: state.clientGone.aborted,
        isConfigured: configuration !== undefined,
      });
      journal.explain(call.requestId, explanation);
    }
  }

  function templateOf(
    state: ProxyCallState,
    body: Buffer,
    { fpId, forwardedType }: { fpId: string | undefined; forwardedType: string | undefined },
  ): ProxyTemplate {
    if (fpId !== undefined && !findEntity(queue.database, state.call.caller, fpId)) {
      throw new ServiceError('not_found', 'Header x-fp-id names no entity of this tenant and environment');
    }
    const contentType = contentTypeOf(body, forwardedType);
    state.contentType = contentType;
    const { budget } = state;
    const template = parseTemplate(body, { contentType, defaultEntity: fpId, budget });
    state.explanation.tokens = unread(template.tokens);
    state.parsed = template;
    return template;
  }

  /** The checked request, before anything is read from the vault. */
  async function plan(state: ProxyCallState) {
    const { call, configuration, explanation } = state;
    if (configuration === undefined) return await planned(state, call.rawHeaders);
    const { enabled, request } = configurations.open(call.caller, configuration);
    requireOwnHeaders(call.rawHeaders);
    if (!enabled) throw conflict('The proxy configuration is disabled');
    const headers = withStored(call.rawHeaders, request);
    explanation.headers = keptHeaders(headerNotes(notedHeaders(headers)));
    try {
      return await planned(state, headers);
    } catch (error) {
      throw inMembers(error, OF_CONFIGURATION);
    }
  }

  /** `headers`: those of the call, and those of its configuration. */
  async function planned(state: ProxyCallState, headers: readonly string[]) {
    const { call, explanation } = state;
    const request = readProxyHeaders(headers);
    state.request = request;
    const { secret_key_header } = settings.current.vocabulary;
    requireOwnKeyStays(request, { rawHeaders: call.rawHeaders, secretKeyHeader: secret_key_header });
    const { fpId, forwarded, ingressRules, url, sendsBody } = request;
    /** Aborts all outbound work; not when the client disconnects if there is ingress, whose values must be stored. */
    const { signal, end } = beginDeadline(
      timeoutMs,
      ingressRules.length === 0 ? state.clientGone : undefined,
    );
    state.over.push(end);
    explanation.target = withoutQuery(url);
    const sent = sendsBody ? state.body : Buffer.alloc(0);
    const template = templateOf(state, sent, { fpId, forwardedType: forwarded['content-type'] });
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
      headers: outgoingHeaders(forwarded, state.contentType),
      template: sendsBody ? template : undefined,
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

  /** Sends the request, and returns the target's response. */
  const forward = (received: ProxyCall, configuration?: string) =>
    explained(
      received,
      async (state) => {
        const { explanation, call } = state;
        const { request, headers, template, rules, destination, signal } = await plan(state);
        const body = await fill(state, template, readingOf(state, 'proxy', request.reason));
        const { method } = request;
        const tls = { ...request.tls, extraRoots: settings.current.egress.extra_roots };
        const limits = { signal, maxBodyBytes: ANSWER_LIMIT_BYTES };
        const sent = outbound.send(destination, { method, headers, body, tls }, limits);
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
      },
      configuration,
    );

  return {
    'POST /vault_proxy/jit': (call) => forward(call),

    'POST /vault_proxy/{proxy_id}': (call) => forward(call, call.params.proxy_id),

    /** The body as it would be sent. */
    'POST /vault_proxy/reflect': (call) =>
      explained(call, async (state) => {
        const { fpId, reason, contentType: forwardedType } = readReflectHeaders(call.rawHeaders);
        const template = templateOf(state, state.body, { fpId, forwardedType });
        if (reason === '' && template.tokens.length === 0) throw reasonMissing();
        const body = await whole(await fill(state, template, readingOf(state, 'reflect', reason)), call);
        const { contentType } = state;
        return answerOf(body, contentType === undefined ? undefined : { 'content-type': contentType });
      }),

    /** The request as it would be sent, with the same checks; masked unless a reason is given. */
    'POST /vault_proxy/render': (call) =>
      explained(call, async (state) => {
        const { explanation } = state;
        const { request, headers, template, rules } = await plan(state);
        const reading = readingOf(state, 'reflect', request.reason);
        const isMasked = request.reason === '';
        const body = isMasked
          ? template?.render(await resolution.masks(template.tokens, reading))
          : await fill(state, template, reading);
        return answerOf({
          method: request.method,
          url: request.url.href,
          headers,
          ...asText(await whole(body, call)),
          masked: isMasked,
          policy: explanation.policy,
          resolved_addresses: explanation.resolved_addresses,
          tokens: explanation.tokens,
          stripped: explanation.headers.stripped,
          ingress: rules.map(({ text }) => text),
        });
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
  { body, contentType }: ProxyCallState,
  { tokens, places }: ProxyTemplate,
  values: readonly TokenValue[],
): string[] {
  const format = formatOf(contentType, body.toString('latin1', 0, LOOKED_AT_BYTES));
  const names = tokens.flatMap(({ name, transforms }, index) => {
    const isWrapped = transforms.at(-1)?.name === 'wrap_quotes';
    const value = values[index] ?? null;
    return breaksOut(value, places[index] ?? 'none', { format, isWrapped }) ? [name] : [];
  });
  return [...new Set(names)];
}

/** Enough to know the format of a body by its beginning. */
const LOOKED_AT_BYTES = 200;
