/**
 * The owners of a business from a hosted flow (contract §14, step 3). Each is a user, found by e-mail address or phone
 * number, or created. Each is linked, and run on the playbook for owners if there is one. Called within a write job.
 */
import type { JsonValue } from '../../../kernel/text/json.ts';
import type { Database } from '../../../storage/database.ts';
import type { AccessCall, Writer } from '../../../vault/access-entry.ts';
import type { Vault } from '../../../vault/vault.ts';
import { getEntity, type Entities, type EntityRow } from '../../entities/service/index.ts';
import type { Owners } from '../../owners/service.ts';
import type { PlaybookRow } from '../../playbooks/service.ts';
import type { Engine } from './engine.ts';
import { findByContact, type Contact } from './known-person.ts';
import type { GivenOwner, GivenOwners } from './sessions-request.ts';
import type { RunResult } from './views.ts';

interface OwnersStep {
  readonly business: EntityRow;
  /** The person at the page, who is the primary owner. */
  readonly person: EntityRow;
  readonly given: GivenOwners;
  /** The playbook for each owner; undefined: they are only linked. */
  readonly playbook: PlaybookRow | undefined;
  readonly by: Writer;
  readonly call: AccessCall;
}

/**
 * Returns the run of the person at the page, and the milliseconds until the last outcome of an owner. Throws
 * `invalid_request` for stakes of more than 100 per cent in total.
 */
export function createSessionOwners({
  vault,
  entities,
  owners,
  engine,
}: {
  readonly vault: Vault;
  readonly entities: Entities;
  readonly owners: Owners;
  readonly engine: Engine;
}) {
  function ownerOf(database: Database, { business, by }: OwnersStep, owner: GivenOwner): EntityRow {
    const known = contactsOf(owner)
      .map((contact) => findByContact(vault, database, business, contact))
      .find((user) => user !== undefined);
    if (known) return known;
    const user = entities.createWithin(database, business, { kind: 'user', externalId: undefined });
    vault.write(database, user, { changes: dataOf(owner), skipLuhn: false, by });
    return getEntity(database, user, user.fp_id, 'user');
  }

  return (database: Database, all: OwnersStep): { own: RunResult | undefined; delayMs: number } => {
    const { business, person, given, playbook, call } = all;
    // Whoever is named twice, by an address and by a number, is one owner.
    const owning = new Map([[person.id, { user: person, ownership_stake: given.primary_stake }]]);
    for (const owner of given.others) {
      const user = ownerOf(database, all, owner);
      const before = owning.get(user.id)?.ownership_stake ?? 0;
      owning.set(user.id, { user, ownership_stake: before + owner.ownership_stake });
    }
    const runs = [...owning.values()].map(({ user, ownership_stake }) => {
      owners.link(database, business, { user, ownership_stake });
      if (!playbook) return undefined;
      return engine.start(database, {
        entity: user,
        playbook,
        fixture: undefined,
        onboardingExternalId: null,
        delayMs: playbook.session_delay_ms,
        isOwnerRun: false,
        call,
      });
    });
    const delays = runs.map((run) => (run ? engine.delayOf(database, run.onboarding_id) : 0));
    return { own: runs[0], delayMs: Math.max(...delays) };
  };
}

/** The addresses and numbers by which an owner is looked up. */
export function contactsOf({ email, phone_number }: GivenOwner): Contact[] {
  return [
    ...(email ? [{ identifier: 'id.email', value: email } as const] : []),
    ...(phone_number ? [{ identifier: 'id.phone_number', value: phone_number } as const] : []),
  ];
}

export function dataOf(owner: GivenOwner): Map<string, JsonValue> {
  const members = ['first_name', 'last_name', 'email', 'phone_number'] as const;
  return new Map(
    members.flatMap((member) => (owner[member] ? [[`id.${member}`, owner[member]] as const] : [])),
  );
}
