/**
 * The steps of a hosted flow's page, one call each (contract §14). Entered data is stored sealed with the session and
 * reaches a vault when the flow is completed. A failed call stores nothing.
 */
import { HOSTED_CODE, HOSTED_CODE_TRIES } from '../facts.ts';
import type { Answer } from '../../../contract/handler.ts';
import { ServiceError, invalid, conflict } from '../../../kernel/errors.ts';
import type { JsonValue } from '../../../kernel/text/json.ts';
import type { Database } from '../../../storage/database.ts';
import { encodeFile, type StoredFile } from '../../../vault/files/index.ts';
import { planUpload, requireKnownIdentifiers } from '../../../vault/identifiers/index.ts';
import { accessEntry, callOfKey, type AccessRequest } from '../../../vault/access-entry.ts';
import type { FlowCaller } from '../../api-keys/service/index.ts';
import { isWhole } from '../../bank-links/service/index.ts';
import { changesOf, findEntity } from '../../entities/service/index.ts';
import { answer, type Handlers, type KeysUnder, written } from '../../handlers.ts';
import {
  cancelSession,
  contactsOf,
  findByContact,
  findSession,
  holdFile,
  releaseFile,
  type Contact,
  type SessionProgress,
  type Sessions,
} from '../../onboardings/service/index.ts';
import { createBankStep, redirectTo } from './bank-step.ts';
import {
  imageOf,
  canceled,
  contactOf,
  contactsIn,
  methodsOf,
  steppedUp,
  unfinished,
  verifiedBy,
  wrongCode,
  requireOwners,
} from './steps.ts';
import { endedState, enteredOf, fileOf, filesOf } from './completion.ts';
import {
  asksForOwners,
  createFlows,
  isAtEnd,
  requireComplete,
  redirectUrlOf,
  sidesIn,
  stateOf,
  stepOf,
  type HostedFlow,
  type FlowContext,
  type FlowState,
} from './flow.ts';
import { defined } from '../../../kernel/defined.ts';
import type { Needs } from '../../needs.ts';

