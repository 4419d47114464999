/** The rules that choose how runs end, in the order of evaluation (contract §4.3). */
import type { AnswerOf } from '../../contract/registry.ts';
import { durationText } from '../../kernel/duration.ts';
import type { Source } from '../data/source.ts';
import type { Cell, Page, Row } from '../state/model.ts';
import type { PageQuery, ScreenDefinition } from './definition.ts';
import { spacedCommand, spacedPath } from './space.ts';
import { defined } from '../../kernel/defined.ts';

type Rule = AnswerOf<'GET /_kyclone/outcomes'>['data'][number];

export const outcomesScreen: ScreenDefinition = {
  name: 'outcomes',
  paletteName: 'outcome rules',
  title: () => 'Outcome rules',
  panes: [
    {
      title: 'Outcome rules',
      columns: [
        { heading: 'PRIORITY', align: 'right' },
        { heading: 'OUTCOME' },
        { heading: 'RUNS WITH', grows: true, atLeast: 20 },
        { heading: 'LEFT' },
        { heading: 'ALSO', drop: 1 },
        { heading: 'RULE', isId: true, atLeast: 12 },
      ],
      empty: 'No outcome rules: + creates one',
      changesWith: ['request', 'onboarding'],
      creates: 'outcome_create',
      deletes: 'outcome_delete',
      load: loadRules,
    },
  ],
};

async function loadRules(source: Source, { cursor, size }: PageQuery): Promise<Page> {
  const { data, meta } = await source.client.call('GET /_kyclone/outcomes', {
    query: { ...source.space, page_size: size, ...defined({ cursor }) },
  });
  return { rows: data.map((each) => ruleRow(each, source)), next: meta.next, total: meta.count };
}

function ruleRow(rule: Rule, { space }: Source): Row {
  const { id, outcome, priority } = rule;
  const runs = matchText(rule);
  const left = leftCell(rule);
  return {
    data: rule,
    key: id,
    cells: [String(priority), outcome, runs, left, alsoText(rule), id],
    id,
    command: spacedCommand(['outcomes', 'get', id], space),
    call: { method: 'GET', path: spacedPath(`/_kyclone/outcomes/${id}`, space) },
    subject: {
      kind: 'thing',
      what: 'outcome',
      id,
      isEnabled: rule.enabled,
      name: `runs with ${runs} end as ${outcome}`,
      details: left.text,
    },
  };
}

/** The daemon sends a matched value masked. */
function matchText({ match: { identifier, ...texts } }: Rule): string {
  const parts = Object.entries(texts).map(([name, text]) => `${name.replaceAll('_', ' ')} ${text}`);
  return [...parts, ...(identifier ? [`${identifier.name} ${identifier.equals}`] : [])].join(', ');
}

function leftCell({ enabled, times, remaining }: Rule): Cell {
  if (!enabled) return { text: 'disabled', tone: 'dim' };
  if (times === undefined) return { text: 'always', tone: 'plain' };
  const left = remaining ?? times;
  return { text: `${left} of ${times}`, tone: left === 0 ? 'dim' : 'plain' };
}

function alsoText({ delay_ms: delay, signals }: Rule): string {
  return [
    ...(delay === undefined ? [] : [`after ${durationText(delay)}`]),
    ...(signals?.add.map((code) => `+${code}`) ?? []),
    ...(signals?.remove.map((code) => `-${code}`) ?? []),
  ].join(' ');
}
