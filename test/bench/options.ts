/** The options of `npm run bench`, which choose the parts to measure. */
import { parseArgs } from 'node:util';

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
const USAGE = `npm run bench takes --quick, --sizes 1,5 (for many, up to ${SIZES_LIMIT}) and --only PART, PART being one of ${NAMES.join(', ')}`;

/** Reads the arguments. Returns a sentence about the mistake and the valid options when they are wrong. */
export function benchOptions(given: readonly string[]): BenchOptions | string {
  let values;
  try {
    const options = {
      quick: { type: 'boolean' },
      only: { type: 'string' },
      sizes: { type: 'string' },
    } as const;
    ({ values } = parseArgs({ args: [...given], options }));
  } catch (error) {
    // The rest of the message is advice about arguments that begin with a dash.
    const [what = ''] = (error as Error).message.split(/\.\s/);
    return `${what}: ${USAGE}`;
  }
  const { only, quick = false } = values;
  const sizes = values.sizes?.split(',').map(Number) ?? SIZES;
  if (sizes.some((size) => !Number.isInteger(size) || size < 1 || size > SIZES_LIMIT)) {
    return `Wrong sizes '${values.sizes ?? ''}': ${USAGE}`;
  }
  if (only === undefined) return { isQuick: quick, parts: PARTS, sizes };
  if (!NAMES.includes(only)) return `Unknown part '${only}': ${USAGE}`;
  return { isQuick: quick, parts: [only as AskedFor], sizes };
}
