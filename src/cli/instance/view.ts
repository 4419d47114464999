import type { InstanceSummary, OpenSummary } from './summary.ts';
import { pairs, type Style } from '../shell/output.ts';

/** Secrets stay out: `kyclone env` prints them for those who want them. */
export function summaryView(summary: OpenSummary, style: Style): string {
  return pairs({ ...openPairs(summary), 'API keys': 'kyclone env prints them' }, style);
}

/** For those who ask for the secrets. */
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
    instance: summary.instance,
    storage: summary.storage,
    version: summary.version,
    pid: String(summary.pid),
    'started at': summary.started_at,
    ...(summary.already_running && { 'already running': 'yes' }),
  };
}

export function stopView(result: { stopped: boolean; instance: string }): string {
  return result.stopped
    ? `Stopped instance ${result.instance}`
    : `No daemon ran for instance ${result.instance}`;
}

/** A line of the daemon's log: JSON as `at level event member=value`, anything else as it is. */
export function logLineView(line: string): string {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return line;
  }
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

/** A line of the log as data: JSON as what it is, anything else as `message`. */
export function logEntry(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return { message: line };
  }
}
