import type { AnswerOf } from '../../contract/registry.ts';
import { facts, shortTime, table, type Painted } from '../shell/layout.ts';
import type { Style } from '../shell/output.ts';
import type { Session } from './sessions.ts';
import { moreView } from '../entities/view.ts';

/** Newest first; the playbook and both times are in `onboardings sessions get`. */
export function sessionListView({ data, meta }: AnswerOf<'GET /_kyclone/sessions'>, style: Style): string {
  const rows = data.map((session) => [
    session.id,
    session.state,
    shortTime(session.expires_at),
    session.fp_bid ?? session.fp_id,
  ]);
  const headings = ['SESSION', 'STATE', 'EXPIRES (UTC)', 'ENTITY'];
  return [table(headings, rows, style, 'No sessions'), ...moreView(meta, data.length, style)].join('\n');
}

export function sessionView(session: Session, style: Style): string {
  return facts(
    {
      session: session.id,
      state: stateText(session, style),
      step: session.step,
      playbook: session.playbook_key,
      user: session.fp_id,
      business: session.fp_bid,
      created: session.created_at,
      expires: session.expires_at,
    },
    style,
  );
}

function stateText({ state }: Session, style: Style): Painted {
  const plain = (text: string) => text;
  return {
    text: state,
    paint: { open: style.warn, completed: style.good, canceled: plain, expired: plain }[state],
  };
}
