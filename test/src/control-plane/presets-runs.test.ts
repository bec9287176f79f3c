import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const blocks = ['a', 'b'].map((name) => `resource "null_resource" "${name}" {\n}\n`)
const workspaces = [{ name: 'net', autoApply: true, configuration: { 'main.tf': blocks.join('') } }]
const fixtures = { platform: { organizations: [{ name: 'example-org', workspaces }] } }
const headers = {
  authorization: 'Bearer owner-token',
  'content-type': 'application/vnd.api+json',
}

/** Starts a server with a workspace whose configuration has two resources. */
async function withWorkspace(dialect: 'neutral' | 'vendor') {
  const clock = 'frozen@2026-01-01T00:00:00Z'
  const understudy = await createUnderstudy({ clock, seed: 'test', dialect, fixtures })
  onTestFinished(() => understudy.close())
  const world = understudy.world()
  const send = (method: 'GET' | 'POST', path: string, payload?: object) =>
    understudy.inject({
      method,
      url: `/api/v2/${path}`,
      headers,
      ...(payload === undefined ? {} : { payload }),
    })
  const { id } = (await send('GET', 'organizations/example-org/workspaces/net')).json().data
  const path = `workspaces/${id}`
  /** Creates a run and returns its status an hour later. */
  const run = async () => {
    const relationships = { workspace: { data: { type: 'workspaces', id } } }
    const made = await send('POST', 'runs', { data: { type: 'runs', relationships } })
    world.clock.advance('1h')
    const { data } = (await send('GET', `runs/${made.json().data.id}`)).json()
    return data.attributes.status
  }
  const resourceCount = async () =>
    (await send('GET', path)).json().data.attributes['resource-count']
  return { faults: world.faults, send, run, path, resourceCount }
}

describe.each(['neutral', 'vendor'] as const)(
  'behaviour/program#presets of runs of workspaces, %s',
  (dialect) => {
    // choice/platform#run-half-applied
    test('platform-run-errored: the plan fails, or the apply half-way with its state saved', async () => {
      const { faults, run, resourceCount } = await withWorkspace(dialect)
      faults.preset('platform-run-errored')
      expect([await run(), await resourceCount()]).toEqual(['errored', 0])
      faults.endPreset('platform-run-errored')
      faults.preset('platform-run-errored', { at: 'apply' })
      // The first resource was created, and the second one is tainted.
      expect([await run(), await resourceCount()]).toEqual(['errored', 2])
      faults.endPreset('platform-run-errored')
      expect([await run(), await run()]).toEqual(['applied', 'planned_and_finished'])
    })

    test('platform-workspace-locked and platform-run-queued: runs wait, and locking is 409', async () => {
      const { faults, send, path, run } = await withWorkspace(dialect)
      faults.preset('platform-workspace-locked')
      const refused = await send('POST', `${path}/actions/lock`)
      expect([refused.statusCode, refused.json().errors[0].title]).toEqual([409, 'conflict'])
      expect(await run()).toBe('pending')
      faults.endPreset('platform-workspace-locked')
      const runs = (await send('GET', `${path}/runs`)).json().data
      await send('POST', `runs/${runs[0].id}/actions/cancel`)
      faults.preset('platform-run-queued')
      expect(await run()).toBe('plan_queued')
      const queue = await send('GET', 'organizations/example-org/runs/queue')
      expect(queue.json().data).toMatchObject([{ attributes: { 'position-in-queue': 1 } }])
    })

    test('platform-policy-failed and platform-run-task-failed: policies and tasks of any name fail', async () => {
      const { faults, send, path, run } = await withWorkspace(dialect)
      const make = async (where: string, type: string, attributes: object, relations = {}) => {
        const made = await send('POST', where, {
          data: { type, attributes, relationships: relations },
        })
        expect(made.statusCode).toBe(201)
        return { id: made.json().data.id, type }
      }
      const root = 'organizations/example-org'
      const policy = await make(`${root}/policies`, 'policies', {
        name: 'hard',
        'enforcement-level': 'hard-mandatory',
      })
      const policies = { data: [policy] }
      await make(`${root}/policy-sets`, 'policy-sets', { name: 's', global: true }, { policies })
      const attributes = { name: 'scan', url: 'http://task.example', category: 'task' }
      const task = await make(`${root}/tasks`, 'tasks', attributes)
      const level = { 'enforcement-level': 'mandatory' }
      await make(`${path}/tasks`, 'workspace-tasks', level, { task: { data: task } })
      /** Creates a run and returns its status and the first one of another list of the run. */
      const statuses = async (list: string) => {
        const status = await run()
        const [{ id }] = (await send('GET', `${path}/runs`)).json().data
        const { data, included } = (await send('GET', `runs/${id}/${list}`)).json()
        return [status, ...(included ?? data).map((one: typeof data) => one.attributes.status)]
      }
      faults.preset('platform-policy-failed')
      expect(await statuses('policy-checks')).toEqual(['errored', 'hard_failed'])
      faults.endPreset('platform-policy-failed')
      for (const [by, status] of [
        ['failure', 'failed'],
        ['timeout', 'errored'],
      ] as const) {
        faults.preset('platform-run-task-failed', { by })
        expect(await statuses('task-stages?include=task_results')).toEqual(['errored', status])
        faults.endPreset('platform-run-task-failed')
      }
      expect(await run()).toBe('applied')
    })
  },
)
