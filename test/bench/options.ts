/** The options of `npm run bench`, which choose the parts to measure. */
import { OptionError, scriptOptions } from '../../src/devtools/script-options.ts';

export const PARTS = [
  ...(['startup', 'exec', 'throughput', 'latency', 'proxy', 'webhooks', 'banks', 'snapshots'] as const),
  ...([
    'diffs',
    'inspect',
    'testing',
    'pages',
    'memory',
    'scale',
    'duplicates',
    'searches',
    'reads',
  ] as const),
  ...(['stalls', 'standstills'] as const),
] as const;
/** Measured only on request: one needs a Node whose own SQLite is used, the other starts up to 40 daemons at once. */
export const ASKED_FOR = ['drivers', 'many'] as const;
export type Part = (typeof PARTS)[number];
export type AskedFor = Part | (typeof ASKED_FOR)[number];

/** How many instances, and how many tenants, `many` measures. */
const SIZES = [1, 5, 20, 40];
const SIZES_LIMIT = 100;

export interface BenchOptions {
  readonly isQuick: boolean;
  readonly parts: readonly AskedFor[];
  readonly sizes: readonly number[];
}

const NAMES: readonly string[] = [...PARTS, ...ASKED_FOR];

/** Throws OptionError. */
export function benchOptions(given?: readonly string[]): BenchOptions {
  const {
    quick: isQuick = false,
    only,
    sizes: list,
  } = scriptOptions(
    'bench',
    { quick: { type: 'boolean' }, only: { type: 'string' }, sizes: { type: 'string' } },
    given,
  );
  if (only !== undefined && !NAMES.includes(only))
    throw new OptionError(`--only ${only}: no part has this name; parts: ${NAMES.join(', ')}`);
  const sizes = list?.split(',').map(Number) ?? SIZES;
  if (sizes.some((size) => !Number.isInteger(size) || size < 1 || size > SIZES_LIMIT))
    throw new OptionError(`--sizes ${list ?? ''}: give numbers from 1 to ${SIZES_LIMIT} with commas: 1,5`);
  if (list !== undefined && only !== 'many') throw new OptionError('--sizes is for --only many');
  return { isQuick, parts: only === undefined ? PARTS : [only as AskedFor], sizes };
}
