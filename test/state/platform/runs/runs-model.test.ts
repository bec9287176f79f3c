import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { actOnRun, type RunAction } from '../../../../state/platform/runs/actions.ts'
import { currentRunOf } from '../../../../state/platform/runs/queue.ts'
import { finalStatuses, runMachine } from '../../../../state/platform/runs/run-machine.ts'
import { isOrdinary, isRunOver, type Run, runsOf } from '../../../../state/platform/runs/runs.ts'
import { forceUnlockWorkspace, lockWorkspace } from '../../../../state/platform/workspaces/locks.ts'
import { refusalOf } from '../platform-world.ts'
import { runWorld } from './run-world.ts'

type Command =
  | { kind: 'create'; form: 'plain' | 'auto' | 'speculative' | 'saved'; unchanged: boolean }
  | { kind: 'act'; action: RunAction; run: number }
  | { kind: 'lock' | 'unlock' }
  | { kind: 'advance'; by: number }

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      form: fc.constantFrom('plain', 'auto', 'speculative', 'saved'),
      unchanged: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('act' as const),
      action: fc.constantFrom('apply', 'discard', 'cancel', 'force-cancel', 'force-execute'),
      run: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('lock', 'unlock') }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('advance' as const),
      by: fc.oneof(fc.constantFrom(0, 1, 100, 150, 1_500, 2_000, 60_000), fc.nat(5_000)),
    }),
  },
)

const inputs = {
  plain: {},
  auto: { auto_apply: true },
  speculative: { plan_only: true },
  saved: { save_plan: true },
} as const

/** World that commands are applied to, with what a reader of its history must find. */
class Model {
  readonly #server = runWorld()
  readonly #before = new Map<string, Run>()

  do(command: Command): void {
    const { world, create, workspace, caller } = this.#server
    if (command.kind === 'create') {
      const variables = command.unchanged ? [{ key: 'mock_result', value: 'no_changes' }] : []
      create({ ...inputs[command.form], variables })
    } else if (command.kind === 'advance') world.advance(command.by)
    else if (command.kind === 'lock') {
      refusalOf(() => lockWorkspace(world, workspace(), caller, ''))
    } else if (command.kind === 'act') this.#act(command)
    else refusalOf(() => forceUnlockWorkspace(world, workspace()))
    world.runDueJobs()
    this.#check()
  }

  /** Ends every run and unlocks the workspace, and checks that nothing keeps waiting. */
  end(): void {
    const { world, workspace } = this.#server
    for (let round = 0; round < 40; round += 1) {
      if (!String(workspace().locked_by ?? '').startsWith('run-')) this.do({ kind: 'unlock' })
      this.do({ kind: 'advance', by: 60_000 })
      const current = currentRunOf(world, workspace().id)
      const index = this.#all().findIndex(({ id }) => id === current?.id)
      if (index >= 0) this.do({ kind: 'act', action: 'discard', run: index })
    }
    const open = this.#all().filter((run) => isOrdinary(run) && !isRunOver(run))
    expect(open).toEqual([])
    expect(workspace().locked).toBe(false)
  }

  #all(): Run[] {
    return runsOf(this.#server.world, this.#server.workspace().id)
  }

  #act({ action, run: index }: Command & { kind: 'act' }): void {
    const { world } = this.#server
    const run = this.#all()[index]
    if (run === undefined) return
    const before = JSON.stringify(this.#all())
    const refusal = refusalOf(() => actOnRun(world, run, action, { actor: 'user-x' }))
    if (refusal !== undefined) expect(JSON.stringify(this.#all())).toBe(before)
    else if (action === 'discard') expect(this.#all()[index]?.status).toBe('discarded')
  }

  #check(): void {
    const { locked_by = null } = this.#server.workspace()
    const all = this.#all()
    const underWay = all.filter(
      (run) => isOrdinary(run) && !isRunOver(run) && run.status !== 'pending',
    )
    expect(underWay.length).toBeLessThanOrEqual(1)
    for (const run of all) {
      const before = this.#before.get(run.id)
      if (before !== undefined) {
        if (finalStatuses.includes(before.status)) expect(run).toEqual(before)
        const order: readonly string[] = runMachine.states
        expect(order.indexOf(run.status)).toBeGreaterThanOrEqual(order.indexOf(before.status))
      }
      if (run.plan_only) expect(run.apply.reached.started_at).toBeUndefined()
      if (isRunOver(run)) {
        expect(locked_by).not.toBe(run.id)
        expect(['pending', 'queued', 'running']).not.toContain(run.plan.status)
        expect(['pending', 'queued', 'running']).not.toContain(run.apply.status)
      }
      this.#before.set(run.id, run)
    }
  }
}

describe('behaviour/platform#run-order and behaviour/platform#run-actions', () => {
  test('one ordinary run at a time, no way back, no lock after the end, and nobody waits for ever', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const model = new Model()
        for (const each of commands) model.do(each)
        model.end()
      }),
      { numRuns: 25 },
    )
  })
})
