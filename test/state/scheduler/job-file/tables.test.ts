import { describe, expect, test } from 'vitest'
import { hclFunctions } from '../../../../state/hcl/language/functions.ts'
import { parseDocument } from '../../../../state/hcl/language/module.ts'
import type { Body } from '../../../../state/hcl/syntax/ast.ts'
import { job } from '../../../../state/scheduler/job-file/job-blocks.ts'
import type {
  BlockRule,
  Contents,
  FixedContents,
} from '../../../../state/scheduler/job-file/schema.ts'
import { jobFiles, read, refusedCases } from './support.ts'

/** `path.name` of everything in the tables, each table at the first place where it is used. */
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
  return blocks[type] ?? Object.values(blocks).find(({ vendor }) => vendor === type)
}

/** Marks what a body uses of the tables. */
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
      if (contents.blocks[item.name]?.assignable) used.add(`${path}.${item.name} =`)
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

/** Names of all functions that a piece of syntax calls. */
function callsIn(node: unknown, found: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  if ('kind' in node && node.kind === 'call' && 'name' in node) found.add(String(node.name))
  for (const part of Object.values(node)) callsIn(part, found)
}

const bodies = jobFiles.map((name) => parseDocument(read(`${name}.hcl`)))

describe('3b-scheduler-decisions.md section 9: the job files use all there is', () => {
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
        ...(rule.vendor === undefined ? [] : [`${path}.${rule.vendor}`]),
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
