import { describe, expect, test } from 'vitest'
import { servedSecrets } from '../../../support/secrets/secrets.ts'

describe('moving mounts, as the reference server does it', () => {
  // choice/secrets#remount-at-once
  test('the mount answers at its new path, and the move can be looked up', async () => {
    const { secrets } = await servedSecrets()
    await secrets.post('secret/data/a', { data: { x: 1 } })
    const moved = await secrets.post('sys/remount', { from: 'secret', to: 'moved' })
    const migration_id = moved.body.migration_id
    expect([moved.status, moved.body]).toEqual([
      200,
      {
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        lease_id: '',
        renewable: false,
        lease_duration: 0,
        data: { migration_id },
        wrap_info: null,
        warnings: [
          "Mount move has been queued. Progress will be reported in Service's server log, tagged with the returned migration_id",
        ],
        auth: null,
        migration_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    ])
    expect((await secrets.get('moved/data/a')).body.data.data).toEqual({ x: 1 })
    expect((await secrets.get('secret/data/a')).status).toBe(404)
    const status = await secrets.get(`sys/remount/status/${migration_id}`)
    expect([status.status, status.body.data]).toEqual([
      200,
      {
        migration_id,
        migration_info: { source_mount: 'secret/', target_mount: 'moved/', status: 'success' },
      },
    ])
  })

  test('behaviour/program#http: moving to a path of another API warns', async () => {
    const { secrets } = await servedSecrets()
    const moved = await secrets.post('sys/remount', { from: 'secret', to: 'jobs' })
    expect(moved.body.warnings[1]).toBe(
      'The path "jobs/" belongs to another API on the shared port. This mount answers on a dedicated secrets port only.',
    )
  })

  test('mistakes are refused at once', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.post('sys/remount', { from: 'secret', to: 'kv' })
    expect([reply.status, reply.body]).toEqual([400, { errors: ['path already in use at "kv/"'] }])
  })

  test('the status of an unknown move is 404 without a message', async () => {
    const { secrets } = await servedSecrets()
    const reply = await secrets.get('sys/remount/status/nope')
    expect([reply.status, reply.body]).toEqual([404, { errors: [] }])
  })
})
