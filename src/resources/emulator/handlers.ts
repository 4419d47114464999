import type { EndpointKey } from '../../contract/registry.ts';
import { timestamp } from '../../kernel/clock.ts';
import { countByKind } from '../entities/index.ts';
import { answer, type Handlers } from '../handlers.ts';
import { listAccess } from './access-log.ts';
import { changeAttributes } from './attributes.ts';
import { healthAnswer } from './identity.ts';
import type { Instance } from './instance.ts';
import { inspect, listInspected, type InspectorContext } from './inspector.ts';
import type { KeyringOperations } from './keyring.ts';
import type { StoreChecks } from './store-check.ts';
import { resetInstance, type ResetContext } from './reset.ts';

/** Nouns of the control plane that have a folder of their own. */
type OtherNouns =
  | 'requests'
  | 'tokens'
  | 'onboardings'
  | 'sessions'
  | 'playbooks'
  | 'proxies'
  | 'outcomes'
  | 'webhooks'
  | 'events'
  | 'deliveries'
  | 'clock'
  | 'stream'
  | 'bank_links'
  | 'bank_link_intents'
  | 'personas'
  | 'faults'
  | 'snapshots'
  | 'recording';
type EmulatorKeys = Exclude<
  Extract<EndpointKey, `${string} /_kyclone/${string}`>,
  `${string} /_kyclone/${OtherNouns}` | `${string} /_kyclone/${OtherNouns}/${string}`
>;

export interface EmulatorContext extends ResetContext, Omit<InspectorContext, 'database'> {
  /** The browser script of the form page. */
  readonly formScript: () => Promise<string>;
  readonly instance: Instance;
  readonly controlToken: string;
  readonly keyring: KeyringOperations;
  readonly storeChecks: StoreChecks;
  /** Pieces of work that wait for their time: delayed outcomes, attempts of deliveries. */
  readonly pendingWork: () => number;
}

export function emulatorHandlers(context: EmulatorContext): Handlers<EmulatorKeys> {
  const { instance, settings, apiKeys, queue, accessLog, keyring } = context;
  const { database } = queue;
  const inspector = {
    database,
    vault: context.vault,
    documents: context.documents,
    duplicates: context.duplicates,
    labels: context.labels,
    tokens: context.tokens,
    onboardings: context.onboardings,
    decisions: context.decisions,
    owners: context.owners,
    signals: context.signals,
    bankLinks: context.bankLinks,
  };
  /** Loaded when someone asks: a start need not pay for it. */
  async function openApi() {
    const { openApiDocument } = await import('../../contract/openapi.ts');
    const { vocabulary } = settings.current;
    return openApiDocument({ vocabulary, version: instance.version, baseUrl: instance.url });
  }

  return {
    'GET /_kyclone/health': (request) => answer(healthAnswer(context, request)),
    'GET /_kyclone/ready': () => ({ body: instance.readiness, status: instance.readiness.ready ? 200 : 503 }),
    'GET /_kyclone/info': () =>
      answer({
        version: instance.version,
        pid: instance.pid,
        url: instance.url,
        instance: instance.name,
        storage: instance.storage,
        started_at: timestamp(instance.startedAt),
        clock: context.clockService.state(),
        egress_policy: settings.current.egress.policy,
        vocabulary: settings.current.vocabulary,
        counts: { ...countByKind(database), requests: context.journal.size },
        faults: context.faults.size,
        pending_work: keyring.pending() + context.pendingWork(),
      }),
    'POST /_kyclone/reset': async ({ body }) => answer(await resetInstance(context, body ?? {})),

    'GET /_kyclone/store/check': () => answer(context.storeChecks.state()),
    'POST /_kyclone/store/check': () => answer(context.storeChecks.begin()),

    'GET /_kyclone/settings': () => answer(settings.current),
    'PATCH /_kyclone/settings': async ({ body }) => answer(await settings.merge(body)),

    'GET /_kyclone/api-keys': ({ query }) => answer(apiKeys.list(query)),
    'POST /_kyclone/api-keys': async ({ body }) => answer(await apiKeys.create(body ?? {})),
    'PATCH /_kyclone/api-keys/{id}': async ({ params, body }) =>
      answer(await apiKeys.change(params.id, body)),
    'DELETE /_kyclone/api-keys/{id}': async ({ params }) => {
      await apiKeys.remove(params.id);
      return answer({});
    },

    'GET /_kyclone/keyring': () => answer(keyring.describe()),
    'POST /_kyclone/keyring/rotate': async ({ query }) =>
      answer(await keyring.rotate({ wait: query.wait ?? false })),
    'POST /_kyclone/keyring/slots': async ({ body }) => answer(await keyring.addSlot(body)),
    'DELETE /_kyclone/keyring/slots/{id}': async ({ params }) => {
      await keyring.removeSlot(params.id);
      return answer({});
    },

    'GET /_kyclone/entities': ({ query }) => answer(listInspected(inspector, query)),
    'GET /_kyclone/entities/{fp_id}': ({ params, query }) => answer(inspect(inspector, params.fp_id, query)),
    'PATCH /_kyclone/entities/{fp_id}': async ({ params, query, body }) => {
      await changeAttributes(context, params.fp_id, { query, body });
      return answer({});
    },

    'GET /_kyclone/access-log': ({ query }) => answer(listAccess(database, query)),
    'GET /_kyclone/access-log/verify': () => answer(accessLog.verify(database)),

    'GET /_kyclone/openapi.json': async () => answer(await openApi()),
    'GET /_kyclone/docs': async () => {
      const { docsPage, DOCS_PAGE_POLICY } = await import('../../contract/docs-page.ts');
      const { docsReference } = await import('./docs-reference.ts');
      const page = docsPage(await openApi(), docsReference(settings.current.vocabulary));
      return answer(page, { 'content-security-policy': DOCS_PAGE_POLICY });
    },
    'GET /_kyclone/form': async () => {
      const { formPage, FORM_PAGE_POLICY } = await import('../../contract/form-page.ts');
      return answer(formPage(), { 'content-security-policy': FORM_PAGE_POLICY });
    },
    'GET /_kyclone/form.js': async () => answer(await context.formScript()),
  };
}
