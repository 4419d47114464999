import { expect } from 'vitest';
import { proxyScreen, requestScreen, requestsScreen } from '../../../src/nouns/requests/screen.ts';
import { startProxy, type TestProxy } from '../../support/proxy-calls.ts';
import { jsonTarget, startTarget } from '../../support/targets.ts';
import { test } from '../../support/test-with.ts';
import { textOf } from '../../../src/tui/state/rows.ts';
import { aSource, cellsOf, factsOf, loadPane, toneAt } from '../../tui/screens/a-source.ts';

const SSN = '121121212';

async function aCall(proxy: TestProxy, target: string) {
  const fp_id = await proxy.service.user({ 'id.ssn9': SSN });
  const reply = await proxy.jit({
    target: `${target}/check?secret=1`,
    reason: 'a check',
    id: fp_id,
    forward: { 'content-type': 'application/json' },
    rules: [`${fp_id}.id.first_name=$.name`],
    headers: { 'x-other': '1' },
    body: `{"ssn":"{{ ${fp_id}.id.ssn9 }}"}`,
  });
  return { fp_id, reply };
}

test('requests: the newest is first, and those of the control plane are left out', async (service) => {
  const source = aSource((await service.listen()).port);
  const fp_id = await service.user();
  await service.send({ method: 'GET', path: `/users/${fp_id}` });
  await service.send({ method: 'GET', path: `/users/${fp_id}/vault?fields=id.ssn9` });
  await service.send({ method: 'GET', path: '/user' });
  await service.call('GET /_kyclone/info');
  const page = await loadPane({ source, screen: requestsScreen, title: 'Requests' });
  expect(cellsOf(page).map(([, status, method, path, , code]) => [status, method, path, code])).toEqual([
    ['404', 'GET', '/user', 'not_found'],
    ['200', 'GET', expect.stringContaining(`/users/${fp_id}/vault?`), '-'],
    ['200', 'GET', `/users/${fp_id}`, '-'],
    ['200', 'POST', '/users', '-'],
  ]);
  expect(page.rows.map((row) => toneAt(row, 1))).toEqual(['warn', 'good', 'good', 'good']);
  expect(page.total).toBe(4);
  // Only a request that the journal holds in full can be sent again.
  expect(page.rows.map(({ call }) => call)).toEqual([
    undefined,
    undefined,
    { method: 'GET', path: `/users/${fp_id}` },
    undefined,
  ]);
  const id = page.rows[0]?.id ?? '';
  expect(page.rows[0]).toMatchObject({
    command: ['requests', 'get', id],
    opens: { screen: 'request', params: { request_id: id } },
  });
});

test('request: its facts with what was probably meant, and both bodies, masked', async (service) => {
  const source = aSource((await service.listen()).port);
  await service.user({ 'id.first_name': 'Jane', 'id.ssn9': SSN });
  await service.send({ method: 'POST', path: '/user', body: {} });
  const { rows } = await loadPane({ source, screen: requestsScreen, title: 'Requests' });
  const of = (row: number, title: string) =>
    loadPane({ source, screen: requestScreen, title, params: rows[row]?.opens?.params ?? {} });
  const facts = await of(0, 'Request');
  expect(factsOf(facts)).toMatchObject({
    asked: 'POST /user',
    route: 'none',
    status: '404',
    code: 'not_found',
    hint: expect.stringContaining('/users') as string,
  });
  const created = await of(1, 'Request');
  expect(factsOf(created)).toMatchObject({ route: '/users', status: '200', space: 'default, sandbox' });
  expect(created.rows[0]).toMatchObject({
    command: ['requests', 'get', rows[1]?.id],
    call: { method: 'GET', path: `/_kyclone/requests/${rows[1]?.id ?? ''}` },
  });
  const body = cellsOf(await of(1, 'Body')).join('\n');
  expect(Object.keys(JSON.parse(body) as object)).toEqual(['id.first_name', 'id.ssn9']);
  expect(body).not.toContain(SSN);
  expect(body).not.toContain('Jane');
  expect(JSON.parse(cellsOf(await of(1, 'Answer')).join('\n'))).toHaveProperty('id');
  expect((await of(1, 'Proxy')).rows).toEqual([]);
});

