import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandsMarkdown } from '../../src/devtools/documents.ts';
import type { CommandManifest } from '../../src/devtools/command-surface.ts';
import { anchorsOf } from '../../src/devtools/references.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const manifest = read('oclif.manifest.json') as CommandManifest;
const { oclif } = read('package.json') as { oclif: { topics: Record<string, { description: string }> } };

const page = commandsMarkdown(manifest, oclif.topics);
/** The text below each heading of the third level. */
const sections = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section.replace(/^## [\s\S]*/m, '')]),
);

describe('commandsMarkdown', () => {
  test.each(Object.values(manifest.commands).filter(({ hidden }) => hidden !== true))(
    '$id: stands on the page with its arguments, its flags and an example',
    ({ id, args = {}, flags = {} }) => {
      const name = id.replaceAll(':', ' ');
      const section = sections.get(name) ?? '';
      expect(section).toMatch(new RegExp(`^\`\`\`sh\\n(?:.*\\b)?kyclone .*${name}`, 'm'));
      for (const [argument, { multiple }] of Object.entries(args))
        expect(section).toContain(`${argument.toUpperCase()}${multiple === true ? '...' : ''}`);
      for (const [flag, { hidden, helpGroup }] of Object.entries(flags))
        if (hidden !== true && helpGroup !== 'GLOBAL') expect(section).toContain(`\`--${flag}`);
    },
  );

  test('page: global flags are explained once, and flags that many commands have', () => {
    for (const text of [
      'the instance to use',
      'format of the result',
      'send nothing, print',
      ': the tenant (',
      'meta.next',
    ])
      expect(page.split(text), text).toHaveLength(2);
    expect(sections.get('status')).not.toContain('--json`');
    expect(sections.get('users search')).toMatch(/^- \[shared flags\]\(#shared-flags\): .*`--tenant`/m);
    expect(sections.get('status')).not.toContain('--dry-run');
  });

  test('page: its links lead to its headings', () => {
    const anchors = anchorsOf(page);
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.length).toBeGreaterThan(30);
    expect(links.filter((anchor) => !anchors.has(anchor))).toEqual([]);
  });

  test('page: every topic is listed at the top, in its order', () => {
    const listed = [...page.slice(0, page.indexOf('## Global')).matchAll(/^- \[([^\]]+)\]/gm)].map(
      ([, topic]) => topic,
    );
    expect(listed).toEqual([
      'Without a topic',
      ...Object.keys(oclif.topics).filter((topic) => !topic.includes(':')),
    ]);
  });

  test('page: a text is no markup', () => {
    const small = commandsMarkdown(
      {
        commands: {
          send: {
            id: 'send',
            summary: 'Send to <id>',
            description: 'Takes *, or `a*b`.\n\nPaths:\n/a: one\n/b: two',
            examples: ['A word before:\n<%= config.bin %> send'],
            args: { kind: { description: 'its kind', required: true, options: ['a', 'b'] } },
            flags: { wait: { type: 'option', char: 'w', summary: 'how long', default: '5s' } },
          },
        },
      },
      {},
    );
    expect(small.slice(small.indexOf('### send'))).toBe(
      [
        '### send',
        'Send to \\<id>.',
        'Takes \\*, or `a*b`.',
        'Paths:',
        '- /a: one\n- /b: two',
        '```sh\nkyclone send\n```',
        '- `KIND`: its kind; one of: a, b\n- `-w`, `--wait WAIT`: how long (default: `5s`)\n',
      ].join('\n\n'),
    );
  });
});
