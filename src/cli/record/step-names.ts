/** Names that a reader takes a step for: `user_1`, `token_2`, `decrypt_3`, each kind counted by itself. */
import { withoutTrailing } from '../../kernel/trailing.ts';

const BY_WORD: Readonly<Record<string, string>> = {
  client_token: 'token',
  users: 'user',
  businesses: 'business',
  vault: 'vault',
  'api-keys': 'key',
  playbooks: 'playbook',
  outcomes: 'outcome',
  faults: 'fault',
  webhooks: 'webhook',
  bank_links: 'link',
  bank_link_intents: 'intent',
  onboardings: 'onboarding',
};
const BY_METHOD: Readonly<Record<string, string>> = {
  GET: 'read_',
  PATCH: 'update_',
  DELETE: 'delete_',
  PUT: 'put_',
  POST: '',
};
/** Ids and identifiers: what a call is about, not what it does. */
const IS_WORD = /^[a-z][a-z_-]{0,40}$/;

export function stepNames(): (method: string, path: string) => string {
  const counts = new Map<string, number>();
  return (method, path) => {
    const words = (path.split('?')[0] ?? '')
      .split('/')
      .filter((word) => IS_WORD.test(word) && word !== '_kyclone');
    const word = words.at(-1) ?? 'call';
    const noun = BY_WORD[word] ?? word.replaceAll('-', '_');
    const kind = withoutTrailing(`${BY_METHOD[method] ?? ''}${noun}`, '_');
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return `${kind}_${count}`;
  };
}
