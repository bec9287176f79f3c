import { X509Certificate } from 'node:crypto'
import {
  type Reply,
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'

/** Raw reply without a parsed body. */
interface RawReply {
  readonly status: number
  readonly type: string
  readonly body: Buffer
}

/** A server with the engine at `pki/`, and functions that call it. */
export interface TestPki extends TestSecrets {
  /** Writes below the mount and returns the reply; fails if it is not a success. */
  write(path: string, fields?: object): Promise<Reply['body']>
  /** Reads below the mount and returns the reply's `data`; fails if it is not a success. */
  read(path: string): Promise<Reply['body']>
  /** Sends a request below the mount without a token. */
  raw(path: string, method?: 'GET' | 'POST', payload?: Buffer): Promise<RawReply>
}

/** Starts a server with a mounted engine. */
export async function withPki(settings: TestSettings = {}): Promise<TestPki> {
  const created = await servedSecrets(settings)
  const { app, secrets } = created
  const succeed = (path: string, reply: Reply): Reply['body'] => {
    if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`)
    return reply.body
  }
  succeed('mount', await secrets.post('sys/mounts/pki', { type: 'pki' }))
  return {
    ...created,
    write: async (path, fields = {}) => succeed(path, await secrets.post(`pki/${path}`, fields)),
    read: async (path) => succeed(path, await secrets.get(`pki/${path}`)).data,
    async raw(path, method = 'GET', payload = undefined) {
      const reply = await app.inject({
        method,
        url: `/v1/pki/${path}`,
        ...(payload === undefined
          ? {}
          : { payload, headers: { 'content-type': 'application/ocsp-request' } }),
      })
      const type = String(reply.headers['content-type'])
      return { status: reply.statusCode, type, body: reply.rawPayload }
    },
  }
}

/** Parses a certificate with the library of Node, which is not the one that encodes it. */
export function parse(certificate: string | Buffer): X509Certificate {
  return new X509Certificate(certificate)
}
