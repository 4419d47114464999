import type { ScreenPlace } from '../state/model.ts';

/** Where one run of an entity is shown. */
export function runPlace(fpId: string, onboardingId: string): ScreenPlace {
  return { screen: 'run', params: { fp_id: fpId, onboarding_id: onboardingId } };
}
