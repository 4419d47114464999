/**
 * `kyclone partner echo`: a partner on 127.0.0.1 that responds like the partner built into the daemon (contract
 * §8.2), and its output for each request: an object under `--json`, otherwise one or more lines of text.
 */
import { attempt } from '../../../kernel/attempt.ts';
import { boolean } from '@oclif/core/flags';
import { createServer } from 'node:http';
import { builtInPartner, newAccountId } from '../endpoints/built-in-partner.ts';
import type { BodyEncoding } from '../../vault/facts.ts';
import { systemClock } from '../../../kernel/time/clock.ts';
import { counted } from '../../../kernel/text/count-text.ts';
import { isJsonObject, jsonOf, type JsonValue } from '../../../kernel/text/json.ts';
import { shWord } from '../../../kernel/text/shell-word.ts';
import {
  BODY_LIMIT_BYTES,
  pathOf,
  type EchoAnswer,
  type ReceivedRequest,
  bodyText,
  jsonAnswer,
} from '../../../cli/echo/answers.ts';
import { requestFacts, requestHead, type RequestFacts } from '../../../cli/echo/events.ts';
import { bind, closable, HOST, serving, type Listeners, runServer } from '../../../cli/echo/server.ts';
import { BaseCommand } from '../../../cli/shell/base-command.ts';
import { portFlag, stopAfterFlag } from '../../../cli/shell/flags.ts';
import { pairs } from '../../../cli/shell/layout.ts';
import { printable, type Style } from '../../../cli/shell/output.ts';

const PATH = /^\/v1\/accounts(?:\/([^/]+)\/cip)?$/;

/** `at`: epoch milliseconds. */
export function partnerAnswerTo(request: ReceivedRequest, at: number): EchoAnswer {
  if (request.bodyBytes > BODY_LIMIT_BYTES) return refusal(413, 'too_large', 'A body may have 16 MiB');
  const accountId = accountOf(request);
  if (accountId === undefined) {
    return refusal(
      404,
      'not_found',
      'Only POST /v1/accounts/<account id>/cip and POST /v1/accounts are supported',
    );
  }
  const apiKey = userNameOf(request.headers.authorization);
  if (apiKey === undefined) return refusal(401, 'unauthorized', 'Basic authorization is required');
  const body = bodyOf(request);
  if (body === undefined) return refusal(400, 'invalid_request', 'The body is not a JSON object');
  const { provider } = body;
  const given = builtInPartner({
    accountId,
    apiKey,
    at,
    provider: typeof provider === 'string' ? provider : null,
  });
  return jsonAnswer(given.status, given.body);
}

/** The member names of the sent body; none if it is not a JSON object. */
export function membersOf(request: Pick<ReceivedRequest, 'body'>): string[] {
  return Object.keys(bodyOf(request) ?? {});
}

function accountOf(request: ReceivedRequest): string | undefined {
  const found = request.method === 'POST' ? PATH.exec(pathOf(request)) : null;
  if (!found) return undefined;
  const [, segment] = found;
  if (segment === undefined) return newAccountId(request.body.toString('utf8'));
  return attempt(() => decodeURIComponent(segment));
}

/** The user name of Basic authorization (RFC 7617). */
function userNameOf(authorization: string | undefined): string | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '') ?? [];
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : pair.slice(0, colon);
}

function bodyOf({ body }: Pick<ReceivedRequest, 'body'>): Record<string, JsonValue> | undefined {
  const value = jsonOf(body.toString('utf8'));
  return isJsonObject(value) ? value : undefined;
}

function refusal(status: number, code: string, message: string): EchoAnswer {
  return jsonAnswer(status, { code, message });
}

type PartnerEvent = PartnerListeningEvent | PartnerRequestEvent;

interface PartnerListeningEvent {
  readonly type: 'listening';
  readonly url: string;
  /** The hostname for the call that forwards to this partner. */
  readonly hostname: string;
  /** A command that sends a request here; the shell has to set $FP_ID. */
  readonly send: string;
}

interface PartnerRequestEvent extends RequestFacts {
  readonly members: readonly string[];
  readonly status: number;
  /** Present only on request, because it contains vault values. */
  readonly content?: { readonly body: string; readonly encoding: BodyEncoding };
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

/** Without header values, because they include the credentials. */
export function requestEvent(
  request: ReceivedRequest,
  status: number,
  hasContent: boolean,
): PartnerRequestEvent {
  return {
    ...requestFacts(request),
    members: membersOf(request),
    status,
    ...(hasContent && { content: bodyText(request.body) }),
  };
}

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

/** One line; more with its body. */
function requestView(event: PartnerRequestEvent, style: Style): string {
  const { number, method, path, status, members, body_bytes: bytes, content } = event;
  const named = members.slice(0, NAMED_MEMBERS).join(', ') + (members.length > NAMED_MEMBERS ? ', …' : '');
  const line = [
    ...requestHead(number, `${method} ${path}`, status, style),
    named === '' ? 'no members' : printable(named),
    counted(bytes, 'byte'),
  ].join('  ');
  return content === undefined || content.body === '' ? line : `${line}\n${contentView(content, style)}`;
}

function contentView({ body, encoding }: NonNullable<PartnerRequestEvent['content']>, style: Style): string {
  const lines = encoding === 'utf8' ? indented(body).map(printable) : [`${style.dim('base64')} ${body}`];
  return lines.map((each) => `   ${each}`).join('\n');
}

/** JSON is indented; anything else is unchanged. */
function indented(text: string): string[] {
  const value = jsonOf(text);
  return value === undefined ? [text] : JSON.stringify(value, null, 2).split('\n');
}

export interface Partner {
  /** `127.0.0.1:<port>`, the form that the forwarding call takes. */
  readonly hostname: string;
  /** Stops the server, including responses in progress. */
  close(): Promise<void>;
}

/** Throws CliError `port_taken`. */
export async function startPartner(port: number | undefined, listeners: Listeners): Promise<Partner> {
  const server = createServer(serving((request) => partnerAnswerTo(request, systemClock.now()), listeners));
  const listening = closable(server);
  const hostname = `${HOST}:${await bind(server, { port, flag: '--port' })}`;
  return { hostname, close: () => listening.close() };
}

class PartnerEcho extends BaseCommand {
  static override isStream = true;
  static override summary =
    'Run a partner on 127.0.0.1 that accepts CIP information and responds like the built-in one';
  static override description =
    'For kyclone users cip, whose --hostname it prints; no daemon is needed to run it. It answers POST ' +
    '/v1/accounts/<account id>/cip: 422 for an account id that starts with reject, 401 for an API key that starts ' +
    'with bad, else 200. Each request is shown on one line, without its values. --json prints a line for each event, of ' +
    'type listening or request.';
  static override examples = [
    '',
    '--port 4650 --show-bodies',
    'In a script, for one request:\n--json --stop-after 1',
  ];
  static override flags = {
    port: portFlag('port to listen on (default: a free one)'),
    'show-bodies': boolean({ summary: 'print bodies too: they contain values from the vault' }),
    ...stopAfterFlag,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(PartnerEcho);
    const show = (event: PartnerEvent) => this.presentEntry(event, partnerEventView);
    const exitCode = await runServer({
      stopAfter: flags['stop-after'],
      show: (request, status) => show(requestEvent(request, status, flags['show-bodies'])),
      start: (listeners) => startPartner(flags.port, listeners),
      meanwhile({ hostname }, ending) {
        show(listeningEvent(hostname, flags.instance));
        return ending;
      },
    });
    this.endWith(exitCode);
  }
}

export default { 'partner:echo': PartnerEcho };