test('request: one that the journal no longer has fails as the daemon says', async (service) => {
  const source = aSource((await service.listen()).port);
  const params = { request_id: 'req_0000000000000000000000' };
  await expect(loadPane({ source, screen: requestScreen, title: 'Request', params })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('proxy: calls show their target and its answer, and are explained without a value', async () => {
  await using proxy = await startProxy();
  await using target = await startTarget({ handler: jsonTarget({ name: 'Janet' }, { status: 201 }) });
  const source = aSource(proxy.port);
  const { fp_id, reply } = await aCall(proxy, target.url);
  const page = await loadPane({ source, screen: proxyScreen, title: 'Proxy calls' });
  expect(cellsOf(page).map(([, status, call, ...rest]) => [status, call, ...rest.slice(0, 3)])).toEqual([
    ['201', 'jit', `${target.url}/check`, '201', '1'],
  ]);
  expect(page.rows[0]?.call).toBeUndefined();
  expect(page.rows[0]?.opens).toEqual({ screen: 'request', params: { request_id: reply.requestId } });
  const params = { request_id: reply.requestId };
  const explained = await loadPane({ source, screen: requestScreen, title: 'Proxy', params });
  expect(factsOf(explained)).toMatchObject({
    target: `${target.url}/check`,
    policy: 'local',
    addresses: '127.0.0.1',
    token: expect.stringContaining(`${fp_id}.id.ssn9`) as string,
    forwarded: expect.stringContaining('content-type') as string,
    stripped: expect.stringMatching(/x-other.* \d headers for the proxy$/) as string,
    'ingress rule': expect.stringMatching(/ stored as /) as string,
    answer: '201',
  });
  expect(explained.rows[0]?.command).toEqual(['proxy', 'explain', reply.requestId]);
  const facts = await loadPane({ source, screen: requestScreen, title: 'Request', params });
  expect(factsOf(facts)['proxied to']).toBe(`${target.url}/check, which answered 201`);
  const shown = JSON.stringify([page, explained, facts]);
  for (const secret of [SSN, 'Janet', 'secret=1']) expect(shown).not.toContain(secret);
});

test('proxy: an answer that an ingress rule withheld is shown, masked', async () => {
  await using proxy = await startProxy();
  await using target = await startTarget({ handler: jsonTarget({ name: '', note: 'Janet' }) });
  const source = aSource(proxy.port);
  const { reply } = await aCall(proxy, target.url);
  const params = { request_id: reply.requestId };
  const explained = await loadPane({ source, screen: requestScreen, title: 'Proxy', params });
  expect(factsOf(explained)['withheld']).toContain('content-type');
  const texts = JSON.stringify(explained.rows.map(({ cells }) => cells));
  expect(texts).toContain('\\"member 2\\": \\"<string>\\"');
  expect(JSON.stringify(explained)).not.toContain('Janet');
});

test('proxy: a call that was refused says why, and what to try', async () => {
  await using proxy = await startProxy();
  const source = aSource(proxy.port);
  const { reply } = await aCall(proxy, 'https://somewhere.example');
  const params = { request_id: reply.requestId };
  const explained = factsOf(await loadPane({ source, screen: requestScreen, title: 'Proxy', params }));
  expect(explained['outcome']).toContain('proxy_');
  expect(explained['hint']).toEqual(expect.any(String));
  expect(explained['answer']).toBe('none');
});

test('proxy: a call that never left is not sent, and opens on the explanation', async () => {
  await using proxy = await startProxy();
  await using target = await startTarget({ handler: (_, response) => void response.destroy() });
  const source = aSource(proxy.port);
  const refused = await aCall(proxy, 'https://somewhere.example');
  const unresolved = await proxy.jit({
    target: target.url,
    reason: 'a check',
    body: '{{ fp_id_0.id.ssn9 }}',
  });
  const broken = await aCall(proxy, target.url);
  const page = await loadPane({ source, screen: proxyScreen, title: 'Proxy calls' });
  const answers = new Map(page.rows.map((row) => [row.id, [textOf(row.cells[4]), row.opensPane]]));
  expect(answers.get(refused.reply.requestId)).toEqual(['not sent', 'Proxy']);
  expect(answers.get(unresolved.requestId)).toEqual(['not sent', 'Proxy']);
  expect(answers.get(broken.reply.requestId)).toEqual(['none', undefined]);
  const of = (request_id: string) => ({ source, screen: requestScreen, params: { request_id } });
  const explained = factsOf(await loadPane({ ...of(refused.reply.requestId), title: 'Proxy' }));
  expect(explained['call']).toBe('not sent');
  const facts = factsOf(await loadPane({ ...of(refused.reply.requestId), title: 'Request' }));
  expect(facts['proxied to']).toBe('not sent to https://somewhere.example/check');
});
