/** A new root key while the daemon is busy, and after it was killed in the middle of a rotation. */
import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { startKycloned, until, type Kycloned } from '../support/kycloned.ts';
import { aUser, decrypt } from '../support/kycloned-calls.ts';
import {
  bytesOf,
  decrypted,
  download,
  expectNoOrphans,
  expectSame,
  filesFolder,
  filesIn,
  FRONT,
  inCopyOfStore,
  uploaded,
} from './file-calls.ts';
import '../support/tier-all.ts';

/** More than are rewrapped in one portion. */
const PEOPLE = 600;
const KILLS = 4;
const CLIENTS = 16;

interface Person {
  readonly id: string;
  readonly name: string;
}

async function somePeople(daemon: Kycloned, count: number, agent: Agent): Promise<Person[]> {
  const people: Person[] = [];
  let next = 0;
  const client = async () => {
    while (next < count) {
      const name = `Name ${next++}`;
      const person = { 'id.first_name': name };
      const { status, body } = await daemon.call('POST', '/users', { agent, body: person });
      expect(status).toBe(200);
      people.push({ id: body['id'] as string, name });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return people;
}

async function nameOf(daemon: Kycloned, id: string, agent: Agent): Promise<unknown> {
  const answer = await decrypt(daemon, id, ['id.first_name'], { agent });
  return answer.status === 200 ? answer.body['id.first_name'] : answer.body;
}

async function expectAllReadable(daemon: Kycloned, people: readonly Person[], agent: Agent): Promise<void> {
  const waiting = [...people];
  const client = async () => {
    for (let person = waiting.pop(); person; person = waiting.pop()) {
      expect(await nameOf(daemon, person.id, agent)).toBe(person.name);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

const keyringOf = async (daemon: Kycloned) => (await daemon.control('GET', '/_kyclone/keyring')).body;

const contentOf = (fp_id: string, version: number) => bytesOf(`${fp_id} ${version}`, 100_000);

test('rotate: files that were stored before, meanwhile and after open, each version, and none is written again', async () => {
  const first = await startKycloned();
  const ids = await Promise.all(Array.from({ length: 8 }, () => aUser(first)));
  const storeNext = (daemon: Kycloned, version: number) =>
    Promise.all(
      ids.map((fp_id) => uploaded(daemon, { fp_id, identifier: FRONT }, contentOf(fp_id, version))),
    );
  await storeNext(first, 1);
  const before = filesIn(filesFolder(first));
  const meanwhile = storeNext(first, 2);
  const rotated = await first.control('POST', '/_kyclone/keyring/rotate?wait=true');
  expect(rotated).toMatchObject({ status: 200, body: { min_root_key_version: 2 } });
  await meanwhile;
  await storeNext(first, 3);
  expect(filesIn(filesFolder(first))).toEqual(expect.arrayContaining(before));
  await first.stop();
  const daemon = await startKycloned({ home: first.home });
  expectNoOrphans(daemon);
  for (const fp_id of ids) {
    const versions = await decrypted(daemon, fp_id, ...[1, 2, 3].map((version) => `${FRONT}:${version}`));
    for (const [index, bytes] of versions.entries()) expectSame(bytes, contentOf(fp_id, index + 1), fp_id);
  }
});

test('rotate: killed in the middle again and again, everything opens, and the next start finishes it', async () => {
  const first = await startKycloned();
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const people = await somePeople(first, PEOPLE, agent);
  const ids = await Promise.all(Array.from({ length: 5 }, () => aUser(first)));
  for (const fp_id of ids) await uploaded(first, { fp_id, identifier: FRONT }, contentOf(fp_id, 1));
  // There are several kills, so that some of them hit between two portions.
  let halves = 0;
  let daemon = first;
  for (let round = 0; round < KILLS; round++) {
    expect((await daemon.control('POST', '/_kyclone/keyring/rotate')).status).toBe(200);
    await daemon.stop('SIGKILL');
    if (isHalfDone(daemon)) halves += 1;
    daemon = await startKycloned({ home: first.home });
    for (const fp_id of ids) {
      const { status, bytes } = await download(daemon, { fp_id, identifier: FRONT });
      expect([round, status]).toEqual([round, 200]);
      expectSame(bytes, contentOf(fp_id, 1), fp_id);
    }
    await until('rewrapping is finished', async () => {
      const { root_key_version, min_root_key_version } = await keyringOf(daemon);
      return root_key_version === round + 2 && min_root_key_version === root_key_version;
    });
  }
  expect(halves).toBeGreaterThan(0);
  expect(await keyringOf(daemon)).toMatchObject({
    entities_by_root_key_version: { [KILLS + 1]: PEOPLE + ids.length },
  });
  await expectAllReadable(daemon, people, agent);
  agent.destroy();
});

/** Returns whether the killed daemon left entities on more than one root key. */
const isHalfDone = (daemon: Kycloned) =>
  inCopyOfStore(daemon, (store) =>
    store.prepare('SELECT count(DISTINCT version) FROM root_keys').pluck().get(),
  ) !== 1;
