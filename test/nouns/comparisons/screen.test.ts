/** Two people side by side, and whom the keys there mean. */
import { expect, test } from 'vitest';
import { entitySubject } from '../../../src/tui/actions/subjects.ts';
import { comparisonPlace, comparisonScreen } from '../../../src/nouns/comparisons/screen.ts';
import { subjectText } from '../../../src/tui/state/subject-text.ts';
import { startService } from '../../support/service.ts';
import { aSource, loadPane } from '../../tui/screens/a-source.ts';

test('comparison: each row is about the other one, whom a form and the line above the table name', async () => {
  await using service = await startService();
  const { port } = await service.listen();
  const one = await service.user({ 'id.first_name': 'Quinn', 'id.last_name': 'Okafor' });
  const other = await service.user({ 'id.first_name': 'Quinn', 'id.last_name': 'Petrov' });
  const { params } = comparisonPlace(one, other);
  const page = await loadPane({
    source: aSource(port),
    screen: comparisonScreen,
    title: 'Comparison',
    params,
  });
  expect(page.rows.length).toBeGreaterThan(1);
  for (const row of page.rows) {
    const subject = entitySubject(row, undefined);
    expect(subject && subjectText(subject, row.who)).toBe(`${other} (Q*** P***)`);
  }
  expect(page.banner).toMatch(/^\d+ same.* · keys act on the second one, Q\*\*\* P\*\*\*;/);
});
