import Consul from 'consul'
import { describe, expect, test } from 'vitest'
import { start } from '../../support/command.ts'

/**
 * Starts a server in the vendor dialect with ACLs, and returns a client with a management token.
 */
async function connect() {
  const { origins } = await start(['--port=0', '--mesh-port=0', '--dialect=vendor', '--acl'])
  const { hostname: host, port } = new URL(origins.mesh)
  const as = (token: string) => new Consul({ host, port: Number(port), defaults: { token } })
  return { as, client: as('mesh-management-token') }
}

describe('npm package consul, which knows the key-value store', () => {
  test('write, read, list, delete', async () => {
    const { client } = await connect()
    expect(await client.kv.set({ key: 'app/a', value: '1', flags: 42 })).toBe(true)
    expect(await client.kv.get('app/a')).toMatchObject({ Key: 'app/a', Value: '1', Flags: 42 })
    expect(await client.kv.get('app/none')).toBeUndefined()
    await client.kv.set('app/b/c', '2')
    expect(await client.kv.keys({ key: 'app/', separator: '/' })).toEqual(['app/a', 'app/b/'])
    expect(await client.kv.get({ key: 'app/', recurse: true })).toHaveLength(2)
    expect(await client.kv.del({ key: 'app/', recurse: true })).toBe(true)
    expect(await client.kv.get('app/a')).toBeUndefined()
  })

  test('check-and-set', async () => {
    const { client } = await connect()
    const set = (value: string, cas: number) => client.kv.set({ key: 'a', value, cas })
    expect(await set('1', 0)).toBe(true)
    // The client returns undefined where the server returns `false`.
    expect(await set('2', 0)).toBeUndefined()
    expect(await client.kv.get('a')).toMatchObject({ Value: '1' })
    const now = await client.kv.get('a')
    expect(await set('3', now?.ModifyIndex ?? 0)).toBe(true)
  })

  test('a watch is woken by a write', async () => {
    const { client } = await connect()
    await client.kv.set('a', '1')
    const watch = client.watch({ method: client.kv.get, options: { key: 'a', wait: '1m' } })
    const values: unknown[] = []
    const seen = new Promise<void>((resolve, reject) => {
      watch.on('error', reject)
      watch.on('change', (pair: { Value: string }) => {
        values.push(pair.Value)
        if (pair.Value === '2') resolve()
        else void client.kv.set('a', '2').catch(reject)
      })
    })
    await seen
    watch.end()
    expect(values).toEqual(['1', '2'])
  })

  test('an unknown token is refused', async () => {
    const { as } = await connect()
    await expect(as('unknown').kv.get('a')).rejects.toMatchObject({ statusCode: 403 })
  })
})
