import { describe, expect, test } from 'vitest'
import { hclFunctions } from '../../../../state/hcl/language/functions.ts'
import { parseDocument } from '../../../../state/hcl/language/module.ts'
import type { Body } from '../../../../state/hcl/syntax/ast.ts'
import { duration, goList, int, text } from '../../../../state/kernel/shape/kinds.ts'
import {
  goValue,
  inFile,
  optional,
  struct,
  vendorNamed,
} from '../../../../state/kernel/shape/members.ts'
import { taskShape } from '../../../../state/scheduler/job/task-shape.ts'
import { job } from '../../../../state/scheduler/job-file/job-blocks.ts'
import type {
  BlockRule,
  Contents,
  FixedContents,
} from '../../../../state/scheduler/job-file/schema.ts'
import { shapeContents } from '../../../../state/scheduler/job-file/shape-contents.ts'
import { jobFiles, read, refusedCases } from './support.ts'

/** Returns each table of blocks and arguments with the path of its first use. */
function entriesOf(
  contents: FixedContents,
  path: string,
  seen = new Map<FixedContents, string>(),
): Map<FixedContents, string> {
  if (seen.has(contents)) return seen
  seen.set(contents, path)
  for (const [name, rule] of Object.entries(contents.blocks)) {
    if ('arguments' in rule.contents) entriesOf(rule.contents, `${path}.${name}`, seen)
  }
  return seen
}

function ruleOf({ blocks }: FixedContents, type: string): BlockRule | undefined {
  return blocks[type] ?? Object.values(blocks).find(({ vendorName: vendor }) => vendor === type)
}

/** Adds the entries of the tables that a body uses to `used`. */
function mark(
  body: Body,
  contents: Contents,
  used: Set<string>,
  paths: Map<unknown, string>,
): void {
  if (!('arguments' in contents)) return
  const path = paths.get(contents) ?? ''
  for (const item of body.items) {
    if (item.kind === 'attribute') {
      used.add(`${path}.${item.name}`)
      if (contents.blocks[item.name]?.isAssignable) used.add(`${path}.${item.name} =`)
      continue
    }
    const isDynamic = item.type === 'dynamic'
    const type = isDynamic ? (item.labels[0]?.value ?? '') : item.type
    used.add(`${path}.${type}`)
    const rule = ruleOf(contents, type)
    if (rule === undefined) continue
    const bodies = isDynamic
      ? item.body.items.flatMap((inner) => (inner.kind === 'block' ? [inner.body] : []))
      : [item.body]
    for (const inner of bodies) mark(inner, rule.contents, used, paths)
  }
}

/** Adds the names of all functions that a syntax tree calls to `found`. */
function callsIn(node: unknown, found: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  if ('kind' in node && node.kind === 'call' && 'name' in node) found.add(String(node.name))
  for (const part of Object.values(node)) callsIn(part, found)
}

const bodies = jobFiles.map((name) => parseDocument(read(`${name}.hcl`)))

describe('behaviour/scheduler#job-file-blocks: the job files use every block and argument', () => {
  test('every block and every argument of the tables, under both names', () => {
    const paths = entriesOf(job, 'job')
    const used = new Set<string>()
    for (const body of bodies) {
      for (const item of body.items) {
        if (item.kind === 'block' && item.type === 'job') mark(item.body, job, used, paths)
      }
    }
    const wanted = [...paths].flatMap(([{ arguments: rules, blocks }, path]) =>
      [...Object.entries(rules), ...Object.entries(blocks)].flatMap(([name, rule]) => [
        `${path}.${name}`,
        ...(rule.vendorName === undefined ? [] : [`${path}.${rule.vendorName}`]),
        ...('assignable' in rule ? [`${path}.${name} =`] : []),
      ]),
    )
    expect(wanted.length).toBeGreaterThan(300)
    expect(wanted.filter((name) => !used.has(name))).toStrictEqual([])
  })

  test('every function; those of files are refused', () => {
    const called = new Set<string>()
    for (const body of bodies) callsIn(body, called)
    for (const { text } of refusedCases) {
      if (text.includes('file("x")')) callsIn(parseDocument(text), called)
    }
    const all = [...hclFunctions.keys(), 'try', 'can', 'convert']
    expect(all.length).toBeGreaterThan(80)
    expect(all.filter((name) => !called.has(name))).toStrictEqual([])
  })
})

/**
 * Returns `path.member` for each member of a table's shape that no argument, block or label sets.
 */
function unmade(
  contents: FixedContents,
  path: string,
  label: string,
  seen: Set<unknown>,
): string[] {
  const { shape, arguments: rules, blocks } = contents
  if (seen.has(contents)) return []
  seen.add(contents)
  const made = new Set([label, ...[rules, blocks].flatMap(membersOf)])
  const own = Object.keys(shape?.fields ?? {}).filter((member) => !made.has(member))
  const inner = Object.entries(blocks).flatMap(([name, rule]) =>
    'arguments' in rule.contents
      ? unmade(rule.contents, `${path}.${name}`, rule.label?.member ?? '', seen)
      : [],
  )
  return [...own.map((member) => `${path}.${member}`), ...inner]
}

function membersOf(rules: Readonly<Record<string, { readonly member: string | undefined }>>) {
  return Object.values(rules).map(({ member }) => member)
}

describe('a member of a job is declared once', () => {
  test('job files write every member of every shape but these', () => {
    const ofPolicies = ['ID', 'Target', 'Namespace', 'CreateIndex', 'ModifyIndex']
    const expected = {
      job: [
        ...['ParentID', 'Payload', 'Dispatched', 'Stable', 'Stop', 'Status', 'StatusDescription'],
        ...['SecretsNamespace', 'SchedTokenID', 'SubmitTime', 'Version', 'CreateIndex'],
        ...['ModifyIndex', 'JobModifyIndex', 'MeshNamespace', 'DispatchIdempotencyToken'],
        'VersionTag',
      ],
      'job.periodic': ['SpecType'],
      'job.group.scaling': ofPolicies,
      'job.group.service': ['Namespace'],
      'job.group.service.connect.sidecar_service.proxy': ['ExposeConfig'],
      'job.group.service.connect.sidecar_service.proxy.expose': ['Path'],
      'job.group.task': ['Identity'],
      'job.group.task.scaling': ofPolicies,
    }
    expect(unmade(job, 'job', '', new Set())).toStrictEqual(
      Object.entries(expected).flatMap(([path, members]) =>
        members.map((name) => `${path}.${name}`),
      ),
    )
  })

  test('an attribute of a task is one line: its name, type and the vendor name follow from it', () => {
    const shape = struct('Task', {
      ...taskShape.fields,
      MaxLogRate: int,
      WakeDelay: goValue(duration),
      SecretsPath: vendorNamed('VaultPath', inFile('path', optional(text))),
      Zones: goList(text),
    })
    const { arguments: rules } = shapeContents(shape)
    expect(rules.max_log_rate).toStrictEqual({ type: 'int', member: 'MaxLogRate' })
    expect(rules.wake_delay).toStrictEqual({
      type: 'duration',
      member: 'WakeDelay',
      refusesNull: true,
    })
    expect(rules.path).toStrictEqual({
      type: 'string',
      member: 'SecretsPath',
      vendorName: 'vault_path',
    })
    expect(rules.zones).toStrictEqual({ type: 'list of string', member: 'Zones' })
  })
})
