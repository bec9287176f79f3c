import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { findApiToken } from '../../../../state/platform/accounts/tokens.ts'
import { users } from '../../../../state/platform/accounts/users.ts'
import { createProject } from '../../../../state/platform/projects/changes.ts'
import {
  changeVariableSet,
  createVariableSet,
} from '../../../../state/platform/variable-sets/changes.ts'
import { effectiveVariables } from '../../../../state/platform/variable-sets/precedence.ts'
import { createVariable, type Variable } from '../../../../state/platform/variables/variables.ts'
import { createWorkspace } from '../../../../state/platform/workspaces/changes.ts'
import { platformWorld } from '../platform-world.ts'

const organization = 'example-org'

/** Returns the seeded owner as a caller. */
function ownerOf(world: World) {
  const token = findApiToken(world, 'owner-token')
  const user = world.table(users).get(token?.user ?? '')
  if (token === undefined || user === undefined) throw new Error('there is no owner')
  return { token, user }
}

/** A variable set in the model. */
interface ModelSet {
  readonly name: string
  readonly owner: 'organization' | 'project'
  readonly target: 'global' | 'project' | 'workspace' | 'both' | 'none' | 'other'
  readonly priority: boolean
  readonly keys: readonly string[]
}

const letters: readonly string[] = ['a', 'b', 'c']
const keys = fc.uniqueArray(fc.constantFrom(...letters), { maxLength: 3 })
const modelSet: fc.Arbitrary<Omit<ModelSet, 'name'>> = fc.record({
  owner: fc.constantFrom('organization', 'project'),
  target: fc.constantFrom('global', 'project', 'workspace', 'both', 'none', 'other'),
  priority: fc.boolean(),
  keys,
})

/** Returns the rank of a set in the documented order; the lowest rank wins. */
function rankOf({ owner, target, priority }: ModelSet): number | undefined {
  if (target === 'none' || target === 'other') return undefined
  const applies = target === 'both' ? ['project', 'workspace'] : [target]
  const ranks: Readonly<Record<string, number>> = priority
    ? {
        'organization global': 1,
        'organization project': 2,
        'organization workspace': 3,
        'project project': 4,
        'project workspace': 5,
      }
    : {
        'project workspace': 8,
        'project project': 9,
        'organization workspace': 10,
        'organization project': 11,
        'organization global': 12,
      }
  return Math.min(...applies.map((each) => ranks[`${owner} ${each}`] ?? Number.POSITIVE_INFINITY))
}

test('behaviour/platform#variable-precedence: of the variables with a key, the one from the highest place wins, then the one from the set that comes first by name', () => {
  fc.assert(
    fc.property(
      fc.array(modelSet, { maxLength: 8 }),
      keys,
      keys,
      (drawn, workspaceKeys, runKeys) => {
        // Global sets must not share keys, and projects own none.
        const globals = new Set<string>()
        const sets = drawn.map((set, index): ModelSet => {
          const isGlobal = set.target === 'global' && set.owner === 'organization'
          const allowed = set.keys.filter((one) => !isGlobal || !globals.has(one))
          if (isGlobal) for (const one of allowed) globals.add(one)
          const target = set.target === 'global' && !isGlobal ? 'project' : set.target
          // Names descend, so that the order of names differs from the order of creation.
          return { ...set, target, keys: allowed, name: `set-${9 - index}` }
        })
        const world = platformWorld()
        const caller = ownerOf(world)
        const project = createProject(world, organization, { name: 'inner' })
        const own = (name: string) =>
          createWorkspace(world, caller, organization, { name, project: project.id })
        const [workspace, other] = [own('net'), own('other')]
        for (const { name, owner, target, priority, keys: names } of sets) {
          const toProject = target === 'project' || target === 'both'
          const toWorkspace = target === 'workspace' || target === 'both'
          createVariableSet(world, caller, organization, {
            name,
            project: owner === 'project' ? project.id : null,
            global: target === 'global',
            priority,
            projects: toProject ? [project.id] : [],
            workspaces: toWorkspace ? [workspace.id] : target === 'other' ? [other.id] : [],
            variables: names.map((one) => ({ key: one, category: 'env', value: name })),
          })
        }
        for (const one of workspaceKeys) {
          createVariable(world, workspace.id, { key: one, category: 'env', value: 'workspace' })
        }
        const ofRun = runKeys.map(
          (one): Variable => ({
            ...createVariable(world, 'ws-elsewhere', { key: one, category: 'env', value: 'run' }),
          }),
        )
        const expected: Record<string, string> = {}
        for (const one of letters) {
          const candidates: [number, string][] = sets
            .filter(({ keys: names }) => names.includes(one))
            .flatMap((set) => {
              const rank = rankOf(set)
              return rank === undefined ? [] : [[rank, set.name] as [number, string]]
            })
          if (runKeys.includes(one)) candidates.push([6, 'run'])
          if (workspaceKeys.includes(one)) candidates.push([7, 'workspace'])
          candidates.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1))
          const [winner] = candidates
          if (winner !== undefined) expected[one] = winner[1]
        }
        const found = effectiveVariables(world, workspace, ofRun)
        expect(Object.fromEntries(found.map((one) => [one.key, one.value]))).toEqual(expected)
      },
    ),
    { numRuns: 60 },
  )
})

test('behaviour/platform#variable-precedence: one key in both categories is two variables', () => {
  const world = platformWorld()
  const caller = ownerOf(world)
  const workspace = createWorkspace(world, caller, organization, { name: 'net' })
  createVariable(world, workspace.id, { key: 'a', category: 'env', value: 'own' })
  const variable = { key: 'a', category: 'infra', value: 'inherited' }
  const set = createVariableSet(world, caller, organization, {
    name: 'all',
    global: true,
    variables: [variable],
  })
  const values = () => effectiveVariables(world, workspace).map(({ value }) => value)
  expect(values()).toEqual(['own', 'inherited'])
  changeVariableSet(world, caller, set, { priority: true })
  // choice/platform#all-variables-order
  expect(values()).toEqual(['inherited', 'own'])
})
