/**
 * The commands that support `--dry-run`: those that call the API and have no other lasting effect. All others refuse
 * it, so that a command missing here never really runs under a flag that promises the opposite.
 */

const TOPICS: ReadonlySet<string> = new Set([
  'users',
  'businesses',
  'vault',
  'tokens',
  'proxy',
  'playbooks',
  'onboardings',
  'outcomes',
  'decisions',
  'risk-signals',
  'bank',
  'webhooks',
  'clock',
  'keys',
  'keyring',
  'audit',
  'snapshot',
  'faults',
  'requests',
  'record',
  'notes',
]);
const COMMANDS: ReadonlySet<string> = new Set([
  'api',
  'console',
  'reset',
  'fixtures:run',
  'fake:user',
  'fake:business',
]);

/** Commands in those topics that run a server or a listener, or work locally. */
const OTHERS: ReadonlySet<string> = new Set([
  'proxy:echo',
  'webhooks:listen',
  'webhooks:verify',
  'requests:tail',
  'faults:presets',
  'vault:identifiers',
  'webhooks:kinds',
]);

/** Only of commands that may run dry: the others refuse these flags. */
export const DRY_RUN_FLAGS: ReadonlySet<string> = new Set(['dry-run', 'with-values']);

/** Whether a command of those topics is excluded on purpose. */
export function isNeverDry(id: string): boolean {
  return OTHERS.has(id);
}

export function mayRunDry(id: string): boolean {
  const [topic = ''] = id.split(':');
  return !OTHERS.has(id) && (COMMANDS.has(id) || (id.includes(':') && TOPICS.has(topic)));
}
