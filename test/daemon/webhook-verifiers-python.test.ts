/** The Python verifier of the docs page, run on deliveries of the same daemon. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { startDaemon } from '../support/daemon.ts';
import '../support/tier-all.ts';
import { deliveries, printedCode } from './webhook-verifiers.ts';

/** Runs `verify` on each `{secret, headers, body}` from stdin. */
const MAIN = `
import json, sys
def verdict(given):
  return bool(verify(given["secret"], given["headers"], base64.b64decode(given["body"])))
print(json.dumps([verdict(given) for given in json.load(sys.stdin)]))
`;

test('the verifier in python accepts what is genuine and recent, and nothing else', async () => {
  await using daemon = await startDaemon();
  const cases = Object.entries(await deliveries(daemon));
  const { stdout, stderr } = spawnSync('python3', ['-c', `${await printedCode(daemon, 'python')}\n${MAIN}`], {
    input: JSON.stringify(cases.map(([, [received]]) => received)),
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  const verdicts = JSON.parse(stdout) as boolean[];
  expect(cases.map(([what], index) => [what, verdicts[index]])).toEqual(
    cases.map(([what, [, accepts]]) => [what, accepts]),
  );
});
