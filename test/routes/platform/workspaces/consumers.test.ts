import { describe, expect, test } from 'vitest'
import type { PlatformClient } from '../../../support/platform/platform.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure } from '../../../support/platform/platform-errors.ts'
import {
  giveRights,
  inProject,
  makeProject,
  makeWorkspace,
  resource,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#remote-state-consumers'

function pathOf(id: string) {
  return `workspaces/${id}/relationships/remote-state-consumers`
}

function consumers(...ids: readonly string[]) {
  return { data: ids.map((id) => ({ type: 'workspaces', id })) }
}

async function names(api: PlatformClient, id: string): Promise<string[]> {
  const { data } = (await api.get(pathOf(id))).body
  return data.map((one: { attributes: { name: string } }) => one.attributes.name)
}

/** Returns a server whose workspace `net` shares its state with named workspaces only. */
async function withNamedConsumers() {
  const server = await withWorkspace()
  const { api, id } = server
  await api.patch(`workspaces/${id}`, resource('workspaces', { 'global-remote-state': false }))
  const idOf = async (name: string) => String((await makeWorkspace(api, name)).id)
  return { ...server, a: await idOf('a'), b: await idOf('b') }
}

describe(section, () => {
  test('POST adds, DELETE removes, PATCH replaces, and nothing happens twice', async () => {
    const { api, id, a, b } = await withNamedConsumers()
    const path = pathOf(id)
    expect(await names(api, id)).toEqual([])
    for (const [method, ids, expected] of [
      ['POST', [a], ['a']],
      ['POST', [a, b, a], ['a', 'b']],
      ['DELETE', [a], ['b']],
      ['DELETE', [a], ['b']],
      ['PATCH', [a], ['a']],
      ['PATCH', [], []],
    ] as const) {
      expect((await api.request(method, path, consumers(...ids))).status).toBe(204)
      expect(await names(api, id)).toEqual(expected)
    }
  })

  test('with a flag, all others of the organization or of the project', async () => {
    const { api, id, a } = await withNamedConsumers()
    await api.post(pathOf(id), consumers(a))
    const project = await makeProject(api, 'elsewhere')
    await makeWorkspace(api, 'c', {}, inProject(project))
    const share = (flags: object) => api.patch(`workspaces/${id}`, resource('workspaces', flags))
    await share({ 'project-remote-state': true })
    expect(await names(api, id)).toEqual(['a', 'b'])
    await share({ 'global-remote-state': true })
    expect(await names(api, id)).toEqual(['a', 'b', 'c'])
    for (const method of ['POST', 'DELETE', 'PATCH']) {
      const reply = await api.request(method, pathOf(id), consumers(a))
      expect([reply.status, reply.body]).toEqual([
        422,
        failure(
          422,
          'Remote state consumers cannot be changed while global remote state is enabled',
        ),
      ])
    }
    await share({ 'global-remote-state': false })
    expect(await names(api, id)).toEqual(['a'])
  })

  test('itself is 422, unknown ones and other types are refused, and nothing changes', async () => {
    const { api, id, a } = await withNamedConsumers()
    await api.post(pathOf(id), consumers(a))
    for (const [body, status, errors] of [
      [consumers(id), 422, failure(422, 'A workspace cannot be a consumer of itself')],
      [consumers('ws-unknown'), 404, failure(404)],
      [{ data: [{ type: 'projects', id: a }] }, 422, failure(422, 'type must be workspaces')],
      [{ data: {} }, 422, failure(422, 'data must be an array')],
    ] as const) {
      const reply = await api.post(pathOf(id), body)
      expect([reply.status, reply.body]).toEqual([status, errors])
    }
    expect(await names(api, id)).toEqual(['a'])
  })

  test('a deleted workspace is no longer a consumer', async () => {
    const { api, id, a, b } = await withNamedConsumers()
    await api.post(pathOf(id), consumers(a, b))
    await api.post(`workspaces/${a}/actions/safe-delete`)
    expect(await names(api, id)).toEqual(['b'])
  })

  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404]],
    ['read-workspaces', 'member-token', ['read-workspaces'], [200, 404, 404]],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], [200, 204, 204]],
    ['the organization token', extraTokens.organization, [], [200, 204, 204]],
  ] as const)('%s: list, add, replace', async (_who, token, rights, statuses) => {
    const { api, as, id, a } = await withNamedConsumers()
    await giveRights(api, ...rights)
    const client = as(token)
    expect([
      (await client.get(pathOf(id))).status,
      (await client.post(pathOf(id), consumers(a))).status,
      (await client.patch(pathOf(id), consumers(a))).status,
    ]).toEqual(statuses)
  })
})
