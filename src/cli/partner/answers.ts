/** What `kyclone partner echo` answers: what the partner built into the daemon does (contract §8.2). Pure. */
import { builtInPartner } from '../../contract/built-in-partner.ts';
import { isJsonObject, type JsonValue } from '../../kernel/json.ts';
import { BODY_LIMIT_BYTES, pathOf, type EchoAnswer, type ReceivedRequest } from '../echo/answers.ts';

const PATH = /^\/v1\/accounts\/([^/]+)\/cip$/;

/** `at`: epoch milliseconds. */
export function partnerAnswerTo(request: ReceivedRequest, at: number): EchoAnswer {
  if (request.bodyBytes > BODY_LIMIT_BYTES) return refusal(413, 'too_large', 'A body may have 16 MiB');
  const accountId = accountOf(request);
  if (accountId === undefined) {
    return refusal(404, 'not_found', 'Only POST /v1/accounts/<account id>/cip is answered');
  }
  const apiKey = userNameOf(request.headers.authorization);
  if (apiKey === undefined) return refusal(401, 'unauthorized', 'Basic authorization is required');
  const body = bodyOf(request);
  if (body === undefined) return refusal(400, 'invalid_request', 'The body is no JSON object');
  const { provider } = body;
  const given = builtInPartner({
    ...{ accountId, apiKey, at },
    provider: typeof provider === 'string' ? provider : null,
  });
  return json(given.status, given.body);
}

/** The names of the members of the body that was sent; none when it is no JSON object. */
export function membersOf(request: Pick<ReceivedRequest, 'body'>): string[] {
  return Object.keys(bodyOf(request) ?? {});
}

function accountOf(request: ReceivedRequest): string | undefined {
  const [, segment] = (request.method === 'POST' && PATH.exec(pathOf(request))) || [];
  if (segment === undefined) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Of Basic authorization (RFC 7617). */
function userNameOf(authorization: string | undefined): string | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '') ?? [];
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon === -1 ? undefined : pair.slice(0, colon);
}

function bodyOf({ body }: Pick<ReceivedRequest, 'body'>): Record<string, JsonValue> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function refusal(status: number, code: string, message: string): EchoAnswer {
  return json(status, { code, message });
}

function json(status: number, body: object): EchoAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    delayMs: 0,
  };
}
