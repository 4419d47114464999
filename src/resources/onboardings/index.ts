export { onboardingHandlers } from './handlers.ts';
export { createOnboardings, type OnboardingItem, type Onboardings, type OnboardingView } from './service.ts';
export { createSessions, type Sessions } from './sessions.ts';
export { createSessionRecords } from './session-records.ts';
export { createSessionTokens } from './session-tokens.ts';
export { findIncomplete } from './repository.ts';
export { endSessionsOf } from './sessions-repository.ts';
export { createStatusChanges } from './status-changes.ts';
export { createVaultChanges } from './vault-changes.ts';
