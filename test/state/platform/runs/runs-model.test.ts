import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPolicy } from '../../../../state/platform/policies/policies.ts'
import { policyCheckOf } from '../../../../state/platform/policies/policy-checks.ts'
import { createPolicySet } from '../../../../state/platform/policies/set-changes.ts'
import { overrideStage } from '../../../../state/platform/run-tasks/stage-moves.ts'
import { resultsOf, stagesOf } from '../../../../state/platform/run-tasks/stages.ts'
import { attachTask, createTask } from '../../../../state/platform/run-tasks/task-changes.ts'
import { actOnRun, type RunAction } from '../../../../state/platform/runs/actions.ts'
import { moveRun } from '../../../../state/platform/runs/moves.ts'
import { currentRunOf } from '../../../../state/platform/runs/queue.ts'
import { finalRunStatuses, runMachine } from '../../../../state/platform/runs/run-machine.ts'
import {
  isRunOver,
  locksWorkspace,
  type Run,
  runsOf,
} from '../../../../state/platform/runs/runs.ts'
import { forceUnlockWorkspace, lockWorkspace } from '../../../../state/platform/workspaces/locks.ts'
import { refusalOf } from '../platform-world.ts'
import { runWorld } from './run-world.ts'

type Command =
  | { kind: 'create'; form: 'plain' | 'auto' | 'speculative' | 'saved'; unchanged: boolean }
  | { kind: 'act'; action: RunAction; run: number }
  | { kind: 'lock' | 'unlock' }
  | { kind: 'outcome'; fails: boolean }
  | { kind: 'override'; run: number }
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
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('outcome' as const), fails: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('override' as const), run: fc.nat(5) }),
  },
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

  /** `hasStages`: whether runs call tasks, check policies and evaluate others. */
  constructor(hasStages = false) {
    if (hasStages) addIntegrations(this.#server)
  }

  do(command: Command): void {
    const { world, create, workspace, caller } = this.#server
    if (command.kind === 'create') {
      const variables = command.unchanged ? [{ key: 'mock_result', value: 'no_changes' }] : []
      create({ ...inputs[command.form], variables })
    } else if (command.kind === 'advance') world.advance(command.by)
    else if (command.kind === 'lock') {
      refusalOf(() => lockWorkspace(world, workspace(), caller, ''))
    } else if (command.kind === 'act') this.#act(command)
    else if (command.kind === 'outcome') {
      const status = command.fails ? ('failed' as const) : ('passed' as const)
      const runOutcome = { tasks: { '*': { status } }, policies: { '*': status } }
      world.changeOptions({ platform: { runOutcome } })
    } else if (command.kind === 'override') this.#override(command.run)
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
    const open = this.#all().filter((run) => locksWorkspace(run) && !isRunOver(run))
    expect(open).toEqual([])
    expect(workspace().locked).toBe(false)
  }

  #all(): Run[] {
    return runsOf(this.#server.world, this.#server.workspace().id)
  }

  /** Checks that nothing of a run that is over still waits or runs. */
  #checkStagesOver({ id }: Run): void {
    const { world } = this.#server
    const stages = stagesOf(world, id)
    const parts = [...stages, ...stages.flatMap((stage) => resultsOf(world, stage.id))]
    const check = policyCheckOf(world, id)
    for (const { status } of check === undefined ? parts : [...parts, check]) {
      expect(['pending', 'queued', 'running', 'awaiting_override']).not.toContain(status)
    }
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

  /** Overrides the policy check of a run, or the stage that awaits a decision. */
  #override(index: number): void {
    const { world } = this.#server
    const run = this.#all()[index]
    if (run === undefined) return
    const [stage] = stagesOf(world, run.id).filter(({ status }) => status === 'awaiting_override')
    refusalOf(() => {
      if (stage === undefined) moveRun(world, run, 'override')
      else world.write(() => overrideStage(world, stage))
    })
  }

  #check(): void {
    const { locked_by = null } = this.#server.workspace()
    const all = this.#all()
    const underWay = all.filter(
      (run) => locksWorkspace(run) && !isRunOver(run) && run.status !== 'pending',
    )
    expect(underWay.length).toBeLessThanOrEqual(1)
    for (const run of all) {
      const before = this.#before.get(run.id)
      if (before !== undefined) {
        if (finalRunStatuses.includes(before.status)) expect(run).toEqual(before)
        const order: readonly string[] = runMachine.states
        expect(order.indexOf(run.status)).toBeGreaterThanOrEqual(order.indexOf(before.status))
      }
      if (run.plan_only) expect(run.apply.reached.started_at).toBeUndefined()
      if (isRunOver(run)) {
        expect(locked_by).not.toBe(run.id)
        expect(['pending', 'queued', 'running']).not.toContain(run.plan.status)
        expect(['pending', 'queued', 'running']).not.toContain(run.apply.status)
        this.#checkStagesOver(run)
      }
      this.#before.set(run.id, run)
    }
  }
}

/** Adds tasks of two stages, and policies that are checked and evaluated, to a workspace. */
function addIntegrations({ world, workspace }: ReturnType<typeof runWorld>): void {
  const task = (name: string) =>
    createTask(world, 'example-org', { name, url: 'https://task.example', category: 'task' })
  const attach = (name: string, enforcement_level: string, ...stages: string[]) =>
    attachTask(world, workspace(), task(name).id, { enforcement_level, stages })
  attach('first', 'mandatory', 'pre_plan', 'pre_apply')
  attach('second', 'advisory', 'post_plan', 'post_apply')
  for (const [kind, enforcement_level] of [
    ['sentinel', 'soft-mandatory'],
    ['opa', 'mandatory'],
  ] as const) {
    const policy = { name: kind, kind, enforcement_level, query: 'data.deny' }
    const { id } = createPolicy(world, 'example-org', policy)
    const set = { name: kind, kind, policies: [id], workspaces: [workspace().id] }
    createPolicySet(world, 'example-org', { ...set, overridable: true })
  }
}

describe('behaviour/platform#run-order and behaviour/platform#run-actions', () => {
  test('one ordinary run at a time, no way back, no lock after the end, and no run waits for ever', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        const model = new Model()
        for (const each of commands) model.do(each)
        model.end()
      }),
      { numRuns: 25 },
    )
  })

  test('behaviour/platform#task-stages and behaviour/platform#policy-checks: runs with stages keep these rules, and no stage outlasts its run', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 25 }), (commands) => {
        const model = new Model(true)
        for (const each of commands) model.do(each)
        model.end()
      }),
      { numRuns: 12 },
    )
  })
})
