/**
 * Filters the caller's Node options for a daemon. NODE_OPTIONS is meant for the caller's own programs: a debugger,
 * preloaded code or a dump on a signal would expose a process that holds keys and values. Options known to be
 * harmless are kept; all others are left out and reported.
 */

const HARMLESS: ReadonlySet<string> = new Set([
  'max-old-space-size',
  'max-old-space-size-percentage',
  'max-semi-space-size',
  'min-semi-space-size',
  'max-heap-size',
  'semi-space-growth-factor',
  'optimize-for-size',
  'lite-mode',
  'stack-trace-limit',
  'stack-size',
  'v8-pool-size',
  'expose-gc',
  'warnings',
  'disable-warning',
  'deprecation',
  'trace-warnings',
  'trace-deprecation',
  'throw-deprecation',
  'pending-deprecation',
  'unhandled-rejections',
  'enable-source-maps',
  'experimental-vm-modules',
  'experimental-wasm-modules',
  'experimental-strip-types',
  'experimental-transform-types',
  'experimental-default-type',
  'experimental-detect-module',
  'experimental-require-module',
  'experimental-eventsource',
  'experimental-websocket',
  'experimental-sqlite',
  'preserve-symlinks',
  'dns-result-order',
  'network-family-autoselection',
  'network-family-autoselection-attempt-timeout',
  'use-bundled-ca',
  'use-openssl-ca',
  'use-system-ca',
  'tls-min-v1.2',
  'tls-min-v1.3',
  'secure-heap',
  'secure-heap-min',
  'zero-fill-buffers',
  'disable-proto',
  'disable-sigusr1',
  'frozen-intrinsics',
]);

export interface DaemonNodeOptions {
  /** The value for NODE_OPTIONS; undefined if nothing is left. */
  readonly kept: string | undefined;
  /** Names of the options that were left out. */
  readonly dropped: readonly string[];
}

/** Words are separated by spaces, as Node parses them. In double quotes, spaces are part of a word. */
export function harmlessOptions(nodeOptions: string | undefined): DaemonNodeOptions {
  const kept: string[] = [];
  const dropped: string[] = [];
  let isKept = false;
  for (const word of (nodeOptions ?? '').match(/(?:[^ "]|"(?:[^"\\]|\\.)*"?)+/g) ?? []) {
    const isFlag = word.startsWith('-');
    if (isFlag) {
      const flag = word.replaceAll('"', '').replace(/=.*$/s, '');
      const name = flag.replace(/^--(?:no-)?/, '').replaceAll('_', '-');
      isKept = flag.startsWith('--') && HARMLESS.has(name);
      if (!isKept) dropped.push(flag);
    }
    // A word without a dash is the value of the option before it.
    if (isKept) kept.push(word);
  }
  return { kept: kept.length === 0 ? undefined : kept.join(' '), dropped };
}

/** Variables that make Node write its traffic to the log, or load code from elsewhere. */
const UNSAFE_VARIABLES = [
  'NODE_DEBUG',
  'NODE_DEBUG_NATIVE',
  'NODE_PATH',
  'NODE_TLS_REJECT_UNAUTHORIZED',
] as const;

/** The environment of a daemon, and a notice about options that were left out. */
export function daemonVariables(environment: NodeJS.ProcessEnv): {
  environment: NodeJS.ProcessEnv;
  notices: readonly string[];
} {
  const { kept, dropped } = harmlessOptions(environment['NODE_OPTIONS']);
  const result = { ...environment };
  for (const name of UNSAFE_VARIABLES) Reflect.deleteProperty(result, name);
  if (kept === undefined) delete result['NODE_OPTIONS'];
  else result['NODE_OPTIONS'] = kept;
  // Yarn's Plug'n'Play puts them there by itself (src/kernel/own-require.ts).
  const isYarns = (name: string) =>
    process.versions['pnp'] !== undefined && ['--require', '--experimental-loader'].includes(name);
  const unexpected = dropped.filter((name) => !isYarns(name));
  const notices =
    unexpected.length === 0
      ? []
      : [
          `The daemon starts without ${unexpected.join(', ')} of NODE_OPTIONS, which could open it to others.`,
        ];
  return { environment: result, notices };
}

/** Options for Node itself. If it supports this, a signal can't open the debugger from the very first moment. */
export function signalOptions(version: string): string[] {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const isKnown = major > 23 || (major === 23 && minor >= 7) || (major === 22 && minor >= 14);
  return isKnown ? ['--disable-sigusr1'] : [];
}
