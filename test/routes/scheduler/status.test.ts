import { describe, expect, test } from 'vitest'
import { scheduler } from '../../support/scheduler.ts'
import { failureOf } from './support.ts'

describe('what the cluster tells about itself (3b-scheduler-decisions.md section 10)', () => {
  test.each([
    ['status/leader', '"127.0.0.1:4647"'],
    ['status/peers', '["127.0.0.1:4647"]'],
    ['regions', '["global"]'],
    ['agent/health', '{"client":{"ok":true,"message":"ok"},"server":{"ok":true,"message":"ok"}}'],
  ])('%s', async (path, text) => {
    const { scheduler: client } = await scheduler()
    const reply = await client.get(path)
    expect([reply.status, reply.text, reply.headers['content-type']]).toEqual([
      200,
      text,
      'application/json',
    ])
    const pretty = await client.get(`${path}?pretty`)
    expect(pretty.text).toBe(`${JSON.stringify(JSON.parse(text), null, 4)}\n`)
    expect(await failureOf(client.post(path))).toEqual([405, 'Invalid method'])
    if (path.startsWith('status')) {
      const elsewhere = client.get(`${path}?region=mars`)
      expect(await failureOf(elsewhere)).toEqual([500, 'No path to region'])
    }
    expect((await client.get(`${path}?region=global`)).status).toBe(200)
  })

  test('the region is an option', async () => {
    const { scheduler: client } = await scheduler({ options: { region: 'mars' } })
    expect((await client.get('regions')).body).toEqual(['mars'])
    expect((await client.get('nodes?region=mars')).status).toBe(200)
    expect(await failureOf(client.get('nodes?region=global'))).toEqual([500, 'No path to region'])
  })

  test('on a shared port there is nothing of it', async () => {
    const { scheduler: client } = await scheduler({ dedicated: false })
    for (const path of ['status/leader', 'regions', 'nodes', 'allocations', 'acl/tokens']) {
      expect((await client.get(path)).status).toBe(404)
    }
    expect((await client.get('jobs')).status).toBe(200)
  })
})
