import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { secretsApi } from '../../../routes/secrets/index.ts'
import { buildApp } from '../../../src/server/app.ts'
import { logOptions } from '../../../src/server/log.ts'
import { Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { secretsService } from '../../../state/secrets/service.ts'
import { envelope, error, statusAndBody } from '../../routes/secrets/replies.ts'
import { SecretsClient } from '../../support/secrets/secrets.ts'

afterEach(() => void vi.restoreAllMocks())

/** Returns an app as the command builds it, with its log lines. */
async function logged() {
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const worlds = new Worlds({ services: [secretsService], seed: 'test' })
  const log = await logOptions({ logLevel: 'info', logFormat: 'json' }, stream)
  const app = buildApp({ worlds, apis: [secretsApi({ dialect: 'neutral' })], log })
  await app.ready()
  onTestFinished(async () => {
    worlds.close()
    await app.close()
  })
  const entries = () => lines.map((line) => JSON.parse(line))
  return { secrets: new SecretsClient(app), world: worlds.default, entries }
}

const internal = error(500, 'internal error')

describe('behaviour/secrets#api-errors: 500 for unexpected errors', () => {
  // choice/secrets#unexpected-exceptions
  test('the shape of the API outside, the cause and the request in the log', async () => {
    const { secrets, world, entries } = await logged()
    await secrets.post('kv/a', { n: 1 })
    const boom = new Error('a fault of ours')
    vi.spyOn(world, 'table').mockImplementationOnce(() => {
      throw boom
    })

    const reply = await secrets.get('kv/a')
    expect(statusAndBody(reply)).toEqual(internal)
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
    })
    expect(entries()).toEqual([
      expect.objectContaining({
        level: 50,
        reqId: expect.stringMatching(/^req-/),
        msg: 'unexpected exception',
        err: expect.objectContaining({ type: 'Error', message: boom.message, stack: boom.stack }),
      }),
    ])

    expect(statusAndBody(await secrets.get('kv/a'))).toEqual({
      status: 200,
      body: envelope({ data: { n: 1 }, lease_duration: 2_764_800 }),
    })
  })

  test('earlier writes of the request are rolled back', async () => {
    const { secrets, world } = await logged()
    const accessors = async () => (await secrets.list('auth/token/accessors')).body.data.keys
    const before = await accessors()
    vi.spyOn(world.agenda, 'schedule').mockImplementationOnce(() => {
      throw new TypeError('after the rows were put')
    })
    expect(statusAndBody(await secrets.post('auth/token/create', { ttl: '1h' }))).toEqual(internal)
    expect(await accessors()).toEqual(before)

    expect((await secrets.post('auth/token/create', { ttl: '1h' })).status).toBe(200)
    expect(await accessors()).toHaveLength(before.length + 1)
  })

  test('an exception while the reply is rendered, and a thrown value other than an Error, are 500', async () => {
    const { secrets, world, entries } = await logged()
    const uuid = vi.spyOn(world.ids, 'uuid')
    uuid.mockImplementationOnce(() => {
      throw new RangeError('no ids left')
    })
    expect(statusAndBody(await secrets.get('sys/mounts'))).toEqual(internal)
    uuid.mockImplementationOnce(() => {
      throw 'a text'
    })
    expect(statusAndBody(await secrets.get('sys/mounts'))).toEqual(internal)
    expect(entries().map(({ msg }) => msg)).toEqual([
      'unexpected exception',
      'unexpected exception',
    ])
    expect((await secrets.get('sys/mounts')).status).toBe(200)
  })
})
