import { describe, expect, test } from 'vitest'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import type { PlatformFixtures } from '../../../../state/platform/fixtures.ts'
import { parseAddress } from '../../../../state/platform/runs/addresses.ts'
import { planJson } from '../../../../state/platform/runs/plan-json.ts'
import { runLogOf } from '../../../../state/platform/runs/run-log.ts'
import { type Run, runsOf } from '../../../../state/platform/runs/runs.ts'
import {
  stateText,
  stateVersionsOf,
  stateVersionsOfRun,
} from '../../../../state/platform/states/state-versions.ts'
import { workspaceNamed } from '../../../../state/platform/workspaces/workspaces.ts'
import { platform } from '../../../support/platform/platform.ts'
import { stateFile } from '../../../support/platform/platform-states.ts'

type WorkspaceFixture = NonNullable<
  NonNullable<PlatformFixtures['organizations']>[number]['workspaces']
>[number]
type RunFixture = NonNullable<WorkspaceFixture['runs']>[number]
type StateResources = NonNullable<Parameters<typeof stateFile>[0]>['resources']

/** A configuration, a state before the run, and what the run must plan. */
interface Pair {
  /** Contents of `main.tf`; null without any file. */
  readonly files: string | null
  readonly state?: StateResources
  readonly outputs?: object
  readonly run?: Omit<RunFixture, 'status'>
  /** Planned actions by address, without resources that stay as they are. */
  readonly actions: Readonly<Record<string, string>>
  /** Whether outputs change although no resource does. */
  readonly changesOutputs?: boolean
  readonly settings?: Partial<WorkspaceFixture>
}

const block = (name: string, content = '', type = 'null_resource') =>
  `resource "${type}" "${name}" {\n${content}}\n`
const nulls = (...names: readonly string[]) =>
  names.map((name) => ({ type: 'null_resource', name }))
const given = (actions: Readonly<Record<string, string>>): RunFixture => ({
  outcome: {
    resources: Object.entries(actions).map(([address, action]) => ({ address, action }) as never),
  },
})

const keyed = {
  'null_resource.a[0]': 'update',
  'null_resource.a[1]': 'delete',
  'null_resource.a[2]': 'create',
}
const mapped = {
  'aws_instance.b["x.y"]': 'update',
  'aws_instance.b["[z]"]': 'create',
  'aws_instance.b["say \\"hi\\""]': 'create',
}
const inModules = {
  'module.net.aws_vpc.main': 'update',
  'module.net["eu.west"].aws_vpc.main': 'create',
  'module.net["eu.west"].module.dns[0].aws_route53_zone.z["a"]': 'create',
  'module.old.null_resource.gone': 'delete',
}
const moduleState: StateResources = [
  { type: 'aws_vpc', name: 'main', module: 'module.net' },
  { type: 'null_resource', name: 'gone', module: 'module.old' },
  { type: 'null_resource', name: 'stays', module: 'module.old' },
]

