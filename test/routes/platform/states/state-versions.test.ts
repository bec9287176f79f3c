import { describe, expect, test } from 'vitest'
import type { PlatformClient } from '../../../support/platform/platform.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import {
  base64,
  createState,
  md5,
  stateDocument,
  stateFile,
  withLockedWorkspace,
} from '../../../support/platform/platform-states.ts'
import { localPart, upload } from '../../../support/platform/platform-tests.ts'
import {
  conflict,
  giveRights,
  makeWorkspace,
  resource,
} from '../../../support/platform/platform-workspaces.ts'

const json = { 'content-type': 'application/json' }

function put(api: PlatformClient, url: string, text: string) {
  return upload(api, url, text, json)
}

function rollback(id?: string) {
  const data = id === undefined ? null : { id, type: 'state-versions' }
  return resource('state-versions', {}, { 'rollback-state-version': { data } })
}

describe('behaviour/platform#state-versions', () => {
  test.each([
    ['neutral', 'infra-version'],
    ['vendor', 'terraform-version'],
  ] as const)('%s: a state version with all members', async (dialect, versionName) => {
    const { api, id } = await withLockedWorkspace({ dialect })
    const resources = [
      { type: 'null_resource', name: 'a', indexes: [0, 1] },
      { type: 'random_pet', name: 'b', module: 'module.m' },
      { type: 'http', name: 'd', mode: 'data' as const },
    ]
    const state = stateFile({
      serial: 3,
      resources,
      outputs: { x: { value: 'v', type: 'string' } },
    })
    const { data } = (await createState(api, id, { serial: 3, state })).body
    expect(data).toEqual({
      id: expect.stringMatching(/^sv-[1-9A-HJ-NP-Za-km-z]{16}$/),
      type: 'state-versions',
      attributes: {
        'created-at': expect.stringMatching(/Z$/),
        size: state.length,
        serial: 3,
        md5: md5(state),
        lineage: 'lineage-1',
        status: 'finalized',
        'state-version': 4,
        [versionName]: '1.9.8',
        'resources-processed': true,
        intermediate: false,
        modules: {
          root: { 'null-resource': 2, 'data.http': 1 },
          m: { 'random-pet': 1 },
        },
        providers: {
          'provider["registry.terraform.io/hashicorp/null"]': { 'null-resource': 2 },
          'provider["registry.terraform.io/hashicorp/random"]': { 'random-pet': 1 },
          'provider["registry.terraform.io/hashicorp/http"]': { 'data.http': 1 },
        },
        resources: expect.arrayContaining([
          {
            name: 'd',
            type: 'data.http',
            count: 1,
            module: 'root',
            provider: 'provider["registry.terraform.io/hashicorp/http"]',
          },
        ]),
        'billable-rum-count': 1,
        'hosted-state-download-url': expect.stringContaining('/v1/object/'),
        'hosted-json-state-download-url': null,
        'hosted-state-upload-url': null,
        'hosted-json-state-upload-url': null,
        'vcs-commit-sha': null,
        'vcs-commit-url': null,
      },
      relationships: {
        workspace: { data: { id, type: 'workspaces' } },
        run: { data: null },
        'created-by': {
          data: { id: expect.stringMatching(/^user-/), type: 'users' },
          links: { related: expect.stringMatching(/^\/api\/v2\/users\/user-/) },
        },
        outputs: {
          data: [{ id: expect.stringMatching(/^wsout-/), type: 'state-version-outputs' }],
        },
        'rollback-state-version': { data: null },
      },
      links: { self: `/api/v2/state-versions/${data.id}` },
    })
    expect((await api.get(`state-versions/${data.id}`)).body.data).toEqual(data)
    expect((await api.get(`workspaces/${id}/current-state-version`)).body.data).toEqual(data)
    const download = await api.get(localPart(data.attributes['hosted-state-download-url']), {
      token: null,
    })
    expect([download.status, download.text]).toEqual([200, state])
    const found = await api.get(`state-versions/${data.id}/download`)
    expect([found.status, found.headers['location']]).toEqual([
      302,
      data.attributes['hosted-state-download-url'],
    ])
    expect((await api.get(`state-versions/${data.id}/json-download`)).status).toBe(404)
  })

  test('a new current state changes the state, outputs, resources and safe deletion of its workspace', async () => {
    const { api, id } = await withLockedWorkspace()
    const outputs = { x: { value: 'v', type: 'string', sensitive: true } }
    const state = stateFile({ outputs, resources: [{ type: 'a_b', name: 'c' }] })
    const { data } = (await createState(api, id, { state })).body
    const include = { include: 'current_state_version,outputs' }
    const { body } = await api.get(`workspaces/${id}`, { query: include })
    expect(body.data.attributes).toMatchObject({ 'resource-count': 1 })
    expect(body.data.relationships).toMatchObject({
      'current-state-version': { data: { id: data.id, type: 'state-versions' } },
      outputs: { data: [{ type: 'workspace-outputs' }] },
    })
    expect(body.included).toMatchObject([
      { id: data.id, type: 'state-versions' },
      {
        type: 'workspace-outputs',
        attributes: {
          name: 'x',
          sensitive: true,
          value: null,
          'output-type': 'string',
          'detailed-type': 'string',
        },
      },
    ])
    const list = (await api.get(`workspaces/${id}/resources`)).body.data
    expect(list).toMatchObject([
      {
        id: expect.stringMatching(/^wsr-/),
        attributes: {
          address: 'a_b.c',
          module: 'root',
          provider: 'hashicorp/a',
          'provider-type': 'a_b',
          'modified-by-state-version-id': data.id,
          'name-index': null,
        },
      },
    ])
    await api.post(`workspaces/${id}/actions/unlock`)
    const refused = await api.post(`workspaces/${id}/actions/safe-delete`)
    expect([refused.status, refused.body]).toEqual([
      409,
      conflict('Workspace cannot be safely deleted because it is still managing resources.'),
    ])
    await api.post(`workspaces/${id}/actions/lock`)
    await createState(api, id, { serial: 2, state: stateFile({ serial: 2 }) })
    await api.post(`workspaces/${id}/actions/unlock`)
    expect((await api.post(`workspaces/${id}/actions/safe-delete`)).status).toBe(204)
    expect((await api.get(`state-versions/${data.id}`)).status).toBe(404)
  })

  test('a workspace whose state is being processed is not deleted safely', async () => {
    const { api, id } = await withLockedWorkspace({ options: { stateProcessingTime: '5s' } })
    await createState(api, id)
    await api.post(`workspaces/${id}/actions/unlock`)
    const refused = await api.post(`workspaces/${id}/actions/safe-delete`)
    expect([refused.status, refused.body.errors[0].detail]).toEqual([
      409,
      'Latest workspace state is being processed to discover resources, please try again later',
    ])
  })

  test('the list names workspace and organization, newest first, and filters by status', async () => {
    const { api, id } = await withLockedWorkspace()
    const first = (await createState(api, id)).body.data.id
    const second = (await createState(api, id, { serial: 2 })).body.data.id
    const query = { 'filter[workspace][name]': 'net', 'filter[organization][name]': 'example-org' }
    const list = async (extra = {}) => {
      const reply = await api.get('state-versions', { query: { ...query, ...extra } })
      expect(reply.status).toBe(200)
      return reply.body.data.map((one: { id: string }) => one.id)
    }
    expect(await list()).toEqual([second, first])
    expect(await list({ 'filter[status]': 'pending' })).toEqual([])
    await api.post(`state-versions/${first}/actions/soft_delete_backing_data`)
    expect(await list()).toEqual([second])
    expect(await list({ 'filter[status]': 'backing_data_soft_deleted' })).toEqual([first])
  })

  test.each([
    [{}, 400, 'filter[workspace][name] is required'],
    [{ 'filter[workspace][name]': 'net' }, 400, 'filter[organization][name] is required'],
    [
      { 'filter[workspace][name]': 'x', 'filter[organization][name]': 'example-org' },
      404,
      undefined,
    ],
    [{ 'filter[workspace][name]': 'net', 'filter[organization][name]': 'x' }, 404, undefined],
  ] as const)('the list with %j is %i', async (query, status, detail) => {
    const { api } = await withLockedWorkspace()
    const reply = await api.get('state-versions', { query })
    expect([reply.status, reply.body]).toEqual([status, failure(status, detail)])
  })

  test('included: outputs and the user; an unknown name is 400', async () => {
    const { api, id } = await withLockedWorkspace()
    const state = stateFile({ outputs: { x: { value: 1, type: 'number' } } })
    const { data } = (await createState(api, id, { state })).body
    const path = `state-versions/${data.id}`
    const { body } = await api.get(path, { query: { include: 'outputs,created_by,run' } })
    expect(body.included.map((one: { type: string }) => one.type).sort()).toEqual([
      'state-version-outputs',
      'users',
    ])
    expect((await api.get(path, { query: { include: 'plan' } })).status).toBe(400)
  })

  test('files are deleted for now, restored, and deleted for good, by owners alone', async () => {
    const { api, as, id } = await withLockedWorkspace()
    const old = (await createState(api, id)).body.data
    const current = (await createState(api, id, { serial: 2 })).body.data
    const act = (action: string, version = old.id, client = api) =>
      client.post(`state-versions/${version}/actions/${action}_backing_data`)
    const notAllowed = failure(400, 'transition not allowed')
    const refused = await act('soft_delete', current.id)
    expect([refused.status, refused.body]).toEqual([400, notAllowed])
    await giveRights(api, 'manage-workspaces')
    expect((await act('soft_delete', old.id, as('member-token'))).status).toBe(404)
    expect((await act('soft_delete')).body.data.attributes.status).toBe('backing_data_soft_deleted')
    expect((await api.get(`state-versions/${old.id}`)).status).toBe(404)
    const address = localPart(old.attributes['hosted-state-download-url'])
    expect((await api.get(address, { token: null })).status).toBe(404)
    expect((await act('restore')).body.data.attributes.status).toBe('finalized')
    await act('soft_delete')
    const gone = await act('permanently_delete')
    expect(gone.body.data.attributes.status).toBe('backing_data_permanently_deleted')
    const restored = await act('restore')
    expect([restored.status, restored.body]).toEqual([400, notAllowed])
  })
})

