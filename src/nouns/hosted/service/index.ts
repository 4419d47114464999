import { PLAYBOOK_KINDS } from '../../onboardings/facts.ts';
import type { AnswerOf, RequestOf } from '../../../contract/registry.ts';
import { ServiceError, conflict } from '../../../kernel/errors.ts';
import { listSpaces, type ApiKeys, type FlowCaller } from '../../api-keys/service/index.ts';
import { answer, answered, linkByHost, type Handlers, type KeysUnder, done } from '../../handlers.ts';
import { bootstrapOf, type Sessions, type SessionTokens } from '../../onboardings/service/index.ts';
import { findPlaybook, type Playbooks } from '../../playbooks/service.ts';
import type { Hosted } from './operations.ts';
import type { Needs } from '../../needs.ts';

export { createHosted, type Hosted } from './operations.ts';

export function hostedHandlers(hosted: Hosted): Handlers<KeysUnder<'/hosted/session'>> {
  return {
    'GET /hosted/session': ({ caller }) => answer(hosted.state(caller)),
    'POST /hosted/session/identify': ({ caller, body }) => answered(hosted.identify(caller, body)),
    'POST /hosted/session/verify': (request) =>
      answered(hosted.verify(request.caller, request.body, request)),
    'POST /hosted/session/data': ({ caller, body }) => answered(hosted.save(caller, body)),
    'POST /hosted/session/owners': ({ caller, body }) => answered(hosted.saveOwners(caller, body)),
    'POST /hosted/session/document': ({ caller, body }) => answered(hosted.setDocument(caller, body)),
    'POST /hosted/session/document/{side}': ({ caller, params, body }) =>
      answered(hosted.upload(caller, params.side, body)),
    'GET /hosted/session/bank': ({ caller }) => answered(hosted.choices(caller)),
    'POST /hosted/session/bank': ({ caller, body }) => answered(hosted.chooseBank(caller, body)),
    'POST /hosted/session/bank/complete': ({ caller }) => answered(hosted.completeBank(caller)),
    'POST /hosted/session/bank/cancel': ({ caller }) => answered(hosted.cancelBank(caller)),
    'POST /hosted/session/consent': ({ caller }) => answered(hosted.consent(caller)),
    'POST /hosted/session/complete': (request) =>
      answered(hosted.complete(request.caller, request.body, request)),
    'POST /hosted/session/cancel': ({ caller }) => answered(hosted.cancel(caller)),
  };
}

export function browserSessionHandlers(sessions: BrowserSessions): Handlers<KeysUnder<'/hosted/browser'>> {
  return {
    'POST /hosted/browser/session': async (request) =>
      answer(linkByHost(request, await sessions.begin(request.body))),
    'PATCH /hosted/browser/session': ({ caller, body }) => done(sessions.fill(caller, body)),
  };
}

// Sessions that a page of the app starts or fills in by itself, with `kyclone/browser` (contract §14). A playbook's key
// is public, so such a session acts for a key of the playbook's tenant, and never for a user that the page names.

type Link = AnswerOf<'POST /hosted/browser/session'>;

export interface BrowserSessions {
  /** Throws `playbook_unknown`, also for one without a key to act for, and `T120`. */
  begin(body: RequestOf<'POST /hosted/browser/session'>['body']): Promise<Link>;
  /** Adds bootstrap data that the session lacks. Throws `T120`, and `conflict` for a flow that takes none. */
  fill(caller: FlowCaller, body: RequestOf<'PATCH /hosted/browser/session'>['body']): Promise<void>;
}

export function createBrowserSessions(
  context: Needs<'queue' | 'vault'> & {
    readonly apiKeys: Pick<ApiKeys, 'oldestWith'>;
    readonly playbooks: Playbooks;
    readonly sessions: Pick<Sessions, 'begin'>;
    readonly tokens: SessionTokens;
  },
): BrowserSessions {
  const { queue, vault, apiKeys, playbooks, sessions, tokens } = context;
  return {
    async begin({ key, bootstrap_data }) {
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
      return sessions.begin(restricted, { key, ...(bootstrap_data && { bootstrap_data }) });
    },

    fill: (caller, { bootstrap_data }) =>
      queue.write((database) => {
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
