import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const headers = { 'x-vault-token': 'root', 'content-type': 'application/json' }

async function started() {
  const understudy = await createUnderstudy({
    dialect: 'vendor',
    seed: 'long',
    apiPorts: { scheduler: 0 },
  })
  onTestFinished(() => understudy.close())
  const [busy, other] = [
    understudy.createWorld({ id: 'busy' }),
    understudy.createWorld({ id: 'other' }),
  ]
  const send = (world: typeof busy, method: 'GET' | 'POST', path: string, payload?: object) =>
    world.inject({ method, url: `/v1/${path}`, headers, ...(payload && { payload }) })
  await send(busy, 'POST', 'sys/mounts/transit', { type: 'transit' })
  return { busy, other, send, understudy }
}

describe('behaviour/program#bounds: a long request does not hold up other worlds', () => {
  test('an RSA key of 4,096 bits; requests of the same world wait in order', async () => {
    const { busy, other, send } = await started()
    const order: string[] = []
    const made = send(busy, 'POST', 'transit/keys/k', { type: 'rsa-4096' }).then((reply) => {
      order.push(`made ${reply.statusCode}`)
    })
    await send(other, 'GET', 'sys/health')
    await nextTurn()
    const read = send(busy, 'GET', 'transit/keys/k').then((reply) => {
      order.push(`read ${reply.statusCode}`)
    })
    for (let at = 0; at < 5; at += 1) {
      const reply = await send(other, 'GET', 'sys/health')
      order.push(`other ${reply.statusCode}`)
    }
    await Promise.all([made, read])
    expect(order).toEqual([...Array(5).fill('other 200'), 'made 200', 'read 200'])
  }, 60_000)

  test('a batch of 300 signatures does not delay requests of another world', async () => {
    const { busy, other, send } = await started()
    await send(busy, 'POST', 'transit/keys/k', { type: 'rsa-2048' })
    const batch_input = Array(300).fill({ input: 'aGFsbG8=' })
    let isDone = false
    const signed = send(busy, 'POST', 'transit/sign/k', { batch_input }).then((reply) => {
      isDone = true
      return reply
    })
    let served = 0
    for (; !isDone; served += 1) {
      await send(other, 'GET', 'sys/health')
      await nextTurn()
    }
    const results: readonly object[] = (await signed).json().data.batch_results
    expect(results.filter((result) => 'signature' in result)).toHaveLength(300)
    expect(served).toBeGreaterThan(3)
  }, 60_000)

  test('an export grows in proportion to the number of task groups, and loads as it was', async () => {
    const { busy, send, understudy } = await started()
    await understudy.listen()
    const sizeWith = async (count: number) => {
      const config = { command: 'x'.repeat(500) }
      const task = {
        Name: 't',
        Driver: 'exec',
        Config: config,
        Resources: { CPU: 1, MemoryMB: 10 },
      }
      const TaskGroups = Array.from({ length: count }, (_, at) => ({
        Name: `g${at}`,
        Tasks: [task],
      }))
      const Job = { ID: 'j', Name: 'j', Datacenters: ['dc1'], TaskGroups }
      expect((await send(busy, 'POST', 'jobs', { Job })).statusCode).toBe(200)
      busy.clock.advance('30s')
      const exported = JSON.stringify(busy.state())
      const { allocations = {} } = busy.state().scheduler?.tables ?? {}
      expect(Object.keys(allocations)).toHaveLength(count)
      busy.importState(JSON.parse(exported))
      expect(JSON.stringify(busy.state())).toBe(exported)
      const [id] = Object.keys(allocations)
      const read = await fetch(`${busy.apiUrl('scheduler')}/v1/allocation/${id}`)
      expect((await read.json()).Job.TaskGroups).toHaveLength(count)
      busy.reset()
      return JSON.stringify(allocations).length
    }
    const small = await sizeWith(5)
    expect((await sizeWith(40)) / small).toBeLessThan(10)
  })
})
