/** A widely used linter checks the document. redocly.yaml beside this file lists the exceptions and their reasons. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { tempDir } from '../support/temp-dir.ts';
import { documentOf, operationOf, vocabulary } from './openapi-document.ts';
import { toolPath } from '../support/tools.ts';
import type { OpenApiDocument } from '../../src/contract/openapi.ts';

interface Report {
  readonly totals: { readonly errors: number; readonly warnings: number; readonly ignored: number };
  readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
}

/** Returns the linter's JSON report on a document. */
async function lint(document: OpenApiDocument): Promise<Report> {
  using folder = tempDir();
  const file = join(folder.path, 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  const cli = toolPath('@redocly/cli/bin/cli.js');
  const words = [
    cli,
    'lint',
    file,
    '--config',
    join(import.meta.dirname, 'redocly.yaml'),
    '--format',
    'json',
  ];
  // Without these variables the linter sends telemetry and looks for updates.
  const env = {
    ...process.env,
    REDOCLY_TELEMETRY: 'off',
    REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
    HOME: folder.path,
  };
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    env,
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: unknown) => error as { stdout: string });
  return JSON.parse(stdout) as Report;
}

test.each([
  ['the default words', vocabulary],
  ['other words', { ...vocabulary, event_prefix: 'acme', partner_a: 'acme', webhook_style: 'svix' as const }],
])('openApiDocument: the linter has nothing to say, with %s', async (_, words) => {
  const { problems, totals } = await lint(documentOf({ vocabulary: words }));

  expect(problems).toEqual([]);
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});

test('openApiDocument: the linter reports a tag without a description', async () => {
  const document = documentOf();
  Reflect.deleteProperty(document.tags[0] ?? {}, 'description');
  Reflect.deleteProperty(operationOf(document, 'get', '/users'), 'operationId');

  const { problems } = await lint(document);

  expect(problems.map(({ ruleId }) => ruleId).sort()).toEqual(['operation-operationId', 'tag-description']);
});
