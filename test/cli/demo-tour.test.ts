import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { status, takeTour, withoutText, type Step, type StepReport } from '../../src/cli/demo/tour.ts';

/** A client whose every answer is this one. */
function answering(code: number, body: string): Client {
  const answer = { status: code, headers: {}, body: Buffer.from(body) };
  return { request: () => Promise.resolve(answer) } as unknown as Client;
}

async function tour(steps: readonly Step[], client: Client, isCancelled = () => false) {
  const reports: StepReport[] = [];
  const isTrue = await takeTour(steps, { client, report: (step) => void reports.push(step), isCancelled });
  return { isTrue, reports };
}

const aStep = (claims: Step['claims']): Step => ({
  title: 'A step',
  request: () => ({ method: 'GET', path: '/users' }),
  claims,
});

test('takeTour: is true when every claim holds', async () => {
  const { isTrue, reports } = await tour([aStep([status(200)]), aStep([])], answering(200, '{}'));
  expect(isTrue).toBe(true);
  expect(reports.map(({ number }) => number)).toEqual([1, 2]);
});

test('takeTour: a claim that does not hold makes it false, and the tour goes on', async () => {
  const { isTrue, reports } = await tour([aStep([status(404)]), aStep([status(200)])], answering(200, '{}'));
  expect(isTrue).toBe(false);
  expect(reports).toHaveLength(2);
  expect(reports[0]?.claims).toEqual([{ says: 'the answer is 404', holds: false }]);
});

test('takeTour: a cancelled tour is not true', async () => {
  const { isTrue, reports } = await tour([aStep([])], answering(200, '{}'), () => true);
  expect(isTrue).toBe(false);
  expect(reports).toEqual([]);
});

test('status: a failure with another code is not the one that was claimed', async () => {
  const { isTrue } = await tour([aStep([status(400, 'T120')])], answering(400, '{"code":"invalid_request"}'));
  expect(isTrue).toBe(false);
});

test('withoutText: finds a value that came back', async () => {
  const { isTrue } = await tour(
    [aStep([withoutText('nothing back', ['123'])])],
    answering(200, '{"a":"x123"}'),
  );
  expect(isTrue).toBe(false);
});
