import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

describe('behaviour/program#control-plane: further members of forced transitions', () => {
  test('is declared, by kind and target, and nothing else of a member is taken', async () => {
    const understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z' })
    onTestFinished(() => understudy.close())
    const world = understudy.world()
    const TaskGroups = [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'mock', Config: {} }] }]
    const payload = { Job: { ID: 'web', Datacenters: ['dc1'], TaskGroups } }
    await world.inject({ method: 'POST', url: '/v1/jobs', payload })
    world.clock.advance('2s')
    await world.inject({ method: 'POST', url: '/v1/job/web/evaluate', payload: { JobID: 'web' } })
    const kinds = world.transitions.list().filter(({ takes }) => takes !== undefined)
    const parameters = kinds.flatMap(({ kind, takes = {} }) =>
      Object.entries(takes).map(([to, { properties = {} }]) => {
        return [`${kind} ${to}`, Object.keys(Object(properties)).join(' ')] as const
      }),
    )
    const exit = 'exitCode signal message oomKilled'
    const { targets: runStatuses = [] } = kinds.find(({ kind }) => kind === 'platform.run') ?? {}
    expect(runStatuses).toContain('planned')
    expect(Object.fromEntries(parameters)).toEqual({
      ...Object.fromEntries(runStatuses.map((to) => [`platform.run ${to}`, 'outcome'])),
      'mesh.check passing': 'output',
      'mesh.check warning': 'output',
      'mesh.check critical': 'output',
      'platform.task-result running': 'message url outcomes',
      'platform.task-result passed': 'message url outcomes',
      'platform.task-result failed': 'message url outcomes',
      'platform.task-result errored': 'message url outcomes',
      'platform.test-run queued': 'outcome results',
      'platform.test-run running': 'outcome results',
      'platform.test-run finished': 'outcome results',
      'scheduler.allocation failed': exit,
      'scheduler.evaluation failed': 'description',
      'scheduler.evaluation canceled': 'description',
      'scheduler.task exited': exit,
      'scheduler.task dead': exit,
      'scheduler.task failed': exit,
      'scheduler.task start-failed': 'error recoverable',
      'secrets.oidcLogin agreed': 'entity',
      'secrets.rekey started': 'shares threshold verification',
    })
    const before = world.state()
    let attempts = 0
    for (const { kind, items, takes = {} } of kinds) {
      for (const { id, to } of items) {
        for (const target of to.filter((name) => name in takes)) {
          for (const name of Object.keys(takes[target]?.properties ?? {})) {
            attempts += 1
            const forceTransition = () => world.transitions.push(kind, id, target, { [name]: [] })
            expect(forceTransition, `${kind} ${target} ${name}`).toThrow(name)
          }
        }
      }
    }
    expect(attempts).toBeGreaterThan(15)
    expect(world.state()).toEqual(before)
  })
})
