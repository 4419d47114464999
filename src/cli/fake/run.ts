/** Prints made-up people and companies, as bodies or as a fixture, or creates them one after another. */
import type { Faker } from '@faker-js/faker';
import type { Client } from '../../client/client.ts';
import { FixtureError } from '../../client/fixtures/errors.ts';
import { loadFaker, type Body, type Which } from './made-up.ts';

export type FakeKind = 'user' | 'business';
export type Maker = (faker: Faker, which: Which) => Body;

export interface Created {
  readonly id: string;
  readonly body: Body;
}

export async function makeBodies(
  make: Maker,
  { count, seed }: { count: number; seed: number },
): Promise<Body[]> {
  const faker = await loadFaker();
  return Array.from({ length: count }, (_, index) => make(faker, { seed, index }));
}

export async function asFixture(kind: FakeKind, bodies: readonly Body[], name: string): Promise<string> {
  const call = kind === 'user' ? 'POST /users' : 'POST /businesses';
  const steps = bodies.map((body, index) => ({ id: `${kind}_${index + 1}`, call, body }));
  const { fixtureText } = await import('../../nouns/recording/commands/to-fixture.ts');
  const text = fixtureText({ name, steps }, 'yaml');
  if (Buffer.byteLength(text) > 1_048_576)
    throw new FixtureError('fixture_invalid', 'Too many for a fixture, which has at most 1 MiB');
  return text.trimEnd();
}

/** Creates them in order, so that seeded ids repeat. Reports each when it exists. Throws what the client throws. */
export async function createAll(
  client: Client,
  {
    kind,
    bodies,
    onCreated,
  }: { kind: FakeKind; bodies: readonly Body[]; onCreated: (created: Created) => void },
): Promise<void> {
  for (const body of bodies) {
    const key = kind === 'user' ? 'POST /users' : 'POST /businesses';
    const { id } = await client.call(key, { body });
    onCreated({ id, body });
  }
}
