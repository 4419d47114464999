import { auditSteps } from './audit.ts';
import { businessSteps } from './businesses.ts';
import { deletionSteps } from './deletion.ts';
import { readingSteps } from './reading.ts';
import type { Step } from './tour.ts';
import { writingSteps } from './writing.ts';

/** The tour, in order. A new part of the service adds its group here; deletion stays last. */
export const STEPS: readonly Step[] = [
  ...writingSteps,
  ...readingSteps,
  ...businessSteps,
  ...auditSteps,
  ...deletionSteps,
];