const pairs: readonly Pair[] = [
  { files: null, actions: { 'null_resource.example': 'create' } },
  { files: '', actions: { 'null_resource.a': 'delete' }, state: nulls('a') },
  { files: block('a'), actions: { 'null_resource.a': 'create' } },
  { files: block('a') + block('b'), state: nulls('a'), actions: { 'null_resource.b': 'create' } },
  { files: block('a'), state: nulls('a', 'b'), actions: { 'null_resource.b': 'delete' } },
  { files: block('a'), state: nulls('a'), actions: {} },
  { files: block('a', '  id = 2\n'), state: nulls('a'), actions: { 'null_resource.a': 'update' } },
  {
    files: block('d', '  input = "x"\n', 'terraform_data') + block('web', '', 'aws_instance'),
    actions: { 'terraform_data.d': 'create', 'aws_instance.web': 'create' },
  },
  {
    files: block('a'),
    state: nulls('a'),
    run: { replaceAddrs: ['null_resource.a'] },
    actions: { 'null_resource.a': 'replace' },
  },
  {
    files: block('a') + block('b'),
    state: nulls('c'),
    run: { targetAddrs: ['null_resource.b'] },
    actions: { 'null_resource.b': 'create' },
  },
  {
    files: block('a'),
    state: nulls('a', 'b'),
    run: { isDestroy: true },
    actions: { 'null_resource.a': 'delete', 'null_resource.b': 'delete' },
  },
  {
    files: block('a'),
    state: nulls('a', 'b'),
    run: { isDestroy: true, targetAddrs: ['null_resource.b'] },
    actions: { 'null_resource.b': 'delete' },
  },
  { files: block('b'), state: nulls('a'), run: { refreshOnly: true }, actions: {} },
  {
    files: block('a'),
    state: [{ type: 'null_resource', name: 'a', indexes: [0, 1] }],
    actions: {
      'null_resource.a': 'create',
      'null_resource.a[0]': 'delete',
      'null_resource.a[1]': 'delete',
    },
  },
  {
    files: block('a'),
    state: [...nulls('a'), { type: 'aws_instance', name: 'b', indexes: ['x.y', '[z]', 'q"'] }],
    actions: {
      'aws_instance.b["x.y"]': 'delete',
      'aws_instance.b["[z]"]': 'delete',
      'aws_instance.b["q\\""]': 'delete',
    },
  },
  {
    files: block('a'),
    state: [{ type: 'null_resource', name: 'a', indexes: [10, 9] }],
    run: { targetAddrs: ['null_resource.a[9]'] },
    actions: { 'null_resource.a[9]': 'delete' },
  },
  {
    files: '',
    state: moduleState,
    run: { targetAddrs: ['module.old'] },
    actions: {
      'module.old.null_resource.gone': 'delete',
      'module.old.null_resource.stays': 'delete',
    },
  },
  {
    files: block('a'),
    state: [...nulls('a'), { mode: 'data', type: 'aws_ami', name: 'x', indexes: ['k'] }],
    actions: {},
    changesOutputs: true,
    outputs: { gone: { value: 1, type: 'number' } },
  },
  {
    files: block('a'),
    state: [...nulls('a'), { mode: 'data', type: 'aws_ami', name: 'x' }],
    run: { isDestroy: true },
    actions: { 'null_resource.a': 'delete' },
  },
  {
    files: block('b'),
    state: [...nulls('a'), { mode: 'data', type: 'aws_ami', name: 'x', module: 'module.m[0]' }],
    actions: { 'null_resource.a': 'delete', 'null_resource.b': 'create' },
  },
  {
    files: null,
    state: [{ type: 'null_resource', name: 'a', indexes: [0, 1, 3] }],
    run: given(keyed),
    actions: keyed,
  },
  {
    files: null,
    state: [{ type: 'aws_instance', name: 'b', indexes: ['x.y', 'kept'] }],
    run: given(mapped),
    actions: mapped,
  },
  { files: null, state: moduleState, run: given(inModules), actions: inModules },
  {
    files: null,
    state: moduleState,
    run: given({ 'module.net.aws_vpc.main': 'replace', 'module.old.null_resource.gone': 'no-op' }),
    actions: { 'module.net.aws_vpc.main': 'replace' },
  },
  {
    files: null,
    run: given({ 'data.aws_ami.x["k"]': 'read', 'aws_instance.i': 'create' }),
    actions: { 'data.aws_ami.x["k"]': 'read', 'aws_instance.i': 'create' },
  },
  {
    files: null,
    run: given({ 'module.a.data.aws_ami.x[0]': 'read', 'module.a.aws_instance.i[1]': 'create' }),
    actions: { 'module.a.data.aws_ami.x[0]': 'read', 'module.a.aws_instance.i[1]': 'create' },
  },
  {
    files: null,
    run: { outcome: { changes: { add: 1, import: 1, change: 1, destroy: 1 } } },
    actions: {
      'null_resource.mock[0]': 'create',
      'null_resource.mock[1]': 'import',
      'null_resource.mock[2]': 'update',
      'null_resource.mock[3]': 'delete',
    },
  },
  { files: block('a'), run: { outcome: { changes: false } }, state: nulls('b'), actions: {} },
  {
    files: `${block('a')}output "x" {\n  value = 1\n}\n`,
    state: nulls('a'),
    outputs: { x: { value: 2, type: 'number' }, list: { value: ['a'], type: ['list', 'string'] } },
    actions: {},
    changesOutputs: true,
  },
  {
    files: `variable "n" {}\n${block('a', '  size = var.n\n', 'aws_ebs_volume')}`,
    settings: { workingDirectory: '', variables: [{ key: 'n', value: '3', hcl: true }] },
    state: [{ type: 'aws_ebs_volume', name: 'a' }],
    actions: { 'aws_ebs_volume.a': 'update' },
  },
]

