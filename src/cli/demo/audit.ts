import { fact, status, type Step } from './tour.ts';

interface Entry {
  readonly operation: string;
  readonly outcome: string;
  readonly reason: string | null;
}

export const auditSteps: readonly Step[] = [
  {
    title: 'Every reading was written down, the refused one too',
    request: (facts) => ({ method: 'GET', path: `/_kyclone/access-log?fp_id=${fact(facts, 'user')}` }),
    claims: [
      status(200),
      {
        says: 'the decryptions are there with their reasons',
        holds: ({ body }) =>
          ['demo: support case', 'demo: birthday list', 'demo: what was it before?'].every((reason) =>
            entries(body).some((entry) => entry.outcome === 'granted' && entry.reason === reason),
          ),
      },
      {
        says: 'so is the one without a reason, as refused',
        holds: ({ body }) =>
          entries(body).some(({ outcome, reason }) => outcome === 'refused' && reason === null),
      },
      {
        says: 'so are the comparison and the download',
        holds: ({ body }) =>
          ['integrity', 'download'].every((kind) =>
            entries(body).some(({ operation }) => operation === kind),
          ),
      },
    ],
  },
  {
    title: 'The log is a chain of hashes: a changed or missing entry would show',
    request: () => ({ method: 'GET', path: '/_kyclone/access-log/verify' }),
    claims: [
      status(200),
      { says: 'the chain holds', holds: ({ body }) => body['ok'] === true && Number(body['checked']) >= 5 },
    ],
  },
];

function entries(body: Readonly<Record<string, unknown>>): Entry[] {
  return (Array.isArray(body['data']) ? body['data'] : []) as Entry[];
}
