import { describe, expect, test } from 'vitest'
import { policySetsFor } from '../../../../state/platform/policies/policy-sets.ts'
import { workspaceWithId } from '../../../../state/platform/workspaces/workspaces.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import {
  inProject,
  makeProject,
  makeWorkspace,
  resource,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const selector = (key: string, value: string | null, isExclude = false) => ({
  'tag-key': key,
  'tag-value': value,
  'is-exclude': isExclude,
})

/** Returns a server with a policy set, and functions that change it and that read where it applies. */
async function withSet(attributes: object = {}) {
  const { api, world } = await withWorkspace()
  const set = resource('policy-sets', { name: 'base', ...attributes })
  const made = await api.post('organizations/example-org/policy-sets', set)
  expect(made.status).toBe(201)
  const path = `policy-sets/${made.body.data.id}`
  const applies = (id: string) => {
    const workspace = workspaceWithId(world, id)
    return workspace !== undefined && policySetsFor(world, workspace).length > 0
  }
  const read = async () => (await api.get(path)).body.data.attributes
  return { api, path, applies, read }
}

/** Creates a workspace in a project, with tags. Returns its id. */
async function taggedWorkspace(
  api: Parameters<typeof makeWorkspace>[0],
  name: string,
  project: string,
  tags: Readonly<Record<string, string>>,
): Promise<string> {
  const bindings = Object.entries(tags).map(([key, value]) => ({
    type: 'tag-bindings',
    attributes: { key, value },
  }))
  const relationships = { ...inProject(project), 'tag-bindings': { data: bindings } }
  return (await makeWorkspace(api, name, {}, relationships)).id
}

describe('behaviour/platform#policy-sets', () => {
  test('a global set does not apply to workspaces of excluded projects', async () => {
    const { api, path, applies } = await withSet({ global: true })
    const project = await makeProject(api, 'inner')
    const id = await taggedWorkspace(api, 'a', project, {})
    const exclusions = `${path}/relationships/project-exclusions`
    const items = { data: [{ id: project, type: 'projects' }] }
    expect(applies(id)).toBe(true)
    expect((await api.post(exclusions, items)).status).toBe(204)
    expect(applies(id)).toBe(false)
    expect((await api.delete(exclusions, items)).status).toBe(204)
    expect(applies(id)).toBe(true)
  })

  // choice/platform#policy-set-tags
  test('a set applies to workspaces that match one of its tag selectors, or all of them', async () => {
    const { api, path, applies, read } = await withSet()
    const project = await makeProject(api, 'inner')
    const both = await taggedWorkspace(api, 'both', project, { env: 'prod', team: '' })
    const one = await taggedWorkspace(api, 'one', project, { env: 'prod' })
    const none = await taggedWorkspace(api, 'none', project, { env: 'test', team: 'x' })
    expect(await read()).toMatchObject({ 'tag-selectors': [], 'tag-selector-matching-logic': null })
    const selectors = { data: [selector('env', 'prod'), selector('team', null)] }
    expect((await api.post(`${path}/tag-selectors`, selectors)).status).toBe(204)
    expect(await read()).toMatchObject({
      'tag-selectors': selectors.data,
      'tag-selector-matching-logic': 'any',
    })
    expect([both, one, none].map(applies)).toEqual([true, true, false])

    const logic = (value: string) =>
      api.patch(path, resource('policy-sets', { 'tag-selector-matching-logic': value }))
    expect((await logic('some')).body).toEqual(
      invalid([
        'tag-selector-matching-logic',
        'Tag selector matching logic is not included in the list',
      ]),
    )
    expect((await logic('all')).status).toBe(200)
    expect([both, one, none].map(applies)).toEqual([true, false, false])
    expect((await logic('any')).status).toBe(200)
    await api.post(`${path}/tag-selectors`, { data: [selector('team', null, true)] })
    expect([both, one, none].map(applies)).toEqual([false, true, false])
    expect((await api.delete(`${path}/tag-selectors`, selectors)).status).toBe(204)
    expect((await read())['tag-selectors']).toEqual([selector('team', null, true)])
  })

  test('empty lists of tag selectors and lists of other values are refused', async () => {
    const { api, path } = await withSet()
    expect((await api.post(`${path}/tag-selectors`, { data: [] })).body).toEqual(
      failure(422, 'data is required'),
    )
    expect((await api.post(`${path}/tag-selectors`, { data: [{ 'tag-key': 1 }] })).body).toEqual(
      invalid(['tag-selectors', 'Tag selectors is invalid']),
    )
  })

  test('agents evaluate opa sets, and only their sets have a tool version', async () => {
    const attributes = { kind: 'opa', 'policy-update-patterns': ['*.rego'] }
    expect(await (await withSet(attributes)).read()).toMatchObject({
      'agent-enabled': true,
      'policy-tool-version': 'latest',
      overridable: false,
      'policy-update-patterns': ['*.rego'],
    })
    expect(await (await withSet({ 'policy-tool-version': '0.1' })).read()).toMatchObject({
      'agent-enabled': false,
      'policy-tool-version': null,
      overridable: null,
    })
  })
})
