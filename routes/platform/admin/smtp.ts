import { MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
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
 * does not go out leaves everything as it was (2-platform-decisions.md section 6).
 */
export async function changeSmtp(
  { world, dialect }: PlatformContext<unknown>,
  changes: SmtpChanges,
): Promise<void> {
  const { deliverMail, mailTimeout } = optionsOf(world)
  const mail = testMailFor(world, changes, dialect.extras)
  if (mail !== undefined) {
    if (deliverMail) await deliver(mail, parseGoDuration(mailTimeout) / MILLISECOND)
    else pretendToSend(mail)
  }
  // What the settings were may have changed while the mail went out: the rules are asked again.
  const sent = mail === undefined ? undefined : { mail, delivered: deliverMail }
  changeSmtpSettings(world, changes, dialect.extras, sent)
}
