import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure } from '../../../support/platform/platform-errors.ts'
import {
  runBody,
  uploadConfiguration,
  withConfiguration,
} from '../../../support/platform/platform-runs.ts'
import { base64 } from '../../../support/platform/platform-states.ts'
import { localPart } from '../../../support/platform/platform-tests.ts'
import { giveRights, resource } from '../../../support/platform/platform-workspaces.ts'

const typesOf = (included: readonly { type: string }[]) => included.map(({ type }) => type).sort()

describe('behaviour/platform#run-state', () => {
  test('an apply adds a state version with the outputs, which names the run', async () => {
    const { api, id, clock, runs } = await withConfiguration()
    await uploadConfiguration(api, id, {
      'main.tf': 'resource "null_resource" "a" {\n}\noutput "size" {\n  value = 3\n}\n',
    })
    const run = await runs.create({ 'auto-apply': true })
    clock.advance(10_000)
    expect(await runs.status(run)).toBe('applied')
    const path = `workspaces/${id}/current-state-version?include=run,outputs`
    const { data, included } = (await api.get(path)).body
    expect(data.attributes).toMatchObject({ serial: 1, status: 'finalized' })
    expect(data.relationships.run.data).toEqual({ id: run, type: 'runs' })
    expect(typesOf(included)).toEqual(['runs', 'state-version-outputs'])
    const outputs = await api.get(`workspaces/${id}/current-state-version-outputs`)
    expect(outputs.body.data[0].attributes).toMatchObject({ name: 'size', value: 3 })
  })

  test.each([
    { dialect: 'neutral', tool: 'infra_version', registry: 'registry.infra.example' },
    { dialect: 'vendor', tool: 'terraform_version', registry: 'registry.terraform.io' },
  ] as const)('the file names the tool and the registry: $dialect', async (expected) => {
    const { api, id, clock, runs } = await withConfiguration({ dialect: expected.dialect })
    await runs.create({ 'auto-apply': true })
    clock.advance(10_000)
    const { data } = (await api.get(`workspaces/${id}/current-state-version`)).body
    const address = localPart(data.attributes['hosted-state-download-url'])
    const { body: file, text } = await api.get(address, { token: null })
    const md5 = createHash('md5').update(text).digest('hex')
    expect(data.attributes).toMatchObject({ md5, size: Buffer.byteLength(text) })
    // The same state again is accepted.
    await api.post(`workspaces/${id}/actions/lock`)
    const again = { serial: 1, md5, lineage: file.lineage, state: base64(text) }
    const states = `workspaces/${id}/state-versions`
    expect((await api.post(states, resource('state-versions', again))).status).toBe(201)
    expect(file).toMatchObject({ version: 4, [expected.tool]: expect.any(String), serial: 1 })
    expect(file.resources[0].provider).toBe(`provider["${expected.registry}/hashicorp/null"]`)
  })

  test('the next plan compares with the state that a client uploads', async () => {
    const { api, id, clock, runs } = await withConfiguration()
    const first = await runs.create({ 'auto-apply': true })
    clock.advance(10_000)
    expect(await runs.status(first)).toBe('applied')
    await api.post(`workspaces/${id}/actions/lock`)
    const { data } = (await api.get(`workspaces/${id}/current-state-version`)).body
    const { lineage } = data.attributes
    const file = { version: 4, serial: 2, lineage, outputs: {}, resources: [] }
    const state = Buffer.from(JSON.stringify(file)).toString('base64')
    const md5 = createHash('md5').update(JSON.stringify(file)).digest('hex')
    const sent = await api.post(
      `workspaces/${id}/state-versions`,
      resource('state-versions', { serial: 2, lineage, md5, state }),
    )
    expect([sent.status, sent.body.errors]).toEqual([201, undefined])
    await api.post(`workspaces/${id}/actions/unlock`)
    const run = await runs.create()
    clock.advance(10_000)
    const { relationships } = await runs.read(run)
    const plan = (await api.get(`plans/${relationships.plan.data.id}`)).body.data
    expect(plan.attributes['resource-additions']).toBe(1)
  })
})

test('behaviour/platform#run-state: an outcome sets the state that the apply writes, or makes the apply lose it', async () => {
  const { api, as, id, clock, runs, world } = await withConfiguration({ dialect: 'vendor' })
  const apply = async (state: object | 'lost') => {
    world.changeOptions({ platform: { runOutcome: { state } } })
    const run = await runs.create({ 'auto-apply': true })
    clock.advance(10_000)
    expect(await runs.status(run)).toBe('applied')
    return `applies/${(await runs.read(run)).relationships.apply.data.id}`
  }
  const download = async (address: string) =>
    (await api.get(localPart(address), { token: null })).body
  const lost = await apply('lost')
  expect((await api.get(lost)).body.data.relationships['state-versions'].data).toEqual([])
  const current = `workspaces/${id}/current-state-version`
  expect((await api.get(current)).status).toBe(404)
  const found = await api.get(`${lost}/errored-state`)
  expect(found.status).toBe(307)
  const file = await download(String(found.headers['location']))
  expect(file).toMatchObject({ serial: 1, resources: [{ name: 'a' }] })
  expect(file).toHaveProperty('terraform_version')
  expect((await as('member-token').get(`${lost}/errored-state`)).status).toBe(404)

  const given = await apply({ outputs: { size: { value: 3 } }, serial: 7 })
  expect((await api.get(`${given}/errored-state`)).status).toBe(404)
  const { data } = (await api.get(current)).body
  expect(data.attributes).toMatchObject({ serial: 1, status: 'finalized' })
  expect(await download(data.attributes['hosted-state-download-url'])).toMatchObject({
    outputs: { size: { value: 3, type: 'number' } },
    resources: [],
  })
  const rendered = await download(data.attributes['hosted-json-state-download-url'])
  expect(rendered.values.outputs.size.value).toBe(3)
})

