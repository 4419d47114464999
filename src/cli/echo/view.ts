import type { EchoEvent, ListeningEvent, RequestContent, RequestEvent } from './events.ts';
import { pairs, printable, type Style } from '../shell/output.ts';

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

/** One line; with its content, some more. */
function requestView(event: RequestEvent, style: Style): string {
  const { number, method, path, status, header_names: names, body_bytes: bytes, tls, content } = event;
  const line = [
    style.dim(`#${number}`),
    style.bold(`${printable(method)} ${printable(`${path}${content?.query ?? ''}`)}`),
    (status < 400 ? style.good : style.warn)(String(status)),
    `${counted(names.length, 'header')}, ${counted(bytes, 'byte')}`,
    tls === null ? 'no TLS' : printable(tls.version),
    ...(tls?.client_certificate == null ? [] : [printable(tls.client_certificate)]),
  ].join('  ');
  return content === undefined ? line : [line, ...contentLines(content, style)].join('\n');
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function contentLines({ headers, body, encoding }: RequestContent, style: Style): string[] {
  return [
    ...pairs(headers, style).split('\n'),
    ...(body === '' ? [] : [encoding === 'utf8' ? printable(body) : `${style.dim('base64')} ${body}`]),
  ].map((line) => `   ${line}`);
}
