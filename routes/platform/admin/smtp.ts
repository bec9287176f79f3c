import { MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
import { type Meanwhile, meanwhile } from '../../../state/kernel/meanwhile.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import {
  changeSmtpSettings,
  pretendToSend,
  type SmtpChanges,
  testMailFor,
} from '../../../state/platform/settings/test-messages.ts'
import type { PlatformContext } from '../operation.ts'
import { deliver } from './mail.ts'

/**
 * Changes the mail server's settings after a test mail, where they ask for one, went out; a mail that
 * does not go out leaves everything as it was (behaviour/platform#settings).
 */
export function changeSmtp<T>(
  { world, dialect }: PlatformContext<unknown>,
  changes: SmtpChanges,
  answer: () => T,
): T | Meanwhile<T> {
  const { deliverMail, mailTimeout } = optionsOf(world)
  const mail = testMailFor(world, changes, dialect.extras)
  const change = (): T => {
    const sent = mail === undefined ? undefined : { mail, delivered: deliverMail }
    changeSmtpSettings(world, changes, dialect.extras, sent)
    return answer()
  }
  if (mail !== undefined && deliverMail) {
    // What the settings were may change while the mail goes out: the rules are asked again.
    return meanwhile(() => deliver(mail, parseGoDuration(mailTimeout) / MILLISECOND), change)
  }
  if (mail !== undefined) pretendToSend(world, mail)
  return change()
}
