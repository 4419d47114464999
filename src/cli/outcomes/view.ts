import type { AnswerOf } from '../../contract/registry.ts';
import { durationText } from '../shell/durations.ts';
import { facts, table, yesNo } from '../shell/layout.ts';
import type { OutcomeRule } from './flags.ts';
import type { Style } from '../shell/output.ts';
import { moreView } from '../entities/view.ts';

/** In the order in which they are asked; what a rule matches stands under it. */
export function outcomeListView({ data, meta }: AnswerOf<'GET /_kyclone/outcomes'>, style: Style): string {
  const rows = data.map((rule) => [
    rule.id,
    rule.priority,
    rule.outcome,
    stateText(rule),
    `${matchTexts(rule).join(' ')}${doesTexts(rule).join('')}`,
  ]);
  const headings = ['RULE', 'PRIORITY', 'OUTCOME', 'STATE', 'MATCH'];
  return [table(headings, rows, style, 'No rules'), ...moreView(meta, data.length, style)].join('\n');
}

export function outcomeRuleView(rule: OutcomeRule, style: Style): string {
  const { times, remaining, signals } = rule;
  return facts(
    {
      rule: rule.id,
      outcome: rule.outcome,
      when: matchTexts(rule),
      priority: rule.priority,
      enabled: yesNo(rule.enabled),
      ...(rule.delay_ms !== undefined && { delay: durationText(rule.delay_ms) }),
      ...(times !== undefined && { 'runs left': `${remaining ?? times} of ${times}` }),
      ...(signals && { 'adds signals': signals.add, 'removes signals': signals.remove }),
    },
    style,
  );
}

function stateText({ enabled, times, remaining }: OutcomeRule): string {
  if (!enabled) return 'off';
  if (remaining === 0) return 'spent';
  return times === undefined ? 'on' : `${remaining ?? times} of ${times}`;
}

/** `name=value` of each member; the value of an identifier is a mask already. */
function matchTexts({ match }: OutcomeRule): string[] {
  const { identifier, ...texts } = match;
  return [
    ...Object.entries(texts).map(([name, text]) => `${name}=${text}`),
    ...(identifier ? [`${identifier.name}=${identifier.equals}`] : []),
  ];
}

function doesTexts({ delay_ms: delay, signals }: OutcomeRule): string[] {
  return [
    ...(delay === undefined ? [] : [`; after ${durationText(delay)}`]),
    ...(signals?.add ?? []).map((code) => `; +${code}`),
    ...(signals?.remove ?? []).map((code) => `; -${code}`),
  ];
}
