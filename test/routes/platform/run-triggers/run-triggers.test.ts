import { expect, test } from 'vitest'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import {
  runsOn,
  uploadConfiguration,
  withConfiguration,
} from '../../../support/platform/platform-runs.ts'
import {
  giveRights,
  makeWorkspace,
  resource,
} from '../../../support/platform/platform-workspaces.ts'

const from = (source: string) =>
  resource('run-triggers', {}, { sourceable: { data: { id: source, type: 'workspaces' } } })

test('behaviour/platform#run-triggers: create, list, read and delete', async () => {
  const { api, id: source, as } = await withConfiguration()
  const { id } = await makeWorkspace(api, 'app')
  const path = `workspaces/${id}/run-triggers`
  const made = await api.post(path, from(source))
  expect(made.status).toBe(201)
  const { data } = made.body
  expect(data).toEqual({
    id: expect.stringMatching(/^rt-[1-9A-HJ-NP-Za-km-z]{16}$/),
    type: 'run-triggers',
    attributes: {
      'workspace-name': 'app',
      'sourceable-name': 'net',
      'created-at': expect.stringMatching(/Z$/),
    },
    relationships: {
      workspace: { data: { id, type: 'workspaces' } },
      sourceable: { data: { id: source, type: 'workspaces' } },
    },
    links: { self: `/api/v2/run-triggers/${data.id}` },
  })
  const one = `run-triggers/${data.id}`
  expect((await api.get(one)).body).toEqual({ data })
  const included = await api.get(`${one}?include=workspace,sourceable`)
  expect(included.body.included.map((each: { id: string }) => each.id)).toEqual([id, source])

  const filter = '?filter[run-trigger][type]='
  expect((await api.get(`${path}${filter}inbound`)).body).toMatchObject({
    data: [data],
    meta: { pagination: { 'total-count': 1 } },
  })
  expect((await api.get(`${path}${filter}outbound`)).body.data).toEqual([])
  const outbound = `workspaces/${source}/run-triggers${filter}outbound`
  expect((await api.get(outbound)).body.data).toEqual([data])
  const refused = await api.get(`${outbound}&include=workspace`)
  expect([refused.status, refused.body]).toEqual([400, failure(400, 'Invalid include parameter')])
  for (const wrong of ['', `${filter}both`]) {
    expect((await api.get(path + wrong)).body).toEqual(
      failure(400, 'filter[run-trigger][type] must be inbound or outbound'),
    )
  }

  for (const [body, expected] of [
    [resource('run-triggers'), invalid(['sourceable', "Sourceable can't be blank"])],
    [from(id), invalid(['sourceable', 'Sourceable cannot be the workspace itself'])],
    [from(source), invalid(['sourceable', 'Sourceable has already been taken'])],
    [from('ws-unknown'), failure(404)],
  ] as const) {
    expect((await api.post(path, body)).body).toEqual(expected)
  }
  const member = as('member-token')
  await giveRights(api, 'read-workspaces')
  expect((await member.get(one)).status).toBe(404)
  expect((await as(extraTokens.outsider).get(one)).status).toBe(404)
  const organization = as(extraTokens.organization)
  expect((await organization.delete(one)).status).toBe(204)
  expect((await organization.post(path, from(source))).status).toBe(201)

  for (let number = 1; number < 20; number++) {
    const other = await makeWorkspace(api, `source-${number}`)
    expect((await api.post(path, from(other.id))).status).toBe(201)
  }
  const last = await makeWorkspace(api, 'one-more')
  expect((await api.post(path, from(last.id))).body).toEqual(
    failure(422, 'Workspace has reached the limit of 20 run triggers'),
  )
  await api.delete(`workspaces/${source}`)
  expect((await api.get(`${path}${filter}inbound`)).body.meta.pagination['total-count']).toBe(19)
})

test('behaviour/platform#run-triggers: an applied run starts a run where there are files', async () => {
  const { api, id: source, runs, clock } = await withConfiguration({ dialect: 'vendor' })
  const { id } = await makeWorkspace(api, 'app', { 'auto-apply-run-trigger': true })
  const { id: empty } = await makeWorkspace(api, 'empty')
  await uploadConfiguration(api, id)
  for (const each of [id, empty]) await api.post(`workspaces/${each}/run-triggers`, from(source))
  await runs.create({ 'auto-apply': true })
  const listOf = async (workspace: string) =>
    (await api.get(`workspaces/${workspace}/runs`)).body.data
  expect(await listOf(id)).toEqual([])
  clock.advance(10_000)
  const [run, ...others] = await listOf(id)
  expect(others).toEqual([])
  expect(run.attributes).toMatchObject({
    message: 'Run triggered from workspace net',
    source: 'tfe-run-trigger',
    'trigger-reason': 'run_trigger',
    'auto-apply': true,
  })
  clock.advance(10_000)
  expect(await runsOn(api, id).status(run.id)).toBe('applied')
  expect(await listOf(empty)).toEqual([])
})