describe('behaviour/platform#state-uploads', () => {
  test('a pending version: addresses in the first reply alone, JSON first, then the state', async () => {
    const { api, id } = await withLockedWorkspace()
    const state = stateFile()
    const { data } = (
      await api.post(`workspaces/${id}/state-versions`, stateDocument({ md5: md5(state) }))
    ).body
    const { attributes } = data
    expect(attributes).toMatchObject({
      status: 'pending',
      'hosted-state-download-url': null,
      'hosted-state-upload-url': expect.stringContaining('/v1/object/'),
    })
    const read = async () => (await api.get(`state-versions/${data.id}`)).body.data.attributes
    expect(await read()).toMatchObject({
      'hosted-state-upload-url': null,
      'hosted-json-state-upload-url': null,
    })
    expect((await api.get(`state-versions/${data.id}/download`)).status).toBe(404)
    expect((await api.get(`workspaces/${id}/current-state-version`)).status).toBe(404)
    const upload = attributes['hosted-state-upload-url']
    const jsonUpload = attributes['hosted-json-state-upload-url']
    const broken = await put(api, upload, '[]')
    expect([broken.status, broken.body]).toEqual([422, invalid(['state', 'State is invalid'])])
    expect((await read()).status).toBe('pending')
    const stored = await put(api, jsonUpload, '{"format_version":"1.0"}')
    expect([stored.status, stored.text]).toEqual([200, ''])
    expect((await put(api, upload, state)).status).toBe(200)
    expect((await put(api, upload, state)).status).toBe(409)
    expect((await put(api, jsonUpload, '{}')).status).toBe(409)
    const after = await read()
    expect(after).toMatchObject({ status: 'finalized', size: state.length })
    const download = await api.get(localPart(after['hosted-json-state-download-url']))
    expect(download.body).toEqual({ format_version: '1.0' })
    const head = await api.request('HEAD', localPart(after['hosted-state-download-url']))
    expect(head.status).toBe(404)
  })

  test('an upload address is 403 after 25 hours', async () => {
    const { api, id, clock } = await withLockedWorkspace()
    const { data } = (await api.post(`workspaces/${id}/state-versions`, stateDocument())).body
    await clock.advance(25 * 60 * 60 * 1000)
    expect((await put(api, data.attributes['hosted-state-upload-url'], '{}')).status).toBe(403)
  })

  // choice/platform#state-files
  test.each([
    [
      {},
      [
        ['serial', "Serial can't be blank"],
        ['md5', "Md5 can't be blank"],
      ],
    ],
    [
      { serial: -1, md5: 'x' },
      [
        ['serial', 'Serial is invalid'],
        ['md5', 'Md5 is invalid'],
      ],
    ],
    [
      { serial: '1', md5: 5 },
      [
        ['serial', 'Serial is invalid'],
        ['md5', 'Md5 is invalid'],
      ],
    ],
    [{ serial: 1, md5: md5('{}'), force: 'yes' }, [['force', 'Force is invalid']]],
    [{ serial: 1, md5: md5('{}'), state: '!' }, [['state', 'State is invalid']]],
    [{ serial: 1, md5: md5('[]'), state: base64('[]') }, [['state', 'State is invalid']]],
    [{ serial: 1, md5: md5('{}'), 'json-state': '!' }, [['json-state', 'Json state is invalid']]],
    [
      { serial: 1, md5: md5('{}'), 'json-state-outputs': base64('x') },
      [['json-state-outputs', 'Json state outputs is invalid']],
    ],
    [{ serial: 1, md5: md5('x'), state: base64('{}') }, [['md5', 'Md5 does not match the state']]],
  ] as const)('%j is 422 and adds nothing', async (attributes, faults) => {
    const { api, id } = await withLockedWorkspace()
    const body = resource('state-versions', attributes)
    const reply = await api.post(`workspaces/${id}/state-versions`, body)
    expect([reply.status, reply.body]).toEqual([422, invalid(...faults)])
    expect((await api.get(`workspaces/${id}/current-state-version`)).status).toBe(404)
  })

  test.each([
    ['neutral', 'the platform'],
    ['vendor', 'Terraform Cloud'],
  ] as const)(
    '%s: a state must follow the current one, unless it is forced',
    async (dialect, who) => {
      const { api, id } = await withLockedWorkspace({ dialect })
      await createState(api, id, { serial: 5 })
      const send = (serial: number, state: object, extra = {}) =>
        api.post(
          `workspaces/${id}/state-versions`,
          stateDocument({ serial, state: stateFile({ serial, ...state }), ...extra }),
        )
      const older = await send(4, {})
      expect([older.status, older.body]).toEqual([
        412,
        {
          errors: [
            {
              status: '412',
              title: 'precondition failed',
              detail:
                'The serial provided in the state file is not greater than the serial\ncurrently known remotely.',
            },
          ],
        },
      ])
      const foreign = await send(6, { lineage: 'other' })
      expect([foreign.status, foreign.body]).toEqual([
        409,
        conflict(
          `The lineage provided in the state file does not match the value\ncurrently known by ${who}. This means that the provided\nstate is most likely not related to the target workspace. Check that\nthe backend configuration is correct and try again.`,
        ),
      ])
      const changed = await send(5, { outputs: { x: { value: 1 } } })
      expect([changed.status, changed.body]).toEqual([
        409,
        conflict(
          'The MD5 hash of the state provided does not match what is currently\nknown for the same serial number',
        ),
      ])
      expect((await send(5, {})).status).toBe(201)
      expect((await send(2, { lineage: 'other' }, { force: true })).status).toBe(201)
      const current = (await api.get(`workspaces/${id}/current-state-version`)).body.data.attributes
      expect(current).toMatchObject({ serial: 2, lineage: 'other' })
    },
  )

  test('a state is refused without the lock, also for those who may write states', async () => {
    const { api, as, id } = await withLockedWorkspace()
    await giveRights(api, 'manage-workspaces')
    const path = `workspaces/${id}/state-versions`
    const other = await as('member-token').post(path, stateDocument())
    expect([other.status, other.body]).toEqual([
      409,
      conflict(
        'This workspace is locked by another user and will only accept state uploads\nfrom them',
      ),
    ])
    await api.post(`workspaces/${id}/actions/unlock`)
    const unlocked = await api.post(path, stateDocument())
    expect([unlocked.status, unlocked.body]).toEqual([
      409,
      conflict('This workspace is not locked and will only accept state uploads\nwhen locked'),
    ])
  })

  test('a run that does not exist is 404', async () => {
    const { api, id } = await withLockedWorkspace()
    const run = { run: { data: { id: 'run-x', type: 'runs' } } }
    const body = resource('state-versions', { serial: 1, md5: md5('x') }, run)
    expect((await api.post(`workspaces/${id}/state-versions`, body)).status).toBe(404)
  })

  // choice/platform#state-rollback
  test('a rollback repeats an older state with the next serial, and the next push is accepted', async () => {
    const { api, id } = await withLockedWorkspace()
    const first = (await createState(api, id)).body.data
    await createState(api, id, { serial: 2, state: stateFile({ serial: 2, outputs: { x: {} } }) })
    const path = `workspaces/${id}/state-versions`
    const { status, body } = await api.patch(path, rollback(first.id))
    expect([status, body.data.attributes.serial]).toEqual([201, 3])
    expect(body.data.relationships).toMatchObject({
      'rollback-state-version': { data: { id: first.id, type: 'state-versions' } },
      outputs: { data: [] },
    })
    const text = (await api.get(localPart(body.data.attributes['hosted-state-download-url']))).text
    expect([JSON.parse(text).serial, md5(text)]).toEqual([3, body.data.attributes.md5])
    expect((await createState(api, id, { serial: 4 })).status).toBe(201)
    const missing = await api.patch(path, rollback())
    expect([missing.status, missing.body]).toEqual([422, failure(422, 'id is required')])
    expect((await api.patch(path, rollback('sv-unknown'))).status).toBe(404)
    const other = await makeWorkspace(api, 'other')
    await api.post(`workspaces/${other.id}/actions/lock`)
    const elsewhere = `workspaces/${other.id}/state-versions`
    expect((await api.patch(elsewhere, rollback(first.id))).status).toBe(404)
    await api.post(`workspaces/${id}/actions/unlock`)
    expect((await api.patch(path, rollback(first.id))).status).toBe(409)
  })

  test.each([
    [{ 'terraform-version': '1.10.0' }, 400],
    [{ 'infra-version': '2.0.0' }, 400],
    [{ 'terraform-version': '1.9.8' }, 503],
    [{}, 503],
  ] as const)('an unlock with %j while a state is pending is %i', async (headers, status) => {
    const { api, id } = await withLockedWorkspace()
    await api.post(`workspaces/${id}/state-versions`, stateDocument())
    const reply = await api.post(`workspaces/${id}/actions/unlock`, undefined, { headers })
    const detail = 'Unable to unlock workspace. The latest state version is still pending.'
    expect([reply.status, reply.body]).toEqual([
      status,
      { errors: [{ status: String(status), title: 'conflict', detail }] },
    ])
    expect((await api.post(`workspaces/${id}/actions/force-unlock`)).status).toBe(200)
  })
})

