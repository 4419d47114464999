/** Hints for a proxy call with an unexpected result. Pure. */
import { READ_BY_PROXY } from '../../contract/facts/requests.ts';
import type { Explanation } from './explanation.ts';

export interface HintFacts {
  readonly explanation: Explanation;
  /** Whether the body is sent. */
  readonly sendsBody: boolean;
  /** The original body, as latin1 text. */
  readonly template: string;
  readonly contentType?: string | undefined;
  /** Whether certificates are pinned. */
  readonly isPinned: boolean;
  /** Whether a stored configuration determines the target. */
  readonly isConfigured: boolean;
  /** Whether the tokens of the body were parsed. */
  readonly isSearched: boolean;
  /** The error that ended the call before its response. */
  readonly failure: { readonly code: string; readonly message: string } | undefined;
  /** Whether the caller disconnected before the response. */
  readonly isAbandoned: boolean;
}

/** JSON never begins with the braces of a token. */
const LOOKS_LIKE_JSON = /^\s*(?:\[|\{(?!\{))/;

export function hintsFor(facts: HintFacts): string[] {
  const { failure } = facts;
  return [
    ...(failure ? [`${failure.code}: ${failure.message}`] : []),
    ...headerHints(facts),
    ...templateHints(facts),
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
  sendsBody,
  template,
  contentType,
  isSearched,
  failure,
}: HintFacts): Iterable<string> {
  const hasTokens = explanation.tokens.length > 0;
  if (!sendsBody) {
    if (template !== '')
      yield 'The body was left out: GET and HEAD send none, so no token in it was looked at';
    return;
  }
  if (isSearched && !hasTokens && template.includes('{{')) {
    yield 'The body holds {{ but no token: one begins with fp_ or a family word and a dot, such as {{ id.email }}';
  }
  if (isSearched && !hasTokens && /%7b%7b/i.test(template)) {
    yield 'The body holds %7B%7B: tokens are not looked for in percent-encoded text, so send {{ }} as they are';
  }
  if (hasTokens && contentType?.startsWith('text/plain') === true && LOOKS_LIKE_JSON.test(template)) {
    yield (
      'The body looks like JSON but did not parse as such, so values went in unescaped; ' +
        'x-fp-proxy-fwd-content-type: application/json escapes them'
    );
  }
  if (failure?.code === 'proxy_token_unresolved') {
    yield 'A token names an entity of this key’s tenant and environment, and a datum that it has now';
  }
  if (failure?.code === 'permission_denied')
    yield 'The key needs decrypt:<identifier> for each token, vault.write for ingress';
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
  if (failure?.code === 'proxy_upstream_unreachable') yield* tlsHints(facts);
  if (upstream?.status !== null && upstream?.status !== undefined) {
    if (upstream.status >= 300 && upstream.status < 400) yield 'Redirects are handed back and never followed';
    if (upstream.status >= 400) yield `The ${upstream.status} is the target's own answer`;
  }
}

/** A trusted server that disconnected did so for a reason other than its certificate. */
function* tlsHints({ explanation: { tls }, isPinned, isConfigured }: HintFacts): Iterable<string> {
  if (!tls || tls.pinned !== null) return;
  if (tls.chain.length === 0) {
    yield 'TLS failed before the server showed a certificate';
    return;
  }
  const shown = `The server showed ${tls.chain.join(' < ')}`;
  const pins = isConfigured ? 'member pins of the proxy configuration' : 'x-fp-proxy-pin-cert';
  const scope = isConfigured ? 'for its calls' : 'for one call';
  yield isPinned
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
