import { createServer, type Server, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

/**
 * Mail that a test server received. `user` and `method` are undefined if the client did not log in.
 */
interface ReceivedMail {
  readonly user: string | undefined
  readonly method: string | undefined
  readonly from: string
  readonly to: readonly string[]
  readonly source: string
}

/**
 * Settings of a test's mail server. By default, the server accepts every mail without a login, and
 * rejects every login.
 */
export interface MailServerSettings {
  /** The only accepted credentials. If present, mails require a login. */
  readonly credentials?: { readonly username: string; readonly password: string }
  readonly methods?: readonly string[]
  /** Reply to every login, whatever the credentials. */
  readonly loginError?: { readonly code: number; readonly text: string }
  /** Reply to every recipient. */
  readonly recipientError?: { readonly code: number; readonly text: string }
  /** True to offer STARTTLS with a self-signed certificate. */
  readonly offersTls?: boolean
  /** Function whose promise the server awaits before it replies to a recipient. */
  readonly beforeRecipient?: () => Promise<void>
}

/**
 * Starts a real SMTP server, which stops at the end of the test. Returns its port and the list of
 * the mails that it receives.
 */
export async function mailServer(settings: MailServerSettings = {}) {
  const received: ReceivedMail[] = []
  const { credentials, loginError, recipientError } = settings
  const logins = new Map<string, string>()
  const server = new SMTPServer({
    hideSTARTTLS: settings.offersTls !== true,
    authOptional: credentials === undefined,
    authMethods: [...(settings.methods ?? ['PLAIN', 'LOGIN'])],
    allowInsecureAuth: true,
    logger: false,
    onAuth: ({ method, username, password }, session, done) => {
      if (loginError !== undefined) {
        done(Object.assign(new Error(loginError.text), { responseCode: loginError.code }))
      } else if (username === credentials?.username && password === credentials?.password) {
        logins.set(session.id, method)
        done(null, { user: username })
      } else done(new Error('Invalid username or password'))
    },
    onRcptTo: (_address, _session, done) => {
      const answer = () => {
        if (recipientError === undefined) done()
        else {
          const { code: responseCode, text } = recipientError
          done(Object.assign(new Error(text), { responseCode }))
        }
      }
      settings.beforeRecipient?.().then(answer, done) ?? answer()
    },
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          user: typeof session.user === 'string' ? session.user : undefined,
          method: logins.get(session.id),
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(parts).toString(),
        })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  return { port: portOf(server.server), received }
}

/**
 * Starts a TCP server, which stops at the end of the test. By default, the server accepts
 * connections and stays silent. Returns its port and the sockets of all connections.
 */
export async function tcpServer(onConnection: (socket: Socket) => void = () => {}) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  )
  return { port: portOf(server), sockets }
}

/** Returns a port without a listener. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server)
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

function portOf(server: Pick<Server, 'address'>): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
