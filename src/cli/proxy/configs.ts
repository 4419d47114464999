/**
 * Stored proxy configurations: the flags of `proxy configs create` and `update` with their members (contract §3.4),
 * and the views of configurations.
 */
import { string as stringArg } from '@oclif/core/args';
import { string } from '@oclif/core/flags';
import type { RequestOf, AnswerOf } from '../../contract/registry.ts';
import { UsageError } from '../shell/failure.ts';
import { reasonFlag } from '../shell/flags.ts';
import { HEADER_SOURCES, headerTexts, parseHeader, readsStdin } from '../shell/fields.ts';
import type { InputSource } from '../shell/input.ts';
import { readPem, targetFlags, type TargetFlags } from './flags.ts';
import { facts, table, yesNo } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import { moreView } from '../entities/view.ts';
import { defined } from '../../kernel/defined.ts';

type Members = Omit<RequestOf<'PATCH /_kyclone/proxies/{id}'>['body'], 'url' | 'enabled'>;

const repeatable = { multiple: true, multipleNonGreedy: true } as const;

export const configArg = {
  id: stringArg({ description: 'id of a proxy configuration (proxy_id_...)', required: true }),
};

export const memberFlags = {
  name: string({ summary: 'name for people (default: the host of the target)', helpValue: 'NAME' }),
  reason: reasonFlag({ summary: 'why; recorded in the access log for every value that its calls read' }),
  header: string({
    char: 'H',
    summary: `a header for the target, visible to everyone who reads the configuration; ${HEADER_SOURCES}`,
    helpValue: 'NAME: VALUE',
    ...repeatable,
  }),
  'secret-header': string({
    summary: `a header for the target, such as its API key; its value is never shown again; ${HEADER_SOURCES}`,
    helpValue: 'NAME: VALUE',
    ...repeatable,
  }),
  ...targetFlags,
};

export interface MemberFlags extends TargetFlags {
  readonly name?: string | undefined;
  readonly reason?: string | undefined;
  readonly header?: readonly string[] | undefined;
  readonly 'secret-header'?: readonly string[] | undefined;
}

/** The members given by flags. Throws UsageError, which contains nothing that was typed or read. */
export async function membersOf(flags: MemberFlags, input: InputSource): Promise<Members> {
  const { name, method, reason, header, 'secret-header': secret, 'pin-cert': pins, ingress } = flags;
  if (readsStdin(header) && readsStdin(secret)) throw new UsageError('Only one value can come from stdin');
  const identity = identityOf(flags);
  return {
    ...defined({ name, method, access_reason: reason }),
    ...(header && { headers: headerMap(await headerTexts(header, input)) }),
    ...(secret && { secret_headers: headerMap(await headerTexts(secret, input)) }),
    ...(pins && { pins: pins.map((path) => readPem('--pin-cert', path).toString('utf8')) }),
    ...defined({ client_identity: identity }),
    ...(ingress && { ingress: { rules: ingress.map(ruleOf) } }),
  };
}

function identityOf({ 'client-cert': certificate, 'client-key': key }: MemberFlags) {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw new UsageError('--client-cert and --client-key must be given together');
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

type Configuration = AnswerOf<'GET /_kyclone/proxies/{id}'>;

export function configView(configuration: Configuration, style: Style): string {
  const { headers, secret_headers: secrets, client_identity: identity, pins, ingress } = configuration;
  return facts(
    {
      configuration: configuration.id,
      name: configuration.name,
      target: `${configuration.method} ${configuration.url}`,
      reason: configuration.access_reason === '' ? null : configuration.access_reason,
      headers: lines(headers),
      'secret headers': lines(secrets),
      'client certificate': identity ? `${identity.subject}, until ${identity.expires_at}` : null,
      'pinned certificates': pins.length === 0 ? null : String(pins.length),
      ingress: ingress.rules.map(({ token, target }) => `${token} = ${target}`),
      tenant: configuration.tenant,
      environment: configuration.environment,
      enabled: configuration.enabled ? 'yes' : 'no',
      created: configuration.created_at,
    },
    style,
  );
}

export function configListView({ data, meta }: AnswerOf<'GET /_kyclone/proxies'>, style: Style): string {
  const rows = data.map(({ id, enabled, name, method, url }) => [
    id,
    yesNo(enabled),
    `${name}, ${method} ${url}`,
  ]);
  const headings = ['ID', 'ENABLED', 'NAME AND TARGET'];
  const list = table(headings, rows, style, 'No proxy configurations', true);
  return [list, ...moreView(meta, data.length, style)].join('\n');
}

function lines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
