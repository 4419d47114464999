/**
 * What a call did, step by step (contract §11): it fills as the call goes, so that it also shows
 * how far one came that was refused. Tokens and transforms by name, values by their masks, nothing else of either.
 */
import type { ProxyExplanation } from '../../contract/vault-proxy.ts';
import { withoutCredentials } from '../../kernel/redaction.ts';
import type { ConnectionNotes, EgressPolicy } from '../../outbound/index.ts';
import type { ProxyToken } from './proxy-token.ts';

export type Explanation = ProxyExplanation;

export function beginExplanation(policy: EgressPolicy, headers: ProxyExplanation['headers']): Explanation {
  return {
    target: null,
    policy,
    resolved_addresses: [],
    tokens: [],
    headers: keptNotes(headers),
    tls: null,
    ingress: [],
    upstream: null,
    hints: [],
  };
}

/** The headers of a call turned out to be others. */
export function noteHeaders(explanation: Explanation, headers: ProxyExplanation['headers']): void {
  explanation.headers = keptNotes(headers);
}

function keptNotes({ forwarded, refused, stripped }: ProxyExplanation['headers']) {
  return {
    forwarded: keptNames(forwarded),
    refused: keptNames(refused),
    stripped: keptNames(stripped),
  };
}

/** A text of others, as long as people read it: two thousand explanations are kept. */
export function cut(text: string): string {
  return text.length > KEPT_CHARACTERS ? `${text.slice(0, KEPT_CHARACTERS)}…` : text;
}

const KEPT_CHARACTERS = 200;
const KEPT_NAMES = 100;

/** A URL as it is kept: its query may hold anything. */
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
    found: false,
    transforms: transforms.map((transform) => transform.name),
    input_masked: null,
    output_masked: null,
  }));
}

/** How far the request went, whether an answer came or not. */
export function noteConnection(
  explanation: Explanation,
  outcome: {
    readonly status?: number | undefined;
    readonly msTotal: number;
    readonly connection?: ConnectionNotes | undefined;
  },
): void {
  const { status, msTotal, connection } = outcome;
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
