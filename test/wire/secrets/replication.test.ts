import { expect, test } from 'vitest'
import { bytesOf, Connection } from '../../bench/connection.ts'
import { start } from '../../support/command.ts'
import { waitUntil } from '../../support/secrets/replication.ts'

/** Number of replicated secrets. */
const count = 10_000

/** Number of concurrent requests and connections. */
const width = 16

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly body: any
}

async function ask(
  origin: string,
  path: string,
  body?: object,
  token: string | null = 'root',
): Promise<Answer> {
  const reply = await fetch(`${origin}/v1/${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: token === null ? {} : { 'x-secrets-token': token },
  })
  const text = await reply.text()
  return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) }
}

/**
 * Writes every second secret below `count`, beginning with `first`, over few connections. A refused
 * write fails the test.
 */
async function writeHalf(origin: string, token: string, first: number): Promise<void> {
  let next = first
  const headers = { 'x-secrets-token': token }
  const writeFrom = async () => {
    await new Promise<void>((resolve, reject) => {
      Connection.open(origin, reject).then((connection) => {
        const writeNext = () => {
          const n = next
          next += 2
          if (n >= count) {
            connection.close()
            resolve()
            return
          }
          const path = `/v1/secret/data/app/${n}`
          const body = JSON.stringify({ data: { n } })
          connection.send(bytesOf({ method: 'POST', path, headers, body }), writeNext)
        }
        writeNext()
      }, reject)
    })
  }
  await Promise.all(Array.from({ length: width }, writeFrom))
}

/** Reads all secrets and checks their data. */
async function expectAll(origin: string, token: string): Promise<void> {
  let next = 0
  const readNext = async () => {
    for (let n = next++; n < count; n = next++) {
      const { body } = await ask(origin, `secret/data/app/${n}`, undefined, token)
      if (body.data.data.n !== n) expect(body.data.data).toEqual({ n })
    }
  }
  await Promise.all(Array.from({ length: width }, readNext))
}

/** Decodes an operation token with the one-time password, as clients do. */
function decode(encoded: string, otp: string): string {
  const bytes = Buffer.from(encoded, 'base64')
  return Buffer.from(bytes.map((byte, at) => byte ^ otp.charCodeAt(at))).toString()
}

const dr = 'sys/replication/dr'

test('two commands replicate 10,000 secrets, the primary is killed, and the secondary takes over', {
  timeout: 120_000,
}, async () => {
  const east = await start(['--port=0', '--root-token=east-root'])
  const west = await start(['--port=0', '--root-token=west-root'])
  const [primary, secondary] = [east.origins.secrets, west.origins.secrets]
  const onPrimary = (path: string, body?: object) => ask(primary, path, body, 'east-root')

  // The secondary receives half of the secrets in the snapshot, and half in the stream.
  await writeHalf(primary, 'east-root', 0)
  const { keys, threshold } = await shares(east.origins.control)
  await onPrimary(`${dr}/primary/enable`, {})
  const { body: issued } = await onPrimary(`${dr}/primary/secondary-token`, { id: 'west' })
  const token = issued.wrap_info.token
  const joined = await ask(secondary, `${dr}/secondary/enable`, { token }, 'west-root')
  expect(joined.status).toBe(200)
  await writeHalf(primary, 'east-root', 1)
  const dataOf = async (origin: string) => (await ask(origin, `${dr}/status`)).body.data
  await waitUntil(async () => {
    const [primaryData, secondaryData] = [await dataOf(primary), await dataOf(secondary)]
    return (
      secondaryData.state === 'stream-wals' &&
      secondaryData.last_remote_wal === primaryData.last_wal
    )
  })
  expect((await dataOf(secondary)).merkle_root).toBe((await dataOf(primary)).merkle_root)

  await east.stop('SIGKILL')
  await waitUntil(async () => {
    const [link] = (await dataOf(secondary)).primaries
    return link.connection_status === 'disconnected'
  })

  // Generating the operation token needs the primary's shares, but no client token.
  const attempt = `${dr}/secondary/generate-operation-token`
  const { body: begun } = await ask(secondary, `${attempt}/attempt`, {}, null)
  let encoded = ''
  for (const key of keys.slice(0, threshold)) {
    const { body } = await ask(secondary, `${attempt}/update`, { key, nonce: begun.nonce }, null)
    encoded = body.encoded_token
  }
  const dr_operation_token = decode(encoded, begun.otp)
  const promoted = await ask(secondary, `${dr}/secondary/promote`, { dr_operation_token }, null)
  expect(promoted).toMatchObject({
    status: 200,
    body: { progress: 0, required: 1, complete: false },
  })

  expect(await dataOf(secondary)).toMatchObject({ mode: 'primary', known_secondaries: [] })
  await expectAll(secondary, 'east-root')
  const written = await ask(secondary, 'secret/data/app/new', { data: {} }, 'east-root')
  expect(written.status).toBe(200)
  const old = await ask(secondary, 'secret/data/app/new', undefined, 'west-root')
  expect(old.status).toBe(403)
  expect((await west.stop('SIGTERM')).code).toBe(0)
})

/** Returns the unseal key shares of a server from its control plane. */
async function shares(control: string): Promise<{ keys: string[]; threshold: number }> {
  const info = await (await fetch(`${control}/_mock/info`)).json()
  const { unsealKeys, threshold } = info.services.secrets
  return { keys: unsealKeys, threshold }
}
