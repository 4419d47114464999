/**
 * The flags of `proxy send` and `proxy render`, and their headers (contract §3.3). The daemon checks their content.
 * This file refuses only what no header can carry, and what would be ignored silently.
 */
import { readFileOf } from '../../../cli/shell/files.ts';
import { option, string } from '@oclif/core/flags';
import { FORWARD_PREFIX, HTTP_METHODS, PROXY_HEADERS } from '../../requests/facts.ts';
import type { RawRequest } from '../../../client/client.ts';
import { UsageError } from '../../../cli/shell/failure.ts';
import {
  readBytes,
  HEADER_SOURCES,
  headerTexts,
  parseHeaders,
  readsStdin,
  requireNoFileName,
} from '../../../cli/shell/fields.ts';
import { entityFlag, type FlagValues, liveFlag, reasonFlag, repeatable } from '../../../cli/shell/flags.ts';
import type { InputSource } from '../../../cli/shell/input.ts';

const TARGET = { summary: 'where the request goes', helpValue: 'URL' } as const;

/** How to call a target, for requests and stored configurations. */
export const targetFlags = {
  method: option({ summary: 'method of the request to the target (default: POST)', options: HTTP_METHODS })(),
  'pin-cert': string({
    summary: 'trust this certificate (PEM) of the target or its authority, and no other; repeatable',
    helpValue: 'FILE',
    ...repeatable,
  }),
  'client-cert': string({ summary: 'certificate (PEM) to show to the target', helpValue: 'FILE' }),
  'client-key': string({ summary: 'private key (PEM) of that certificate, kept secret', helpValue: 'FILE' }),
  ingress: string({
    summary:
      'vault the value that a JSON path selects in the response: IDENTIFIER=PATH; one rule, repeatable',
    helpValue: 'RULE',
    ...repeatable,
  }),
};

export const proxyFlags = {
  target: string({ ...TARGET, required: true }),
  path: string({ summary: 'path and query, appended to the target', helpValue: 'PATH' }),
  id: entityFlag('the user or business for tokens and rules that name none', { helpValue: 'FP_ID' }),
  reason: reasonFlag({ summary: 'why; recorded in the access log for every value that is read' }),
  data: string({
    summary: 'body with tokens to replace: the text itself, @FILE or - for stdin, read byte for byte',
    helpValue: 'BODY',
  }),
  header: string({
    char: 'H',
    summary:
      'a header for the target, sent unchanged: tokens are replaced in the body only; content-type also decides how ' +
      `values are escaped; ${HEADER_SOURCES}`,
    helpValue: 'NAME: VALUE',
    ...repeatable,
  }),
  ...targetFlags,
  ...liveFlag,
};

/** `proxy send` also accepts a stored configuration. */
export const sendFlags = {
  ...proxyFlags,
  target: string(TARGET),
  config: string({
    summary:
      'send with this stored configuration (proxy configs list), which defines target, method, reason and rules',
    helpValue: 'PROXY_ID',
  }),
};

export type ProxyFlags = Partial<FlagValues<typeof sendFlags>>;

const KEPT_FLAGS = [
  'target',
  'method',
  'reason',
  'pin-cert',
  'client-cert',
  'client-key',
  'ingress',
] as const;

/** The path that `proxy send` calls. An id is always one path segment, whatever was typed. Throws UsageError. */
export function sendPath(flags: ProxyFlags): `/vault_proxy/${string}` {
  const { config } = flags;
  if (config === undefined) {
    if (flags.target === undefined)
      throw new UsageError('Give --target, or --config with a stored configuration');
    return '/vault_proxy/jit';
  }
  const kept = KEPT_FLAGS.find((name) => flags[name] !== undefined);
  if (kept !== undefined) throw new UsageError(`--${kept} is kept with the configuration of --config`);
  return `/vault_proxy/${encodeURIComponent(config)}`;
}

/** The call that the flags describe. Throws UsageError, which contains nothing that was typed or read. */
export async function proxyRequest(
  path: `/vault_proxy/${string}`,
  flags: ProxyFlags,
  input: InputSource,
): Promise<RawRequest> {
  if (flags.data === '-' && readsStdin(flags.header))
    throw new UsageError('Only one value can come from stdin');
  const headers = proxyHeaders({ ...flags, header: await headerTexts(flags.header, input) });
  if (flags.data === undefined) return { method: 'POST', path, headers };
  requireNoFileName(flags.data);
  // As bytes: for a text body, Node would write the headers in the encoding of the text.
  return { method: 'POST', path, headers, body: await readBytes(flags.data, input) };
}

/** A note that the body is not sent, if one is given for a method without a body. */
export function unsentNote({ method, data }: ProxyFlags): string | undefined {
  if (data === undefined || (method !== 'GET' && method !== 'HEAD')) return undefined;
  return `${method} sends no body: --data is not sent, and its tokens are not read`;
}

/** Throws UsageError. */
export function proxyHeaders(flags: ProxyFlags): Record<string, string> {
  const { ingress, header = [], 'pin-cert': pins } = flags;
  const given: readonly (readonly [flag: string, name: string, value: string | undefined])[] = [
    ['--target', PROXY_HEADERS.targetUrl, flags.target],
    ['--path', PROXY_HEADERS.pathAndQuery, flags.path],
    ['--method', PROXY_HEADERS.method, flags.method],
    ['--id', PROXY_HEADERS.entity, flags.id],
    ['--reason', PROXY_HEADERS.accessReason, flags.reason],
    ['--pin-cert', PROXY_HEADERS.pins, pins?.map((path) => encodedPem('--pin-cert', path)).join(',')],
    ['--client-cert', PROXY_HEADERS.clientCertificate, encodedPem('--client-cert', flags['client-cert'])],
    ['--client-key', PROXY_HEADERS.clientKey, encodedPem('--client-key', flags['client-key'])],
    ['--ingress', PROXY_HEADERS.ingressContentType, ingress && 'json'],
    ['--ingress', PROXY_HEADERS.ingressRule, ingress?.join(', ')],
    ...forwarded(header).map(([name, value]) => ['--header', FORWARD_PREFIX + name, value] as const),
  ];
  return Object.fromEntries(
    given.flatMap(([flag, name, value]) => (value === undefined ? [] : [[name, headerValue(flag, value)]])),
  );
}

/** A header that is given twice is sent with both values. */
function forwarded(texts: readonly string[]): readonly [name: string, value: string][] {
  const headers = new Map<string, string>();
  for (const [name, value] of texts.flatMap((text) => Object.entries(parseHeaders([text])))) {
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : before + (name === 'cookie' ? '; ' : ', ') + value);
  }
  return [...headers];
}

/** Encodes UTF-8 with one character for each byte, the form in which Node takes header bytes. */
function headerValue(flag: string, value: string): string {
  if (/[\0-\x08\x0a-\x1f\x7f]/.test(value)) throw new UsageError(`${flag} contains a control character`);
  return Buffer.from(value, 'utf8').toString('latin1');
}

function encodedPem(flag: string, path: string): string;
function encodedPem(flag: string, path: string | undefined): string | undefined;
function encodedPem(flag: string, path: string | undefined): string | undefined {
  return path === undefined ? undefined : readPem(flag, path).toString('base64');
}

/** Refuses a file without PEM: content that is not a certificate must not be sent as a pin. Throws UsageError. */
export function readPem(flag: string, path: string): Buffer {
  const content = readFileOf(flag, path);
  if (!content.includes('-----BEGIN ')) throw new UsageError(`The file of ${flag} contains no PEM`);
  return content;
}
