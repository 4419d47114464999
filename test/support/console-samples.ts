/** A successful request for every endpoint of the console's way in, and a request for each error it declares. */
import type { EndpointKey, RequestOf } from '../../src/contract/registry.ts';
import { HOST, type LooseParts, type TestService } from './service.ts';

interface Stage {
  readonly service: TestService;
}

/** What the console's own page sends with each call. */
export const OWN_PAGE = { origin: `http://${HOST}`, 'sec-fetch-site': 'same-origin' } as const;
export const NO_SECRET = 'x'.repeat(43);

const plain = () => ({ params: {}, body: undefined });

type NewCode = NonNullable<RequestOf<'POST /_kyclone/console/codes'>['body']>;

/** The code of a new link. */
export async function consoleCode(service: TestService, body: NewCode = {}): Promise<string> {
  const { url } = (await service.call('POST /_kyclone/console/codes', { body })).body;
  return new URL(url).hash.replace('#code=', '');
}

/** A session, as the page starts it. */
export async function consoleSession(service: TestService, grant: NewCode = {}) {
  const code = await consoleCode(service, grant);
  const reply = await service.request('POST /_kyclone/console/sessions', {
    headers: OWN_PAGE,
    body: { code },
  });
  if (reply.status !== 200) throw new Error(reply.text);
  const { token, resume_key } = reply.body as { token: string; resume_key: string };
  // Node gives a list when the reply came over a socket.
  const [set = ''] = [reply.headers['set-cookie'] as string | string[] | undefined].flat();
  const [cookie = ''] = set.split(';');
  return { token, resume_key, cookie, headers: { ...OWN_PAGE, 'x-kyclone-console': token } };
}

export const consoleSamples = {
  'POST /_kyclone/console/codes': () => ({ params: {}, body: { operator: 'Ada' } }),
  'POST /_kyclone/console/sessions': async ({ service }: Stage) => ({
    params: {},
    headers: OWN_PAGE,
    body: { code: await consoleCode(service) },
  }),
  'POST /_kyclone/console/sessions/resume': async ({ service }: Stage) => {
    const { resume_key, cookie } = await consoleSession(service);
    return { params: {}, headers: { ...OWN_PAGE, cookie }, body: { resume_key } };
  },
  'DELETE /_kyclone/console/session': async ({ service }: Stage) => {
    const { headers } = await consoleSession(service);
    return { params: {}, headers, body: undefined };
  },
  'DELETE /_kyclone/console/sessions': plain,
};

export const consoleProvocations = {
  'POST /_kyclone/console/codes': { not_found: () => ({ body: { tenant: 'nobody' } }) },
  'POST /_kyclone/console/sessions': {
    unauthenticated: () => ({ headers: OWN_PAGE, body: { code: NO_SECRET } }),
  },
  'POST /_kyclone/console/sessions/resume': {
    unauthenticated: () => ({ headers: OWN_PAGE, body: { resume_key: NO_SECRET } }),
  },
  'DELETE /_kyclone/console/session': {
    unauthenticated: () => ({ headers: { ...OWN_PAGE, 'x-kyclone-console': NO_SECRET } }),
  },
};

/** Makes calls as a session of the console. */
export async function asSession(service: TestService, grant: NewCode = {}) {
  const { headers } = await consoleSession(service, grant);
  return async (key: EndpointKey, parts: LooseParts = {}) =>
    await service.request(key, { ...parts, as: null, headers: { ...headers, ...parts.headers } });
}
