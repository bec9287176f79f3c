import { describe, expect, test } from 'vitest'
import { type PlatformClient, platform } from '../../../support/platform/platform.ts'
import {
  inProject,
  makeProject,
  makeWorkspace,
  workspaceList,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#workspace-list'

function tagged(...pairs: readonly (readonly [key: string, value: string])[]) {
  const data = pairs.map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } }))
  return { 'tag-bindings': { data } }
}

async function names(api: PlatformClient, query: Record<string, string>): Promise<string[]> {
  const { status, body } = await api.get(workspaceList, { query })
  expect(status).toBe(200)
  return body.data.map((one: { attributes: { name: string } }) => one.attributes.name)
}

describe(section, () => {
  // choice/platform#workspace-tag-filter
  test('filter[tagged] compares keys and values of own and inherited tags, all of which must hold', async () => {
    const { platform: api } = await platform()
    const project = await makeProject(api, 'tagged')
    const tag = { type: 'tag-bindings', attributes: { key: 'team', value: 'blue' } }
    await api.patch(`projects/${project}/tag-bindings`, { data: [tag] })
    await makeWorkspace(api, 'inherits', {}, inProject(project))
    await makeWorkspace(api, 'own', {}, tagged(['team', 'blue'], ['env', 'prod']))
    await makeWorkspace(api, 'other', {}, tagged(['team', 'red'], ['flat', '']))
    const key = 'filter[tagged][0][key]'
    const value = 'filter[tagged][0][value]'
    expect(await names(api, { [key]: 'team' })).toEqual(['inherits', 'other', 'own'])
    expect(await names(api, { [key]: 'team', [value]: 'blue' })).toEqual(['inherits', 'own'])
    expect(await names(api, { [key]: 'flat', [value]: '' })).toEqual(['other'])
    expect(await names(api, { [value]: 'prod' })).toEqual(['own'])
    const both = { [key]: 'team', 'filter[tagged][1][key]': 'env' }
    expect(await names(api, both)).toEqual(['own'])
    expect(await names(api, { ...both, 'filter[tagged][1][value]': 'test' })).toEqual([])
    expect(await names(api, { 'filter[tagged][x][key]': 'none' })).toHaveLength(3)
  })

  test('searches of tags compare the keys of own tags, those with values as well', async () => {
    const { platform: api } = await platform()
    await makeWorkspace(api, 'one', {}, tagged(['team', 'blue'], ['app', '']))
    await makeWorkspace(api, 'two', {}, tagged(['team', 'red']))
    await makeWorkspace(api, 'three')
    expect(await names(api, { 'search[tags]': 'team' })).toEqual(['one', 'two'])
    expect(await names(api, { 'search[tags]': 'team,app' })).toEqual(['one'])
    for (const parameter of ['search[exclude-tags]', 'search[exclude_tags]']) {
      expect(await names(api, { [parameter]: 'app' })).toEqual(['three', 'two'])
      expect(await names(api, { [parameter]: 'app,team' })).toEqual(['three'])
    }
  })

  test('sort by name, by changes and by runs; an unknown order counts as name', async () => {
    const { platform: api, clock } = await platform()
    for (const name of ['b', 'c', 'a']) {
      await makeWorkspace(api, name)
      clock.advance(1000)
    }
    expect(await names(api, { sort: 'latest-change-at' })).toEqual(['b', 'c', 'a'])
    expect(await names(api, { sort: '-latest-change-at' })).toEqual(['a', 'c', 'b'])
    for (const sort of ['', 'name', 'zz', 'current-run.created-at', '-current-run.created-at']) {
      expect(await names(api, { sort })).toEqual(['a', 'b', 'c'])
    }
    expect(await names(api, { sort: '-name' })).toEqual(['c', 'b', 'a'])
  })

  test('filter[current-run][status] leaves workspaces out whose current run has none of the statuses', async () => {
    const { platform: api } = await platform()
    await makeWorkspace(api, 'idle')
    expect(await names(api, { 'filter[current-run][status]': 'applied,planned' })).toEqual([])
    expect(await names(api, { 'filter[current-run][status]': '' })).toEqual(['idle'])
  })

  test.each(['neutral', 'vendor'] as const)(
    '%s: pages keep the filters in their links',
    async (dialect) => {
      const { platform: api } = await platform({ dialect })
      for (const name of ['net-a', 'net-b', 'data']) await makeWorkspace(api, name)
      const query = { 'search[name]': 'NET', 'page[size]': '1' }
      const { body } = await api.get(workspaceList, { query })
      expect(body.meta.pagination['total-count']).toBe(2)
      expect(body.links.next).toContain('search%5Bname%5D=NET')
      expect(body.data[0].attributes.name).toBe('net-a')
    },
  )
})
