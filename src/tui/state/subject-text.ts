import { printable } from '../../kernel/terminal-text.ts';
import type { Subject } from './model.ts';

/** What an action is about, for its title. */
export function subjectText(subject: Subject, who?: string): string {
  const text = textOf(subject);
  return who === undefined ? text : `${text} (${printable(who)})`;
}

function textOf(subject: Subject): string {
  switch (subject.kind) {
    case 'field':
      return printable(`${subject.identifier} of ${subject.fp_id}`);
    case 'pair':
      return printable(`${subject.fp_id} and ${subject.other}`);
    case 'hit':
      return printable(`${subject.reason_code} of ${subject.fp_id}`);
    case 'note':
    case 'tag':
      return printable(`${subject.kind} ${subject.id} of ${subject.fp_id}`);
    case 'event':
      return printable(subject.event_id);
    default:
      return printable(subject.fp_id);
  }
}
