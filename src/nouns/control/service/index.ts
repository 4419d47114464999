/** Facts and counts of the instance (contract §11). */
import type { StorageKind, UnreadyReason } from '../facts.ts';
import { identityProof, isChallenge, type SharedSecret } from '../../../contract/identity-proof.ts';
import type { AnswerOf, EndpointKey } from '../../../contract/registry.ts';
import { timestamp } from '../../../kernel/time/clock.ts';
import { sqliteInUse } from '../../../storage/binding.ts';
import type { ApiKeys } from '../../api-keys/service/index.ts';
import type { ClockService } from '../../clock/service/index.ts';
import { countByKind } from '../../entities/service/index.ts';
import type { Faults } from '../../faults/service.ts';
import { answer, answered, hostOf, type Handlers } from '../../handlers.ts';
import type { Needs } from '../../needs.ts';
import type { Journal } from '../../requests/service.ts';
import type { LiveSettings } from '../../settings/service.ts';
import { invalid } from '../../../kernel/errors.ts';

export type StoreCheck = AnswerOf<'GET /_kyclone/store/check'>;

/** Checks of every page of the store. */
export interface StoreChecks {
  state(): StoreCheck;
  /** Starts a check, unless one is in progress. */
  begin(): StoreCheck;
}

interface ControlContext extends Needs<'database'> {
  readonly instance: Instance;
  readonly settings: LiveSettings;
  readonly clockService: Pick<ClockService, 'state'>;
  readonly journal: Pick<Journal, 'size'>;
  readonly faults: Pick<Faults, 'size'>;
  /** The number of waiting work items: delayed outcomes, delivery attempts, a key rotation. */
  readonly pendingWork: () => number;
  readonly storeChecks: StoreChecks;
  readonly controlToken: string;
  readonly apiKeys: Pick<ApiKeys, 'digestNamed'>;
}

type ControlKeys = Extract<EndpointKey, `${string} /_kyclone/${'health' | 'ready' | 'info' | 'store/check'}`>;

export function controlHandlers(context: ControlContext): Handlers<ControlKeys> {
  const { database, instance, settings, storeChecks, controlToken, apiKeys } = context;

  /** Undefined for an API key that is unknown or disabled, which gives no proof. */
  function secretOf(key: string | undefined): SharedSecret | undefined {
    if (key === undefined) return { kind: 'control_token', token: controlToken };
    const digest = apiKeys.digestNamed(key);
    return digest && { kind: 'api_key', digest };
  }

  return {
    /** The public facts about this port, and the proof that it belongs to this daemon (contract/identity-proof.ts). */
    'GET /_kyclone/health': ({ query: { challenge, key }, rawHeaders }) => {
      const health = { status: 'ok', nonce: instance.nonce } as const;
      if (challenge === undefined) return answer(health);
      if (!isChallenge(challenge)) {
        throw invalid('Query parameter challenge must be base64url without padding, of 16 to 64 bytes');
      }
      const known = { pid: instance.pid, instance: instance.name };
      const secret = secretOf(key);
      if (secret === undefined) return answer({ ...health, ...known });
      const proof = identityProof(secret, {
        challenge,
        ...known,
        authority: hostOf(rawHeaders).toLowerCase(),
      });
      return answer({ ...health, ...known, proof });
    },

    'GET /_kyclone/ready': () => ({ body: instance.readiness, status: instance.readiness.ready ? 200 : 503 }),

    'GET /_kyclone/info': () =>
      answer({
        version: instance.version,
        pid: instance.pid,
        url: instance.url,
        instance: instance.name,
        storage: instance.storage,
        sqlite: sqliteInUse(),
        started_at: timestamp(instance.startedAt),
        clock: context.clockService.state(),
        egress_policy: settings.current.egress.policy,
        vocabulary: settings.current.vocabulary,
        counts: { ...countByKind(database), requests: context.journal.size },
        faults: context.faults.size,
        pending_work: context.pendingWork(),
        ...(!instance.readiness.ready && { not_ready: instance.readiness.reason }),
      }),

    'GET /_kyclone/store/check': () => answer(storeChecks.state()),
    'POST /_kyclone/store/check': () => answer(storeChecks.begin()),
  };
}

// Pages and documents for browsers and client generators: OpenAPI, the docs page, the form page, hosted pages (contract
// §11, §14).

type PageKeys = Extract<
  EndpointKey,
  | `GET /_kyclone/${'openapi.json' | 'docs' | 'form' | 'form.js'}`
  | `GET /hosted/${'onboarding' | 'bank_link' | 'vault' | 'flow.js' | 'browser.js'}`
>;

/** Reads a file that was built for browsers, by its path in `dist/`. */
export type BuiltFile = (name: string) => Promise<string>;

/** Each page is loaded at its first request, so that a start does not pay for it. */
export function pageHandlers(context: {
  readonly instance: Instance;
  readonly settings: LiveSettings;
  readonly builtFile: BuiltFile;
}): Handlers<PageKeys> {
  const { instance, settings, builtFile } = context;

  async function openApi() {
    const { openApiDocument } = await import('../../../contract/openapi.ts');
    const { vocabulary } = settings.current;
    return openApiDocument({ vocabulary, version: instance.version, baseUrl: instance.url });
  }

  /** One frame for both: the script decides by the address what to draw. */
  async function flowPage(title: string) {
    const { hostedPage, hostedPolicy } = await import('../../../pages/scripted-pages.ts');
    const { origins } = settings.current.cors;
    return answer(hostedPage(title, origins), { 'content-security-policy': hostedPolicy(origins) });
  }

  return {
    'GET /_kyclone/openapi.json': () => answered(openApi()),
    'GET /_kyclone/docs': async () => {
      const { docsPage, DOCS_PAGE_POLICY } = await import('../../../pages/docs-page.ts');
      const { docsReference } = await import('./docs-reference.ts');
      const page = docsPage(await openApi(), docsReference(settings.current.vocabulary));
      return answer(page, { 'content-security-policy': DOCS_PAGE_POLICY });
    },
    'GET /_kyclone/form': async () => {
      const { formPage, FORM_PAGE_POLICY } = await import('../../../pages/scripted-pages.ts');
      return answer(formPage(), { 'content-security-policy': FORM_PAGE_POLICY });
    },
    'GET /_kyclone/form.js': () => answered(builtFile('form.js')),
    'GET /hosted/onboarding': () => flowPage('Verify your identity'),
    'GET /hosted/bank_link': () => flowPage('Link your bank'),
    'GET /hosted/vault': async () => {
      const { formPage, framedBy, FORM_PAGE_POLICY } = await import('../../../pages/scripted-pages.ts');
      const policy = framedBy(FORM_PAGE_POLICY, settings.current.cors.origins);
      return answer(formPage(), { 'content-security-policy': policy });
    },
    'GET /hosted/flow.js': () => answered(builtFile('hosted.js')),
    'GET /hosted/browser.js': () => answered(builtFile('browser.global.js')),
  };
}

/** Facts that the daemon knows about itself. */
export interface Instance {
  readonly name: string;
  readonly version: string;
  readonly pid: number;
  readonly nonce: string;
  readonly storage: StorageKind;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** The address, when it listens on one other than loopback. */
  readonly host: string | undefined;
  /** Set once the port listens. */
  port: number;
  url: string;
  readiness: { ready: true } | { ready: false; reason: UnreadyReason };
}
