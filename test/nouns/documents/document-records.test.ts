/** The vault's files as document records (contract §5): only the listener, over a real store. */
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createRandomness } from '../../../src/kernel/ids/random.ts';
import { ensureSpace } from '../../../src/nouns/api-keys/service/index.ts';
import { createDocuments, type DocumentRecord } from '../../../src/nouns/documents/service.ts';
import { findEntity, type EntityRow } from '../../../src/nouns/entities/service/index.ts';
import { insertEntity } from '../../../src/nouns/entities/service/repository.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { ephemeralKeyring } from '../../../src/vault/keyring/index.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

/** Makes the listener over a real store, without the vault that would call it. Each call is a millisecond later. */
function aListener() {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  ephemeralKeyring(database, NOON);
  const space = ensureSpace(database, { tenant: 'default', environment: 'sandbox', created_at: NOON });
  const documents = createDocuments({
    database,
    random: createRandomness('documents'),
    openOnboarding: () => undefined,
  });
  let made = 0;
  let now = NOON;

  function entity(): EntityRow {
    const fp_id = `fp_id_${++made}`;
    insertEntity(database, {
      ...space,
      fp_id,
      kind: 'user',
      external_id: null,
      sandbox_id: null,
      vault_version: 0,
      fingerprints: '{}',
      root_key_version: 1,
      sealed_key: new Uint8Array(72),
      created_at: NOON,
    });
    return findEntity(database, space, fp_id) as EntityRow;
  }
  const user = entity();

  return {
    user,
    entity,
    /**
     * Moves the clock. With 0 the next call has the time of the call before; with a negative number, an earlier one.
     */
    moveClock: (milliseconds: number) => void (now += milliseconds - 1),
    stored: (identifier: string, version: number, of = user) => {
      documents.listener.stored(database, of, { identifier, version, at: (now += 1) });
    },
    removed: (identifier: string, version: number, of = user) => {
      documents.listener.removed(database, of, { identifier, version });
    },
    purged: (identifier: string, of = user) => {
      documents.listener.purged(database, of, identifier);
    },
    list: (of = user) => documents.list(database, of),
    /** Returns the images of each record, newest first, as `front:1 back:2`. */
    images: (of = user) => documents.list(database, of).map(imagesOf),
    rows: (table: string) => database.prepare(`SELECT count(*) FROM ${table}`).pluck().get(),
  };
}

function imagesOf({ images }: DocumentRecord): string {
  return Object.entries(images)
    .map(([side, image]) => `${side}:${image.version}`)
    .join(' ');
}

const FRONT = 'document.passport.front.image';
const BACK = 'document.passport.back.image';
const SELFIE = 'document.passport.selfie.image';

test('stored: the sides of a kind join one record, listed front, back, selfie', () => {
  const { stored, list } = aListener();
  stored(SELFIE, 1);
  stored(BACK, 2);
  stored(FRONT, 5);

  const [record, ...more] = list();

  expect(more).toEqual([]);
  expect(record).toEqual({
    id: expect.stringMatching(/^doc_[0-9A-Za-z]{22}$/) as string,
    created_at: '2026-03-01T12:00:00.001Z',
    document_type: 'passport',
    onboarding_id: '',
    images: {
      front: { identifier: FRONT, version: 5 },
      back: { identifier: BACK, version: 2 },
      selfie: { identifier: SELFIE, version: 1 },
    },
  });
  expect(Object.keys(record?.images ?? {})).toEqual(['front', 'back', 'selfie']);
});

test('stored: an image whose side is filled starts a record, which later images join', () => {
  const { stored, images } = aListener();
  stored(FRONT, 1);
  stored(BACK, 2);
  stored(FRONT, 3);
  stored(BACK, 4);
  stored(SELFIE, 5);

  expect(images()).toEqual(['front:3 back:4 selfie:5', 'front:1 back:2']);
});

test('stored: only the newest record is joined, though an older one has the side free', () => {
  const { stored, images } = aListener();
  stored(FRONT, 1);
  stored(FRONT, 2);
  stored(BACK, 3);
  stored(BACK, 4);

  expect(images()).toEqual(['back:4', 'front:2 back:3', 'front:1']);
});

test('stored: of records of one moment the one made last is joined', () => {
  const { stored, moveClock, images } = aListener();
  for (let version = 1; version <= 8; version++) {
    moveClock(0);
    stored(FRONT, version);
  }
  moveClock(0);
  stored(BACK, 9);

  expect(images()).toContain('front:8 back:9');
});

