/** How a fault rule is described to people (contract §11). */
import type { AnswerOf } from '../../contract/registry.ts';
import { durationText } from '../../kernel/time/duration.ts';

type FaultRule = AnswerOf<'GET /_kyclone/faults/{id}'>;

/** The requests that it matches: `POST /users`. */
export function requestsText({ match }: Pick<FaultRule, 'match'>): string {
  return `${match.method ?? 'any'} ${match.path}`;
}

/** `500 fault_injected after 2s, for 20 % (seed monday)`. */
export function effectText(rule: Omit<FaultRule, 'id' | 'hits' | 'enabled' | 'match'>): string {
  const { status, code, latency_ms: latency, abort, probability, seed } = rule;
  const ends = [
    ...(abort === 'connection' ? ['connection cut'] : []),
    ...(abort === 'body' ? [`body of ${status ?? 200} cut off`] : []),
    ...(abort === undefined && status !== undefined ? [`${status} ${code ?? 'fault_injected'}`] : []),
  ];
  const waits =
    latency === undefined ? [] : [`${ends.length > 0 ? 'after' : 'waits'} ${durationText(latency)}`];
  const chance = probability === undefined ? '' : `, for ${Number((probability * 100).toFixed(4))} %`;
  return `${[...ends, ...waits].join(' ')}${chance}${seed === undefined ? '' : ` (seed ${seed})`}`;
}
