import type { FaultPreset } from '../../contract/fault-presets.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { durationText } from '../shell/durations.ts';
import type { FaultRule } from './flags.ts';
import { facts, table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import { moreView } from '../entities/view.ts';

type Effect = Omit<FaultRule, 'id' | 'hits' | 'enabled' | 'match'>;

/** In the order in which they are asked. */
export function faultListView({ data, meta }: AnswerOf<'GET /_kyclone/faults'>, style: Style): string {
  const rows = data.map((rule) => [rule.id, stateText(rule), rule.hits, matchText(rule), effectText(rule)]);
  const headings = ['RULE', 'STATE', 'HITS', 'REQUESTS', 'WHAT HAPPENS'];
  return [table(headings, rows, style, 'No fault rules'), ...moreView(meta, data.length, style)].join('\n');
}

export function faultView(rule: FaultRule, style: Style): string {
  return facts(
    {
      rule: rule.id,
      requests: matchText(rule),
      'what happens': effectText(rule),
      state: stateText(rule),
      ...(rule.seed !== undefined && { seed: rule.seed }),
    },
    style,
  );
}

export function faultPresetsView(presets: readonly FaultPreset[], style: Style): string {
  const rows = presets.map(({ name, description }) => [name, description]);
  return table(['PRESET', 'WHAT HAPPENS'], rows, style, 'No presets');
}

/** `all` when there is no more to say of how many went. */
export function faultsClearedView(ids: readonly string[]): string {
  if (ids.length === 0) return 'All fault rules are gone';
  return ids.length === 1 ? 'The fault rule is gone' : `${ids.length} fault rules are gone`;
}

function stateText({ enabled, times, hits }: FaultRule): string {
  if (!enabled) return 'spent';
  return times === undefined ? 'on' : `${times - hits} of ${times} left`;
}

function matchText({ match }: Pick<FaultRule, 'match'>): string {
  return `${match.method ?? 'any'} ${match.path}`;
}

/** `500 fault_injected after 2s, for 20 %`. */
function effectText(rule: Effect): string {
  const { status, code, latency_ms: latency, abort, probability } = rule;
  const parts = [
    ...(abort === 'connection' ? ['connection cut'] : []),
    ...(abort === 'body' ? [`body of ${status ?? 200} cut off`] : []),
    ...(abort === undefined && status !== undefined ? [`${status} ${code ?? 'fault_injected'}`] : []),
  ];
  const wait =
    latency === undefined ? [] : [`${parts.length > 0 ? 'after' : 'waits'} ${durationText(latency)}`];
  const chance = probability === undefined ? [] : [`for ${Number((probability * 100).toFixed(4))} %`];
  return [...parts, ...wait, ...chance].join(' ');
}