const isUnchanged = ({ actions, changesOutputs = false }: Pair) =>
  Object.keys(actions).length === 0 && !changesOutputs

const fixtures: PlatformFixtures = {
  organizations: [
    {
      name: 'example-org',
      workspaces: pairs.map((pair, index): WorkspaceFixture => {
        const { files, state, outputs = {}, run = {}, settings = {} } = pair
        return {
          name: `w${index}`,
          configuration: files === null ? {} : { 'main.tf': files },
          ...(state ? { state: stateFile({ serial: 4, outputs, resources: state }) } : {}),
          ...settings,
          structuredRunOutputEnabled: index % 3 !== 2,
          runs: [{ ...run, status: isUnchanged(pair) ? 'planned_and_finished' : 'applied' }],
        }
      }),
    },
  ],
}

interface FileResource {
  module?: string
  mode: string
  type: string
  name: string
  instances: { index_key?: string | number }[]
}

/** Returns the addresses of the instances in a state file. */
function addressesIn(file: string | undefined): string[] {
  const { resources } = JSON.parse(file ?? '{"resources":[]}') as { resources: FileResource[] }
  return resources
    .flatMap(({ module, mode, type, name, instances }) => {
      const path = [module ?? [], mode === 'data' ? 'data' : [], type, name].flat().join('.')
      return instances.map(({ index_key: key }) =>
        key === undefined ? path : `${path}[${JSON.stringify(key)}]`,
      )
    })
    .sort()
}

interface Module {
  resources?: { address: string }[]
  child_modules?: Module[]
}

/** Returns the addresses in a JSON rendering, child modules included. */
function addressesOf({ resources = [], child_modules: children = [] }: Module): string[] {
  return [...resources.map(({ address }) => address), ...children.flatMap(addressesOf)].sort()
}

/** Returns addresses and actions that a log names, sorted, and its summary. */
function loggedIn(log: string, kind: 'plan' | 'apply') {
  const lines = log.replace('\u0003', '').split('\n')
  const summary = lines.findLast((line) => /Plan: |complete! |No changes\./.test(line)) ?? ''
  if (!log.includes('{')) {
    const verbs = {
      'will be created': 'create',
      'will be updated in-place': 'update',
      'will be destroyed': 'delete',
      'must be replaced': 'replace',
      'will be read during apply': 'read',
      'will be imported': 'import',
      Creation: 'create',
      Modifications: 'update',
      Destruction: 'delete',
      Read: 'read',
      Import: 'import',
    } as Readonly<Record<string, string>>
    const pattern =
      kind === 'plan' ? /^ {2}# (.*?) ((?:will|must) be .*)$/ : /^(.*): (\w+) complete/
    const found = lines.flatMap((line) => {
      const [, address, verb = ''] = pattern.exec(line) ?? []
      return address === undefined ? [] : [`${address} ${verbs[verb]}`]
    })
    return { summary, found: found.sort() }
  }
  const objects = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  const found = objects.flatMap(({ type, change, hook }) => {
    if (type === 'planned_change') return [`${change.resource.addr} ${change.action}`]
    return type === 'apply_complete' ? [`${hook.resource.addr} ${hook.action}`] : []
  })
  return { summary, found: found.sort() }
}

interface PlanBody {
  resource_changes: { address: string; change: { actions: string[]; importing?: object } }[]
  planned_values: { root_module: Module }
  prior_state?: { values: { root_module: Module } }
}

