/** Lists with a filter by an id that nothing has: people get a note, data output is the API's empty list. */
import { beforeAll, expect, test } from 'vitest';
import { cliIn } from '../support/cli-in-process.ts';
import { useDaemon } from '../support/use-shared.ts';

const daemon = useDaemon();
let user = '';
const { run } = cliIn(() => daemon().home);
const idFrom = async (line: string) => (await run(`${line} --output id`)).stdout.split('\n')[0] ?? '';

beforeAll(async () => {
  user = await idFrom('users create');
});

const PERSON = 'fp_id_7p793EF07xKXHqAeg5VGPj';
const entity = (flag: string) => `--${flag} names no user or business`;

test.each([
  ['webhooks deliveries --event evt_7p793EF07xKXHqAeg5VGPj', '--event names no event'],
  ['webhooks deliveries --webhook whk_7p793EF07xKXHqAeg5VGPj', '--webhook names no webhook endpoint'],
  [`webhooks deliveries --fp-id ${PERSON}`, entity('fp-id')],
  [`webhooks events --fp-id ${PERSON}`, entity('fp-id')],
  [`bank links list --id ${PERSON}`, entity('id')],
  [`onboardings sessions list --entity ${PERSON}`, entity('entity')],
  ['users documents USER --onboarding ob_7p793EF07xKXHqAeg5VGPj', '--onboarding names no onboarding'],
])('%s: says that the id is unknown, and --json is the answer of the API', async (line, note) => {
  const typed = line.replace('USER', user);
  const shown = await run(typed);
  expect(shown.stderr).toContain(`${note} of this tenant and environment: kyclone `);
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^No /) as string });
  const data = await run(`${typed} --json`);
  expect(data).toMatchObject({ code: 0, stderr: '' });
  expect(data.stdout).toMatch(/^(?:\[\]|\{"data":\[\].*\})\n$/);
});

test('a known id without entries, or an unknown one of the other environment, is distinguished', async () => {
  const triggered = await run(`webhooks trigger onboarding.completed --fp-id ${user} --field events[].id`);
  const quiet = { code: 0, stderr: '' };
  expect(await run(`webhooks deliveries --event ${triggered.stdout.trim()}`)).toMatchObject(quiet);
  expect(await run(`webhooks deliveries --fp-id ${user}`)).toMatchObject(quiet);
  expect(await run(`bank links list --id ${user}`)).toMatchObject(quiet);
  expect((await run(`bank links list --id ${user} --live`)).stderr).toContain(entity('id'));
});
