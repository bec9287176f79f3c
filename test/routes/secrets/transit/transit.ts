import {
  type Reply,
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'

/** Encodes a text in the form that the engine accepts. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** A server with the engine at `transit/`, and functions that call it. */
export interface TestTransit extends TestSecrets {
  /** Creates a key; fails if it is not created. */
  key(name: string, fields?: object): Promise<Reply['body']>
  /** Writes below the mount and returns the reply's `data`. */
  data(path: string, body: object): Promise<Reply['body']>
}

/** Starts a server with a mounted engine. */
export async function withTransit(settings: TestSettings = {}): Promise<TestTransit> {
  const created = await servedSecrets(settings)
  const write = async (path: string, body: object = {}) => {
    const reply = await created.secrets.post(path, body)
    if (reply.status >= 300) throw new Error(`${path}: ${reply.text}`)
    return reply.body?.data
  }
  await write('sys/mounts/transit', { type: 'transit' })
  return {
    ...created,
    key: (name, fields = {}) => write(`transit/keys/${name}`, fields),
    data: (path, body) => write(`transit/${path}`, body),
  }
}
