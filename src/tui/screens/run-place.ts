import type { ScreenPlace } from '../state/model.ts';

/** The place that shows one run of an entity. */
export function runPlace(fpId: string, onboardingId: string): ScreenPlace {
  return { screen: 'run', params: { fp_id: fpId, onboarding_id: onboardingId } };
}
