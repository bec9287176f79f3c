import { describe, expect, test } from 'vitest'
import type { PlatformClient } from '../../../support/platform/platform.ts'
import { extraTokens } from '../../../support/platform/platform-callers.ts'
import { uploadConfiguration, withConfiguration } from '../../../support/platform/platform-runs.ts'
import { localPart } from '../../../support/platform/platform-tests.ts'
import { giveRights, resource } from '../../../support/platform/platform-workspaces.ts'

type Runs = Awaited<ReturnType<typeof withConfiguration>>['runs']

/** Returns a plan or an apply of a run, with its log. */
async function partOf(api: PlatformClient, runs: Runs, run: string, kind: 'plan' | 'apply') {
  const { relationships } = await runs.read(run)
  const path = kind === 'plan' ? 'plans' : 'applies'
  const { data } = (await api.get(`${path}/${relationships[kind].data.id}`)).body
  const log = await api.get(localPart(data.attributes['log-read-url']), { token: null })
  return { ...data, log: log.text }
}

/** Returns the JSON lines of a log. */
function jsonLines(log: string) {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

/** Returns the plan of a run as JSON. */
async function planJson(api: PlatformClient, run: string, name = 'json-output') {
  const found = await api.get(`runs/${run}/plan/${name}`)
  expect(found.status).toBe(307)
  return (await api.get(localPart(String(found.headers['location'])), { token: null })).body
}

const actionsIn = (body: {
  resource_changes: { address: string; change: { actions: string[] } }[]
}) => body.resource_changes.map(({ address, change }) => [address, change.actions.join()])

const block = (name: string, content = '') => `resource "null_resource" "${name}" {\n${content}}\n`

describe('behaviour/platform#run-files', () => {
  test('log, JSON and state agree over a life of creations, updates, replacements and deletions', async () => {
    const { api, id, clock, runs } = await withConfiguration()
    const rows = [
      [block('a') + block('b', '  count_of = 1\n'), {}, { a: 'create', b: 'create' }, [2, 0, 0]],
      [block('a') + block('b', '  count_of = 2\n'), {}, { a: 'no-op', b: 'update' }, [0, 1, 0]],
      [block('a'), {}, { a: 'no-op', b: 'delete' }, [0, 0, 1]],
      [block('a'), { 'replace-addrs': ['null_resource.a'] }, { a: 'delete,create' }, [1, 0, 1]],
      [
        block('a') + block('c') + block('d'),
        { 'target-addrs': ['null_resource.c'] },
        { c: 'create' },
        [1, 0, 0],
      ],
      [block('a'), { 'is-destroy': true }, { a: 'delete', c: 'delete' }, [0, 0, 2]],
    ] as const
    for (const [content, attributes, actions, counts] of rows) {
      await uploadConfiguration(api, id, { 'main.tf': content, 'sub/other.tf': block('z') })
      const run = await runs.create({ 'auto-apply': true, ...attributes })
      clock.advance(10_000)
      expect(await runs.status(run)).toBe('applied')
      const expected = Object.entries(actions).map(([name, action]) => [
        `null_resource.${name}`,
        action,
      ])
      expect(actionsIn(await planJson(api, run))).toEqual(expected)
      const plan = await partOf(api, runs, run, 'plan')
      expect(plan.attributes).toMatchObject({
        'has-changes': true,
        'resource-additions': counts[0],
        'resource-changes': counts[1],
        'resource-destructions': counts[2],
      })
      const planned = jsonLines(plan.log).filter(({ type }) => type === 'planned_change')
      expect(planned.map(({ change }) => change.resource.addr)).toEqual(
        expected.filter(([, action]) => action !== 'no-op').map(([address]) => address),
      )
      const apply = await partOf(api, runs, run, 'apply')
      const completed = jsonLines(apply.log).filter(({ type }) => type === 'apply_complete')
      expect(completed).toHaveLength(counts[0] + counts[1] + counts[2])
    }
    await uploadConfiguration(api, id, { 'main.tf': block('a') })
    const last = await runs.create({ 'plan-only': true })
    clock.advance(10_000)
    expect(actionsIn(await planJson(api, last))).toEqual([['null_resource.a', 'create']])
  })

  test('outputs have the values of literals and variables, and keep their sensitivity', async () => {
    const { api, id, clock, runs } = await withConfiguration()
    await api.post(
      `workspaces/${id}/vars`,
      resource('vars', { key: 'name', value: 'net', category: 'infra' }),
    )
    await uploadConfiguration(api, id, {
      'main.tf': [
        'variable "name" {}',
        'variable "size" {\n  type = number\n  default = 3\n}',
        'output "a" {\n  value = var.name\n}',
        'output "b" {\n  value = var.size\n  sensitive = true\n}',
        'output "c" {\n  value = null_resource.x.id\n}',
      ].join('\n'),
    })
    const run = await runs.create({ 'auto-apply': true })
    clock.advance(10_000)
    const { output_changes: changes } = await planJson(api, run)
    expect(changes).toMatchObject({
      a: { actions: ['create'], after: 'net' },
      b: { actions: ['create'], after: 3, after_sensitive: true },
      c: { after: 'mock-c' },
    })
    const redacted = await planJson(api, run, 'json-output-redacted')
    expect(redacted.output_changes.b).toMatchObject({ after: null, after_sensitive: true })
    const again = await runs.create()
    clock.advance(10_000)
    expect(await runs.status(again)).toBe('planned_and_finished')
    const { log } = await partOf(api, runs, run, 'apply')
    expect(jsonLines(log).at(-1)['outputs'].a).toEqual({
      sensitive: false,
      type: 'string',
      value: 'net',
    })
  })

  // choice/platform#run-syntax-error
  test.each([
    ['variable "x" {}\n', 'No value for required variable'],
    ['resource "null_resource" {\n', 'Unclosed configuration block'],
  ])('the plan of %j fails with its error', async (content, summary) => {
    const { api, id, clock, runs } = await withConfiguration()
    await uploadConfiguration(api, id, { 'main.tf': content })
    const run = await runs.create()
    clock.advance(10_000)
    expect(await runs.status(run)).toBe('errored')
    const { log } = await partOf(api, runs, run, 'plan')
    expect(jsonLines(log).at(-1)).toMatchObject({
      '@level': 'error',
      '@message': `Error: ${summary}`,
      diagnostic: { severity: 'error', summary },
      type: 'diagnostic',
    })
  })
})

describe('behaviour/platform#run-logs', () => {
  test('empty before the start, then begun, then whole; in JSON lines or plain', async () => {
    const { api, id, clock, runs } = await withConfiguration({ dialect: 'vendor' })
    const run = await runs.create()
    expect((await partOf(api, runs, run, 'plan')).log).toBe('')
    clock.advance(1_000)
    const begun = (await partOf(api, runs, run, 'plan')).log
    expect(begun).toMatch(
      /Terraform v1\.9\.8\non linux_amd64\nInitializing plugins and modules\.\.\.\n\{.*\n$/,
    )
    expect(begun.startsWith('\u0002')).toBe(true)
    clock.advance(5_000)
    const whole = (await partOf(api, runs, run, 'plan')).log
    expect(whole.startsWith(begun)).toBe(true)
    expect(whole.endsWith('\u0003')).toBe(true)
    expect(jsonLines(whole).map(({ type }) => type)).toEqual([
      'version',
      'planned_change',
      'change_summary',
    ])
    await api.post(`runs/${run}/actions/discard`)
    await api.patch(
      `workspaces/${id}`,
      resource('workspaces', { 'structured-run-output-enabled': false }),
    )
    const plain = await runs.create({ 'auto-apply': true })
    clock.advance(10_000)
    expect((await partOf(api, runs, plain, 'plan')).log).toContain(
      '\n\nTerraform will perform the following actions:\n\n  # null_resource.a will be created\n\nPlan: 1 to add, 0 to change, 0 to destroy.\n\u0003',
    )
    expect((await partOf(api, runs, plain, 'apply')).log).toMatch(
      /\nnull_resource\.a: Creating\.\.\.\nnull_resource\.a: Creation complete after 0s \[id=\d{16}\]\n\nApply complete! Resources: 1 added, 0 changed, 0 destroyed\.\n.$/,
    )
  })
})

describe('behaviour/platform#plan-json', () => {
  test('204 until the plan is finished, then 307 to an address good for 60 s; for administrators, or redacted', async () => {
    const { api, as, clock, runs } = await withConfiguration()
    const run = await runs.create()
    const { relationships } = await runs.read(run)
    const path = `plans/${relationships.plan.data.id}`
    expect((await api.get(`${path}/json-output`)).status).toBe(204)
    clock.advance(10_000)
    const found = await api.get(`${path}/json-output-redacted`)
    expect(found.status).toBe(307)
    const address = localPart(String(found.headers['location']))
    const { body } = await api.get(address, { token: null })
    const [provider] = Object.keys(body.provider_schemas)
    expect(provider).toBe('registry.infra.example/hashicorp/null')
    expect(Object.keys(body.provider_schemas[String(provider)].resource_schemas)).toEqual([
      'null_resource',
    ])
    clock.advance(60_000)
    expect((await api.get(address, { token: null })).status).toBe(403)
    await giveRights(api, 'read-workspaces')
    const member = as('member-token')
    expect((await member.get(`${path}/json-output`)).status).toBe(404)
    expect((await member.get(`${path}/json-output-redacted`)).status).toBe(307)
    expect((await as(extraTokens.organization).get(`${path}/json-output`)).status).toBe(404)
  })
})

describe('behaviour/platform#run-outcomes', () => {
  test('an outcome sets counts, resources, outputs, errors, durations and logs', async () => {
    const resources = [
      { address: 'aws_vpc.main', action: 'create' as const, after: { cidr: '10/8' } },
    ]
    const { api, clock, runs } = await withConfiguration({
      options: {
        runOutcome: {
          resources,
          outputs: { x: 1 },
          planTime: '10s',
          log: 'hello',
          apply: 'errored',
          error: { summary: 'No quota' },
        },
      },
    })
    const run = await runs.create({ 'auto-apply': true })
    clock.advance(9_000)
    expect(await runs.status(run)).toBe('planning')
    clock.advance(20_000)
    expect(await runs.status(run)).toBe('errored')
    const json = await planJson(api, run)
    expect(actionsIn(json)).toEqual([['aws_vpc.main', 'create']])
    expect(json.output_changes.x.after).toBe(1)
    expect((await partOf(api, runs, run, 'plan')).log).toContain('"@message":"hello"')
    const lines = jsonLines((await partOf(api, runs, run, 'apply')).log)
    expect(lines.slice(-2).map(({ type }) => type)).toEqual(['apply_errored', 'diagnostic'])
  })

  test('changes: false leaves nothing to apply; counts have made-up addresses', async () => {
    const { api, clock, runs } = await withConfiguration({
      options: { runOutcome: { changes: { add: 2, destroy: 1 } } },
    })
    const run = await runs.create()
    clock.advance(10_000)
    expect(actionsIn(await planJson(api, run))).toEqual([
      ['null_resource.mock[0]', 'create'],
      ['null_resource.mock[1]', 'create'],
      ['null_resource.mock[2]', 'delete'],
    ])
  })
})
