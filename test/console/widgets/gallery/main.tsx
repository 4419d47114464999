/** A page with one widget, whose name is the fragment of the address. */
import { useState, type ReactElement } from 'react';
import { createRoot } from 'react-dom/client';
import { JsonTree } from '../../../../src/console/widgets/json-tree.tsx';
import { Plot } from '../../../../src/console/widgets/plot.tsx';
import {
  RequestBuilder,
  type SendableRequest,
  type SentRequest,
} from '../../../../src/console/widgets/request-builder.tsx';
import { firstDraft } from '../../../../src/console/widgets/request-draft.ts';
import { operationsOf } from '../../../../src/console/widgets/request-operations.ts';
import type { TableSort } from '../../../../src/console/widgets/table-layout.ts';
import { Table, type DrawnColumn } from '../../../../src/console/widgets/table.tsx';
import { Timeline } from '../../../../src/console/widgets/timeline.tsx';
import openapi from '../../../snapshots/openapi.json' with { type: 'json' };
import './gallery.css';

interface Person {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly score: number;
  readonly changed: string;
  readonly note: string;
}

const STATUSES = ['pass', 'fail', 'incomplete', 'pending', 'none'];
const TONES: Readonly<Record<string, string>> = { pass: 'good', fail: 'bad', incomplete: 'warn' };

const PEOPLE: readonly Person[] = Array.from({ length: 10_000 }, (_, index) => ({
  id: `fp_id_${String(index).padStart(5, '0')}Qm7xVb2`,
  name: `Person ${index * 7919 === 0 ? 'First' : (index * 7919) % 10_000}`,
  status: STATUSES[index % STATUSES.length] ?? '',
  score: (index * 37) % 1000,
  changed: new Date(Date.UTC(2026, 0, 1) + index * 3_600_000).toISOString().slice(0, 16).replace('T', ' '),
  note: index % 3 === 0 ? 'Asked for a second document, because the first one was cut at its edge' : '',
}));

const COLUMNS: readonly DrawnColumn<Person>[] = [
  { key: 'name', heading: 'Name', text: ({ name }) => name },
  {
    key: 'status',
    heading: 'Status',
    text: ({ status }) => status,
    cell: ({ status }) => <span className={`tone-${TONES[status] ?? 'dim'}`}>{status}</span>,
  },
  {
    key: 'score',
    heading: 'Score',
    text: ({ score }) => score.toLocaleString('en'),
    align: 'right',
    drop: 2,
  },
  { key: 'note', heading: 'Note', text: ({ note }) => note, grows: true, drop: 1 },
  { key: 'id', heading: 'Id', text: ({ id }) => id, drop: 3 },
  { key: 'changed', heading: 'Changed', text: ({ changed }) => changed },
];

function TableCase({
  rows = PEOPLE,
  empty = 'Nobody',
}: {
  rows?: typeof PEOPLE;
  empty?: string;
}): ReactElement {
  const [sort, setSort] = useState<TableSort>();
  const [shown, setShown] = useState<readonly string[]>();
  const sign = sort?.isDescending ? -1 : 1;
  const sorted = sort?.column === 'score' ? rows.toSorted((a, b) => sign * (a.score - b.score)) : rows;
  const [selected, setSelected] = useState<string>();
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState('nothing');
  const [ends, setEnds] = useState(0);
  return (
    <div className="tall">
      <p id="opened">
        Opened {opened}, {ends} ends
      </p>
      <Table
        label="People"
        columns={COLUMNS}
        rows={sorted}
        rowKey={({ id }) => id}
        empty={empty}
        sort={sort}
        onSort={setSort}
        shown={shown}
        onColumns={setShown}
        isBusy={false}
        selected={selected}
        onSelect={({ id }) => setSelected(id)}
        onOpen={({ name }) => setOpened(name)}
        marked={marked}
        onMark={({ id }) =>
          setMarked(
            (before) => new Set(before.has(id) ? [...before].filter((each) => each !== id) : [...before, id]),
          )
        }
        onEnd={() => setEnds((before) => before + 1)}
      />
    </div>
  );
}

const DOCUMENT = {
  id: 'fp_id_8Qm7xVb2',
  'id.first_name': 'Jane',
  status: 'pass',
  score: 12.5,
  requires_manual_review: false,
  decided_at: null,
  tags: [],
  note: 'A note that is much longer than the width of a line, because somebody wrote down all that the person explained on the telephone.',
  signals: Array.from({ length: 3 }, (_, index) => ({
    reason_code: `code_${index}`,
    severity: 'high',
    scopes: ['name', 'dob'],
  })),
};

const at = (minutes: number): string => new Date(Date.UTC(2026, 2, 4, 22) + minutes * 60_000).toISOString();

async function copy(text: string): Promise<string> {
  await navigator.clipboard.writeText(text);
  return 'Copied';
}

