/**
 * Successful requests for proxy configurations and for calls with them, and a request that causes each declared error.
 */
import type { RequestOf } from '../../src/contract/registry.ts';
import { sampleTarget } from './sample-target.ts';
import type { LooseParts, TestService } from './service.ts';

interface Stage {
  readonly service: TestService;
  readonly user: string;
}

type Configuration = RequestOf<'POST /_kyclone/proxies'>['body'];

const CONFIGURATION = {
  url: 'https://api.example.com/checks',
  secret_headers: { 'x-partner-key': 'a secret' },
  ingress: { rules: [{ token: 'custom.colour', target: '$.color' }] },
} satisfies Configuration;

async function configured({ service }: Stage, body: Configuration = CONFIGURATION): Promise<string> {
  return (await service.call('POST /_kyclone/proxies', { body })).body.id;
}

const ofConfiguration = async (stage: Stage) => ({
  params: { id: await configured(stage) },
  body: undefined,
});

/** Calls the proxy with a configuration. The target is a path of the sample target, and the body has one token. */
const calling =
  (path: string, configuration: Partial<Configuration> = {}, token = 'id.email') =>
  async (stage: Stage): Promise<LooseParts> => {
    const url = await sampleTarget(path);
    const proxy_id = await configured(stage, { url, access_reason: 'a test', ...configuration });
    return { params: { proxy_id }, headers: { 'x-fp-id': stage.user }, body: `To {{ ${token} }}` };
  };

const rule = (token: string) => ({ ingress: { rules: [{ token, target: '$.color' }] } });

export const proxySamples = {
  'POST /vault_proxy/{proxy_id}': calling('/text'),
  'GET /_kyclone/proxies': async (stage: Stage) => {
    await configured(stage);
    return { params: {}, body: undefined };
  },
  'POST /_kyclone/proxies': () => ({ params: {}, body: CONFIGURATION }),
  'GET /_kyclone/proxies/{id}': ofConfiguration,
  'PATCH /_kyclone/proxies/{id}': async (stage: Stage) => ({
    params: { id: await configured(stage) },
    body: { enabled: false, ingress: CONFIGURATION.ingress },
  }),
  'DELETE /_kyclone/proxies/{id}': ofConfiguration,
};

const UNKNOWN_TRANSFORM = { ingress: { rules: [{ token: 'custom.colour', target: '$.color | to_morse' }] } };

export const proxyProvocations = {
  'POST /vault_proxy/{proxy_id}': {
    proxy_token_invalid: calling('/text', {}, 'id.email |'),
    proxy_token_unresolved: calling('/text', {}, 'custom.absent'),
    proxy_too_many_tokens: calling('/text', {}, 'id.email }}{{'.repeat(100) + 'id.email'),
    transform_invalid: calling('/text', {}, 'id.email | to_morse'),
    transform_failed: calling('/text', {}, "id.email | date_format('%Y','%m')"),
    not_found: () => ({ params: { proxy_id: `proxy_id_${'0'.repeat(22)}` }, body: 'text' }),
    T120: calling('/text', rule('business.name')),
    proxy_target_refused: calling('/text', { url: 'http://169.254.169.254/' }),
    proxy_upstream_unreachable: calling('/text', { url: 'https://nobody.example/' }),
    proxy_upstream_timeout: calling('/text', { url: 'https://silent.example/' }),
    proxy_response_too_large: calling('/large'),
    proxy_ingress_failed: calling('/text', rule('custom.colour')),
    conflict: calling('/text', { enabled: false }),
  },
  'GET /_kyclone/proxies': { not_found: (): LooseParts => ({ query: { tenant: 'nobody' } }) },
  'POST /_kyclone/proxies': {
    not_found: (): LooseParts => ({ query: { tenant: 'nobody' }, body: CONFIGURATION }),
    transform_invalid: (): LooseParts => ({ body: { ...CONFIGURATION, ...UNKNOWN_TRANSFORM } }),
  },
  'PATCH /_kyclone/proxies/{id}': {
    transform_invalid: async (stage: Stage): Promise<LooseParts> => ({
      params: { id: await configured(stage) },
      body: UNKNOWN_TRANSFORM,
    }),
  },
};
