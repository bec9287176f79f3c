import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { createUnderstudy, type EmbeddedWorld } from '../../../src/embedding/index.ts'
import { readDocument } from '../../support/files.ts'
import { tarEnd, tarEntry } from '../../support/platform/archives.ts'

const guide = readDocument('docs/guide/runs.md')

/** Returns a function that sends requests to the platform of a world. */
function client(world: EmbeddedWorld) {
  return async (method: 'GET' | 'POST' | 'PUT', path: string, payload?: object) => {
    const response = await world.inject({
      method,
      url: path.startsWith('/') ? path : `/api/v2/${path}`,
      headers: {
        authorization: 'Bearer owner-token',
        'content-type': Buffer.isBuffer(payload)
          ? 'application/octet-stream'
          : 'application/vnd.api+json',
      },
      ...(payload === undefined ? {} : { payload }),
    })
    return response.body.startsWith('{') ? response.json().data : undefined
  }
}

type Api = ReturnType<typeof client>

// The two functions are in the guide, word by word.
async function deploy(api: Api, world: EmbeddedWorld, workspace: string, archive: Buffer) {
  const version = await api('POST', `workspaces/${workspace}/configuration-versions`, {
    data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } },
  })
  await api('PUT', new URL(version.attributes['upload-url']).pathname, archive)
  const relationships = { workspace: { data: { type: 'workspaces', id: workspace } } }
  const { id } = await api('POST', 'runs', { data: { type: 'runs', relationships } })
  world.clock.advance('5s')
  const planned = await api('GET', `runs/${id}`)
  if (!planned.attributes.actions['is-confirmable']) return planned.attributes.status
  await api('POST', `runs/${id}/actions/apply`, { comment: 'ship it' })
  world.clock.advance('5s')
  return (await api('GET', `runs/${id}`)).attributes.status
}

async function outputs(api: Api, workspace: string) {
  const list = await api('GET', `workspaces/${workspace}/current-state-version-outputs`)
  return Object.fromEntries(
    list.map(({ attributes }: { attributes: { name: string; value: unknown } }) => [
      attributes.name,
      attributes.value,
    ]),
  )
}

test('behaviour/platform#runs: the recipe of the guide plans, applies and reads outputs', async () => {
  const [, fixtures = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? []
  const understudy = await createUnderstudy({
    fixtures: parse(fixtures),
    clock: 'frozen@2026-01-01T00:00:00Z',
  })
  onTestFinished(() => understudy.close())
  const world = understudy.world()
  const api = client(world)
  const { id } = await api('GET', 'organizations/example-org/workspaces/network')
  const content = 'resource "null_resource" "a" {}\noutput "cidr" {\n  value = "10.0.0.0/8"\n}\n'
  const archive = gzipSync(Buffer.concat([tarEntry('main.tf', content), tarEnd]))
  expect(await deploy(api, world, id, archive)).toBe('applied')
  expect(await outputs(api, id)).toEqual({ cidr: '10.0.0.0/8' })
  expect(await deploy(api, world, id, archive)).toBe('planned_and_finished')
  // The service reads a workspace whose state the fixtures give.
  const app = await api('GET', 'organizations/example-org/workspaces/app')
  expect(await outputs(api, app.id)).toEqual({ url: 'https://app.example' })
  // The first outcome of the fixtures is about this workspace.
  const broken = await api('GET', 'organizations/example-org/workspaces/broken')
  expect(await deploy(api, world, broken.id, archive)).toBe('errored')

  const own = readDocument('test/src/embedding/runs-recipe.test.ts')
  const blocks = Array.from(guide.matchAll(/```ts\n([\s\S]*?)```/g), ([, code = '']) => code)
  expect(blocks).toHaveLength(2)
  for (const code of blocks) expect(own).toContain(code)
})
