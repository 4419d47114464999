/**
 * The output of `kyclone proxy echo`: an object for each event under `--json`, otherwise one or more lines of text.
 */
import { pairs } from '../shell/layout.ts';
import { counted } from '../../kernel/text/count-text.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { BodyEncoding } from '../../nouns/vault/facts.ts';
import { systemClock, timestamp } from '../../kernel/time/clock.ts';
import { shWord } from '../../kernel/text/shell-word.ts';
import { bodyText, pathOf, type ReceivedRequest, type ReceivedTls } from './answers.ts';
import type { CertificateFiles, Echo } from './sink.ts';
import { printable, type Style } from '../shell/output.ts';

export type EchoEvent = ListeningEvent | RequestEvent | TlsFailureEvent;

export interface ListeningEvent {
  readonly type: 'listening';
  readonly http_url: string;
  readonly https_url: string;
  readonly mutual_tls: boolean;
  readonly ca_file: string;
  readonly server_certificate_file: string;
  readonly client_certificate_file: string | null;
  readonly client_key_file: string | null;
  /** A command that sends a request here; the shell has to set $FP_ID. */
  readonly send: string;
}

/** What the servers of this package report of every request. */
export interface RequestFacts {
  readonly type: 'request';
  readonly number: number;
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly header_names: readonly string[];
  readonly body_bytes: number;
}

interface RequestEvent extends RequestFacts {
  readonly tls: ReceivedTls | null;
  readonly status: number;
  /** Present only on request: parts that may contain values. */
  readonly content?: RequestContent;
}

export interface RequestContent {
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly encoding: BodyEncoding;
}

export interface TlsFailureEvent {
  readonly type: 'tls_failure';
  readonly at: string;
  readonly reason: string;
}

/** `instance`: the instance to send through, if the user named one. */
export function listeningEvent(
  {
    httpUrl,
    httpsUrl,
    instance,
  }: Pick<Echo, 'httpUrl' | 'httpsUrl'> & { readonly instance?: string | undefined },
  { authority, server, client }: Omit<CertificateFiles, 'remove'>,
): ListeningEvent {
  return {
    type: 'listening',
    http_url: httpUrl,
    https_url: httpsUrl,
    mutual_tls: client !== undefined,
    ca_file: authority,
    server_certificate_file: server,
    client_certificate_file: client?.certificate ?? null,
    client_key_file: client?.key ?? null,
    send: [
      'kyclone proxy send',
      instance && `--instance ${shWord(instance)}`,
      `--target ${httpsUrl} --pin-cert ${shWord(authority)}`,
      client && `--client-cert ${shWord(client.certificate)} --client-key ${shWord(client.key)}`,
      `--id "$FP_ID" --reason 'trying it out' --data '{"name": "{{ id.first_name | to_uppercase }}"}'`,
    ]
      .filter((part) => part !== undefined)
      .join(' '),
  };
}

export function requestFacts(request: ReceivedRequest): RequestFacts {
  return {
    type: 'request',
    number: request.number,
    at: timestamp(systemClock.now()),
    method: request.method,
    path: pathOf(request),
    header_names: Object.keys(request.headers),
    body_bytes: request.bodyBytes,
  };
}

/** The beginning of a request's line: its number, what was requested, and the status of the response. */
export function requestHead(number: number, requested: string, status: number, style: Style): string[] {
  const outcome = status < 400 ? style.good : style.warn;
  return [style.dim(`#${number}`), style.bold(printable(requested)), outcome(String(status))];
}

/** `hasContent`: whether values are included. */
export function requestEvent(request: ReceivedRequest, status: number, hasContent: boolean): RequestEvent {
  const { headers, body, tls, target } = request;
  const facts = requestFacts(request);
  const query = target.slice(facts.path.length);
  return { ...facts, tls, status, ...(hasContent && { content: { query, headers, ...bodyText(body) } }) };
}

export function tlsFailureEvent(reason: string): TlsFailureEvent {
  return { type: 'tls_failure', at: timestamp(systemClock.now()), reason };
}

export function echoView(event: EchoEvent, style: Style): string {
  switch (event.type) {
    case 'listening':
      return listeningView(event, style);
    case 'request':
      return requestView(event, style);
    case 'tls_failure':
      return `${style.bad('TLS handshake failed:')} ${printable(event.reason)}`;
  }
}

function listeningView(event: ListeningEvent, style: Style): string {
  const { client_certificate_file: certificate, client_key_file: key } = event;
  return [
    pairs(
      {
        http: event.http_url,
        https: event.https_url,
        ...(event.mutual_tls && { 'mutual TLS': 'a client certificate is required' }),
        authority: event.ca_file,
        'server certificate': event.server_certificate_file,
        ...(certificate !== null && { 'client certificate': certificate }),
        ...(key !== null && { 'client key': key }),
      },
      style,
    ),
    '',
    "To send something here, with FP_ID set to a user's id:",
    `${style.dim('$')} ${printable(event.send)}`,
    '',
  ].join('\n');
}

/** One line; more with its content. */
function requestView(event: RequestEvent, style: Style): string {
  const { number, method, path, status, header_names: names, body_bytes: bytes, tls, content } = event;
  const line = [
    ...requestHead(number, `${method} ${path}${content?.query ?? ''}`, status, style),
    `${counted(names.length, 'header')}, ${counted(bytes, 'byte')}`,
    tls === null ? 'no TLS' : printable(tls.version),
    ...(tls?.client_certificate == null ? [] : [printable(tls.client_certificate)]),
  ].join('  ');
  return content === undefined ? line : [line, ...contentLines(content, style)].join('\n');
}

function contentLines({ headers, body, encoding }: RequestContent, style: Style): string[] {
  return [
    ...pairs(headers, style).split('\n'),
    ...(body === '' ? [] : [encoding === 'utf8' ? printable(body) : `${style.dim('base64')} ${body}`]),
  ].map((line) => `   ${line}`);
}
