/**
 * What `inspect --once --json` prints for each screen: the daemon's records, and no text that was worded for a window.
 */
import '../support/tier-all.ts';
import { expect, test } from 'vitest';
import type { Source, SourceClient } from '../../src/tui/data/source.ts';
import { dataOf, readScreen } from '../../src/tui/index.ts';
import { words } from '../support/words.ts';
import { aFullWorld, PLACES } from './a-full-world.ts';

const RUN = words`id playbook_key playbook_version status requires_manual_review timestamp`;
/** The members of records that a screen joins from several answers, by the title of its pane. */
const JOINED: Readonly<Record<string, readonly string[]>> = {
  Documents: words`id document_type created_at onboarding_id side identifier version is_current`,
  Onboardings: [
    ...RUN,
    ...words`onboarding_id external_id onboarding_external_id fp_id is_live created_at completed_at`,
  ],
  Signals: words`reason_code note description severity scopes timestamp hit`,
  Duplicates: words`fp_id external_id label tags kinds`,
  Labels: words`kind label tag id created_at`,
  Ownership: words`fp_id ownership_stake user business`,
  Clock: words`now real_now mode offset_ms pending_work`,
  Instance: words`info keyring settings`,
};

/** The format in which a window shows a time. */
const SHORT_TIME = /"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}"/;

test('inspect --once --json: each record of each pane is one that the daemon answered, or joined from such', async () => {
  await using world = await aFullWorld();
  const answered = new Set<string>();
  const note = (value: unknown): void => {
    answered.add(JSON.stringify(value));
    if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) note(each);
  };
  const call: SourceClient['call'] = async (key, ...rest) => {
    const answer = await world.source.client.call(key, ...rest);
    note(answer);
    return answer;
  };
  const source: Source = { ...world.source, client: { ...world.source.client, call } };
  const joined = new Map<string, Set<string>>();
  const made = new Set<string>();
  for (const place of PLACES) {
    const { panes } = dataOf(await readScreen(source, world.places[place], { rows: 100 }));
    expect(JSON.stringify(panes)).not.toMatch(SHORT_TIME);
    for (const { title, data, total, more } of panes) {
      expect(data, title).toBeDefined();
      if (Array.isArray(data) && total !== null && !more) expect(data, title).toHaveLength(total);
      for (const record of [data].flat()) {
        if (answered.has(JSON.stringify(record))) continue;
        for (const [name, member] of Object.entries(record as object)) {
          joined.set(title, (joined.get(title) ?? new Set()).add(name));
          if (!answered.has(JSON.stringify(member))) made.add(`${title}: ${name}`);
        }
      }
    }
  }
  const sorted = (each: readonly (readonly [string, Iterable<string>])[]) =>
    Object.fromEntries(each.map(([title, names]) => [title, [...names].sort()]));
  expect(sorted([...joined])).toEqual(sorted(Object.entries(JOINED)));
  expect([...made]).toEqual(['Documents: side', 'Duplicates: kinds']);
});
