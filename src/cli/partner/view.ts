import { pairs, printable, type Style } from '../shell/output.ts';
import type { PartnerEvent, PartnerListeningEvent, PartnerRequestEvent } from './events.ts';

export function partnerEventView(event: PartnerEvent, style: Style): string {
  return event.type === 'listening' ? listeningView(event, style) : requestView(event, style);
}

function listeningView({ url, hostname, send }: PartnerListeningEvent, style: Style): string {
  return [
    pairs({ partner: url, hostname }, style),
    '',
    "To send something here, with FP_ID set to an approved user's id:",
    `${style.dim('$')} ${printable(send)}`,
    '',
  ].join('\n');
}

const NAMED_MEMBERS = 10;

/** One line; with its body, some more. */
function requestView(event: PartnerRequestEvent, style: Style): string {
  const { number, method, path, status, members, body_bytes: bytes, content } = event;
  const named = members.slice(0, NAMED_MEMBERS).join(', ') + (members.length > NAMED_MEMBERS ? ', …' : '');
  const line = [
    style.dim(`#${number}`),
    style.bold(printable(`${method} ${path}`)),
    (status < 400 ? style.good : style.warn)(String(status)),
    named === '' ? 'no members' : printable(named),
    `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`,
  ].join('  ');
  return content === undefined || content.body === '' ? line : `${line}\n${contentView(content, style)}`;
}

function contentView({ body, encoding }: NonNullable<PartnerRequestEvent['content']>, style: Style): string {
  const lines = encoding === 'utf8' ? indented(body).map(printable) : [`${style.dim('base64')} ${body}`];
  return lines.map((each) => `   ${each}`).join('\n');
}

/** JSON line by line; anything else as it came. */
function indented(text: string): string[] {
  try {
    return JSON.stringify(JSON.parse(text), null, 2).split('\n');
  } catch {
    return [text];
  }
}
