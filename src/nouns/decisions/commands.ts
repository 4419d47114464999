import { option as optionArg } from '@oclif/core/args';
import { option, string } from '@oclif/core/flags';
import { HIT_DECISIONS } from '../../contract/facts/cases.ts';
import { MANUAL_DECISIONS } from '../onboardings/facts.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { derived } from '../../cli/shell/derived.ts';
import { readLine } from '../../cli/shell/fields.ts';
import { entityArg, inWords, liveFlag, offsetFlags } from '../../cli/shell/flags.ts';
import { listView, shortTime } from '../../cli/shell/layout.ts';

/** Shows who decided and why: for a run its playbook, for a person the annotation. */
export const decisionListView = listView<AnswerOf<'GET /users/{fp_id}/decisions'>>('No decisions', [
  ['AT (UTC)', ({ timestamp }) => shortTime(timestamp)],
  ['STATUS', 'status'],
  ['DECIDED', ({ kind }) => (kind === 'manual' ? 'by hand' : 'by a run')],
  [
    'PLAYBOOK OR ANNOTATION',
    (decision) =>
      decision.kind === 'manual'
        ? withReviewer(decision.annotation, decision.reviewer_email)
        : decision.playbook_key,
  ],
]);

function withReviewer(annotation: string | null, reviewer: string | null): string {
  const text = annotation ?? '';
  return reviewer === null ? text : `${text} (${reviewer})`;
}

export default {
  'decisions:create': derived('POST /{entity}/decisions', {
    summary: 'Decide manually about a user or business, which ends its review',
    aliases: ['decisions:make'],
    examples: [
      'fp_id_… pass --annotation "passport seen" --reviewer ann@example.com',
      'fp_bid_… fail --hits confirmed --annotation - < reasons.txt',
    ],
    args: {
      ...entityArg,
      status: optionArg({ description: 'pass or fail', options: MANUAL_DECISIONS })({ required: true }),
    },
    flags: {
      annotation: string({
        summary: 'why: the text, @FILE, or - for stdin',
        required: true,
        helpValue: 'TEXT',
      }),
      reviewer: string({ summary: 'who decided', helpValue: 'EMAIL' }),
      hits: option({
        summary: 'decide on the hits that nobody decided on, too, with the same reason',
        options: HIT_DECISIONS,
      })(),
      ...liveFlag,
    },
    send: async ({ args: { status }, flags }, { input }) => ({
      status,
      annotation: await inWords(await readLine(flags.annotation, input), '--annotation'),
      reviewer_email: flags.reviewer,
      hits: flags.hits,
    }),
    view: () => 'Decided',
  }),
  'decisions:list': derived('GET /{entity}/decisions', {
    summary: 'List the decisions about a user or business, from runs and manual ones, newest first',
    description:
      'Manual decisions are listed here and in the timeline, with reviewer and reason; audit list has them, too.',
    examples: ['fp_id_…', 'fp_bid_… --page 1 --json'],
    args: entityArg,
    flags: { ...offsetFlags, ...liveFlag },
    view: decisionListView,
  }),
};
