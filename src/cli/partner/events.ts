/** What `kyclone partner echo` tells: one object each under `--json`, a line or some for people otherwise. */
import { shWord } from '../../kernel/shell-word.ts';
import { bodyText, type ReceivedRequest } from '../echo/answers.ts';
import { requestEvent as echoedRequest, type RequestEvent } from '../echo/events.ts';
import { membersOf } from './answers.ts';

export type PartnerEvent = PartnerListeningEvent | PartnerRequestEvent;

export interface PartnerListeningEvent {
  readonly type: 'listening';
  readonly url: string;
  /** What the call that forwards wants as its hostname. */
  readonly hostname: string;
  /** A command that sends something here; $FP_ID is for the shell to know. */
  readonly send: string;
}

export interface PartnerRequestEvent extends Omit<RequestEvent, 'content' | 'tls'> {
  /** Names of the body's members. */
  readonly members: readonly string[];
  /** Only when asked for: it holds what the vault gave out. */
  readonly content?: { readonly body: string; readonly encoding: 'utf8' | 'base64' };
}

export function listeningEvent(hostname: string, instance: string | undefined): PartnerListeningEvent {
  const target = instance === undefined ? '' : ` --instance ${shWord(instance)}`;
  return {
    type: 'listening',
    url: `http://${hostname}`,
    hostname,
    send:
      'KYCLONE_PARTNER_API_KEY=key KYCLONE_PARTNER_API_SECRET=secret kyclone users cip "$FP_ID"' +
      `${target} --account account-1 --approver Ann --hostname ${hostname}`,
  };
}

/** Without headers' values: the credentials are among them. */
export function requestEvent(
  request: ReceivedRequest,
  status: number,
  hasContent: boolean,
): PartnerRequestEvent {
  const { type, number, at, method, path, header_names, body_bytes } = echoedRequest(request, status, false);
  return {
    ...{ type, number, at, method, path, header_names, body_bytes },
    members: membersOf(request),
    status,
    ...(hasContent && { content: bodyText(request.body) }),
  };
}
