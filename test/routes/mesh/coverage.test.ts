import { describe, expect, test } from 'vitest'
import { meshCoverage } from '../../../routes/mesh/coverage.ts'
import { meshOperations } from '../../../routes/mesh/operations.ts'
import { mesh } from '../../support/mesh/mesh.ts'

describe('coverage of the mesh API (behaviour/program#control-plane)', () => {
  const { operations } = meshCoverage()

  test('claims the operations of behaviour/mesh#api-namespaces and no others', () => {
    const named = operations.filter(({ evidence }) => evidence === 'spec')
    expect(named.map(({ verb, path }) => `${verb} ${path}`)).toEqual([
      'PUT /v1/namespace',
      'GET /v1/namespace/:name',
      'PUT /v1/namespace/:name',
      'DELETE /v1/namespace/:name',
      'GET /v1/namespaces',
    ])
    expect(operations.filter(({ evidence }) => evidence === 'extension')).toEqual([])
  })

  test('lists every operation once', () => {
    const served = operations.map(({ verb, path }) => `${verb} ${path}`)
    expect(new Set(served).size).toBe(served.length)
    const ids = meshOperations.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('every operation answers at its path, and OPTIONS names its method', async () => {
    const { mesh: client } = await mesh({ options: { aclEnabled: true } })
    for (const { method, path } of meshOperations) {
      const { status, headers } = await client.request('OPTIONS', `/v1${path}`)
      expect([path, status]).toEqual([path, 200])
      expect(String(headers['allow']).split(',')).toContain(method)
    }
  })
})

describe('lifecycle of a namespace (behaviour/mesh#api-namespaces)', () => {
  test('a namespace is absent, active, marked for deletion, and then absent again', async () => {
    const { mesh: client, clock } = await mesh()
    const read = async () => {
      const { status, body } = await client.get('namespace/team-1')
      return [status, body?.Description, body?.DeletedAt]
    }
    expect(await read()).toEqual([404, undefined, undefined])
    await client.put('namespace', { Name: 'team-1', Description: 'one' })
    expect(await read()).toEqual([200, 'one', undefined])
    await client.put('namespace/team-1', { Description: 'two' })
    expect(await read()).toEqual([200, 'two', undefined])
    await client.delete('namespace/team-1')
    expect(await read()).toEqual([200, 'two', '2026-01-01T00:00:00Z'])
    clock.advance(500)
    expect(await read()).toEqual([404, undefined, undefined])
  })
})
