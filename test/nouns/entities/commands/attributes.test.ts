import { expect, test } from 'vitest';
import { CliError, UsageError } from '../../../../src/cli/shell/failure.ts';
import { changeTags, labelBody, type TagCalls } from '../../../../src/nouns/entities/commands/attributes.ts';

/** Returns the tag calls of one entity with these tags, and records every change. */
function tagged(...tags: string[]): TagCalls & { readonly changes: string[] } {
  let there = tags;
  const changes: string[] = [];
  return {
    changes,
    list: () =>
      Promise.resolve(
        there.map((tag) => ({ id: `tag_${tag}`, tag, created_at: '2026-01-31T12:00:00.000Z' })),
      ),
    add: (tag) => {
      changes.push(`+${tag}`);
      there = [tag, ...there.filter((other) => other !== tag)];
      return Promise.resolve({});
    },
    remove: (id) => {
      changes.push(`-${id}`);
      there = there.filter((tag) => `tag_${tag}` !== id);
      return Promise.resolve({});
    },
  };
}

test('changeTags: without a change it lists and calls nothing else', async () => {
  const calls = tagged('vip');
  expect(await changeTags({}, calls)).toMatchObject([{ tag: 'vip' }]);
  expect(calls.changes).toEqual([]);
});

test('changeTags: adds, removes by the id of the record, and returns what is there then', async () => {
  const calls = tagged('vip', 'trial');
  const tags = await changeTags({ add: ['wave 2'], remove: ['trial'] }, calls);
  expect(tags.map(({ tag }) => tag)).toEqual(['wave 2', 'vip']);
  expect(calls.changes).toEqual(['+wave 2', '-tag_trial']);
});

test('changeTags: a tag that is to be removed twice is removed once', async () => {
  const calls = tagged('trial');
  await changeTags({ remove: ['trial', 'trial'] }, calls);
  expect(calls.changes).toEqual(['-tag_trial']);
});

test('changeTags: when one to be removed is not there nothing is changed, and it is not repeated', async () => {
  const calls = tagged('vip');
  const failure = await changeTags({ add: ['new'], remove: ['vip', 'absent'] }, calls).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(CliError);
  expect(failure).toMatchObject({ exitCode: 6 });
  expect((failure as Error).message).not.toContain('absent');
  expect(calls.changes).toEqual([]);
});

test('changeTags: the same tag cannot come and go at once', async () => {
  const calls = tagged('vip');
  await expect(changeTags({ add: ['vip'], remove: ['vip'] }, calls)).rejects.toThrow(UsageError);
  expect(calls.changes).toEqual([]);
});

test('labelBody: none takes the label away', () => {
  expect(labelBody('none')).toEqual({ kind: null });
  expect(labelBody('active')).toEqual({ kind: 'active' });
});
