import { describe, expect, test } from 'vitest'
import { drainEventLoop } from '../../support/blocked-reads.ts'
import { servedSecrets } from '../../support/secrets/secrets.ts'
import { error, statusAndBody } from './replies.ts'

/** Starts a server and collects the lines that `sys/monitor` sends until the world ends. */
async function monitored(query: string) {
  const { app, secrets, world } = await servedSecrets()
  const headers = { 'x-secrets-token': 'root' }
  const following = app.inject({ url: `/v1/sys/monitor${query}`, headers })
  await drainEventLoop()
  const lines = async () => {
    world.close()
    const { statusCode, body } = await following
    expect(statusCode).toBe(200)
    return body.split('\n').slice(0, -1)
  }
  return { secrets, lines }
}

const masked = (line: string) => line.replace(/duration=[\d.]+ms/, 'duration=_')

describe('behaviour/secrets#operations-of-the-node: sys/monitor', () => {
  // choice/secrets#monitor-lines
  test('sends refused requests, and from debug on all requests', async () => {
    const { secrets, lines } = await monitored('?log_level=DEBUG')
    await secrets.get('secret/data/a')
    await secrets.get('sys/health', { token: null })
    const head = '2026-01-01T00:00:00.000Z'
    const line = (level: string, status: number, path: string) =>
      `${head} ${level} core: completed_request: duration=_ status_code=${status} request_path=/v1/${path} request_method=GET`
    expect((await lines()).map(masked)).toEqual([
      line('[DEBUG]', 200, 'sys/monitor'),
      line('[INFO] ', 404, 'secret/data/a'),
      line('[DEBUG]', 200, 'sys/health'),
    ])
    const informed = await monitored('')
    await informed.secrets.get('secret/data/a')
    await informed.secrets.get('sys/health', { token: null })
    expect((await informed.lines()).map(masked)).toEqual([line('[INFO] ', 404, 'secret/data/a')])
  })

  // choice/secrets#monitor-seal
  test('ends when the node is sealed', async () => {
    const { app, secrets } = await servedSecrets()
    const headers = { 'x-secrets-token': 'root' }
    const following = app.inject({ url: '/v1/sys/monitor?log_level=info', headers })
    await drainEventLoop()
    await secrets.get('secret/data/a')
    await secrets.put('sys/seal')
    expect((await following).body.split('\n').map(masked)).toEqual([
      expect.stringContaining('status_code=404'),
      'core received sealed state change, ending monitor session',
    ])
  })

  test.each(['json', 'JSON'])('sends objects with log_format=%s', async (format) => {
    const { secrets, lines } = await monitored(`?log_format=${format}`)
    await secrets.get('secret/data/a')
    expect((await lines()).map((line) => JSON.parse(line))).toEqual([
      {
        '@level': 'info',
        '@message': 'completed_request',
        '@module': 'core',
        '@timestamp': '2026-01-01T00:00:00.000000Z',
        duration: expect.stringMatching(/^[\d.]+ms$/),
        status_code: 404,
        request_path: '/v1/secret/data/a',
        request_method: 'GET',
      },
    ])
  })

  test('sends nothing at the level off', async () => {
    const silent = await monitored('?log_level=off')
    await silent.secrets.get('secret/data/a')
    expect(await silent.lines()).toEqual([])
  })

  test.each([
    [{ log_level: 'haha' }, 'unknown log level'],
    [{ log_format: 'haha' }, 'unknown log format'],
    [{ log_format: '' }, 'unknown log format'],
  ])('%j is 400', async (query, text) => {
    const { secrets } = await servedSecrets()
    expect(statusAndBody(await secrets.get('sys/monitor', { query }))).toEqual(error(400, text))
  })
})
