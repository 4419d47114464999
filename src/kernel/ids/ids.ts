import { seededText, type Randomness } from './random.ts';

/** Id prefixes by kind (contract §0.6). */
export const ID_PREFIX = {
  user: 'fp_id_',
  business: 'fp_bid_',
  apiKey: 'key_',
  request: 'req_',
  clientToken: 'tok_',
  document: 'doc_',
  tag: 'tag_',
  note: 'note_',
  onboarding: 'ob_',
  onboardingSession: 'ses_',
  sandboxPlaybook: 'pb_test_',
  livePlaybook: 'pb_live_',
  outcomeRule: 'rule_',
  event: 'evt_',
  delivery: 'dlv_',
  webhook: 'whk_',
  proxyConfiguration: 'proxy_id_',
  bankLink: 'link_',
  bankAccount: 'acct_',
  bankTransaction: 'txn_',
  investmentTransaction: 'itxn_',
  security: 'sec_',
  fault: 'flt_',
} as const;

/** Whether a text has the form of an id of any kind (contract §0.6). */
export function hasIdForm(text: string): boolean {
  return (
    /^[a-z_]{2,10}_[0-9A-Za-z_]{1,64}$/.test(text) &&
    Object.values(ID_PREFIX).some((prefix) => text.startsWith(prefix))
  );
}

/** Whether an id names a business rather than a user (contract §0.6). */
export function isBusinessId(id: string): boolean {
  return id.startsWith(ID_PREFIX.business);
}

/** Prefixes of credentials (contract §0.2, §9.1); API keys have one for each environment. */
export const CREDENTIAL_PREFIX = {
  sandbox: 'sk_test_',
  live: 'sk_live_',
  clientToken: 'cttok_',
  webhookSecret: 'whsec_',
} as const;

const ID_CHARACTERS = 22;

/**
 * A fresh id: the prefix of its kind and 22 characters of `[0-9A-Za-z]`. Seeded ids repeat after a start or a reset, so
 * storage that survives these passes `isTaken`, which says whether it has an id already.
 */
export function newId(
  kind: keyof typeof ID_PREFIX,
  random: Randomness,
  isTaken: (id: string) => boolean = () => false,
): string {
  const next = () => ID_PREFIX[kind] + random.id(ID_CHARACTERS, kind);
  let id = next();
  while (random.isSeeded && isTaken(id)) id = next();
  return id;
}

/** The id that a seed gives for `name`: the same on every call. */
export function seededId(kind: keyof typeof ID_PREFIX, seed: string, name: string): string {
  return ID_PREFIX[kind] + seededText(seed, name, ID_CHARACTERS);
}

/** API keys and client tokens by their prefixes (contract §0.2). */
const PREFIX = `\\b(${CREDENTIAL_PREFIX.sandbox}|${CREDENTIAL_PREFIX.live}|${CREDENTIAL_PREFIX.clientToken})`;
const HAS_PREFIX = new RegExp(PREFIX);
const CREDENTIAL = new RegExp(`${PREFIX}[0-9A-Za-z]+`, 'g');

/** Removes credentials from an outside text, such as an unknown name, before it is shown or stored. */
export function withoutCredentials(text: string): string {
  return HAS_PREFIX.test(text) ? text.replace(CREDENTIAL, '$1***') : text;
}
