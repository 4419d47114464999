import type { AnswerOf } from '../../contract/registry.ts';
import { shortTime, table } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import { morePagesView } from '../onboardings/view.ts';

/** Shows who decided and why: for a run its playbook, for a person the annotation. */
export function decisionListView(
  { data, meta }: AnswerOf<'GET /users/{fp_id}/decisions'>,
  style: Style,
): string {
  const rows = data.map((decision) => {
    const { status, timestamp, reviewer_email: reviewer } = decision;
    return decision.kind === 'manual'
      ? [shortTime(timestamp), status, 'by hand', withReviewer(decision.annotation, reviewer)]
      : [shortTime(timestamp), status, 'by a run', decision.playbook_key];
  });
  const headings = ['AT (UTC)', 'STATUS', 'DECIDED', 'PLAYBOOK OR ANNOTATION'];
  return [table(headings, rows, style, 'No decisions'), ...morePagesView(meta, style)].join('\n');
}

function withReviewer(annotation: string | null, reviewer: string | null): string {
  const text = annotation ?? '';
  return reviewer === null ? text : `${text} (${reviewer})`;
}

export function decidedView(): string {
  return 'Decided';
}
