import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const where = 'behaviour/program#clock, issue 17'

const job = {
  ID: 'often',
  Name: 'often',
  Type: 'batch',
  Datacenters: ['*'],
  Periodic: { Enabled: true, Spec: '* * * * *', SpecType: 'cron', ProhibitOverlap: true },
  TaskGroups: [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'mock_driver' }] }],
}

async function started() {
  const understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z' })
  onTestFinished(() => understudy.close())
  const ask = async (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) => {
    const reply = await understudy.inject({
      method,
      url,
      ...(payload === undefined ? {} : { payload }),
    })
    return { status: reply.statusCode, body: JSON.parse(reply.body || '{}') }
  }
  expect((await ask('POST', '/v1/jobs', { Job: job })).status).toBe(200)
  return { running: understudy, ask }
}

describe(`${where}: jumps over HTTP`, () => {
  // choice/process#clock-jump
  test('stop at the limit and say so', async () => {
    const { ask } = await started()
    const { body } = await ask('POST', '/_mock/clock/advance', { by: '24h', limit: 100 })
    expect(body).toMatchObject({ more: true })
    expect(body.fired).toHaveLength(100)
    const { body: rest } = await ask('POST', '/_mock/clock/advance', { by: '1m' })
    expect(rest).not.toHaveProperty('more')
  })

  test('of a clock that is set end with a reset', async () => {
    const { running: understudy, ask } = await started()
    const at = '2036-01-01T00:00:00Z'
    const pending = ask('PUT', '/_mock/clock', { mode: 'frozen', at })
    const { clock } = understudy.world()
    while (clock.view().now < '2026-01-01T00:01') await new Promise((turn) => setImmediate(turn))
    await ask('POST', '/_mock/reset')
    expect((await pending).body).toMatchObject({ mode: 'frozen', more: true })
    const { body } = await ask('PUT', '/_mock/clock', { mode: 'frozen', at })
    expect(body).toMatchObject({ now: at })
    expect(body).not.toHaveProperty('more')
  })

  // choice/process#clock-jump
  test('other worlds are answered during a jump, and a client that disconnects ends it', async () => {
    const { running: understudy, ask } = await started()
    await ask('POST', '/_mock/worlds', { id: 'other' })
    const url = await understudy.listen()
    const longAdvance = JSON.stringify({ by: '2000000h', limit: 1_000_000 })
    const pending = request(`${url}/_mock/clock/advance`, { method: 'POST' })
    pending.on('error', () => {})
    pending.setHeader('content-type', 'application/json')
    pending.end(longAdvance)
    const timeOf = async (world: string) =>
      ((await (await fetch(`${url}${world}/_mock/clock`)).json()) as { now: string }).now
    let now = ''
    while (now < '2026-01-01T01') now = await timeOf('')
    expect(await timeOf('/_world/other')).toBe('2026-01-01T00:00:00Z')
    pending.destroy()
    // Jumps wait for each other, so this reply proves that the other jump has ended.
    const { body } = await ask('POST', '/_mock/clock/advance', { by: 0 })
    expect(body.now < '2026-04').toBe(true)
  })
})
