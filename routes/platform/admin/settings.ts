import { MILLISECOND, parseGoDuration } from '../../../state/go/duration.ts'
import { type Alarm, setAlarm } from '../../../state/kernel/time.ts'
import { type Deferred, defer } from '../../../state/kernel/worlds/deferred.ts'
import { optionsOf } from '../../../state/platform/options.ts'
import { allSettings } from '../../../state/platform/settings/all-settings.ts'
import { changeSettings } from '../../../state/platform/settings/changes.ts'
import type { SettingsDefinition } from '../../../state/platform/settings/definition.ts'
import { smsSettings } from '../../../state/platform/settings/sms.ts'
import {
  changeSmtpSettings,
  type MailFailure,
  mailRefusal,
  type SmtpChanges,
  simulateSending,
  type TestMail,
  testMailFor,
} from '../../../state/platform/settings/test-messages.ts'
import { ok } from '../../http/declare/operation.ts'
import { operationsOn, type PlatformContext, type PlatformOperation } from '../operation.ts'
import {
  settableAttributes,
  settingsDocument,
  settingsResource,
  settingsType,
} from './settings-resource.ts'

/** SMTP methods by authentication type, for the types that use a username and password. */
const methods: ReadonlyMap<string, string> = new Map([
  ['plain', 'PLAIN'],
  ['login', 'LOGIN'],
])

/** Port on which servers expect TLS from the first byte. */
const tlsPort = 465

/**
 * Sends a mail to the real server (behaviour/platform#test-mail). Throws a refusal if the server
 * rejects the credentials, fails, cannot be reached or takes too long, and for an unsupported type
 * of authentication.
 *
 * @param timeout maximum total time in milliseconds of real time
 */
export async function deliverTestMail(mail: TestMail, timeout: number): Promise<void> {
  const { host, port, auth, username: user, password: pass, from, to, subject, text } = mail
  const method = methods.get(auth)
  if (auth !== 'none' && method === undefined) throw mailRefusal('failed')
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host,
    port,
    secure: port === tlsPort,
    ...(method === undefined ? {} : { auth: { user, pass }, authMethod: method }),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    dnsTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  let timer: Alarm | undefined
  const timeoutFailure = new Promise<never>((_resolve, reject) => {
    // The total time is limited, because a server that sends something from time to time restarts
    // the timeouts of the library.
    timer = setAlarm(timeout, () => reject(mailRefusal('timed-out')))
  })
  const sending = transport.sendMail({ from, to, subject, text }).catch((error: unknown) => {
    throw mailRefusal(toMailFailure(error))
  })
  try {
    await Promise.race([sending, timeoutFailure])
  } finally {
    timer?.cancel()
    transport.close()
  }
}

/** Converts an error of the mail library to a kind of failure. */
function toMailFailure(error: unknown): MailFailure {
  const { code, responseCode } = smtpErrorDetails(error)
  if (code === 'ETIMEDOUT') return 'timed-out'
  // A 4xx code means that the server cannot check the credentials now, not that they are wrong.
  const isTemporary = responseCode !== undefined && responseCode < 500
  return code === 'EAUTH' && !isTemporary ? 'rejected' : 'failed'
}

function smtpErrorDetails(error: unknown): { code?: unknown; responseCode?: number | undefined } {
  if (!(error instanceof Error)) return {}
  const code = 'code' in error ? error.code : undefined
  const responseCode = 'responseCode' in error ? error.responseCode : undefined
  return { code, responseCode: typeof responseCode === 'number' ? responseCode : undefined }
}

const settingsSpec = 'behaviour/platform#api-settings; behaviour/platform#settings'
const operation = operationsOn('admin', () => undefined, settingsSpec)

/**
 * Names of settings in paths, each with its definition and citation. The settings for text messages
 * have a second name, the vendor's `twilio`, which works in both dialects.
 */
const settingsPaths: readonly (readonly [
  name: string,
  definition: SettingsDefinition,
  spec: string,
])[] = [
  ...allSettings.map((definition) => [definition.name, definition, settingsSpec] as const),
  ['twilio', smsSettings, 'behaviour/platform#vendor-names'],
]

export const settingsOperations: readonly PlatformOperation[] = settingsPaths.flatMap(
  ([name, definition, spec]) => settingsOperationsAt(name, definition, spec),
)

function settingsOperationsAt(name: string, definition: SettingsDefinition, spec: string) {
  const path = `/admin/${name}-settings`
  const title = name.split('-').map(capitalize).join('')
  const document = settingsDocument(definition)
  return [
    operation('GET', path, {
      id: `read${title}Settings`,
      spec,
      summary: `Read ${definition.title}.`,
      reply: { 200: document },
      run: ({ context }) => ok(settingsAnswer(definition, context)),
    }),
    operation('PATCH', path, {
      id: `change${title}Settings`,
      spec,
      summary: `Change the given values of ${definition.title}.`,
      body: {
        type: settingsType(definition),
        attributes: settableAttributes(definition, { hasVendorAttributes: true }),
        attributesInDialect: (dialect) => settableAttributes(definition, dialect),
        attributesRequired: true,
      },
      // A change of the mail server's settings may send a test mail, which can fail with these
      // statuses.
      failures: definition.name === 'smtp' ? [500, 504] : [],
      reply: { 200: document },
      run({ context, body }) {
        const { world, dialect } = context
        const { attributes } = body()
        const answer = () => ok(settingsAnswer(definition, context))
        if (definition.name === 'smtp') return changeSmtp(context, attributes, answer)
        changeSettings(world, definition, attributes, dialect.hasVendorAttributes)
        return answer()
      },
    }),
  ]
}

function settingsAnswer(definition: SettingsDefinition, context: PlatformContext<unknown>) {
  const { world, dialect, origin } = context
  return { data: settingsResource(world, definition, dialect, origin) }
}

/**
 * Changes the mail server's settings after sending the test mail that the change requests, if any.
 * If the mail cannot be sent, nothing changes (behaviour/platform#settings).
 */
function changeSmtp<T>(
  { world, dialect }: PlatformContext<unknown>,
  changes: SmtpChanges,
  answer: () => T,
): T | Deferred<T> {
  const { deliverMail, mailTimeout } = optionsOf(world)
  const mail = testMailFor(world, changes, dialect.hasVendorAttributes)
  const change = (): T => {
    const sentMail = mail === undefined ? undefined : { mail, delivered: deliverMail }
    changeSmtpSettings(world, changes, dialect.hasVendorAttributes, sentMail)
    return answer()
  }
  if (mail !== undefined && deliverMail) {
    // The settings may change while the mail is being sent, so `change` checks the rules again.
    return defer(() => deliverTestMail(mail, parseGoDuration(mailTimeout) / MILLISECOND), change)
  }
  if (mail !== undefined) simulateSending(world, mail)
  return change()
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
