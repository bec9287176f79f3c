import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from '../messages.ts'
import { isBlank } from '../names.ts'
import { optionsOf } from '../options.ts'
import { changeSettings, readSettings, settingsAfter } from './changes.ts'
import type { SettingsChanges, SettingsValues } from './definition.ts'
import { recordMessage } from './outbox.ts'
import { smsSettings } from './sms.ts'
import { smtpSettings } from './smtp.ts'

type SmtpAttributes = typeof smtpSettings.attributes

/** SMTP settings that a request changes. */
export type SmtpChanges = SettingsChanges<SmtpAttributes>

type SmtpValues = SettingsValues<SmtpAttributes>

export type MailFailure = 'rejected' | 'failed' | 'timed-out'

/** A test email and the server to which it is sent. */
export interface TestMail {
  readonly host: string
  readonly port: number
  readonly auth: string
  readonly username: string
  readonly password: string
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * Returns the refusal for an email that could not be sent: 401 for `rejected`, 500 for `failed` or
 * 504 for `timed-out` (behaviour/platform#api-settings).
 */
export function mailRefusal(failure: MailFailure) {
  return refuse(`mail-${failure}`)
}

/**
 * Returns the test email that a change of the SMTP settings requests. Returns undefined if the
 * settings are disabled or the change contains no test address. Throws 422 if the changed settings
 * are invalid.
 */
export function testMailFor(
  world: World,
  changes: SmtpChanges,
  hasVendorAttributes: boolean,
): TestMail | undefined {
  const after = settingsAfter(world, smtpSettings, changes, hasVendorAttributes)
  const to = after['test-email-address']
  if (!after.enabled || isBlank(to)) return undefined
  return {
    host: after.host ?? '',
    port: after.port ?? 0,
    auth: after.auth ?? 'none',
    username: after.username ?? '',
    password: after.password ?? '',
    from: after.sender ?? '',
    to,
    subject: 'Test message',
    text: 'This message was sent to test the SMTP settings. They work.',
  }
}

const failureByLabel: ReadonlyMap<string, MailFailure> = new Map([
  ['fail-401', 'rejected'],
  ['fail-500', 'failed'],
  ['fail-504', 'timed-out'],
])

/**
 * Simulates sending an email. Throws the failure that the option `mailFault` sets. If the option is
 * `none`, throws the failure that the first label of the host names, such as `fail-401`.
 */
export function simulateSending(world: World, { host }: TestMail): void {
  const { mailFault } = optionsOf(world)
  const label = host.split('.')[0]?.toLowerCase() ?? ''
  const failure = mailFault === 'none' ? failureByLabel.get(label) : mailFault
  if (failure !== undefined) throw mailRefusal(failure)
}

/**
 * Records the test email, if it was sent, and stores changed SMTP settings. The email stays in the
 * outbox even if storing the settings fails, for example because another client changed the
 * settings in the meantime. Throws 422 if the changed settings are invalid.
 */
export function changeSmtpSettings(
  world: World,
  changes: SmtpChanges,
  hasVendorAttributes: boolean,
  sentMail: { readonly mail: TestMail; readonly delivered: boolean } | undefined,
): SmtpValues {
  if (sentMail !== undefined) {
    const { host, port, from, to, subject, text } = sentMail.mail
    const { delivered } = sentMail
    const server = { host, port }
    world.commitNow(() =>
      recordMessage(world, { kind: 'mail', from, to, subject, text, server, delivered }),
    )
  }
  return changeSettings(world, smtpSettings, changes, hasVendorAttributes)
}

/**
 * Records a text message that tests the SMS settings. Throws 400 if the number is missing or the
 * SMS settings are disabled.
 */
export function sendTestSms(world: World, number: unknown): void {
  if (typeof number !== 'string' || isBlank(number)) throw refuse('test-number-missing')
  const { enabled, 'from-number': from } = readSettings(world, smsSettings)
  if (!enabled) throw refuse('sms-disabled')
  const text = 'This message was sent to test the SMS settings. They work.'
  world.write(() =>
    recordMessage(world, {
      kind: 'sms',
      from: from ?? '',
      to: number,
      subject: null,
      text,
      server: null,
      delivered: false,
    }),
  )
}
