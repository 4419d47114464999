/**
 * The order of a whole run (docs/testing.md). The files that take longest begin first, so that none of them runs alone
 * at the end while the other workers are idle. Files that aren't listed follow in Vitest's own order, the largest file
 * first.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST: readonly string[] = [
  'test/cli/matrix.test.ts',
  'test/cli/matrix-refusals.test.ts',
  'test/cli/binary/examples.test.ts',
  'test/tui/inspect-canary.test.tsx',
  'test/tui/screens-frames.test.tsx',
  'test/e2e/kill-nine.test.ts',
  'test/cli/binary/compare.test.ts',
  'test/contract/loop-transport.test.ts',
  'test/contract/loop-fields.test.ts',
  'test/contract/loop-answers.test.ts',
  'test/recipes/recipes.test.ts',
  'test/browser/hosted-bank.test.ts',
  'test/cli/binary/refusing-machine.test.ts',
  'test/browser/hosted-looks.test.ts',
  'test/cli/binary/exec.test.ts',
  'test/e2e/rotation.test.ts',
  'test/generated-client/generated-client.test.ts',
  'test/recipes/languages.test.ts',
  'test/testing/types.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.indexOf(`test/${relative(import.meta.dirname, moduleId)}`);
      return at === -1 ? LONGEST.length : at;
    };
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
}
