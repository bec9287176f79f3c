import { type Alarm, setAlarm } from '../../../state/kernel/time.ts'
import {
  type MailFailure,
  mailRefusal,
  type TestMail,
} from '../../../state/platform/settings/test-messages.ts'

/** SMTP methods by authentication type, for the types that use a username and password. */
const methods: ReadonlyMap<string, string> = new Map([
  ['plain', 'PLAIN'],
  ['login', 'LOGIN'],
])

/** Port on which servers expect TLS from the first byte. */
const tlsPort = 465

/**
 * Sends a mail to the real server (behaviour/platform#test-mail). Throws if the server rejects the
 * credentials, fails, cannot be reached or takes too long.
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
  const timedOut = new Promise<never>((_resolve, reject) => {
    // A total limit, because a slow server that sends something now and then restarts the library's
    // timeouts each time.
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

/** Returns the kind of failure that an error of the mail library stands for. */
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
