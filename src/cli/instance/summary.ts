import { createClient } from '../../client/client.ts';
import { connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';

/** The flat object of `start` and `status`: all that a script needs to speak to the instance. */
export interface InstanceSummary extends OpenSummary {
  readonly api_key: string | null;
  readonly live_api_key: string | null;
  readonly control_token: string | null;
}

/** The same without what opens the instance. */
export interface OpenSummary {
  readonly base_url: string;
  /** Of the page that documents this instance. */
  readonly docs_url: string;
  readonly instance: string;
  readonly pid: number;
  readonly version: string;
  readonly ephemeral: boolean;
  readonly storage: string;
  readonly started_at: string;
  readonly already_running?: boolean;
  readonly notices?: readonly string[];
}

export function withoutSecrets(summary: InstanceSummary): OpenSummary {
  const secrets: readonly string[] = ['api_key', 'live_api_key', 'control_token'];
  const open = Object.entries(summary).filter(([name]) => !secrets.includes(name));
  return Object.fromEntries(open) as unknown as OpenSummary;
}

/** The docs page, at one of its places where `anchor` names one. */
export function docsAddress(baseUrl: string, anchor?: string): string {
  const page = `${baseUrl}/_kyclone/docs`;
  return anchor === undefined ? page : `${page}#${anchor}`;
}

/** Asks the daemon who it is. Throws ApiError, UnreachableError or MissingCredentialError. */
export async function summarise(access: DaemonAccess): Promise<InstanceSummary> {
  const info = await createClient(connectionOf(access, false)).call('GET /_kyclone/info');
  return {
    base_url: access.baseUrl,
    docs_url: docsAddress(access.baseUrl),
    api_key: access.keys.sandbox ?? null,
    live_api_key: access.keys.live ?? null,
    control_token: access.controlToken ?? null,
    instance: info.instance,
    pid: info.pid,
    version: info.version,
    ephemeral: info.storage === 'ephemeral',
    storage: info.storage,
    started_at: info.started_at,
  };
}
