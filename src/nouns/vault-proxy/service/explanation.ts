/**
 * The steps of a call (contract §11), filled while it runs, so that it also shows how far a refused call got. Contains
 * tokens and transforms by name, and values by their masks only.
 */
import type { ProxyExplanation } from '../endpoints.ts';
import { withoutCredentials } from '../../../kernel/ids/ids.ts';
import type { ConnectionNotes, EgressPolicy } from '../../../outbound/index.ts';
import type { ProxyTemplate, ProxyToken } from './proxy-template.ts';
import { FORWARD_PREFIX, READ_BY_PROXY } from '../../requests/facts.ts';
import { describeIdentifier } from '../../../vault/identifiers/index.ts';
import { escapingOf, formatOf } from './body-format.ts';
import type { ProxyRequest } from './proxy-headers.ts';

export type Explanation = ProxyExplanation;

export function beginExplanation(policy: EgressPolicy, headers: ProxyExplanation['headers']): Explanation {
  return {
    target: null,
    policy,
    sent: false,
    resolved_addresses: [],
    tokens: [],
    headers: keptHeaders(headers),
    tls: null,
    ingress: [],
    upstream: null,
    hints: [],
  };
}

/** The headers of a call in the form that is kept. */
export function keptHeaders({ forwarded, refused, stripped }: ProxyExplanation['headers']) {
  return { forwarded: keptNames(forwarded), refused: keptNames(refused), stripped: keptNames(stripped) };
}

/** A header that the call was refused for was not forwarded. */
export function noteRefusal(explanation: Explanation, message: string): void {
  const { forwarded, refused, stripped } = explanation.headers;
  const isRefused = (name: string) => message.startsWith(`Header ${FORWARD_PREFIX}${name} `);
  explanation.headers = {
    forwarded: forwarded.filter((name) => !isRefused(name)),
    refused: [...refused, ...forwarded.filter(isRefused)],
    stripped,
  };
}

/** Shortens a foreign text to a readable length, since two thousand explanations are kept. */
export function cut(text: string): string {
  return text.length > KEPT_CHARACTERS ? `${text.slice(0, KEPT_CHARACTERS)}…` : text;
}

const KEPT_CHARACTERS = 200;
const KEPT_NAMES = 100;

/** A URL in the form that is kept, without its query, which may contain anything. */
export function withoutQuery(url: URL): string {
  return cut(withoutCredentials(url.origin + url.pathname));
}

function keptNames(names: readonly string[]): string[] {
  const kept = names.slice(0, KEPT_NAMES).map(cut);
  return names.length > KEPT_NAMES ? [...kept, '…'] : kept;
}

/** Tokens before anything was read. */
export function unread(tokens: readonly ProxyToken[]): Explanation['tokens'] {
  return tokens.map(({ name, transforms }) => ({
    token: name,
    found: null,
    transforms: transforms.map((transform) => transform.name),
    input_masked: null,
    output_masked: null,
  }));
}

