/**
 * Measures the longest wait of another client during requests about much of one kind: many snapshots, a long access
 * log, a large vault, a long bank link, many deliveries. Each kind has its own daemon, so that it is slow for itself.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { aLink, anImport } from './banks.ts';
import { caller, type Caller } from './calls.ts';
import { decryptUsers, kyclonePath } from './load.ts';
import type { Server } from './processes.ts';
import { beside, type Stall } from './stalls.ts';

/** The amounts of a full run; a quick one has a tenth. */
const AMOUNTS = { snapshots: 400, entries: 60_000, identifiers: 20_000, imports: 21, deliveries: 12_000 };
/** As many of them as a body holds. */
const NAMES_PER_WRITE = 1_000;
/** The most that one request triggers. */
const EVENTS_PER_TRIGGER = 100;
const ENDPOINTS = 40;

export interface Serving {
  /** Runs `work` with a daemon that has a new home. */
  <T>(work: (server: Server, home: string) => Promise<T>): Promise<T>;
}

interface Place {
  readonly server: Server;
  readonly ask: Caller;
  /** Runs the job beside another client. */
  measure(name: string, job: () => Promise<unknown>): Promise<void>;
}

const KINDS: readonly ((place: Place, share: number) => Promise<void>)[] = [
  async function snapshots({ ask, measure }, share) {
    const user = (await ask('POST', '/users', {})) as { id: string };
    const amount = AMOUNTS.snapshots * share;
    // Only the first one holds the user, so that each other one is opened to look for him.
    await ask('PUT', '/_kyclone/snapshots/s0');
    await ask('DELETE', `/users/${user.id}`);
    for (let at = 1; at < amount; at++) await ask('PUT', `/_kyclone/snapshots/s${at}`);
    await measure(`the list of ${amount} snapshots`, () => ask('GET', '/_kyclone/snapshots'));
    await measure(`deleting one of ${amount} snapshots`, () => ask('DELETE', '/_kyclone/snapshots/s0'));
  },
  async function accessLog({ server, ask, measure }, share) {
    const { id } = (await ask('POST', '/users', { 'id.first_name': 'Piper', 'id.ssn9': '900123456' })) as {
      id: string;
    };
    const amount = AMOUNTS.entries * share;
    await decryptUsers(server, { amount }, [id], kyclonePath);
    const log = '/_kyclone/access-log';
    await measure(`audit verify of ${amount} entries`, () => ask('GET', `${log}/verify`));
    for (const filter of [
      'operation=download',
      'outcome=refused',
      'identifier=id.dob',
      'operation=decrypt',
    ]) {
      await measure(`${filter} among ${amount} entries`, () => ask('GET', `${log}?${filter}`));
    }
  },
  async function vaults({ ask, measure }, share) {
    const amount = AMOUNTS.identifiers * share;
    const filled = async () => {
      const { id } = (await ask('POST', '/users', {})) as { id: string };
      for (let at = 0; at < amount; at += NAMES_PER_WRITE) {
        const names = Array.from({ length: NAMES_PER_WRITE }, (_, more) => [
          `custom.field_${at + more}`,
          'x',
        ]);
        await ask('PATCH', `/users/${id}/vault`, Object.fromEntries(names));
      }
      return id;
    };
    const [one, other, third] = [await filled(), await filled(), await filled()];
    await measure(`the inspector's view of ${amount} identifiers`, () =>
      ask('GET', `/_kyclone/entities/${one}`),
    );
    await measure(`its timeline`, () => ask('GET', `/_kyclone/entities/${one}/timeline`));
    await measure(`presence of ${amount} identifiers`, () => ask('GET', `/users/${one}/vault`));
    await measure(`deleting ${amount} identifiers`, () =>
      ask('DELETE', `/users/${one}/vault`, { delete_all: true }),
    );
    await measure(`purging ${amount} identifiers`, () =>
      ask('DELETE', `/users/${other}/vault`, { delete_all: true, purge: true }),
    );
    await measure(`deleting a user of ${amount} identifiers`, () => ask('DELETE', `/users/${third}`));
  },
  async function banks({ ask, measure }, share) {
    const rounds = Math.max(1, Math.round(AMOUNTS.imports * share));
    const filled = async () => {
      const { id, account } = await aLink(ask, 'empty');
      for (let round = 0; round < rounds; round++) {
        await ask('POST', `/bank_links/${id}/import/transactions`, anImport(account, round));
      }
      return id;
    };
    const id = await filled();
    await measure(`deleting a bank link of ${rounds * 4_000} rows`, () => ask('DELETE', `/bank_links/${id}`));
    const { fp_id } = await linkOf(ask, await filled());
    await measure(`deleting a user with such a link`, () => ask('DELETE', `/users/${fp_id}`));
  },
  async function deliveries({ ask, measure }, share) {
    const amount = AMOUNTS.deliveries * share;
    // Nobody listens there.
    for (let at = 0; at < ENDPOINTS; at++)
      await ask('POST', '/_kyclone/webhooks', { url: 'http://127.0.0.1:9/' });
    for (let made = 0; made < amount; made += EVENTS_PER_TRIGGER * ENDPOINTS) {
      const count = Math.min(EVENTS_PER_TRIGGER, Math.ceil((amount - made) / ENDPOINTS));
      await ask('POST', '/_kyclone/events/trigger', { kind: 'onboarding.completed', count });
    }
    // The first attempts fail in the meantime.
    await pause(5_000);
    for (const filter of ['', '?status=delivered', '?status=pending', '?kind=watchlist_check.completed']) {
      await measure(`deliveries${filter} among ${amount}`, () => ask('GET', `/_kyclone/deliveries${filter}`));
    }
    await measure(`events of a kind without one`, () =>
      ask('GET', '/_kyclone/events?kind=watchlist_check.completed'),
    );
  },
];

async function linkOf(ask: Caller, id: string): Promise<{ fp_id: string }> {
  const { data } = (await ask('GET', '/_kyclone/bank_links')) as { data: { id: string; fp_id: string }[] };
  const link = data.find((each) => each.id === id);
  if (!link) throw new Error(`no link ${id}`);
  return link;
}

/** `share` of the full amounts. Yields each figure when it is known. */
export async function* timeStandstills(serving: Serving, share: number): AsyncGenerator<Stall> {
  for (const kind of KINDS) {
    const found: Stall[] = [];
    await serving(async (server, home) => {
      const [ask, other] = [caller(server, home), caller(server, home)];
      const measure: Place['measure'] = async (name, job) => {
        found.push({ name, ...(await beside(other, job)) });
      };
      await kind({ server, ask, measure }, share);
      for (const each of [ask, other]) each.end();
    });
    yield* found;
  }
}
