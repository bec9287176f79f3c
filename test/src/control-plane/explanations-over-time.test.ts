import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const asRoot = { 'x-vault-token': 'root' }

async function startedWorld() {
  const understudy = await createUnderstudy({ dialect: 'vendor', seed: 'test' })
  onTestFinished(() => understudy.close())
  const world = understudy.world()
  const send = (method: string, url: string, payload?: object, token = 'root') =>
    world.inject({ method, url, headers: { 'x-vault-token': token }, ...(payload && { payload }) })
  return { world, send }
}

describe('behaviour/program#explanations: an explanation says why at the time', () => {
  test('the explanation of a refused write has the policies of that time, whatever has changed since', async () => {
    const { world, send } = await startedWorld()
    const policy = (rules: string) => send('PUT', '/v1/sys/policies/acl/app', { policy: rules })
    await policy('path "secret/data/app" { capabilities = ["read"] }')
    await send('POST', '/v1/auth/token/create', { id: 'app', policies: ['app'] })
    const refused = await send('POST', '/v1/secret/data/app', { data: {} }, 'app')
    const id = String(refused.headers['x-mock-request'])
    expect(refused.statusCode).toBe(403)
    const before = world.explain(id)
    expect(before.because).toContain('app')
    await policy('path "*" { capabilities = ["create", "update", "read", "sudo"] }')
    await send('POST', '/v1/auth/token/revoke', { token: 'app' })
    for (let count = 0; count < 100; count += 1) await send('GET', '/v1/sys/health')
    world.clock.advance('1000h')
    expect(world.explain(id)).toEqual(before)
  })

  test('of an unmatched request it names the operations that there were', async () => {
    const { world, send } = await startedWorld()
    const missing = await send('GET', '/v1/team/data/app')
    const id = String(missing.headers['x-mock-request'])
    const before = world.explain(id)
    await send('POST', '/v1/sys/mounts/team', { type: 'kv', options: { version: '2' } })
    expect((await send('GET', '/v1/team/metadata/?list=true')).statusCode).toBe(404)
    expect(world.explain(id)).toEqual(before)
  })

  test('after a reset, the requests that are still known keep theirs', async () => {
    const { world } = await startedWorld()
    await world.inject({ url: '/v1/secret/data/app', headers: asRoot })
    await world.inject({ url: '/v1/secret/data/app', headers: { 'x-vault-token': 'none' } })
    const before = world.explain('r2')
    world.reset(['state'])
    expect(world.explain('r2')).toEqual(before)
  })
})