test('behaviour/platform#workspace-configuration-versions: owners delete files, restore them, and delete them for good', async () => {
  const { api, as, id, version: old, runs } = await withConfiguration()
  const current = await uploadConfiguration(api, id)
  const act = async (action: string, version = old, client = api) => {
    const path = `configuration-versions/${version}/actions/${action}_backing_data`
    const { status, body } = await client.post(path)
    return status === 200 ? body.data.attributes.status : [status, body]
  }
  const notAllowed = [400, failure(400, 'transition not allowed')]
  expect(await act('soft_delete', current)).toEqual(notAllowed)
  expect(await act('restore')).toEqual(notAllowed)
  await giveRights(api, 'manage-workspaces')
  expect(await act('soft_delete', old, as('member-token'))).toEqual([404, failure(404)])
  const run = await runs.create({}, old)
  expect(await act('soft_delete')).toEqual(notAllowed)
  expect(await runs.act(run, 'cancel')).toBe(202)

  const path = `configuration-versions/${old}/download`
  const address = localPart(String((await api.get(path)).headers['location']))
  const found = async () => [
    (await api.get(`configuration-versions/${old}`)).status,
    (await api.get(path)).status,
    (await api.get(address, { token: null })).status,
  ]
  expect(await act('soft_delete')).toBe('backing_data_soft_deleted')
  expect(await found()).toEqual([404, 404, 404])
  expect((await api.post('runs', runBody(id, {}, old))).status).toBe(422)
  expect(await act('restore')).toBe('uploaded')
  expect(await found()).toEqual([200, 302, 200])
  await act('soft_delete')
  expect(await act('permanently_delete')).toBe('backing_data_permanently_deleted')
  expect(await act('restore')).toEqual(notAllowed)
  expect(await found()).toEqual([404, 404, 404])
})

test('behaviour/platform#workspace-readme: the readme is that of the last applied run', async () => {
  const { api, id, clock, runs, world } = await withConfiguration()
  const path = `workspaces/${id}?include=readme`
  const apply = async (files: Readonly<Record<string, string>>) => {
    await uploadConfiguration(api, id, { 'main.tf': '', ...files })
    await runs.create({ 'auto-apply': true, 'allow-empty-apply': true })
    expect((await api.get(path)).body.included).toHaveLength(0)
    clock.advance(10_000)
  }
  await apply({ 'ReadMe.md': '# Net', 'inner/README.md': '# Inner' })
  const { data, included } = (await api.get(path)).body
  expect(data.relationships.readme.data).toEqual({ id, type: 'workspace-readme' })
  expect(included).toEqual([
    { id, type: 'workspace-readme', attributes: { 'raw-markdown': '# Net' } },
  ])
  await uploadConfiguration(api, id, { 'main.tf': '' })
  await runs.create({ 'auto-apply': true, 'allow-empty-apply': true })
  clock.advance(10_000)
  expect((await api.get(path)).body.data.relationships.readme.data).toBe(null)
  world.changeOptions({ platform: { runOutcome: { readme: 'text' } } })
  await apply({})
  expect((await api.get(path)).body.included[0].attributes['raw-markdown']).toBe('text')
})

describe('behaviour/platform#include: the current run of a workspace', () => {
  test('workspaces include their current run with its plan and configuration version', async () => {
    const { api, as, id, runs, clock } = await withConfiguration()
    const run = await runs.create()
    const names = ['current_run', 'current_run.plan', 'current_run.configuration_version']
    const { data, included } = (await api.get(`workspaces/${id}?include=${names.join()}`)).body
    expect(data.relationships['current-run'].data.id).toBe(run)
    expect(typesOf(included)).toEqual(['configuration-versions', 'plans', 'runs'])

    // The run holds the lock, and is for callers who may read runs.
    clock.advance(1_000)
    const holders = async (client: typeof api) =>
      typesOf((await client.get(`workspaces/${id}?include=locked_by`)).body.included)
    expect(await holders(api)).toEqual(['runs'])
    expect(await holders(as(extraTokens.organization))).toEqual([])
    await api.post(`runs/${run}/comments`, resource('comments', { body: 'fine' }))
    const read = (await api.get(`runs/${run}?include=comments,run_events`)).body
    const ids = (items: readonly { id: string }[]) => items.map((one) => one.id)
    expect(ids(read.included)).toEqual([
      ...ids(read.data.relationships.comments.data),
      ...ids(read.data.relationships['run-events'].data),
    ])
    expect(typesOf(read.included)).toContain('comments')
  })
})