describe('behaviour/platform#workspace-rights: states', () => {
  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404, 404, 404, 404]],
    ['read-workspaces', 'member-token', ['read-workspaces'], [200, 200, 302, 200, 404, 404]],
    ['manage-policies', 'member-token', ['manage-policies'], [404, 404, 404, 404, 404, 404]],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], [200, 200, 302, 200, 409, 409]],
    ['the organization token', extraTokens.organization, [], [404, 404, 404, 404, 404, 404]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404, 404, 404, 404]],
    ['a site admin', 'site-admin-token', [], [200, 200, 302, 200, 409, 409]],
  ] as const)(
    '%s: current, read, download, list, create, roll back',
    async (_who, token, rights, statuses) => {
      const { api, as, id } = await withLockedWorkspace()
      await giveRights(api, ...rights)
      const version = (await createState(api, id)).body.data.id
      const client = as(token)
      const path = `workspaces/${id}/state-versions`
      const query = {
        'filter[workspace][name]': 'net',
        'filter[organization][name]': 'example-org',
      }
      expect([
        (await client.get(`workspaces/${id}/current-state-version`)).status,
        (await client.get(`state-versions/${version}`)).status,
        (await client.get(`state-versions/${version}/download`)).status,
        (await client.get('state-versions', { query })).status,
        (await client.post(path, stateDocument({ serial: 2 }))).status,
        (await client.patch(path, rollback(version))).status,
      ]).toEqual(statuses)
    },
  )
})
