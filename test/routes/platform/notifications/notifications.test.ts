import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { allSentRequests } from '../../../../state/platform/deliveries/sent-requests.ts'
import { outboxMessages } from '../../../../state/platform/settings/outbox.ts'
import type { PlatformClient } from '../../../support/platform/platform.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { withConfiguration } from '../../../support/platform/platform-runs.ts'
import {
  giveRights,
  makeProject,
  resource,
  teamId,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#notifications'
const type = 'notification-configurations'
const inputs = { name: 'hook', 'destination-type': 'generic', url: 'https://hook.example/a' }

/** Creates a configuration and returns its resource. */
async function make(api: PlatformClient, owner: string, attributes: object = {}, related = {}) {
  const reply = await api.post(
    `${owner}/${type}`,
    resource(type, { ...inputs, ...attributes }, related),
  )
  expect([reply.status, reply.body.errors]).toEqual([201, undefined])
  return reply.body.data
}

describe(section, () => {
  test.each(['neutral', 'vendor'] as const)(
    '%s: create, read, list, change, verify and delete',
    async (dialect) => {
      const { api, id, world } = await withWorkspace({ dialect })
      const owner = `workspaces/${id}`
      const data = await make(api, owner, { token: 'k', triggers: ['run:created'] })
      expect(data).toEqual({
        id: expect.stringMatching(/^nc-/),
        type,
        attributes: {
          ...inputs,
          enabled: false,
          triggers: ['run:created'],
          'email-addresses': [],
          'email-all-members': false,
          'created-at': expect.any(String),
          'updated-at': expect.any(String),
          token: null,
          'delivery-responses': [],
        },
        relationships: {
          subscribable: { data: { type: 'workspaces', id } },
          users: { data: [] },
        },
        links: { self: `/api/v2/${type}/${data.id}` },
      })
      const path = `${type}/${data.id}`
      expect((await api.get(path)).body).toEqual({ data })
      expect((await api.get(`${owner}/${type}`)).body).toEqual({ data: [data] })
      const page = await api.get(`${owner}/${type}`, { query: { 'page[size]': '1' } })
      expect(page.body.meta.pagination['total-count']).toBe(1)
      const verified = await api.post(`${path}/actions/verify`)
      expect(verified.body.data.attributes['delivery-responses']).toEqual([
        {
          url: inputs.url,
          body: '',
          code: '200',
          headers: {},
          'sent-at': expect.any(String),
          successful: true,
        },
      ])
      const [sent] = allSentRequests(world)
      expect(sent?.body).toMatchObject({
        notification_configuration_id: data.id,
        run_id: null,
        notifications: [{ message: 'Verification of hook', trigger: 'verification' }],
      })
      const changed = await api.patch(path, resource(type, { name: 'other', triggers: [] }))
      expect(changed.body.data.attributes).toMatchObject({ name: 'other', triggers: [] })
      const moved = await api.patch(path, resource(type, { 'destination-type': 'slack' }))
      expect(moved.body).toEqual(
        invalid(['destination-type', 'Destination type cannot be changed']),
      )
      expect((await api.delete(path)).status).toBe(204)
      expect((await api.get(path)).status).toBe(404)
    },
  )

  test('bad input is 422 or 404, a destination that fails 400, and nothing is stored', async () => {
    const { api, id } = await withWorkspace()
    const path = `workspaces/${id}/${type}`
    for (const [attributes, fault] of [
      [{ 'destination-type': '' }, ['destination-type', "Destination type can't be blank"]],
      [
        { 'destination-type': 'pager' },
        ['destination-type', 'Destination type is not included in the list'],
      ],
      [{ name: ' ' }, ['name', "Name can't be blank"]],
      [{ url: '' }, ['url', "Url can't be blank"]],
      [{ url: 'hook' }, ['url', 'Url is invalid']],
      [{ enabled: 'yes' }, ['enabled', 'Enabled is invalid']],
      [{ triggers: ['run:slept'] }, ['triggers', 'Triggers is invalid']],
      [{ triggers: ['change_request:created'] }, ['triggers', 'Triggers is invalid']],
      [{ triggers: 'run:created' }, ['triggers', 'Triggers is invalid']],
    ] as const) {
      const reply = await api.post(path, resource(type, { ...inputs, ...attributes }))
      expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    }
    const users = { users: { data: [{ type: 'users', id: 'user-unknown' }] } }
    const mail = { ...inputs, 'destination-type': 'email' }
    expect((await api.post(path, resource(type, mail, users))).status).toBe(404)
    const failing = { ...inputs, url: 'https://fail-1.example', enabled: true }
    const text = 'Unable to complete verification request to destination URL'
    const refused = await api.post(path, resource(type, failing))
    expect([refused.status, refused.body]).toEqual([400, failure(400, text)])
    expect((await api.get(path)).body.data).toEqual([])
    const made = await make(api, `workspaces/${id}`, { url: failing.url })
    const enabled = await api.patch(`${type}/${made.id}`, resource(type, { enabled: true }))
    expect(enabled.body).toEqual(failure(400, text))
    expect((await api.post(`${type}/${made.id}/actions/verify`)).status).toBe(400)
    expect((await api.get(`${type}/${made.id}`)).body.data).toEqual(made)
    for (let count = 1; count < 20; count += 1) await make(api, `workspaces/${id}`)
    const reply = await api.post(path, resource(type, inputs))
    expect(reply.body).toEqual(failure(422, 'Notification configurations limit of 20 reached'))
  })

  test('runs notify the configurations of the workspace and its project, with a signature', async () => {
    const { api, id, runs, world } = await withConfiguration()
    const { data: workspace } = (await api.get(`workspaces/${id}`)).body
    const project = workspace.relationships.project.data.id
    const all = ['created', 'planning', 'needs_attention', 'applying', 'completed', 'errored']
    const triggers = all.map((name) => `run:${name}`)
    await make(api, `workspaces/${id}`, { triggers, token: 'k', enabled: true })
    await make(api, `workspaces/${id}`, { triggers, enabled: false })
    const slack = { 'destination-type': 'slack', triggers: ['run:errored'], enabled: true }
    await make(api, `projects/${project}`, slack)
    const before = allSentRequests(world).length
    await runs.create({ 'plan-only': true })
    world.advance(10_000)
    expect(allSentRequests(world)).toHaveLength(before)
    const run = await runs.create()
    world.advance(3_000)
    await runs.act(run, 'apply')
    world.advance(3_000)
    const sent = allSentRequests(world).slice(before)
    expect(
      sent.map(({ body }) => (body['notifications'] as { run_status: string }[])[0]?.run_status),
    ).toEqual(['pending', 'planning', 'planned', 'applying', 'applied'])
    expect(sent[0]).toMatchObject({
      kind: 'notification',
      url: inputs.url,
      body: {
        payload_version: 1,
        run_id: run,
        run_created_by: 'owner',
        workspace_name: 'net',
        organization_name: 'example-org',
        notifications: [{ message: 'Run Created', trigger: 'run:created' }],
      },
      signature: createHmac('sha512', 'k').update(JSON.stringify(sent[0]?.body)).digest('hex'),
    })
    const canceled = await runs.create()
    await runs.act(canceled, 'cancel')
    const ends = allSentRequests(world).slice(before + sent.length)
    expect(ends.at(-1)).toMatchObject({ body: { text: 'Run Canceled' }, signature: '' })
    expect(ends.at(-2)?.body).toMatchObject({ notifications: [{ run_status: 'canceled' }] })
  })

  test('mail goes to users, addresses and all members; other destinations have no recipients', async () => {
    const { api, id, world } = await withWorkspace()
    const { data } = (await api.get('organizations/example-org/organization-memberships')).body
    const users = { users: { data: [data[0].relationships.user.data] } }
    const mail = { 'destination-type': 'email', 'email-addresses': ['a@b.c'] }
    const made = await make(api, `workspaces/${id}`, mail, users)
    expect([made.attributes.url, made.relationships.users]).toEqual([null, users.users])
    await api.post(`${type}/${made.id}/actions/verify`)
    const recipients = () => outboxMessages(world).map(({ to }) => to)
    expect(recipients()).toEqual(['member@example.com', 'a@b.c'])
    await api.patch(`${type}/${made.id}`, resource(type, { 'email-all-members': true }))
    await api.post(`${type}/${made.id}/actions/verify`)
    expect(recipients().slice(2)).toEqual(['owner@example.com', 'member@example.com', 'a@b.c'])
    // A change that names no users takes them out.
    expect((await api.get(`${type}/${made.id}`)).body.data.relationships.users.data).toEqual([])
    const other = await make(api, `workspaces/${id}`, { 'email-addresses': ['a@b.c'] }, users)
    expect([other.attributes['email-addresses'], other.relationships.users.data]).toEqual([[], []])
  })

  test('reminders are sent 24 and 12 hours before a workspace is to be destroyed', async () => {
    const { api, id, world, clock } = await withWorkspace()
    const trigger = 'workspace:auto_destroy_reminder'
    const made = await make(api, `workspaces/${id}`, { enabled: true, triggers: [trigger] })
    const change = (at: string | null) =>
      api.patch(`workspaces/${id}`, resource('workspaces', { 'auto-destroy-at': at }))
    await change('2026-01-03T00:00:00Z')
    const hours = (count: number) => clock.advance(count * 3_600_000)
    const sent = () => allSentRequests(world).filter(({ body }) => body['trigger'] === trigger)
    hours(23)
    expect(sent()).toEqual([])
    hours(1)
    expect(sent()).toMatchObject([
      {
        url: 'https://hook.example/a',
        body: {
          payload_version: '2',
          notification_configuration_id: made.id,
          trigger_scope: 'workspace',
          message: 'Auto Destroy Reminder',
          details: {
            auto_destroy_at: '2026-01-03T00:00:00Z',
            trigger_type: 'reminder',
            workspace_name: 'net',
          },
        },
      },
    ])
    hours(24)
    expect(sent()).toHaveLength(2)
    await change('2026-01-09T00:00:00Z')
    await change(null)
    hours(1_000)
    expect(sent()).toHaveLength(2)
    await change('2026-09-01T00:00:00Z')
    await api.delete(`workspaces/${id}`)
    hours(9_000)
    expect(sent()).toHaveLength(2)
  })

  test('configurations of teams and projects are deleted with them', async () => {
    const { api } = await withWorkspace()
    const project = await makeProject(api, 'inner')
    for (const owner of [`teams/${await teamId(api)}`, `projects/${project}`]) {
      const triggers = owner.startsWith('teams')
        ? ['change_request:created', 'team:change_request']
        : ['run:created']
      const { id } = await make(api, owner, { triggers })
      expect((await api.delete(owner)).status).toBe(204)
      expect((await api.get(`${type}/${id}`)).status).toBe(404)
    }
  })

  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404, 404]],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], [200, 201, 404, 404]],
    ['manage-projects', 'member-token', ['manage-projects'], [200, 201, 404, 201]],
    ['the organization token', extraTokens.organization, [], [200, 201, 201, 201]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404, 404]],
  ] as const)(
    '%s: read; create for a workspace, a team, a project',
    async (_who, token, rights, statuses) => {
      const { api, as, id } = await withWorkspace()
      await giveRights(api, ...rights)
      const made = await make(api, `workspaces/${id}`)
      const project = await makeProject(api, 'inner')
      const client = as(token)
      const create = async (owner: string) =>
        (await client.post(`${owner}/${type}`, resource(type, inputs))).status
      expect([
        (await client.get(`${type}/${made.id}`)).status,
        await create(`workspaces/${id}`),
        await create(`teams/${await teamId(api)}`),
        await create(`projects/${project}`),
      ]).toEqual(statuses)
    },
  )
})
