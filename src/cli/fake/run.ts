/** Prints made-up people and companies, as bodies or as a fixture, or creates them one after another. */
import type { Faker } from '@faker-js/faker';
import type { Client } from '../../client/client.ts';
import { FixtureError } from '../../client/fixtures/errors.ts';
import type { Body, Which } from './made-up.ts';

const CALLS = { user: 'POST /users', business: 'POST /businesses' } as const;
export type FakeKind = keyof typeof CALLS;
export type Maker = (faker: Faker, which: Which) => Body;

export interface Created {
  readonly id: string;
  readonly body: Body;
}

export async function makeBodies(
  make: Maker,
  { count, seed }: { count: number; seed: number },
): Promise<Body[]> {
  const { faker } = await import('@faker-js/faker/locale/en');
  return Array.from({ length: count }, (_, index) => make(faker, { seed, index }));
}

export async function asFixture(kind: FakeKind, bodies: readonly Body[], name: string): Promise<string> {
  const steps = bodies.map((body, index) => ({ id: `${kind}_${index + 1}`, call: CALLS[kind], body }));
  const { fixtureText } = await import('../../nouns/recording/commands/to-fixture.ts');
  const text = fixtureText({ name, steps }, 'yaml');
  if (Buffer.byteLength(text) > 1_048_576)
    throw new FixtureError('fixture_invalid', 'Too many for a fixture, which has at most 1 MiB');
  return text.trimEnd();
}

/** Creates them in order, so that seeded ids repeat. Yields each when it exists. Throws what the client throws. */
export async function* createAll(
  client: Client,
  kind: FakeKind,
  bodies: readonly Body[],
): AsyncGenerator<Created> {
  for (const body of bodies) {
    const { id } = await client.call(CALLS[kind], { body });
    yield { id, body };
  }
}