test('stored: each kind and each entity has records of its own', () => {
  const { user, entity, stored, list } = aListener();
  const other = entity();
  stored(FRONT, 1);
  stored('document.visa.back.image', 2);
  stored(BACK, 1, other);

  expect(list(user).map(({ document_type }) => document_type)).toEqual(['visa', 'passport']);
  expect(list(other).map(imagesOf)).toEqual(['back:1']);
});

test.each([
  'document.custom.lease',
  'document.custom.front.image',
  'document.custom.a.selfie.image',
  'document.finra_compliance_letter',
])('stored: each upload of %s is a custom record with its image as front', (identifier) => {
  const { stored, list } = aListener();
  stored(identifier, 1);
  stored(identifier, 2);

  expect(list().map(({ document_type, images }) => ({ document_type, images }))).toEqual([
    { document_type: 'custom', images: { front: { identifier, version: 2 } } },
    { document_type: 'custom', images: { front: { identifier, version: 1 } } },
  ]);
});

test.each(['custom.contract', 'custom.document.passport.front.image'])(
  'stored: a file under %s is no document',
  (identifier) => {
    const { stored, removed, purged, images } = aListener();
    stored(FRONT, 1);
    stored(identifier, 1);
    expect(images()).toEqual(['front:1']);

    removed(identifier, 1);
    purged(identifier);
    expect(images()).toEqual(['front:1']);
  },
);

test('list: a record whose only image is the selfie is a selfie until another side joins', () => {
  const { stored, removed, list } = aListener();
  const types = () => list().map(({ document_type }) => document_type);

  stored(SELFIE, 1);
  expect(types()).toEqual(['selfie']);
  stored(BACK, 2);
  expect(types()).toEqual(['passport']);
  removed(BACK, 2);
  expect(types()).toEqual(['selfie']);
});

test('list: records of one moment come by id descending', () => {
  const { stored, moveClock, list } = aListener();
  for (let version = 1; version <= 8; version++) {
    moveClock(0);
    stored('document.custom.a', version);
  }

  const ids = list().map(({ id }) => id);

  expect(ids).toEqual([...ids].sort().reverse());
});

test('removed: the side that became free is filled by the next image', () => {
  const { stored, removed, images } = aListener();
  stored(FRONT, 1);
  stored(BACK, 2);
  removed(FRONT, 1);
  stored(FRONT, 4);

  expect(images()).toEqual(['front:4 back:2']);
});

test('removed, purged: leave the images of other entities alone', () => {
  const { entity, stored, removed, purged, images } = aListener();
  const other = entity();
  stored(FRONT, 1);
  stored(FRONT, 1, other);

  removed(FRONT, 1, other);
  purged(FRONT, other);

  expect(images()).toEqual(['front:1']);
});

test('list: shows each image that is stored and not gone exactly once, and no empty record', () => {
  const identifiers = [FRONT, BACK, SELFIE, 'document.visa.front.image', 'document.custom.a'];
  const step = fc.record({
    what: fc.constantFrom('stored', 'stored', 'stored', 'removed', 'purged'),
    identifier: fc.constantFrom(...identifiers),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { stored, removed, purged, list, rows } = aListener();
      let expected: { identifier: string; version: number }[] = [];
      const current = new Map<string, number>();
      for (const [index, { what, identifier }] of steps.entries()) {
        const now = current.get(identifier);
        if (what === 'stored') {
          stored(identifier, index);
          expected.push({ identifier, version: index });
          current.set(identifier, index);
        } else if (what === 'removed' && now !== undefined) {
          removed(identifier, now);
          expected = expected.filter((image) => image.identifier !== identifier || image.version !== now);
          current.delete(identifier);
        } else if (what === 'purged') {
          purged(identifier);
          expected = expected.filter((image) => image.identifier !== identifier);
          current.delete(identifier);
        }
      }
      const shown = list().flatMap(({ images }) => Object.values(images));
      const byVersion = (one: { version: number }, next: { version: number }) => one.version - next.version;
      expect(shown.sort(byVersion)).toEqual(expected);
      expect(list().filter(({ images }) => Object.keys(images).length === 0)).toEqual([]);
      expect(rows('documents')).toBe(list().length);
    }),
    { numRuns: 60 },
  );
});
