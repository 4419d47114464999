/** One run of an entity, including older ones: its findings, most severe first (contract §2.19). */
import type { ScreenDefinition } from '../../tui/screens/definition.ts';
import { askedBefore } from '../entities/screen/asked-before.ts';
import { targetOf } from '../entities/screen/inspection.ts';
import type { ScreenPlace } from '../../tui/state/model.ts';
import { entityEndpoint } from '../../client/entity-endpoint.ts';
import { signalsPane } from '../entities/screen/signals.ts';

export const runScreen: ScreenDefinition = {
  title: ({ onboarding_id = '' }) => `Onboarding ${onboarding_id}`,
  subject(params) {
    const { kind, fp_id } = targetOf(params);
    return { kind, fp_id };
  },
  panes: [
    signalsPane(
      'No risk signals: the onboarding has not finished, or found none',
      async (source, { fp_id }, { onboarding_id = '' }) => {
        const { client, space } = source;
        const run = await client.call('GET /onboardings/{id}', { params: { id: onboarding_id } });
        const ofRun = 'GET /{entity}/onboardings/{onboarding_id}/risk_signals';
        const { key, params } = entityEndpoint(ofRun, fp_id);
        const found = await askedBefore(
          source,
          { about: `signals of ${onboarding_id}`, state: JSON.stringify(run) },
          () => client.call(key, { params: { ...params, onboarding_id } }),
        );
        const hits = await client.call('GET /_kyclone/entities/{fp_id}/hits', {
          params: { fp_id },
          query: { ...space, onboarding_id },
        });
        const review = run.requires_manual_review ? ', to be reviewed' : '';
        return {
          found,
          hits,
          command: ['risk-signals', 'list', fp_id, '--onboarding', onboarding_id],
          path: `onboardings/${encodeURIComponent(onboarding_id)}/risk_signals`,
          banner: `${run.status}${review}, on ${run.playbook_key} version ${run.playbook_version}`,
        };
      },
    ),
  ],
};

/** The place that shows one run of an entity. */
export function runPlace(fpId: string, onboardingId: string): ScreenPlace {
  return { screen: 'run', params: { fp_id: fpId, onboarding_id: onboardingId } };
}
