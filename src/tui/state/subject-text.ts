import { printable } from '../../kernel/text/terminal-text.ts';
import { counted } from '../../kernel/text/count-text.ts';
import type { Form, Subject } from './model.ts';
import { identifiersOf } from './subject.ts';

/** The subject of an action, for its title. */
export function subjectText(subject: Subject, who?: string): string {
  const text = textOf(subject);
  return who === undefined ? text : `${text} (${printable(who)})`;
}

function textOf(subject: Subject): string {
  switch (subject.kind) {
    case 'field':
      return printable(`${subject.parts?.of ?? subject.identifier} of ${subject.fp_id}`);
    case 'pair':
      return printable(`${subject.fp_id} and ${subject.other}`);
    case 'hit':
      return printable(`${subject.reason_code} of ${subject.fp_id}`);
    case 'note':
    case 'tag':
      return printable(`${subject.kind} ${subject.id} of ${subject.fp_id}`);
    case 'stake':
      return printable(`owner ${subject.user} of ${subject.business}`);
    case 'event':
      return printable(subject.event_id);
    case 'thing':
      return printable(subject.id === subject.name ? subject.id : `${subject.id} (${subject.name})`);
    case 'instance':
      return printable(`instance ${subject.instance}`);
    default:
      return printable(subject.fp_id);
  }
}

/** The subject of an action for its title, or the number of subjects. */
export function aboutText({ subject, who, marked }: Pick<Form, 'subject' | 'who' | 'marked'>): string {
  if (marked === undefined) return subjectText(subject, who);
  if (subject.kind !== 'field') {
    const each = marked.map(({ subject: one, who: name }) => name ?? textOf(one));
    return `${counted(marked.length, 'marked row')}: ${printable(each.join(', '))}`;
  }
  // All of one entity: the entity comes first, because the names may be cut.
  const names = marked.flatMap(({ subject: each }) => (each.kind === 'field' ? identifiersOf(each) : []));
  const whose = subjectText({ kind: subject.owner, fp_id: subject.fp_id }, who);
  return `${counted(names.length, 'field')} of ${whose}: ${printable(names.join(', '))}`;
}
