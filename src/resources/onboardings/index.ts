export { onboardingHandlers } from './handlers.ts';
export { createOnboardings, type OnboardingItem, type Onboardings, type OnboardingView } from './service.ts';
export { createSessions, type Sessions } from './sessions.ts';
export { createSessionRecords } from './session-records.ts';
export { createSessionTokens, type SessionTokens } from './session-tokens.ts';
export { requireRedirectUrl } from './redirect-url.ts';
export { bootstrapOf, type Bootstrap } from './bootstrap.ts';
export type { Engine } from './engine.ts';
export { FRONT_IMAGES } from './document-images.ts';
export { DOMESTIC, groupsOf } from './readiness.ts';
export { NO_PROGRESS, type GivenOwner, type SessionProgress } from './session-progress.ts';
export { findParticipants, type StoredSessionRequest } from './sessions-request.ts';
export { findByContact, storedText, type Contact } from './known-person.ts';
export { contactsOf, dataOf } from './session-owners.ts';
export { findIncomplete } from './repository.ts';
export {
  cancelSession,
  endSessionsOf,
  findSession,
  holdFile,
  releaseFile,
  type SessionRow,
} from './sessions-repository.ts';
export { createStatusChanges } from './status-changes.ts';
export { createVaultChanges } from './vault-changes.ts';
