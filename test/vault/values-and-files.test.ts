/** A request that writes values and files stores them in one version (contract §0.11, §3.3). */
import { expect, test } from 'vitest';
import type { JsonValue } from '../../src/kernel/text/json.ts';
import { aStore, fingerprintRows, NOON, WITH_ALL_RIGHTS } from './a-store.ts';

const FRONT = 'document.passport.front.image';
const BACK = 'document.passport.back.image';

/** Makes a store whose vault reports changes of its files. */
function aVault() {
  const changes: unknown[] = [];
  const { database, vault, create, entity } = aStore({
    files: {
      stored: (_, { fp_id }, file) => void changes.push(['stored', fp_id, file]),
      removed: (_, { fp_id }, file) => void changes.push(['removed', fp_id, file]),
      purged: () => undefined,
    },
  });

  async function sealed(text: string, contentType = 'image/png') {
    // eslint-disable-next-line @typescript-eslint/require-await -- an upload is an async iterable
    const content = (async function* () {
      yield Buffer.from(text);
    })();
    return vault.sealFile({ contentType, content });
  }

  async function store(fpId: string, data: Record<string, JsonValue>, texts: Record<string, string> = {}) {
    const files = new Map(
      await Promise.all(
        Object.entries(texts).map(async ([name, text]) => [name, await sealed(text)] as const),
      ),
    );
    const changes = new Map(Object.entries(data));
    return vault.store(database, entity(fpId), { changes, files, ...WITH_ALL_RIGHTS });
  }

  return { database, create, entity, vault, changes, sealed, store };
}

test('store: the listener is called for each file with the version of them all', async () => {
  const vault = aVault();
  const jane = vault.create({ 'id.city': 'Ely' });
  await vault.store(jane, { 'id.first_name': 'Jane' }, { [FRONT]: 'front', [BACK]: 'back' });
  expect(vault.changes).toEqual([
    ['stored', jane, { identifier: FRONT, version: 2, at: NOON }],
    ['stored', jane, { identifier: BACK, version: 2, at: NOON }],
  ]);
});

test('store: a value in place of a file reports that the file is gone', async () => {
  const vault = aVault();
  const jane = vault.create();
  await vault.store(jane, {}, { 'custom.scan': 'front' });
  await vault.store(jane, { 'custom.scan': 'text' }, { [FRONT]: 'front' });
  expect(vault.changes.slice(1)).toEqual([
    ['removed', jane, { identifier: 'custom.scan', version: 1 }],
    ['stored', jane, { identifier: FRONT, version: 2, at: NOON }],
  ]);
});

test('store: values and files are fingerprinted, and found as those of a write and an upload are', async () => {
  const vault = aVault();
  const selfie = 'document.passport.selfie.image';
  const [jane, twin] = [vault.create(), vault.create()];
  await vault.store(jane, { 'id.ssn9': '121-12-1212' }, { [selfie]: 'face' });
  const { database } = vault;
  vault.vault.write(database, vault.entity(twin), {
    changes: new Map([['id.ssn9', '121121212']]),
    ...WITH_ALL_RIGHTS,
  });
  vault.vault.store(database, vault.entity(twin), {
    changes: new Map(),
    files: new Map([[selfie, await vault.sealed('face')]]),
    ...WITH_ALL_RIGHTS,
  });
  const rows = fingerprintRows(database);
  const digestsOf = (fpId: string) =>
    rows.filter(({ entity }) => entity === vault.entity(fpId).id).map(({ digest }) => digest);
  expect(digestsOf(jane)).toHaveLength(2);
  expect(digestsOf(jane)).toEqual(digestsOf(twin));
});
