/**
 * The steps of a call (contract §11), filled while it runs, so that it also shows how far a refused call got. Contains
 * tokens and transforms by name, and values by their masks only.
 */
import type { ProxyExplanation } from '../../contract/vault-proxy.ts';
import { withoutCredentials } from '../../kernel/ids.ts';
import type { ConnectionNotes, EgressPolicy } from '../../outbound/index.ts';
import type { ProxyToken } from './proxy-token.ts';

export type Explanation = ProxyExplanation;

export function beginExplanation(policy: EgressPolicy, headers: ProxyExplanation['headers']): Explanation {
  return {
    target: null,
    policy,
    sent: false,
    resolved_addresses: [],
    tokens: [],
    headers: keptNotes(headers),
    tls: null,
    ingress: [],
    upstream: null,
    hints: [],
  };
}

/** Updates the headers of the call. */
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
