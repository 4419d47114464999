/** Made-up people and companies: nothing of them has to be hidden. */
import type { Body } from './made-up.ts';
import type { Created } from './run.ts';
import { table } from '../shell/layout.ts';
import { printable, type Style } from '../shell/output.ts';

export function fakesView(bodies: readonly Body[], style: Style): string {
  const isOfPeople = bodies[0]?.['id.ssn9'] !== undefined;
  const headings = isOfPeople
    ? ['NAME', 'BORN', 'SSN', 'PHONE', 'CITY']
    : ['NAME', 'FOUNDED', 'TIN', 'PHONE', 'CITY'];
  const rows = bodies.map((body) =>
    isOfPeople
      ? [nameOf(body), body['id.dob'], body['id.ssn9'], body['id.phone_number'], cityOf(body, 'id')]
      : [
          nameOf(body),
          ...[body['business.formation_date'], body['business.tin'], body['business.phone_number']],
          cityOf(body, 'business'),
        ],
  );
  return table(headings, rows, style, 'Nobody');
}

export function createdLine({ id, body }: Created, style: Style): string {
  return `${printable(id)}  ${style.dim(printable(nameOf(body)))}`;
}

function nameOf(body: Body): string {
  const names = [body['business.name'], body['id.first_name'], body['id.last_name']];
  return names.filter((name) => typeof name === 'string').join(' ');
}

function cityOf(body: Body, family: string): string {
  return [body[`${family}.city`], body[`${family}.state`]]
    .filter((text) => typeof text === 'string')
    .join(', ');
}
