/** The running instance: its summary as data, and its views and log lines as text. */
import { jsonOf } from '../../kernel/text/json.ts';
import { pairs } from '../shell/layout.ts';
import { INSTANCE_SECRETS } from '../../contract/facts/credentials.ts';
import { createClient } from '../../client/client.ts';
import { connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import type { Style } from '../shell/output.ts';
import { defined } from '../../kernel/defined.ts';

/** The flat object of `start` and `status`, with everything a script needs to use the instance. */
export interface InstanceSummary extends OpenSummary {
  readonly api_key: string | null;
  readonly live_api_key: string | null;
  readonly control_token: string | null;
}

/** The same without credentials. */
export interface OpenSummary {
  readonly base_url: string;
  readonly docs_url: string;
  readonly instance: string;
  readonly pid: number;
  readonly version: string;
  readonly ephemeral: boolean;
  readonly storage: string;
  readonly sqlite: string;
  readonly started_at: string;
  /** Why it isn't ready, such as storage_full; absent when it is. */
  readonly not_ready?: string;
  readonly already_running?: boolean;
  readonly notices?: readonly string[];
}

export function withoutSecrets(summary: InstanceSummary): OpenSummary {
  const secrets: readonly string[] = INSTANCE_SECRETS;
  const open = Object.entries(summary).filter(([name]) => !secrets.includes(name));
  return Object.fromEntries(open) as unknown as OpenSummary;
}

/** The docs page, or the place in it that `anchor` names. */
export function docsAddress(baseUrl: string, anchor?: string): string {
  const page = `${baseUrl}/_kyclone/docs`;
  return anchor === undefined ? page : `${page}#${anchor}`;
}

/** Asks the daemon for its identity and state. Throws ApiError, UnreachableError or MissingCredentialError. */
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
    sqlite: info.sqlite,
    started_at: info.started_at,
    ...defined({ not_ready: info.not_ready }),
  };
}

export function summaryView(summary: OpenSummary, style: Style): string {
  return pairs({ ...openPairs(summary), 'API keys': 'kyclone env prints them' }, style);
}

export function secretSummaryView(summary: InstanceSummary, style: Style): string {
  const { api_key, live_api_key, control_token } = summary;
  const secrets = {
    'API key': api_key ?? 'not known',
    'live API key': live_api_key ?? 'not known',
    'control token': control_token ?? 'not known',
  };
  return pairs({ ...openPairs(summary), ...secrets }, style);
}

function openPairs(summary: OpenSummary): Record<string, string> {
  return {
    url: summary.base_url,
    docs: summary.docs_url,
    console: 'kyclone console opens it',
    instance: summary.instance,
    storage: summary.storage,
    SQLite: summary.sqlite,
    version: summary.version,
    pid: String(summary.pid),
    'started at': summary.started_at,
    ...defined({
      'not ready':
        summary.not_ready === undefined ? undefined : `${summary.not_ready}: what writes is refused`,
      'already running': summary.already_running ? 'yes' : undefined,
    }),
  };
}

export function stopView(result: { stopped: boolean; instance: string }): string {
  return result.stopped
    ? `Stopped instance ${result.instance}`
    : `No daemon ran for instance ${result.instance}`;
}

/** A line of the daemon's log: JSON as `at level event member=value`, anything else unchanged. */
export function logLineView(line: string): string {
  const entry = jsonOf(line) ?? null;
  if (typeof entry !== 'object' || entry === null) return line;
  const { at, level, event, message, ...rest } = entry as Record<string, unknown>;
  const members = Object.entries(rest).map(([name, value]) => `${name}=${plain(value)}`);
  return [at, level, event, message]
    .filter((part) => part !== undefined)
    .map(plain)
    .concat(members)
    .join(' ');
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A line of the log as data: JSON parsed, anything else as `message`. */
export function logEntry(line: string): unknown {
  const entry = jsonOf(line);
  return entry === undefined ? { message: line } : entry;
}
