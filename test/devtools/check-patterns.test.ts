import { expect, test } from 'vitest';
import { DOWNLOAD_PREFIX } from '../../src/nouns/requests/facts.ts';
import { fault, patternsOf, patternsOfSchema } from '../../src/devtools/check-patterns.ts';
import { CREDENTIAL_PREFIX } from '../../src/kernel/ids/ids.ts';

test('patternsOf: finds expressions, constructors of fixed texts and places of those that are put together', async () => {
  const text = String.raw`
    const WORD = '[a-z]+';
    const both = new RegExp(String.raw${'`^${WORD}\\d`'}, 'i');
    const each = /a\/b/g.test('x') || RegExp(WORD);
    const built = new RegExp(name);
  `;
  const { patterns, built } = await patternsOf('a.ts', text);
  expect(patterns.map(({ place, source, flags }) => [place, source, flags])).toEqual([
    ['a.ts:3', String.raw`^[a-z]+\d`, 'i'],
    ['a.ts:4', String.raw`a\/b`, 'g'],
    ['a.ts:4', '[a-z]+', ''],
  ]);
  expect(built).toEqual(['a.ts:5']);
});

test('patternsOf: reads the constants that modules of facts and of the kernel export', async () => {
  const text = `
    import { DOWNLOAD_PREFIX as PREFIX } from '../nouns/requests/facts.ts';
    import { CREDENTIAL_PREFIX, isId, type Ids } from '../kernel/ids/ids.ts';
    import { OTHER } from './other.ts';
    const { live, clientToken: token } = CREDENTIAL_PREFIX;
    const KEYS = [...Object.values({}), ...Object.values(CREDENTIAL_PREFIX), 'x'].join('|');
    const WORDS = [...Object.values(CREDENTIAL_PREFIX), 'x'].join('|');
    new RegExp(\`^\${CREDENTIAL_PREFIX.sandbox}[a-z]+\`);
    new RegExp(\`\${live}|\${token}\`, 'g');
    new RegExp(\`^\${PREFIX}\`);
    new RegExp(WORDS);
    new RegExp(KEYS);
    new RegExp(\`^\${OTHER}\`);
    new RegExp(\`^\${CREDENTIAL_PREFIX.none}\`);
    new RegExp(\`^\${isId}\`);
    new RegExp(PREFIX, flags);
  `;
  const { patterns, built } = await patternsOf('src/http/a.ts', text);
  expect(patterns.map(({ place, source, flags }) => [place, source, flags])).toEqual([
    ['src/http/a.ts:8', `^${CREDENTIAL_PREFIX.sandbox}[a-z]+`, ''],
    ['src/http/a.ts:9', `${CREDENTIAL_PREFIX.live}|${CREDENTIAL_PREFIX.clientToken}`, 'g'],
    ['src/http/a.ts:10', `^${DOWNLOAD_PREFIX}`, ''],
    ['src/http/a.ts:11', [...Object.values(CREDENTIAL_PREFIX), 'x'].join('|'), ''],
  ]);
  expect(built).toEqual([12, 13, 14, 15, 16].map((line) => `src/http/a.ts:${line}`));
});

test('patternsOfSchema: finds patterns at any depth', () => {
  const schema = { body: { properties: { a: { anyOf: [{ type: 'string', pattern: '^x$' }] } } } };
  expect(patternsOfSchema('POST /x', schema)).toEqual([{ place: 'POST /x', source: '^x$', flags: '' }]);
});

test.each([
  // This pattern made an institution name of 80,000 letters block for six seconds.
  [String.raw`^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$`, '2nd degree polynomial'],
  ['^(a+)+$', 'exponential'],
])('fault: %s takes a time that grows faster than its text', async (source, why) => {
  expect(await fault({ source, flags: '' })).toContain(why);
});

test.each([
  '^[A-Za-z0-9_.\\-]{5,256}$',
  String.raw`^[^\S\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$`,
])('fault: %s is linear', async (source) => {
  expect(await fault({ source, flags: '' })).toBeUndefined();
});
