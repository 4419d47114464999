/** Flags of `proxy configs create` and `update`, and the members that they stand for (contract §3.4). */
import { string as stringArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import type { RequestOf } from '../../contract/registry.ts';
import { UsageError } from '../shell/failure.ts';
import { reasonFlag } from '../shell/flags.ts';
import { HEADER_SOURCES, headerTexts, parseHeader, readsStdin } from '../shell/headers.ts';
import type { InputSource } from '../shell/input.ts';
import { PROXY_METHOD_WORDS, readPem } from './flags.ts';

type Members = Omit<RequestOf<'PATCH /_kyclone/proxies/{id}'>['body'], 'url' | 'enabled'>;

const repeatable = { multiple: true, multipleNonGreedy: true } as const;

export const configArg = {
  id: stringArg({ description: 'id of a proxy configuration (proxy_id_...)', required: true }),
};

export const memberFlags = {
  name: string({ summary: 'what people know it by, the host of the target unless given', helpValue: 'NAME' }),
  method: option({ summary: 'how the target is called, POST unless given', options: PROXY_METHOD_WORDS })(),
  reason: reasonFlag({ summary: 'why; goes into the access log for every value that its calls read' }),
  header: string({
    char: 'H',
    summary: `a header for the target, which everybody may see who reads the configuration; ${HEADER_SOURCES}`,
    helpValue: 'NAME: VALUE',
    ...repeatable,
  }),
  'secret-header': string({
    summary: `a header for the target, such as its API key, whose value is never shown again; ${HEADER_SOURCES}`,
    helpValue: 'NAME: VALUE',
    ...repeatable,
  }),
  'pin-cert': string({
    summary: 'trust this certificate (PEM) of the target or its authority, and no other; repeatable',
    helpValue: 'FILE',
    ...repeatable,
  }),
  'client-cert': string({ summary: 'certificate (PEM) to show to the target', helpValue: 'FILE' }),
  'client-key': string({ summary: 'private key (PEM) of that certificate, kept secret', helpValue: 'FILE' }),
  ingress: string({
    summary: 'vault what a JSON path selects in the answer: IDENTIFIER=PATH; one rule, repeatable',
    helpValue: 'RULE',
    ...repeatable,
  }),
};

export interface MemberFlags {
  readonly name?: string | undefined;
  readonly method?: Members['method'];
  readonly reason?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly 'secret-header'?: readonly string[] | undefined;
  readonly 'pin-cert'?: readonly string[] | undefined;
  readonly 'client-cert'?: string | undefined;
  readonly 'client-key'?: string | undefined;
  readonly ingress?: readonly string[] | undefined;
}

/** The members that the flags give. Throws UsageError, which repeats nothing of what was typed or read. */
export async function membersOf(flags: MemberFlags, input: InputSource): Promise<Members> {
  const { name, method, reason, header, 'secret-header': secret, 'pin-cert': pins, ingress } = flags;
  if (readsStdin(header) && readsStdin(secret)) throw new UsageError('Only one thing can come from stdin');
  const identity = identityOf(flags);
  return {
    ...(name !== undefined && { name }),
    ...(method !== undefined && { method }),
    ...(reason !== undefined && { access_reason: reason }),
    ...(header && { headers: headerMap(await headerTexts(header, input)) }),
    ...(secret && { secret_headers: headerMap(await headerTexts(secret, input)) }),
    ...(pins && { pins: pins.map((path) => readPem('--pin-cert', path).toString('utf8')) }),
    ...(identity && { client_identity: identity }),
    ...(ingress && { ingress: { rules: ingress.map(ruleOf) } }),
  };
}

function identityOf({ 'client-cert': certificate, 'client-key': key }: MemberFlags) {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw new UsageError('--client-cert and --client-key are given together');
  }
  return {
    certificate: readPem('--client-cert', certificate).toString('utf8'),
    key: readPem('--client-key', key).toString('utf8'),
  };
}

function headerMap(texts: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of texts.map(parseHeader)) {
    if (headers.has(name.toLowerCase())) throw new UsageError('One header is given twice');
    headers.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(headers);
}

function ruleOf(text: string): { token: string; target: string } {
  const equals = text.indexOf('=');
  if (equals === -1) throw new UsageError('--ingress takes IDENTIFIER=PATH, such as custom.score=$.score');
  return { token: text.slice(0, equals).trim(), target: text.slice(equals + 1).trim() };
}
