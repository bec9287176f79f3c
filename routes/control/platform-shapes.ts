import { bool, int, list, nullable, text, word } from '../../state/kernel/shape/kinds.ts'
import { described, struct } from '../../state/kernel/shape/members.ts'
import { instant } from './shapes.ts'

/** Shapes of the control plane's bodies about the platform. */

/** Messages of an outbox, oldest first. */
export const outboxShape = struct({
  messages: list(
    struct({
      id: text,
      kind: word('mail', 'sms'),
      at: described(instant, "Time on the world's clock"),
      from: described(text, "The mail's sender, or a number"),
      to: described(text, 'A mail address, or a number'),
      subject: described(nullable(text), 'Mails only'),
      text,
      server: described(
        nullable(struct({ host: text, port: int })),
        'Mail server according to the settings; null for text messages',
      ),
      delivered: described(
        bool,
        'Whether a real server accepted it; otherwise it is only listed here',
      ),
    }),
  ),
})