export function createHosted(
  context: FlowContext & Needs<'queue' | 'clock' | 'accessLog' | 'vault'> & { readonly sessions: Sessions },
): Handlers<KeysUnder<'/hosted/session'>> {
  const { queue, clock, vault, accessLog, engine, tokens, sessions, banks } = context;
  const loadFlow = createFlows(context);

  function current(database: Database, caller: FlowCaller): HostedFlow {
    if (caller.flow !== 'session') throw conflict('This page links a bank, and has no other step');
    return loadFlow(database, tokens.current(database, caller));
  }

  /** Stores the entered data; returns the new state of the flow. */
  function keep(database: Database, { session, request }: HostedFlow, progress: SessionProgress): FlowState {
    const kept = (next: SessionProgress): HostedFlow => {
      tokens.keep(database, session, { ...request, progress: next });
      return loadFlow(database, findSession(database, session.digest) ?? session);
    };
    const flow = kept(progress);
    const step = stepOf(flow);
    return stateOf(step === progress.step ? flow : kept({ ...progress, step }));
  }

  /** One step of a verified person. */
  function step(
    caller: FlowCaller,
    change: (database: Database, flow: HostedFlow) => SessionProgress,
  ): Promise<Answer<FlowState>> {
    return written(queue, (database) => {
      const flow = current(database, caller);
      requireVerified(flow);
      return keep(database, flow, change(database, flow));
    });
  }

  const bankStep = createBankStep({ queue, banks, current, keep, step });

  return {
    ...bankStep.handlers,

    'GET /hosted/session': ({ caller }) => answer(stateFor(caller)),

    // Throws `T120`, `conflict`.
    'POST /hosted/session/identify': ({ caller, body: { data } }) =>
      written(queue, (database) => {
        const flow = current(database, caller);
        if (flow.progress.verifiedBy !== undefined) throw conflict('The person at the page is known already');
        if (flow.isContactStored) {
          if (data === undefined) return stateOf(flow);
          throw invalid(
            'data must be absent: the code goes to the e-mail address or phone number of the user',
          );
        }
        const contact = contactOf(data, contactsIn(flow.request));
        requireValid(database, flow, new Map([[contact.identifier, contact.value]]));
        return keep(database, flow, { ...flow.progress, contact });
      }),

    // Throws `invalid_request` for a wrong code, `conflict` for the fifth, which closes the session, and `T122`.
    async 'POST /hosted/session/verify'(from) {
      const { caller } = from;
      const { code, passkey } = from.body;
      if ((code === undefined) !== (passkey === true)) throw invalid('Give either code or passkey');
      const isRight = code?.trim() === HOSTED_CODE;
      if (isRight) {
        const flow = current(queue.database, caller);
        if (flow.contact && looksForPerson(flow)) await recordLookUp(flow, [flow.contact], from);
      }
      const verified = await queue.write((database) => {
        const flow = current(database, caller);
        const { progress, contact, session, request } = flow;
        if (passkey) {
          if (!methodsOf(request).includes('passkey'))
            throw invalid('passkey must be absent: this link takes none');
          return identified(database, flow, { ...progress, verifiedBy: 'passkey' });
        }
        if (!contact) throw conflict('No code was sent yet: give an e-mail address or phone number first');
        if (isRight) return identified(database, flow, recognised(database, flow, contact));
        const wrongCodes = progress.wrongCodes + 1;
        if (wrongCodes >= HOSTED_CODE_TRIES) {
          dropFiles(database, progress);
          cancelSession(database, session, clock.now());
          return conflict('The onboarding session is closed: a wrong code was given five times');
        }
        keep(database, flow, { ...progress, wrongCodes });
        return wrongCode(HOSTED_CODE_TRIES - wrongCodes);
      });
      if (verified instanceof ServiceError) throw verified;
      return answer(verified);
    },

    // Throws `T120`, and `T121` for missing values that the screen requires.
    'POST /hosted/session/data': ({ caller, body: { screen: name, data } }) =>
      step(caller, (database, flow) => {
        const screen = flow.screens.find((each) => each.name === name);
        if (!screen) throw invalid('screen must be one that the flow asks for');
        const changes = changesOf(data);
        requireKnownIdentifiers(changes.keys());
        const asked = new Set(screen.groups.flatMap(({ identifiers }) => identifiers));
        const stray = [...changes.keys()].filter((identifier) => !asked.has(identifier));
        if (stray.length > 0)
          throw invalid(`data has identifiers that the screen doesn't ask for: ${stray.join(', ')}`);
        const given = new Map([...Object.entries(flow.progress.data), ...changes]);
        const values = new Map([...flow.values, ...changes]);
        requireValid(database, flow, present(values));
        const progress: SessionProgress = {
          ...withoutConsent(flow.progress),
          data: Object.fromEntries(given),
          screens: [...new Set([...flow.progress.screens, name])],
        };
        const after = loadFlow(database, flow.session, { ...flow.request, progress });
        requireComplete(after, name);
        return progress;
      }),

    'POST /hosted/session/owners': ({ caller, body: owners }) =>
      step(caller, (_database, flow) => {
        const { progress, session } = flow;
        if (!asksForOwners(flow)) throw conflict('The flow asks for no owners');
        requireOwners(owners, flow.contact, (changes) => {
          const { tenant, environment } = session;
          vault.draft({ fp_id: '', kind: 'user', tenant, environment }, { changes, skipLuhn: false });
        });
        return { ...withoutConsent(progress), owners };
      }),

    'POST /hosted/session/document': ({ caller, body: { kind, country } }) =>
      step(caller, (database, flow) => {
        if (!flow.documentKinds.includes(kind)) throw invalid('kind must be one that the flow asks for');
        const identifier = `document.${kind}.issuing_country`;
        const uploads = sidesIn(flow, kind).map((side) => imageOf(kind, side));
        requireValid(database, { ...flow, playbook: undefined }, new Map([[identifier, country]]), uploads);
        const before = flow.progress.document;
        const isSame = before?.kind === kind;
        if (!isSame) dropFiles(database, flow.progress);
        const files = isSame ? before.files : {};
        return { ...withoutConsent(flow.progress), document: { kind, country, files } };
      }),

    async 'POST /hosted/session/document/{side}'({ caller, params: { side: name }, body: upload }) {
      const planned = documentOf(current(queue.database, caller), name);
      planUpload({ kind: 'user', identifier: planned.identifier, contentType: upload.contentType });
      const file = await vault.sealFile(upload);
      try {
        return await step(caller, (database, flow) => {
          const { document, side } = documentOf(flow, name);
          const before = document.files[side];
          if (before !== undefined) dropFile(database, fileOf(before));
          holdFile(database, { name: file.blob, session: flow.session.id });
          const files = { ...document.files, [side]: Buffer.from(encodeFile(file)).toString('base64') };
          return { ...withoutConsent(flow.progress), document: { ...document, files } };
        });
      } catch (error) {
        if (!queue.isReadOnly) await vault.discard([file.blob]);
        throw error;
      }
    },

    'POST /hosted/session/consent': ({ caller }) =>
      step(caller, (_database, flow) => {
        const at = stepOf(flow);
        if (at !== 'review' && at !== 'outcome') throw unfinished(at);
        return { ...flow.progress, hasConsented: true };
      }),

    async 'POST /hosted/session/complete'(from) {
      const { caller } = from;
      const { fixture_result } = from.body;
      const before = current(queue.database, caller);
      const owners = isAtEnd(before) && asksForOwners(before) ? before.progress.owners?.others : [];
      await recordLookUp(before, (owners ?? []).flatMap(contactsOf), from);
      return written(queue, (database) => {
        const flow = current(database, caller);
        const { session, progress, contact, user } = flow;
        if (!isAtEnd(flow)) throw unfinished(stepOf(flow));
        if (progress.verifiedBy === undefined) throw unfinished('identify');
        const files = filesOf(progress);
        const completed = sessions.finishOrStepUp(
          database,
          session,
          { ...enteredOf(flow, contact), auth_kind: progress.verifiedBy, ...defined({ fixture_result }) },
          { fp_id: user?.fp_id, files, owners: progress.owners, from },
        );
        const after = findSession(database, session.digest) ?? session;
        if (!completed) {
          // They belong to the vault now.
          for (const { blob } of files.values()) releaseFile(database, blob);
          const next = loadFlow(database, after);
          const flow = keep(database, next, steppedUp(next));
          return { validation_token: null, intent_token: null, redirect_to: null, flow };
        }
        const { validation_token } = completed;
        const { bank } = progress;
        const owner = findEntity(database, session, (completed.business ?? completed.user)?.fp_id ?? '');
        const isForLink = (flow.asksForBank || flow.isStepUp) && isWhole(bank) && bank.isAgreed !== true;
        const intent_token = isForLink && owner ? banks.mintAgreed(database, owner, bank) : null;
        const added = { validation_token, ...(intent_token !== null && { intent_token }) };
        return {
          validation_token,
          intent_token,
          redirect_to: redirectTo(redirectUrlOf(flow), added),
          flow: endedState(after, (id) => engine.view(database, id)),
        };
      });
    },

    'POST /hosted/session/cancel': ({ caller }) =>
      written(queue, (database) => {
        const flow = current(database, caller);
        dropFiles(database, flow.progress);
        return {
          redirect_to: redirectTo(redirectUrlOf(flow), { canceled: 'true' }),
          flow: keep(database, flow, canceled(flow)),
        };
      }),
  };

  function stateFor(caller: FlowCaller): FlowState {
    if (caller.flow === 'bank_link') return bankStep.intentState(queue.database, caller);
    const session = findSession(queue.database, caller.digest);
    if (!session) throw conflict('The onboarding session is gone');
    if (session.completed_at !== null || session.canceled_at !== null) {
      return endedState(session, (id) => engine.view(queue.database, id));
    }
    return stateOf(loadFlow(queue.database, session));
  }

  function dropFiles(database: Database, progress: SessionProgress): void {
    for (const file of filesOf(progress).values()) dropFile(database, file);
  }

  /**
   * Deletes its key with the progress, and its bytes after the commit, so that uploads with one token can't fill the
   * disk.
   */
  function dropFile(database: Database, { blob }: StoredFile): void {
    releaseFile(database, blob);
    queue.afterCommit(() => void vault.discard([blob]));
  }

  /**
   * Records look-ups of people before they are made, in a commit of its own: even if the call fails, its answer may show
   * whether somebody was found.
   */
  async function recordLookUp(
    { session }: HostedFlow,
    contacts: readonly Contact[],
    from: AccessRequest,
  ): Promise<void> {
    const identifiers = [...new Set(contacts.map(({ identifier }) => identifier))];
    if (identifiers.length === 0) return;
    const { tenant, environment } = session;
    const access = { operation: 'search', identifiers, outcome: 'granted', reason: null } as const;
    const call = callOfKey(tokens.writerOf(queue.database, session).id, from);
    await accessLog.record(accessEntry(call, { tenant, environment }, { ...access, at: clock.now() }));
  }

  /** The person who entered the right code: a known user with this contact, unless the session names a user. */
  function recognised(database: Database, flow: HostedFlow, contact: Contact): SessionProgress {
    const { session } = flow;
    const progress = { ...flow.progress, verifiedBy: verifiedBy(contact) };
    if (!looksForPerson(flow)) return progress;
    const known = findByContact(vault, database, session, contact);
    return known ? { ...progress, fp_id: known.fp_id } : progress;
  }

  /** The onboarding of somebody who is known begins now (contract §14): a link alone changes nothing about them. */
  function identified(database: Database, flow: HostedFlow, progress: SessionProgress): FlowState {
    const { playbook, session } = flow;
    const after = loadFlow(database, session, { ...flow.request, progress });
    const { user, business } = after;
    const entity = playbook?.kind === 'kyb' ? business : user;
    if (playbook && entity && !after.asked) sessions.join(database, session, { entity, playbook });
    return keep(database, { ...flow, session: findSession(database, session.digest) ?? session }, progress);
  }

  /** Throws `T120` for values that their vault, or a new one, couldn't store, and `permission_denied`. */
  function requireValid(
    database: Database,
    flow: HostedFlow,
    changes: ReadonlyMap<string, JsonValue>,
    uploads: readonly string[] = [],
  ): void {
    const { session, playbook, user, business } = flow;
    const isOfBusiness = [...changes.keys()].some((identifier) => identifier.startsWith('business.'));
    const kind = playbook?.kind === 'kyb' && isOfBusiness ? 'business' : 'user';
    const entity = kind === 'business' ? business : user;
    const { tenant, environment } = session;
    const by = tokens.writerOf(database, flow.session);
    if (entity) vault.validate(database, entity, { changes, uploads, skipLuhn: false, by });
    else vault.draft({ fp_id: '', kind, tenant, environment }, { changes, skipLuhn: false });
  }
}

/** The required side of the chosen document with this name. Throws `not_found`, `conflict`. */
function documentOf(flow: HostedFlow, name: string) {
  requireVerified(flow);
  const { document } = flow.progress;
  if (!document) throw conflict('No document is chosen yet: give its kind and country first');
  const side = sidesIn(flow, document.kind).find((each) => each === name);
  if (side === undefined) {
    throw new ServiceError('not_found', 'The document that is asked for has no side of this name');
  }
  return { document, side, identifier: imageOf(document.kind, side) };
}

function present(values: ReadonlyMap<string, JsonValue>): Map<string, JsonValue> {
  return new Map([...values].filter(([, value]) => value !== null));
}

/** The data that the person consented to has changed. */
function withoutConsent({ hasConsented: _consent, ...progress }: SessionProgress): SessionProgress {
  return progress;
}

/** Whether the person is anybody with the verified contact: the session names no user. */
function looksForPerson({ request, user }: HostedFlow): boolean {
  return request.flow === undefined && !user && request.user_external_id === undefined;
}

function requireVerified({ progress }: HostedFlow): void {
  if (progress.verifiedBy === undefined) throw conflict('The one-time code comes first');
}