/** How far the request got, with or without a response. */
export function noteConnection(
  explanation: Explanation,
  outcome: {
    readonly status?: number | undefined;
    readonly msTotal: number;
    readonly connection?: ConnectionNotes | undefined;
  },
): void {
  const { status, msTotal, connection } = outcome;
  explanation.sent = connection?.wasSent ?? false;
  const tls = connection?.tls;
  const chain = tls?.chain.map(cut) ?? [];
  explanation.tls = tls ? { version: tls.version, pinned: tls.pinned, chain } : null;
  explanation.upstream = {
    status: status ?? null,
    ms_connect: connection ? rounded(connection.msConnect) : null,
    ms_total: rounded(msTotal),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

// Hints for a proxy call with an unexpected result. Pure.

// Finds braces that look like a token and were sent as they are, so that an explanation can say so (contract §3.3,
// Tokens). Pure. Reports how the braces are spelled and where, and nothing of what stands between them.

/** A brace as common encoders write it: plain, percent-encoded, as JSON escape or as character reference. */
const BRACE = String.raw`(?:\{|%(?:25)*7b|\\u007b|&#123;|&#x7b;|&lcub;|&lbrace;)`;
const START = String.raw`(?:fp_|id\.|custom\.|investor_profile\.|document\.|card\.|bank\.|business\.)`;
/** Two braces, or a single one before the beginning of a token. */
const PLACEHOLDER = new RegExp(`${BRACE}(?:${BRACE}|(?:[\\s+]|%20)*${START})`, 'i');
const BRACES = new RegExp(`^${BRACE}{1,2}`, 'i');
/** A blank of a form or an address in front of a token. */
const ENCODED_BLANK = /^\{\{\s*(?:\+|%20)/i;

interface LeftPlaceholder {
  /** The braces as written. */
  readonly braces: string;
  /** Position from 0. */
  readonly at: number;
  /** Whether an encoded blank keeps it from being a token. */
  readonly hasEncodedBlank: boolean;
}

/** The first one. The zero bytes of UTF-16 text are skipped. */
function findPlaceholder(text: string): LeftPlaceholder | undefined {
  const found = PLACEHOLDER.exec(text) ?? UTF16.exec(text);
  if (!found) return undefined;
  const shown = BRACES.exec(found[0].replaceAll('\0', ''))?.[0] ?? '{{';
  const behind = text.slice(found.index, found.index + LOOKED_AT_CHARACTERS);
  return { braces: shown, at: found.index, hasEncodedBlank: ENCODED_BLANK.test(behind) };
}

// UTF-16 has a zero byte beside each ASCII character.
const UTF16 = /\{\0\{\0?/;
const LOOKED_AT_CHARACTERS = 100;

/** What is known of a call while it runs. */
export interface CallFacts {
  readonly explanation: Explanation;
  contentType?: string | undefined;
  /** The body after its tokens were parsed. */
  parsed?: ProxyTemplate;
  /** The checked address and headers for the target; absent for a call without one. */
  request?: ProxyRequest;
  /** Tokens whose values have a meaning of their own where they went in unescaped. */
  breaking: readonly string[];
  /** About the target's answer. */
  remarks: readonly string[];
}

interface HintFacts extends CallFacts {
  /** The original body, as latin1 text. */
  readonly template: string;
  /** Whether a stored configuration determines the target. */
  readonly isConfigured: boolean;
  /** The error that ended the call before its response. */
  readonly failure: { readonly code: string; readonly message: string } | undefined;
  /** Whether the caller disconnected before the response. */
  readonly isAbandoned: boolean;
}

export function hintsFor(call: CallFacts, end: Omit<HintFacts, keyof CallFacts>): string[] {
  const facts = { ...call, ...end };
  const { failure } = facts;
  return [
    ...(failure ? [`${failure.code}: ${failure.message}`] : []),
    ...headerHints(facts),
    ...templateHints(facts),
    ...placeholderHints(facts),
    ...targetHints(facts),
    ...ingressHints(facts),
  ];
}

/** A misspelt pin header would silently leave a target unpinned. */
function* headerHints({ explanation }: HintFacts): Iterable<string> {
  const unknown = explanation.headers.stripped.filter(
    (name) => name.startsWith('x-fp-proxy-') && !READ_BY_PROXY.includes(name),
  );
  if (unknown.length > 0) yield `The proxy knows no header ${unknown.join(', ')}: it had no effect`;
}

function* templateHints({
  explanation,
  request,
  template,
  contentType,
  parsed,
  breaking,
  failure,
}: HintFacts): Iterable<string> {
  const hasTokens = explanation.tokens.length > 0;
  const format = formatOf(contentType, template);
  if (request?.sendsBody === false) {
    if (template !== '')
      yield 'The body was left out: GET and HEAD send none, so no token in it was looked at';
    return;
  }
  if (hasTokens && contentType?.startsWith('text/plain') === true && format?.name === 'JSON') {
    yield (
      'The body looks like JSON but did not parse as such, so values went in unescaped; ' +
        'x-fp-proxy-fwd-content-type: application/json escapes them'
    );
  }
  const files = (parsed?.tokens ?? []).filter(isFileToken).map(({ name }) => name);
  if (files.length > 0 && format?.name === 'multipart') {
    yield `The file of ${listed('token', [...new Set(files)])} goes into its part as base64 text, and most receivers expect the bytes: check that the target decodes it, or send JSON`;
  }
  if (hasTokens && OTHER_CHARSET.test(contentType ?? '')) {
    yield (
      'The content type declares a charset other than UTF-8, and values go in as UTF-8: letters beyond ASCII reach the ' +
        'target changed; send the body in UTF-8, with that charset'
    );
  }
  if (breaking.length > 0) {
    const tokens = listed('token', breaking);
    yield escapingOf(contentType) === 'json'
      ? `A value between the strings of the body is no JSON: put quotes around ${tokens}, or end with | wrap_quotes`
      : `A value with characters of the syntax of ${format?.name} went in unescaped, from ${tokens}: ${format?.remedy}`;
  }
  if (failure?.code === 'proxy_token_unresolved') {
    yield 'A token names an entity of this key’s tenant and environment, and a datum that it has now';
  }
  if (failure?.code === 'permission_denied')
    yield 'The key needs decrypt:<identifier> for each token, vault.write for ingress';
}

const OTHER_CHARSET = /;\s*charset\s*=\s*"?(?!utf-?8\b)[\w-]/i;

function isFileToken({ reference, transforms }: ProxyToken): boolean {
  return transforms.length === 0 && describeIdentifier(reference.identifier)?.storage === 'file';
}

const INSTEAD =
  'tokens are replaced in the body only, so send the value itself there, read by a decrypt call';

/** Text in braces may be meant for another program, so it is sent as it is; it never stays without a hint. */
function* placeholderHints({ parsed, request }: HintFacts): Iterable<string> {
  const { url, forwarded = {}, sendsBody = true } = request ?? {};
  const names = Object.keys(forwarded).filter((name) => findPlaceholder(forwarded[name] ?? ''));
  if (names.length > 0) yield `${listed('Header', names)} holds {{ as text: ${INSTEAD}`;
  if (url && findPlaceholder(url.pathname)) yield `The path of the address holds {{ as text: ${INSTEAD}`;
  if (url && findPlaceholder(url.search)) yield `The query of the address holds {{ as text: ${INSTEAD}`;
  const left = sendsBody && parsed ? findPlaceholder(parsed.outside()) : undefined;
  if (!left) {
    if (sendsBody && parsed && !/^(?:identity)?$/i.test(forwarded['content-encoding']?.trim() ?? '')) {
      yield 'Header content-encoding says that the body is packed: tokens are searched in plain text only';
    }
    return;
  }
  const where = `The body holds ${left.braces} at byte ${left.at + 1} as text, but no token`;
  if (left.braces === '{{' && !left.hasEncodedBlank) {
    yield `${where}: one begins with fp_ or a family word and a dot behind {{, such as {{ id.email }}, in UTF-8`;
  } else if (left.braces === '{') yield `${where}: a token has two braces, such as {{ id.email }}`;
  else yield `${where}: encoded text is not searched, so send {{, }} and blanks as they are`;
}

const LISTED = 10;

function listed(what: string, names: readonly string[]): string {
  const shown = names.slice(0, LISTED).map((name) => cut(withoutCredentials(name)));
  const rest = names.length > LISTED ? [`${names.length - LISTED} more`] : [];
  return `${what}${names.length > 1 ? 's' : ''} ${[...shown, ...rest].join(', ')}`;
}

function* targetHints(facts: HintFacts): Iterable<string> {
  const { explanation, failure, isAbandoned } = facts;
  const { policy, upstream } = explanation;
  if (isAbandoned)
    yield 'The caller went away before it was answered, which ends a call without ingress rules';
  // A target that no policy allows, such as the emulator itself, needs no hint about policies.
  if (failure?.code === 'proxy_target_refused' && failure.message.includes('egress policy')) {
    const wider = policy === 'strict' ? 'local allows loopback, open allows all' : 'open allows all';
    yield `kyclone config set egress.policy, then kyclone restart: ${wider}`;
  }
  yield* facts.remarks;
  if (failure?.code.startsWith('proxy_') === true && typeof upstream?.status === 'number') {
    yield 'The target answered, so it may have acted: its status and headers are passed on, its body is not';
  }
  if (failure?.code === 'proxy_upstream_unreachable') yield* tlsHints(facts);
  if (upstream?.status !== null && upstream?.status !== undefined) {
    if (upstream.status >= 300 && upstream.status < 400) yield 'Redirects are handed back and never followed';
    if (upstream.status >= 400) yield `The ${upstream.status} is the target's own answer`;
  }
}

/** A trusted server that disconnected did so for a reason other than its certificate. */
function* tlsHints({ explanation: { tls }, request, isConfigured }: HintFacts): Iterable<string> {
  if (!tls || tls.pinned !== null) return;
  if (tls.chain.length === 0) {
    yield 'TLS failed before the server showed a certificate';
    return;
  }
  const shown = `The server showed ${tls.chain.join(' < ')}`;
  const pins = isConfigured ? 'member pins of the proxy configuration' : 'x-fp-proxy-pin-cert';
  const scope = isConfigured ? 'for its calls' : 'for one call';
  yield request && request.tls.pins.length > 0
    ? `${shown}; only what ${pins} holds is trusted`
    : `${shown}; ${pins} trusts it ${scope}, egress.extra_roots its root for all`;
}

function* ingressHints({ explanation, failure }: HintFacts): Iterable<string> {
  const skipped = explanation.ingress.filter(({ matched }) => !matched);
  if (explanation.upstream && skipped.length > 0 && !failure) {
    yield `${skipped.length} of ${explanation.ingress.length} ingress rules stored nothing`;
  }
  if (failure?.code === 'T120' && explanation.upstream) {
    yield 'A selected value is not valid for its identifier: no rule took effect, and the answer was withheld';
  }
}
