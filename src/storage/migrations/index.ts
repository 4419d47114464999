import { foundation } from './001-foundation.ts';
import { vaultSurface } from './002-vault-surface.ts';
import { onboarding } from './003-onboarding.ts';
import { bankLinks } from './004-bank-links.ts';
import { faults } from './005-faults.ts';
import { rowSeals } from './006-row-seals.ts';
import { tombstones } from './007-tombstones.ts';
import { resultSeals } from './008-result-seals.ts';
import { secondKeys } from './009-second-keys.ts';
import { sessionRecords } from './010-session-records.ts';
import { proxyConfigurations } from './011-proxy-configurations.ts';
import { entityLists } from './012-entity-lists.ts';
import { deferredFingerprints } from './013-deferred-fingerprints.ts';
import { hostedFlow } from './014-hosted-flow.ts';
import { accessLogRuns } from './015-access-log-runs.ts';
import { supportDesk } from './016-support-desk.ts';
import { bankPages } from './017-bank-pages.ts';
import { cases } from './018-cases.ts';
import { debris } from './019-debris.ts';

/** In order; the index + 1 is the schema's `user_version`. Released entries are never edited. */
export const MIGRATIONS: readonly string[] = [
  foundation,
  vaultSurface,
  onboarding,
  bankLinks,
  faults,
  rowSeals,
  tombstones,
  resultSeals,
  secondKeys,
  sessionRecords,
  proxyConfigurations,
  entityLists,
  deferredFingerprints,
  hostedFlow,
  accessLogRuns,
  supportDesk,
  bankPages,
  cases,
  debris,
];
