import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/contract/registry.ts';
import { ROOT } from '../support/root.ts';

const membersOf = (schema: unknown) =>
  Object.keys((schema as { properties?: object } | undefined)?.properties ?? {});

test('contract: docs/contract.md names every member of a body and a query', () => {
  const contract = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8');
  const code = (contract.match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []).join(' ');
  const words = new Set(code.match(/\w+/g));
  // The script of the hosted pages is the only client of these.
  const documented = endpoints.filter(({ key }) => !key.includes(' /hosted/session/'));
  const members = documented.flatMap(({ key, body, query }) =>
    [body, query].flatMap(membersOf).map((member) => ({ key, member })),
  );
  expect(members.length).toBeGreaterThan(300);
  const missing = members.filter(
    ({ member }) => !(member.match(/\w+/g) ?? []).every((word) => words.has(word)),
  );
  expect(missing).toEqual([]);
});
