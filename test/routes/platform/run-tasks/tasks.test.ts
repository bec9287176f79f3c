import { describe, expect, test } from 'vitest'
import type { PlatformClient } from '../../../support/platform/platform.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { failure, invalid } from '../../../support/platform/platform-errors.ts'
import { attachTask, makeTask } from '../../../support/platform/platform-tasks.ts'
import {
  giveRights,
  resource,
  withWorkspace,
} from '../../../support/platform/platform-workspaces.ts'

const section = 'behaviour/platform#run-tasks'
const list = 'organizations/example-org/tasks'
const inputs = { name: 'scan', url: 'https://scan.example/hook', category: 'task' }
const taskOf = (id: string) => ({ task: { data: { type: 'tasks', id } } })

/** Returns the number of tasks and of their attachments. */
async function counts(api: PlatformClient, workspace: string) {
  const places = await api.get(`workspaces/${workspace}/tasks`)
  return [(await api.get(list)).body.data.length, places.body.data.length]
}

describe(section, () => {
  // choice/platform#task-global-default
  test.each(['neutral', 'vendor'] as const)(
    '%s: create, read, list, change and delete a task and its place in a workspace',
    async (dialect) => {
      const { api, id: workspace } = await withWorkspace({ dialect })
      const task = await makeTask(api, { ...inputs, 'hmac-key': 'secret', enabled: 'true' })
      expect(task).toEqual({
        id: expect.stringMatching(/^task-[1-9A-HJ-NP-Za-km-z]{16}$/),
        type: 'tasks',
        attributes: {
          ...inputs,
          description: '',
          'hmac-key': null,
          enabled: true,
          'global-configuration': {
            enabled: false,
            stages: ['post_plan'],
            'enforcement-level': 'advisory',
          },
        },
        relationships: {
          organization: { data: { id: 'example-org', type: 'organizations' } },
          'workspace-tasks': { data: [] },
          'agent-pool': { data: null },
        },
        links: { self: `/api/v2/tasks/${task.id}` },
      })
      const place = await attachTask(api, workspace, task.id, { 'enforcement-level': 'mandatory' })
      const self = `/api/v2/workspaces/${workspace}/tasks/${place.id}`
      expect(place).toEqual({
        id: expect.stringMatching(/^wstask-/),
        type: 'workspace-tasks',
        attributes: {
          'enforcement-level': 'mandatory',
          stage: 'post_plan',
          stages: ['post_plan'],
          enabled: true,
        },
        relationships: {
          ...taskOf(task.id),
          workspace: { data: { type: 'workspaces', id: workspace } },
        },
        links: { self },
      })
      expect((await api.get(self)).body).toEqual({ data: place })
      const include = 'workspace_tasks.workspace'
      const read = await api.get(`tasks/${task.id}`, { query: { include } })
      expect(read.body.included.map(({ id }: { id: string }) => id)).toEqual([place.id, workspace])
      expect((await api.get(list, { query: { include } })).body.included).toHaveLength(2)

      const everywhere = { enabled: true, stages: ['pre_plan'], 'enforcement-level': 'mandatory' }
      const changes = { enabled: false, description: 'd', 'global-configuration': everywhere }
      const changed = await api.patch(`tasks/${task.id}`, resource('tasks', changes))
      expect(changed.body.data.attributes).toEqual({ ...inputs, 'hmac-key': null, ...changes })
      const moved = await api.patch(self, resource('workspace-tasks', { stage: 'pre_apply' }))
      expect(moved.body.data.attributes).toEqual({
        'enforcement-level': 'mandatory',
        stage: 'pre_apply',
        stages: ['pre_apply'],
        enabled: false,
      })
      expect((await api.delete(self)).status).toBe(204)
      expect((await api.get(self)).status).toBe(404)
      await attachTask(api, workspace, task.id)
      expect((await api.delete(`tasks/${task.id}`)).status).toBe(204)
      expect(await counts(api, workspace)).toEqual([0, 0])
    },
  )

  test('bad tasks are 422, and nothing is stored', async () => {
    const { api, id } = await withWorkspace()
    await makeTask(api, { ...inputs, name: 'taken' })
    const level = 'global-configuration/enforcement-level'
    for (const [attributes, ...faults] of [
      [{ name: '' }, ['name', "Name can't be blank"]],
      [{ name: 'a b' }, ['name', 'Name is invalid']],
      [{ name: 5 }, ['name', 'Name is invalid']],
      [{ name: 'taken' }, ['name', 'Name has already been taken']],
      [{ url: null }, ['url', "Url can't be blank"]],
      [{ url: 'ftp://x' }, ['url', 'Url is invalid']],
      [{ category: 'other' }, ['category', 'Category is not included in the list']],
      [{ enabled: 'maybe' }, ['enabled', 'Enabled is invalid']],
      [
        { description: 'x'.repeat(301) },
        ['description', 'Description is too long (maximum is 300 characters)'],
      ],
      [{ 'global-configuration': 1 }, ['global-configuration', 'Global configuration is invalid']],
      [
        { 'global-configuration': { stages: ['never'], 'enforcement-level': 'strict' } },
        ['global-configuration/stages', 'Stages is not included in the list'],
        [level, 'Enforcement level is not included in the list'],
      ],
      [
        { 'global-configuration': { stages: ['post_apply'], 'enforcement-level': 'mandatory' } },
        [level, 'Enforcement level must be advisory for post-apply'],
      ],
    ] as const) {
      const reply = await api.post(list, resource('tasks', { ...inputs, ...attributes }))
      expect([reply.status, reply.body]).toEqual([422, invalid(...faults)])
    }
    const pool = { 'agent-pool': { data: { type: 'agent-pools', id: 'apool-unknown' } } }
    expect((await api.post(list, resource('tasks', inputs, pool))).body).toEqual(
      failure(422, 'The provided agent pool does not exist or you are not authorized to use it'),
    )
    expect(await counts(api, id)).toEqual([1, 0])
  })

  test('bad places are 422 or 404, and nothing is stored', async () => {
    const { api, id } = await withWorkspace()
    const { id: task } = await makeTask(api)
    await attachTask(api, id, task)
    const path = `workspaces/${id}/tasks`
    const { id: other } = await makeTask(api, { name: 'other' })
    for (const [attributes, fault] of [
      [{}, ['enforcement-level', "Enforcement level can't be blank"]],
      [
        { 'enforcement-level': 'x' },
        ['enforcement-level', 'Enforcement level is not included in the list'],
      ],
      [
        { 'enforcement-level': 'advisory', stage: 'x' },
        ['stages', 'Stages is not included in the list'],
      ],
      [{ 'enforcement-level': 'advisory', stages: [] }, ['stages', "Stages can't be blank"]],
      [{ 'enforcement-level': 'advisory', stages: 'x' }, ['stages', 'Stages is invalid']],
      [
        { 'enforcement-level': 'mandatory', stages: ['pre_plan', 'post_apply'] },
        ['enforcement-level', 'Enforcement level must be advisory for post-apply'],
      ],
    ] as const) {
      const body = resource('workspace-tasks', attributes, taskOf(other))
      const reply = await api.post(path, body)
      expect([reply.status, reply.body]).toEqual([422, invalid(fault)])
    }
    const level = { 'enforcement-level': 'advisory' }
    const again = await api.post(path, resource('workspace-tasks', level, taskOf(task)))
    expect(again.body).toEqual(invalid(['task', 'Task has already been taken']))
    const missing = await api.post(path, resource('workspace-tasks', level))
    expect(missing.body).toEqual(failure(422, 'task is required'))
    const unknown = await api.post(path, resource('workspace-tasks', level, taskOf('task-x')))
    expect(unknown.status).toBe(404)
    expect(await counts(api, id)).toEqual([2, 1])
  })

  test('tasks move with their organization and are deleted with it', async () => {
    const { api, admin } = await withWorkspace()
    const { id } = await makeTask(api)
    await api.patch('organizations/example-org', resource('organizations', { name: 'renamed' }))
    expect((await api.get('organizations/renamed/tasks')).body.data).toHaveLength(1)
    await api.delete('organizations/renamed')
    expect((await admin.get(`tasks/${id}`)).status).toBe(404)
  })

  test.each([
    ['a member without rights', 'member-token', [], [404, 404, 404, 404, 404]],
    ['manage-run-tasks', 'member-token', ['manage-run-tasks'], [200, 200, 201, 404, 404]],
    ['manage-workspaces', 'member-token', ['manage-workspaces'], [404, 404, 404, 200, 201]],
    ['the organization token', extraTokens.organization, [], [200, 200, 201, 200, 201]],
    ['a stranger', extraTokens.outsider, [], [404, 404, 404, 404, 404]],
  ] as const)(
    '%s: list, read, create tasks; list and add those of a workspace',
    async (_who, token, rights, statuses) => {
      const { api, as, id } = await withWorkspace()
      await giveRights(api, ...rights)
      const { id: task } = await makeTask(api)
      const client = as(token)
      const places = `workspaces/${id}/tasks`
      const place = resource('workspace-tasks', { 'enforcement-level': 'advisory' }, taskOf(task))
      expect([
        (await client.get(list)).status,
        (await client.get(`tasks/${task}`)).status,
        (await client.post(list, resource('tasks', { ...inputs, name: 'b' }))).status,
        (await client.get(places)).status,
        (await client.post(places, place)).status,
      ]).toEqual(statuses)
    },
  )
})
