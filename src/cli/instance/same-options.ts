/** Whether a running instance has what a second `kyclone start -d` asks for. */
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { createClient } from '../../client/client.ts';
import { connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import { EXIT } from '../shell/exit-codes.ts';
import { CliError } from '../shell/failure.ts';
import type { OpenSummary } from './view.ts';

/** Options that a start either had or hadn't. Others have no effect later, or one of their own to compare. */
const COMPARED = [
  ...['host', 'seed', 'clock', 'import', 'export-on-exit', 'data-dir', 'api-key-file', 'key-file'],
] as const;

/**
 * Compares options of a daemon with those that it runs with: its address, storage and settings as they are, the rest as
 * it was started. Throws a CliError that names each difference. What was not asked for may be anything.
 */
export async function requireSameOptions(
  asked: readonly string[],
  access: DaemonAccess,
  running: OpenSummary,
): Promise<void> {
  const wanted = valuesOf(asked);
  const started = valuesOf(access.locator?.options ?? []);
  const port = new URL(running.base_url).port || '80';
  const differences = COMPARED.flatMap((name) =>
    wanted[name] === undefined || wanted[name] === started[name]
      ? []
      : [`--${name} ${shown(wanted[name])} (it was started with ${shown(started[name])})`],
  );
  if (wanted.port !== undefined && wanted.port !== '0' && wanted.port !== port)
    differences.unshift(`--port ${wanted.port} (it serves port ${port})`);
  if (wanted.ephemeral === true && !running.ephemeral) differences.push('--ephemeral (its store is on disk)');
  if (wanted.set !== undefined) differences.push(...(await otherSettings(wanted.set, access)));
  if (differences.length === 0) return;
  throw new CliError(
    `Instance ${running.instance} runs already (pid ${running.pid}), without ${differences.join('; ')}`,
    {
      code: 'instance_differs',
      exitCode: EXIT.conflict,
      hint: 'kyclone restart with these options, or --instance NAME for another instance',
    },
  );
}

function valuesOf(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    strict: false,
    options: {
      ...Object.fromEntries(COMPARED.map((name) => [name, { type: 'string' as const }])),
      port: { type: 'string' },
      ephemeral: { type: 'boolean' },
      set: { type: 'string', multiple: true },
    },
  }).values as { port?: string; ephemeral?: boolean; set?: string[] } & Partial<
    Record<(typeof COMPARED)[number], string | boolean>
  >;
}

const shown = (value: string | boolean | undefined) =>
  value === undefined ? 'none' : value === true ? 'no value' : value;

async function otherSettings(assignments: readonly string[], access: DaemonAccess): Promise<string[]> {
  const settings = await createClient(connectionOf(access, false)).call('GET /_kyclone/settings');
  // Imported here because it loads the schemas.
  const { mergedSettings, settingsFromOptions } = await import('../../contract/setting-values.ts');
  const has = (assignment: string) =>
    isDeepStrictEqual(mergedSettings(settings, settingsFromOptions([assignment])), settings);
  return assignments.filter((each) => !has(each)).map((each) => `--set ${each}`);
}
