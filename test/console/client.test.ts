import { describe, expect, test } from 'vitest';
import { ApiError, UnreachableError } from '../../src/client/errors.ts';
import { openPageStream, pageSource, type PageConnection } from '../../src/console/client.ts';

const CONNECTION: PageConnection = { token: 't'.repeat(43), tenant: 'default', environment: 'live' };

interface Sent {
  readonly path: string;
  readonly init: RequestInit;
}

/** A page whose daemon answers this; the requests are kept. */
function aPage(respond: () => Response | Promise<Response>, requester = {}) {
  const sent: Sent[] = [];
  const fetched = async (path: string, init: RequestInit) => {
    sent.push({ path, init });
    return await respond();
  };
  return { source: pageSource(CONNECTION, requester, fetched), sent, fetched };
}

const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_1' },
  });

const headersOf = ({ init }: Sent) => init.headers as Record<string, string>;

describe('client of the console', () => {
  test('call: sends path, query and body, the token of the tab, and no other credential', async () => {
    const { source, sent } = aPage(() => json({ id: 'fp_id_1' }), { operator: 'Ada Ü', seen: 7 });

    await source.client.call('POST /users/{fp_id}/tags', {
      params: { fp_id: 'fp_id_1' },
      body: { tag: 'x' },
    });

    const [request] = sent;
    expect(request?.path).toBe('/users/fp_id_1/tags');
    expect(request?.init.method).toBe('POST');
    expect(request?.init.body).toBe('{"tag":"x"}');
    expect(request?.init).toMatchObject({ cache: 'no-store', credentials: 'same-origin', redirect: 'error' });
    expect(headersOf(request as Sent)).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      'x-kyclone-console': CONNECTION.token,
      'x-kyclone-environment': 'live',
      'x-kyclone-operator': expect.stringMatching(/^[\x21-\x7e ]+$/) as string,
      'x-kyclone-seen': '7',
    });
  });

  test('call: a failure is an ApiError with the code, message and request id of the daemon', async () => {
    const { source } = aPage(() => json({ code: 'permission_denied', message: 'Not you' }, 403));

    const failure = source.client.call('GET /_kyclone/info');

    await expect(failure).rejects.toBeInstanceOf(ApiError);
    await expect(failure).rejects.toMatchObject({
      code: 'permission_denied',
      message: 'Not you',
      status: 403,
      requestId: 'req_1',
    });
  });

  test('call: no response is an UnreachableError, which says nothing of the request', async () => {
    const { source } = aPage(() => Promise.reject(new TypeError('Failed to fetch')));

    await expect(source.client.call('GET /_kyclone/info')).rejects.toThrow(
      new UnreachableError('The daemon does not answer'),
    );
  });

  test('call: an id of dots is refused before anything is sent', async () => {
    const { source, sent } = aPage(() => json({}));

    await expect(
      source.client.call('GET /_kyclone/entities/{fp_id}', { params: { fp_id: '..' }, query: {} }),
    ).rejects.toMatchObject({ status: 404 });
    expect(sent).toEqual([]);
  });

  test('stream: messages arrive whole from any pieces, and unknown types are left out', async () => {
    const text =
      'event: request\nid: 1\ndata: {"method":"GET"}\n\n: c\n\nevent: other\ndata: {}\n\nevent: event\ndata: {"a":"ü"}\n\n';
    const bytes = new TextEncoder().encode(text);
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 3) controller.enqueue(bytes.slice(at, at + 3));
        controller.close();
      },
    });
    const { fetched, sent } = aPage(() => new Response(body));

    const messages = [];
    for await (const message of await openPageStream(CONNECTION, new AbortController().signal, fetched))
      messages.push(message);

    expect(messages).toEqual([
      { type: 'request', id: '1', data: { method: 'GET' } },
      { type: 'event', id: '1', data: { a: 'ü' } },
    ]);
    expect(headersOf(sent[0] as Sent)['x-kyclone-console']).toBe(CONNECTION.token);
  });
});
