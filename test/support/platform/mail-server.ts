import { createServer, type Server, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { onTestFinished } from 'vitest'

/** A mail that a test's server took. */
interface ReceivedMail {
  readonly user: string | undefined
  readonly method: string | undefined
  readonly from: string
  readonly to: readonly string[]
  readonly source: string
}

/** How a mail server of a test behaves; by default it takes everything and wants no credentials. */
export interface MailServerSettings {
  /** The only credentials that it takes. */
  readonly credentials?: { readonly username: string; readonly password: string }
  readonly methods?: readonly string[]
  /** What it says to every login, whatever the credentials. */
  readonly loginError?: { readonly code: number; readonly text: string }
  /** What it says to every recipient. */
  readonly recipientError?: { readonly code: number; readonly text: string }
  /** It offers STARTTLS, with a certificate of its own making. */
  readonly offersTls?: boolean
  /** It says nothing to a recipient before this is done. */
  readonly beforeRecipient?: () => Promise<void>
}

/** A real SMTP server on a port of its own, and what it took. */
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

/** A server that says what a test lets it say: by itself it takes connections and keeps silent. */
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

/** A port on which nobody listens. */
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
