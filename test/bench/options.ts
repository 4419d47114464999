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
/** Measured only on request, because it needs a Node whose own SQLite is used. */
const ASKED_FOR = 'drivers';
export type Part = (typeof PARTS)[number];
export type AskedFor = Part | typeof ASKED_FOR;

export interface BenchOptions {
  readonly isQuick: boolean;
  readonly parts: readonly AskedFor[];
}

const NAMES: readonly string[] = [...PARTS, ASKED_FOR];
const USAGE = `npm run bench takes --quick and --only PART, PART being one of ${NAMES.join(', ')}`;

/** Reads the arguments. Returns a sentence about the mistake and the valid options when they are wrong. */
export function benchOptions(given: readonly string[]): BenchOptions | string {
  let values;
  try {
    const options = { quick: { type: 'boolean' }, only: { type: 'string' } } as const;
    ({ values } = parseArgs({ args: [...given], options }));
  } catch (error) {
    // The rest of the message is advice about arguments that begin with a dash.
    const [what = ''] = (error as Error).message.split(/\.\s/);
    return `${what}: ${USAGE}`;
  }
  const { only, quick = false } = values;
  if (only === undefined) return { isQuick: quick, parts: PARTS };
  if (!NAMES.includes(only)) return `Unknown part '${only}': ${USAGE}`;
  return { isQuick: quick, parts: [only as AskedFor] };
}
