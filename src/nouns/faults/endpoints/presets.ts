/** Named presets of common fault rules, for the command line and for tests. Each lacks only its `match`. */
import type { RequestOf } from '../../../contract/registry.ts';

type Effect = Omit<RequestOf<'POST /_kyclone/faults'>['body'], 'match'>;

export interface FaultPreset {
  readonly name: string;
  readonly description: string;
  readonly rule: Effect;
}

export const FAULT_PRESETS = [
  { name: 'slow', description: 'every response is delayed by two seconds', rule: { latency_ms: 2_000 } },
  {
    name: 'flaky',
    description: 'one request in five fails with 500',
    rule: { status: 500, probability: 0.2 },
  },
  {
    name: 'hiccup',
    description: 'the next request fails with 503, later ones succeed',
    rule: { status: 503, times: 1 },
  },
  { name: 'down', description: 'every request fails with 503 and retry-after: 1', rule: { status: 503 } },
  {
    name: 'rate-limited',
    description: 'every request is refused with 429 and retry-after: 1',
    rule: { status: 429, code: 'rate_limited' },
  },
  {
    name: 'bad-gateway',
    description: 'every request fails with 502, as behind a broken proxy',
    rule: { status: 502, code: 'bad_gateway' },
  },
  {
    name: 'unauthorized',
    description: 'every request is refused with 401, as if its key were revoked',
    rule: { status: 401, code: 'unauthenticated' },
  },
  {
    name: 'lost-connection',
    description: 'the connection is cut without a response',
    rule: { abort: 'connection' },
  },
  {
    name: 'truncated',
    description: 'the connection is cut within the body of an error sent as 200; the call is not carried out',
    rule: { abort: 'body' },
  },
  {
    name: 'timeout',
    description: 'no response for a minute, then the connection is cut',
    rule: { latency_ms: 60_000, abort: 'connection' },
  },
] as const satisfies readonly FaultPreset[];

export function findPreset(name: string): FaultPreset | undefined {
  return FAULT_PRESETS.find((preset) => preset.name === name);
}
