/** The word lists that completion scripts contain. */
import { PERMISSIONS, SCOPES } from '../../contract/facts/permissions.ts';
import { EVENT_KINDS } from '../../contract/facts/webhooks.ts';
import type { StaticList } from '../../cli/completion/slots.ts';
import { SETTING_NAMES } from '../../cli/config/preferences.ts';
import { SECTIONS } from '../../contract/docs/anchors.ts';
import { ERRORS } from '../../contract/errors.ts';
import { endpoints, splitKey } from '../../contract/registry.ts';
import { BANK_PERSONAS } from '../../fixtures/bank-personas/index.ts';
import reasonCodes from '../../fixtures/reason-codes.json' with { type: 'json' };
import { fixedIdentifiers } from '../../vault/identifiers/registry.ts';
import { TRANSFORM_NAMES } from '../../vault/transforms/catalogue.ts';
import type { Word } from './words.ts';

/** Families whose names end in a word that the caller chooses. */
const OPEN_FAMILIES = ['bank.', 'business.beneficial_owners.', 'card.', 'custom.', 'document.custom.'];

export function staticLists(): Record<StaticList, readonly Word[]> {
  const fixed = fixedIdentifiers();
  return {
    identifiers: words([...fixed, ...OPEN_FAMILIES]),
    fields: words([...fixed.map((name) => `${name}=`), ...OPEN_FAMILIES]),
    events: words(EVENT_KINDS),
    personas: BANK_PERSONAS.map(({ name, description }) => ({ word: name, summary: description })),
    signals: reasonCodes.map(({ reason_code, note }) => ({ word: reason_code, summary: note })),
    settings: words(SETTING_NAMES),
    assignments: words(SETTING_NAMES.map((name) => `${name}=`)),
    scopes: words(SCOPES),
    permissions: words(PERMISSIONS),
    errors: words(Object.keys(ERRORS)),
    topics: words([...Object.keys(SECTIONS), ...fixed, ...TRANSFORM_NAMES, ...Object.keys(ERRORS)]),
    paths: words(new Set(endpoints.map(({ key }) => splitKey(key).path.replace(/\{.*$/, '')))),
  };
}

function words(names: Iterable<string>): Word[] {
  return [...names].sort().map((word) => ({ word, summary: '' }));
}
