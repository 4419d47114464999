import type { EchoEvent, ListeningEvent, RequestContent, RequestEvent } from '../echo/events.ts';
import { pairs, printable, type Style } from '../output.ts';

export function echoView(event: EchoEvent, style: Style): string {
  switch (event.type) {
    case 'listening':
      return listeningView(event, style);
    case 'request':
      return requestView(event, style);
    case 'tls_failure':
      return `${style.bad('TLS')} ${printable(event.reason)}`;
  }
}

function listeningView(event: ListeningEvent, style: Style): string {
  const { client_certificate_file: certificate, client_key_file: key } = event;
  return [
    pairs(
      {
        http: event.http_url,
        https: `${event.https_url}${event.mutual_tls ? ', with a client certificate only' : ''}`,
        authority: event.ca_file,
        'server certificate': event.server_certificate_file,
        ...(certificate !== null && { 'client certificate': certificate }),
        ...(key !== null && { 'client key': key }),
      },
      style,
    ),
    '',
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
    `${names.length} headers, ${bytes} bytes`,
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