function readRun(world: World, index: number) {
  const { id = '' } = workspaceNamed(world, 'example-org', `w${index}`) ?? {}
  const [run] = runsOf(world, id) as [Run]
  const [after, before] = stateVersionsOf(world, id)
  const isApplied = after?.run === run.id
  return { run, after: isApplied ? after : undefined, before: isApplied ? before : after }
}

/** Checks that plan, logs, JSON renderings and the state of the run of a pair agree. */
function checkPair(world: World, index: number, pair: Pair): void {
  const { run, after, before } = readRun(world, index)
  const expected = Object.entries(pair.actions).map(([address, action]) => `${address} ${action}`)
  const plan = planJson(world, run.plan.id, 'json-plan', 'neutral') as PlanBody
  const planned = plan.resource_changes.flatMap(({ address, change: { actions, importing } }) => {
    const action = { 'delete,create': 'replace', 'no-op': importing && 'import' }[actions.join()]
    const shown = actions.join() === 'no-op' ? action : (action ?? actions.join())
    return shown === undefined ? [] : [`${address} ${shown}`]
  })
  expect(planned.sort()).toEqual(expected.toSorted())
  const planLog = loggedIn(runLogOf(world, run.plan.id, 'neutral') ?? '', 'plan')
  expect(planLog.found).toEqual(expected.toSorted())
  const { counts } = run.plan
  const imports = counts?.import === 0 ? '' : `${counts?.import} to import, `
  expect(planLog.summary).toContain(
    isUnchanged(pair) && !run.structured_output
      ? 'No changes.'
      : `Plan: ${imports}${counts?.add} to add, ${counts?.change} to change, ${counts?.destroy} to destroy.`,
  )

  const beforeText = before && stateText(world, before, 'raw')
  const present = addressesIn(beforeText)
  expect(addressesOf(plan.prior_state?.values.root_module ?? {})).toEqual(
    expect.arrayContaining(present),
  )
  if (isUnchanged(pair)) {
    expect([run.status, after]).toEqual(['planned_and_finished', undefined])
    return
  }
  const wanted = new Set(present)
  for (const [address, action] of Object.entries(pair.actions)) {
    if (action === 'delete') wanted.delete(address)
    else wanted.add(address)
  }
  const isWholeDestroy = pair.run?.isDestroy === true && pair.run.targetAddrs === undefined
  if (isWholeDestroy) wanted.clear()
  expect([run.status, run.apply.counts]).toEqual(['applied', counts])
  const file = after && stateText(world, after, 'raw')
  expect(addressesIn(file)).toEqual([...wanted].sort())
  expect(addressesOf(plan.planned_values.root_module)).toEqual([...wanted].sort())
  const json = JSON.parse((after && stateText(world, after, 'json')) ?? '{}')
  expect(addressesOf(json.values.root_module)).toEqual([...wanted].sort())
  const { lineage, serial } = JSON.parse(file ?? '{}')
  expect(serial).toBe((before?.serial ?? 0) + 1)
  if (before !== undefined) expect(lineage).toBe('lineage-1')

  const applyLog = loggedIn(runLogOf(world, run.apply.id, 'neutral') ?? '', 'apply')
  const steps = expected.flatMap((each) =>
    each.endsWith(' replace')
      ? ['create', 'delete'].map((action) => each.replace(/replace$/, action))
      : [each],
  )
  expect(applyLog.found).toEqual(steps.sort())
  const imported = counts?.import === 0 ? '' : `${counts?.import} imported, `
  expect(applyLog.summary).toContain(
    run.is_destroy
      ? `Destroy complete! Resources: ${counts?.destroy} destroyed.`
      : `Apply complete! Resources: ${imported}${counts?.add} added, ${counts?.change} changed, ${counts?.destroy} destroyed.`,
  )
  expect(stateVersionsOfRun(world, run.id)).toEqual([after])
}

