import { test } from 'vitest';
import { startService } from '../support/service.ts';
test('x: y', async () => {
  await using service = await startService();
  const r = await service.send({ method: 'GET', path: '/users/%zz' });
  const r2 = await service.send({ method: 'GET', path: '/users/fp_' + 'x'.repeat(600) });
  console.log(r, r2, JSON.stringify(service.log, null, 1));
});
