import { expect, test } from 'vitest'
import { start } from '../../support/command.ts'
import { until } from '../../support/secrets/replication.ts'

/** Number of replicated secrets. */
const count = 10_000

/** Number of concurrent requests. */
const width = 64

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

/** Calls a function with each number below `count`, with several calls in parallel. */
async function forAll(work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let n = next++; n < count; n = next++) await work(n)
  }
  await Promise.all(Array.from({ length: width }, worker))
}

/** Decodes an operation token with the one-time password, as clients do. */
function decode(encoded: string, otp: string): string {
  const bytes = Buffer.from(encoded, 'base64')
  return Buffer.from(bytes.map((byte, at) => byte ^ otp.charCodeAt(at))).toString()
}

const dr = 'sys/replication/dr'

test('issue 3, Done when: two commands replicate 10,000 secrets, the primary is killed, the secondary takes over', {
  timeout: 120_000,
}, async () => {
  const east = await start(['--port=0', '--root-token=east-root'])
  const west = await start(['--port=0', '--root-token=west-root'])
  const [primary, secondary] = [east.origins.secrets, west.origins.secrets]
  const onPrimary = (path: string, body?: object) => ask(primary, path, body, 'east-root')

  // The secondary receives half of the secrets in the snapshot, and half in the stream.
  const write = async (n: number) => {
    const { status } = await onPrimary(`secret/data/app/${n}`, { data: { n } })
    expect(status).toBe(200)
  }
  await forAll(async (n) => (n % 2 === 0 ? write(n) : undefined))
  const { keys, threshold } = await shares(east.origins.control)
  await onPrimary(`${dr}/primary/enable`, {})
  const { body: issued } = await onPrimary(`${dr}/primary/secondary-token`, { id: 'west' })
  const token = issued.wrap_info.token
  const joined = await ask(secondary, `${dr}/secondary/enable`, { token }, 'west-root')
  expect(joined.status).toBe(200)
  await forAll(async (n) => (n % 2 === 1 ? write(n) : undefined))
  const dataOf = async (origin: string) => (await ask(origin, `${dr}/status`)).body.data
  await until(async () => {
    const [primaryData, secondaryData] = [await dataOf(primary), await dataOf(secondary)]
    return (
      secondaryData.state === 'stream-wals' &&
      secondaryData.last_remote_wal === primaryData.last_wal
    )
  })
  expect((await dataOf(secondary)).merkle_root).toBe((await dataOf(primary)).merkle_root)

  await east.stop('SIGKILL')
  await until(async () => {
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
  await forAll(async (n) => {
    const { body } = await ask(secondary, `secret/data/app/${n}`, undefined, 'east-root')
    expect(body.data.data).toEqual({ n })
  })
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