describe('behaviour/platform#run-files: log, JSON and state of a run agree', () => {
  test('for 30 pairs of a configuration and a state', async () => {
    const { world, platform: api } = await platform({ document: { platform: fixtures } })
    expect(pairs).toHaveLength(30)
    for (const [index, pair] of pairs.entries()) checkPair(world, index, pair)

    // An apply names the state version that it made, which has a JSON rendering.
    const { run, after } = readRun(world, 22)
    const { data } = (await api.get(`applies/${run.apply.id}`)).body
    expect(data.relationships['state-versions']).toEqual({
      data: [{ id: after?.id, type: 'state-versions' }],
    })
    const version = (await api.get(`state-versions/${after?.id}`)).body.data.attributes
    expect(version['hosted-json-state-download-url']).toEqual(expect.any(String))
    expect(version.resources).toContainEqual({
      name: 'z',
      type: 'aws_route53_zone',
      count: 1,
      module: 'net["eu.west"].module.dns[0]',
      provider: 'provider["registry.infra.example/hashicorp/aws"]',
    })
    const log = runLogOf(world, run.plan.id, 'vendor') ?? ''
    const [line] = log.split('\n').filter((each) => each.includes('zone.z') && each.startsWith('{'))
    expect(JSON.parse(line ?? '{}').change.resource).toEqual({
      addr: 'module.net["eu.west"].module.dns[0].aws_route53_zone.z["a"]',
      module: 'module.net["eu.west"].module.dns[0]',
      resource: 'aws_route53_zone.z["a"]',
      implied_provider: 'aws',
      resource_type: 'aws_route53_zone',
      resource_name: 'z',
      resource_key: 'a',
    })

    // Data sources stay with their provider.
    const withData = readRun(world, 17).after
    const file = JSON.parse((withData && stateText(world, withData, 'raw')) ?? '{}')
    expect(file.outputs).toEqual({})
    expect(file.resources[0]).toMatchObject({
      mode: 'data',
      provider: 'provider["registry.terraform.io/hashicorp/aws"]',
    })
    // Attributes of any type have their type in a state file, and not in its JSON rendering.
    const dynamic = readRun(world, 7).after
    const [raw, json] = (['raw', 'json'] as const).map((form) =>
      JSON.parse((dynamic && stateText(world, dynamic, form)) ?? '{}'),
    )
    expect(raw.resources[1]).toMatchObject({
      provider: 'provider["terraform.io/builtin/terraform"]',
      instances: [{ attributes: { input: { value: 'x', type: 'string' } } }],
    })
    expect(json.values.root_module.resources).toContainEqual(
      expect.objectContaining({
        address: 'terraform_data.d',
        values: expect.objectContaining({ input: 'x' }),
      }),
    )
    expect(parseAddress('x')).toMatchObject({ module: '', type: 'x', name: '', key: undefined })
  })
})

describe('behaviour/platform#variable-precedence: runs use the variables of sets', () => {
  test('a set of all workspaces gives way to the workspace, and a set with priority does not', async () => {
    const variable = (key: string, value: string) => ({ key, value })
    const output = (name: string) =>
      `variable "${name}" {}\noutput "${name}" {\n  value = var.${name}\n}\n`
    const { world } = await platform({
      document: {
        platform: {
          organizations: [
            {
              name: 'example-org',
              variableSets: [
                {
                  name: 'all',
                  global: true,
                  variables: [variable('a', 'set'), variable('b', 'set')],
                },
                {
                  name: 'first',
                  priority: true,
                  workspaces: ['w'],
                  variables: [variable('c', 'set')],
                },
              ],
              workspaces: [
                {
                  name: 'w',
                  configuration: { 'main.tf': output('a') + output('b') + output('c') },
                  variables: [variable('b', 'workspace'), variable('c', 'workspace')],
                  runs: [{ status: 'applied' }],
                },
              ],
            },
          ],
        },
      },
    })
    const { id = '' } = workspaceNamed(world, 'example-org', 'w') ?? {}
    const [version] = stateVersionsOf(world, id)
    const { outputs } = JSON.parse((version && stateText(world, version, 'raw')) ?? '{}')
    expect(outputs).toMatchObject({
      a: { value: 'set' },
      b: { value: 'workspace' },
      c: { value: 'set' },
    })
  })
})
