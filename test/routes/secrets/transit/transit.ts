import {
  type Reply,
  servedSecrets,
  type TestSecrets,
  type TestSettings,
} from '../../../support/secrets/secrets.ts'

/** Text as the engine takes it. */
export function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** A server with the engine at `transit/`, and what calls it. */
export interface TestTransit extends TestSecrets {
  /** Makes a key; refuses to go on when it is not made. */
  key(name: string, fields?: object): Promise<Reply['body']>
  /** The answer's `data` to a write below the mount. */
  data(path: string, body: object): Promise<Reply['body']>
}

/** A fresh server with the engine mounted. */
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
