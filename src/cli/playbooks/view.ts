import type { AnswerOf } from '../../contract/registry.ts';
import { durationText } from '../shell/durations.ts';
import { facts, table, yesNo } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import type { Playbook } from './flags.ts';
import { moreView } from '../entities/view.ts';

export function playbookListView({ data, meta }: AnswerOf<'GET /_kyclone/playbooks'>, style: Style): string {
  const rows = data.map(({ key, kind, version, default_outcome: outcome, has_rules: hasRules, name }) => [
    key,
    kind,
    version,
    hasRules ? outcome : 'none',
    name,
  ]);
  const headings = ['KEY', 'KIND', 'VERSION', 'OUTCOME', 'NAME'];
  return [table(headings, rows, style, 'No playbooks'), ...moreView(meta, data.length, style)].join('\n');
}

export function playbookView(playbook: Playbook, style: Style): string {
  const { has_rules: hasRules, default_outcome: outcome } = playbook;
  return facts(
    {
      key: playbook.key,
      name: playbook.name,
      kind: playbook.kind,
      version: playbook.version,
      'is live': yesNo(playbook.is_live),
      requires: playbook.requirements.map(groupText),
      outcome: hasRules ? outcome : `none, as it has no rules (with rules: ${outcome})`,
      delay: durationText(playbook.delay_ms),
      'session delay': durationText(playbook.session_delay_ms),
      'collects owners': yesNo(playbook.collects_owners),
      created: playbook.created_at,
    },
    style,
  );
}

function groupText(group: readonly string[]): string {
  return group.length === 1 ? (group[0] ?? '') : `one of ${group.join(', ')}`;
}
