/** One run of an entity, including older ones: its findings, most severe first (contract §2.19). */
import type { ScreenDefinition } from '../../tui/screens/definition.ts';
import { askedBefore } from '../entities/screen/asked-before.ts';
import { pathOf, targetOf, waysTo } from '../entities/screen/inspection.ts';
import { SIGNAL_COLUMNS, signalRows } from '../entities/screen/signals.ts';
import type { ScreenPlace } from '../../tui/state/model.ts';

export const runScreen: ScreenDefinition = {
  name: 'run',
  title: ({ onboarding_id = '' }) => `Onboarding ${onboarding_id}`,
  subject(params) {
    const { kind, fp_id } = targetOf(params);
    return { kind, fp_id };
  },
  panes: [
    {
      title: 'Signals',
      columns: SIGNAL_COLUMNS,
      empty: 'No risk signals: the onboarding has not finished, or found none',
      changesWith: ['request', 'onboarding'],
      async load(source, { params }) {
        const target = targetOf(params);
        const onboarding_id = params['onboarding_id'] ?? '';
        const { fp_id } = target;
        const { client } = source;
        const run = await client.call('GET /onboardings/{id}', { params: { id: onboarding_id } });
        const found = await askedBefore(
          source,
          { about: `signals of ${onboarding_id}`, state: JSON.stringify(run) },
          () =>
            target.kind === 'user'
              ? client.call('GET /users/{fp_id}/onboardings/{onboarding_id}/risk_signals', {
                  params: { fp_id, onboarding_id },
                })
              : client.call('GET /businesses/{fp_bid}/onboardings/{onboarding_id}/risk_signals', {
                  params: { fp_bid: fp_id, onboarding_id },
                }),
        );
        const ways = waysTo(target, source);
        const hits = await client.call('GET /_kyclone/entities/{fp_id}/hits', {
          params: { fp_id },
          query: { ...source.space, onboarding_id },
        });
        const rows = signalRows(found, hits, {
          target,
          command: ways.command('risk-signals', 'list', fp_id, '--onboarding', onboarding_id),
          call: ways.get(`${pathOf(target)}/onboardings/${encodeURIComponent(onboarding_id)}/risk_signals`),
        });
        const review = run.requires_manual_review ? ', to be reviewed' : '';
        return {
          rows,
          next: null,
          total: rows.length,
          banner: `${run.status}${review}, on ${run.playbook_key} version ${run.playbook_version}`,
        };
      },
    },
  ],
};

/** The place that shows one run of an entity. */
export function runPlace(fpId: string, onboardingId: string): ScreenPlace {
  return { screen: 'run', params: { fp_id: fpId, onboarding_id: onboardingId } };
}
