import { type Alarm, setAlarm } from '../../../state/kernel/time.ts'
import {
  type MailFailure,
  mailRefusal,
  type TestMail,
} from '../../../state/platform/settings/test-messages.ts'

/**
 * The method of each way of authenticating; the others are no matter of a user's name and password.
 */
const methods: ReadonlyMap<string, string> = new Map([
  ['plain', 'PLAIN'],
  ['login', 'LOGIN'],
])

/** The port on which servers speak TLS from the first byte on. */
const tlsPort = 465

/**
 * Sends a mail for real (behaviour/platform#test-mail). Refuses when the server
 * rejects the credentials, fails, cannot be reached or takes too long.
 *
 * @param timeout how long all of it may take, in milliseconds of real time
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
  const timedOut = new Promise<never>((_resolve, reject) => {
    // A server that says a little now and then outlasts timeouts that begin anew with every word.
    timer = setAlarm(timeout, () => reject(mailRefusal('timed-out')))
  })
  const sending = transport.sendMail({ from, to, subject, text }).catch((error: unknown) => {
    throw mailRefusal(toMailFailure(error))
  })
  try {
    await Promise.race([sending, timedOut])
  } finally {
    timer?.cancel()
    transport.close()
  }
}

/** Returns what a failure of the mail library means. */
function toMailFailure(error: unknown): MailFailure {
  const { code, responseCode } = smtpErrorDetails(error)
  if (code === 'ETIMEDOUT') return 'timed-out'
  // A server that cannot check credentials now (4xx) has not found them wrong.
  const isTemporary = responseCode !== undefined && responseCode < 500
  return code === 'EAUTH' && !isTemporary ? 'rejected' : 'failed'
}

function smtpErrorDetails(error: unknown): { code?: unknown; responseCode?: number | undefined } {
  if (!(error instanceof Error)) return {}
  const code = 'code' in error ? error.code : undefined
  const responseCode = 'responseCode' in error ? error.responseCode : undefined
  return { code, responseCode: typeof responseCode === 'number' ? responseCode : undefined }
}
