import Consul from 'consul'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'

describe('npm package consul, which registers and finds services', () => {
  let understudy: Understudy
  let client: Consul

  beforeAll(async () => {
    understudy = await createUnderstudy({ dialect: 'vendor', acl: true, apiPorts: { mesh: 0 } })
    await understudy.listen()
    const { hostname: host, port } = new URL(understudy.world().env()['CONSUL_HTTP_ADDR'] ?? '')
    const defaults = { token: 'mesh-management-token' }
    client = new Consul({ host, port: Number(port), defaults })
    for (const id of ['w1', 'w2']) {
      const check = { name: 'alive', ttl: '1h', timeout: '1s', status: 'passing' }
      await client.agent.service.register({ name: 'web', id, port: 80, tags: ['a'], check })
    }
  })

  afterAll(() => understudy.close())

  test('the package registers services and checks, and sets maintenance', async () => {
    expect(await client.agent.service.list()).toMatchObject({ w1: { Service: 'web', Port: 80 } })
    expect(await client.catalog.service.list()).toMatchObject({ web: ['a'] })
    expect(await client.catalog.service.nodes('web')).toHaveLength(2)
    await client.agent.check.warn('service:w1')
    expect(await client.health.service({ service: 'web', passing: true })).toHaveLength(1)
    await client.agent.check.pass('service:w1')
    await client.agent.service.maintenance({ id: 'w1', enable: true, reason: 'upgrade' })
    expect(await client.health.state('critical')).toMatchObject([{ Notes: 'upgrade' }])
    await client.agent.service.maintenance({ id: 'w1', enable: false })
    expect(await client.agent.check.list()).toMatchObject({ 'service:w1': { Status: 'passing' } })
  })

  test('a watch is woken when a check fails', async () => {
    const { service: method } = client.health
    const watch = client.watch({ method, options: { service: 'web', passing: 'true', wait: '1m' } })
    const numbers: number[] = []
    await new Promise<void>((resolve, reject) => {
      watch.on('error', reject)
      watch.on('change', (instances: unknown[]) => {
        numbers.push(instances.length)
        if (instances.length < 2) resolve()
        else void client.agent.check.fail('service:w2').catch(reject)
      })
    })
    watch.end()
    expect(numbers).toEqual([2, 1])
    await client.agent.check.pass('service:w2')
  })

  test('a session ends with its check, and its lock with it', async () => {
    const checks = ['serfHealth', 'service:w1']
    const { ID: session } = await client.session.create({ checks, lockdelay: '1ms' })
    expect(await client.kv.set({ key: 'leader', value: 'w1', acquire: session })).toBe(true)
    expect(await client.session.list()).toHaveLength(1)
    await client.agent.check.fail('service:w1')
    expect(await client.kv.get('leader')).not.toHaveProperty('Session')
    expect(await client.session.list()).toEqual([])
    await client.agent.check.pass('service:w1')
  })

  test('prepared queries and events', async () => {
    const query = { name: 'all', service: { service: 'web', onlypassing: true } }
    await client.query.create(query)
    expect((await client.query.execute('all')).Nodes).toHaveLength(2)
    const event = await client.event.fire('deploy', 'v2')
    expect(await client.event.list('deploy')).toMatchObject([{ ID: event.ID, Payload: 'v2' }])
  })
})
