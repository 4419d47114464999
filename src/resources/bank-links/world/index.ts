/** Temporary: one account with a coffee a day, until the personas are here. */
import { DAY_MS, HOUR_MS } from '../../../kernel/units.ts';
import { startOfDay } from '../../../kernel/civil-date.ts';
import type { World, WorldSource, WorldState } from './world.ts';

export interface PersonaSummary {
  readonly name: string;
  readonly description: string;
  /** The state in which its links start: null is connected. */
  readonly error: 'institution_error' | null;
}

export const PERSONAS: readonly PersonaSummary[] = [
  { name: 'default', description: 'a coffee a day', error: null },
  { name: 'broken', description: 'starts in state error', error: 'institution_error' },
];

export function createWorld(persona: string, source: WorldSource): World {
  if (!PERSONAS.some(({ name }) => name === persona)) throw new Error('No such persona');
  const first = source.anchor - 30;
  return {
    accounts:
      persona === 'broken'
        ? []
        : [
            {
              key: 'checking',
              name: 'Everyday Checking',
              nickname: null,
              mask: '6789',
              closed: false,
              account_type: 'depository.checking',
              currency: 'USD',
              opening: 10_000_000n,
              limit: null,
              numbers: { routing: '990000013', account: '123456789' },
            },
          ],
    begin: () => ({ through: first - 1 }),
    next(state: WorldState) {
      const day = state.through + 1;
      if (persona === 'broken') return { state: { through: day }, entries: [] };
      return {
        state: { through: day },
        entries: [8, 20].map((hour) => ({
          ledger: 'bank' as const,
          key: `${day}-${hour}`,
          account: 'checking',
          at: startOfDay(day) + hour * HOUR_MS,
          currency: 'USD',
          datetime: null,
          description: 'Coffee',
          type: 'debit' as const,
          amount: 45_000n,
          posts_at: hour === 20 ? startOfDay(day) + 2 * DAY_MS : null,
          raw_description: 'COFFEE 123',
          enrichment: null,
        })),
      };
    },
    portfolio: () => ({ holdings: [], securities: [] }),
  };
}
