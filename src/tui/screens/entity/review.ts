/** The runs of an entity, and the decisions about it. */
import { ApiError, MissingCredentialError } from '../../../client/errors.ts';
import type { AnswerOf } from '../../../contract/registry.ts';
import { shortTime } from '../../../kernel/terminal-text.ts';
import type { Source } from '../../data/source.ts';
import type { PaneDefinition } from '../definition.ts';
import { runPlace } from '../run-place.ts';
import { statusCell } from '../people.ts';
import { askedBefore } from './asked-before.ts';
import { fewOf, inspected, partOf, pathOf, targetOf, waysTo } from './inspection.ts';

type Run = AnswerOf<'GET /onboardings/{id}'>;

export const onboardings: PaneDefinition = {
  title: 'Onboardings',
  columns: [
    { heading: 'ONBOARDING', isId: true, grows: true },
    { heading: 'STATUS' },
    { heading: 'REVIEW' },
    { heading: 'PLAYBOOK', drop: 2 },
    { heading: 'EXTERNAL ID', drop: 1 },
    { heading: 'STARTED (UTC)', drop: 3 },
    { heading: 'CHANGED (UTC)' },
  ],
  empty: 'No onboardings',
  changesWith: ['request', 'onboarding'],
  async load(source, { params, cursor }) {
    const target = targetOf(params);
    const ways = waysTo(target, source);
    const { onboardings: items } = await inspected(source, target);
    const { few, ...page } = fewOf(items, cursor);
    const runs = await Promise.all(few.map(({ id }) => beginningOf(source, id)));
    const rows = few.map(
      ({ id, playbook_key, playbook_version, status, requires_manual_review, timestamp }, index) => ({
        data: { ...few[index], ...runs[index] },
        key: id,
        cells: [
          id,
          statusCell(status, false),
          requires_manual_review ? ({ text: 'needed', tone: 'warn' } as const) : '-',
          `${playbook_key} v${playbook_version}`,
          runs[index]?.onboarding_external_id ?? '-',
          shortTime(runs[index]?.created_at ?? null),
          shortTime(timestamp),
        ],
        id,
        command: ways.command('onboardings', 'get', id),
        call: ways.get(`/onboardings/${id}`),
        opens: runPlace(target.fp_id, id),
      }),
    );
    return { rows, ...page };
  },
};

/** The start of the run and its external id, which never change. Undefined if no key may read it. */
async function beginningOf(source: Source, id: string): Promise<Run | undefined> {
  const ask = () => source.client.call('GET /onboardings/{id}', { params: { id } });
  try {
    return await askedBefore(source, { about: id, state: '' }, ask);
  } catch (error) {
    if (error instanceof ApiError || error instanceof MissingCredentialError) return undefined;
    throw error;
  }
}

export const decisions = partOf({
  title: 'Decisions',
  columns: [
    { heading: 'AT (UTC)' },
    { heading: 'STATUS' },
    { heading: 'KIND' },
    { heading: 'BY' },
    { heading: 'ANNOTATION OR PLAYBOOK', grows: true },
  ],
  empty: 'No decisions',
  changesWith: ['request', 'onboarding'],
  page: ({ decisions: made }, ways) => ({
    rows: made.map(({ kind, status, timestamp, playbook_key, annotation, reviewer_email }, index) => ({
      data: made[index],
      // Decisions have no ids. New ones are added at the front only.
      key: String(made.length - index),
      cells: [
        shortTime(timestamp),
        statusCell(status, false),
        kind === 'manual' ? 'by hand' : 'by a run',
        reviewer_email ?? '-',
        annotation ?? playbook_key ?? '-',
      ],
      id: playbook_key ?? undefined,
      command: ways.command('decisions', 'list', ways.fp_id),
      call: ways.get(`${pathOf(ways)}/decisions`),
    })),
  }),
});
