import { PLAYBOOK_KINDS } from '../../onboardings/facts.ts';
import { ServiceError, conflict } from '../../../kernel/errors.ts';
import { listSpaces, type ApiKeys } from '../../api-keys/service/index.ts';
import { answer, linkByHost, type Handlers, type KeysUnder, doneWriting } from '../../handlers.ts';
import { bootstrapOf, type Sessions, type SessionTokens } from '../../onboardings/service/index.ts';
import { findPlaybook, type Playbooks } from '../../playbooks/service.ts';
import type { Needs } from '../../needs.ts';

export { createHosted } from './operations.ts';

// Sessions that a page of the app starts or fills in by itself, with `kyclone/browser` (contract §14). A playbook's key
// is public, so such a session acts for a key of the playbook's tenant, and never for a user that the page names.

export function createBrowserSessions(
  context: Needs<'queue' | 'vault'> & {
    readonly apiKeys: Pick<ApiKeys, 'oldestWith'>;
    readonly playbooks: Playbooks;
    readonly sessions: Pick<Sessions, 'begin'>;
    readonly tokens: SessionTokens;
  },
): Handlers<KeysUnder<'/hosted/browser'>> {
  const { queue, vault, apiKeys, playbooks, sessions, tokens } = context;
  return {
    // Throws `playbook_unknown`, also for one without a key to act for, and `T120`.
    async 'POST /hosted/browser/session'(request) {
      const { key, bootstrap_data } = request.body;
      const { database } = queue;
      const caller = listSpaces(database)
        .filter((space) => findPlaybook(database, space.space, key))
        .map((space) => apiKeys.oldestWith('onboard', space))
        .find((found) => found !== undefined);
      if (!caller) {
        throw new ServiceError(
          'playbook_unknown',
          'No playbook has this key, in a tenant with an enabled API key that has the permission onboard',
        );
      }
      // No credential was needed, so it replaces no stored value, whatever the key may do.
      const restricted = { ...caller, sessionPermissions: ['onboard'] };
      const body = { key, ...(bootstrap_data && { bootstrap_data }) };
      return answer(linkByHost(request, await sessions.begin(restricted, body)));
    },

    // Adds bootstrap data that the session lacks. Throws `T120`, and `conflict` for a flow that takes none.
    'PATCH /hosted/browser/session': ({ caller, body: { bootstrap_data } }) =>
      doneWriting(queue, (database) => {
        if (caller.flow !== 'session') throw conflict('The page of a bank takes no bootstrap data');
        const session = tokens.current(database, caller);
        const stored = tokens.requestOf(session);
        if (stored.flow !== undefined) throw conflict('This flow takes no bootstrap data');
        const playbook = playbooks.require(database, session, stored.key, PLAYBOOK_KINDS);
        const request = { ...stored, bootstrap_data: { ...bootstrap_data, ...stored.bootstrap_data } };
        const parts = bootstrapOf(request, playbook);
        const { tenant, environment } = session;
        for (const kind of ['user', 'business'] as const) {
          const changes = parts[kind];
          vault.draft({ fp_id: '', kind, tenant, environment }, { changes, skipLuhn: false });
        }
        tokens.keep(database, session, request);
      }),
  };
}