const DECRYPT = 'POST /users/{fp_id}/vault/decrypt';

/** What was sent last, for the test to read. */
function RequestCase(): ReactElement {
  const [sent, setSent] = useState<SendableRequest>();
  const [history, setHistory] = useState<readonly SentRequest[]>([]);
  const [kept] = useState(() => {
    const operation = operationsOf(openapi).find(({ id }) => id === DECRYPT);
    const draft = operation && firstDraft(operation);
    return new Map(
      draft && [[DECRYPT, { ...draft, values: { ...draft.values, 'path:fp_id': 'fp_id_8Qm7xVb2' } }]],
    );
  });
  return (
    <>
      <RequestBuilder
        openapi={openapi}
        start={DECRYPT}
        kept={kept}
        history={history}
        onSent={(one) => setHistory((before) => [one, ...before])}
        hidesAfter={() => undefined}
        isWatched
        copy={copy}
        copyDecrypted={copy}
        onHidden={() => undefined}
        send={(request) => {
          setSent(request);
          if (request.path === '/_kyclone/clock')
            return Promise.reject(new Error('The daemon does not respond'));
          const isFine = !request.path.includes('missing');
          return Promise.resolve({
            status: isFine ? 200 : 404,
            durationMs: 12.4,
            headers: [
              ['content-type', 'application/json; charset=utf-8'],
              ['x-request-id', 'req_5kXv0Qm7xVb2'],
            ],
            text: JSON.stringify(
              isFine ? { 'id.first_name': 'Jane', 'id.last_name': 'Doe' } : { code: 'not_found' },
            ),
          });
        }}
      />
      <output id="sent" hidden>
        {JSON.stringify(sent)}
      </output>
    </>
  );
}

const CASES: Readonly<Record<string, () => ReactElement>> = {
  table: () => <TableCase />,
  json: () => <JsonTree label="User" value={DOCUMENT} copy={copy} />,
  'json-long': () => (
    <JsonTree
      label="Log"
      value={Array.from({ length: 100_000 }, (_, index) => ({ index }))}
      copy={() => Promise.resolve('Copied, masked')}
    />
  ),
  timeline: () => (
    <>
      <h2>A case</h2>
      <Timeline
        label="What happened"
        empty="Nothing happened yet"
        entries={[
          { at: at(0), title: 'User created', tone: 'accent', href: '#/users/fp_id_1' },
          {
            at: at(1),
            title: 'Onboarding began',
            tone: 'plain',
            detail: 'Playbook pb_test_kyc, from the API',
          },
          {
            at: at(3),
            title: 'Document asked for',
            tone: 'warn',
            detail: 'The first picture was cut at its edge, and its text could not be read',
          },
          { at: at(200), title: 'Onboarding failed', tone: 'bad', detail: 'watchlist_hit_ofac' },
          { at: at(230), title: 'Decided by hand: pass', tone: 'good', href: '#/decisions/1' },
          { at: at(231), title: 'Webhook delivered', tone: 'dim' },
        ]}
      />
    </>
  ),
  request: RequestCase,
  'timeline-empty': () => <Timeline label="What happened" empty="Nothing happened yet" entries={[]} />,
  plot: () => (
    <div className="cases">
      <Plot
        title="Requests a minute"
        empty="None yet"
        kind="bars"
        series={[
          {
            name: 'Fine',
            tone: 'good',
            points: Array.from({ length: 30 }, (_, index) => ({ at: at(index), value: (index * 7) % 13 })),
          },
          {
            name: 'Failed',
            tone: 'bad',
            points: Array.from({ length: 30 }, (_, index) => ({ at: at(index), value: index % 4 })),
          },
        ]}
      />
      <Plot
        title="Balance"
        empty="None yet"
        series={[
          {
            name: 'Current',
            tone: 'accent',
            points: Array.from({ length: 60 }, (_, index) => ({
              at: at(index * 1440),
              value: 4200 + Math.round(Math.sin(index / 4) * 5100),
            })),
          },
          {
            name: 'Available',
            tone: 'warn',
            points: Array.from({ length: 60 }, (_, index) => ({
              at: at(index * 1440),
              value: 3000 + Math.round(Math.sin(index / 4) * 5100),
            })),
          },
        ]}
      />
      <Plot title="Deliveries" empty="No deliveries yet" series={[]} />
      <Plot
        title="One"
        empty=""
        series={[{ name: 'One', tone: 'accent', points: [{ at: at(0), value: 0.3 }] }]}
      />
    </div>
  ),
  'table-empty': () => <TableCase rows={[]} empty="Nobody is here yet" />,
};

const root = document.getElementById('root');
const Case = CASES[location.hash.slice(1)];
if (root && Case) createRoot(root).render(<Case />);
