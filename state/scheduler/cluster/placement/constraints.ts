import { compileGoRegex } from '../../../go/regex.ts'
import type { Constraint } from '../../job/scheduling-shapes.ts'
import { parseVersionConstraint, type VersionKind } from '../../job/version-constraints.ts'
import { neutralReference } from '../../vendor-names.ts'
import type { Node } from '../model/node-shapes.ts'

/**
 * Functions that read the properties of a node to which targets such as `${node.class}` refer. The
 * keys are the targets without `${` and `}`.
 */
const nodeTargets: Readonly<Record<string, (node: Node) => string>> = {
  'node.unique.id': ({ ID }) => ID,
  'node.datacenter': ({ Datacenter }) => Datacenter,
  'node.unique.name': ({ Name }) => Name,
  'node.class': ({ NodeClass }) => NodeClass,
  'node.pool': ({ NodePool }) => NodePool,
}

/**
 * Returns the value of a constraint's target for a node. A target that does not begin with `${` is
 * a literal value and is returned unchanged. Returns undefined if the node does not have the
 * property.
 */
export function resolveTarget(target: string, node: Node): string | undefined {
  if (!target.startsWith('${')) return target
  // Targets may have the spelling of either dialect (behaviour/scheduler#vendor-names).
  const name = neutralReference(target).slice(2).replace(/\}$/, '')
  if (Object.hasOwn(nodeTargets, name)) return nodeTargets[name]?.(node)
  return prefixedValue(name, 'attr.', node.Attributes) ?? prefixedValue(name, 'meta.', node.Meta)
}

function prefixedValue(
  name: string,
  prefix: string,
  values: Readonly<Record<string, string>> | null,
) {
  if (!name.startsWith(prefix) || values === null) return undefined
  const key = name.slice(prefix.length)
  return Object.hasOwn(values, key) ? values[key] : undefined
}

type OperandTest = (left: string, right: string) => boolean

const integerPattern = /^[+-]?\d+$/

/**
 * Compares two operands: as integers if both are integers, as decimal numbers if both are numbers,
 * otherwise bytewise. Returns a negative number if `left` is the smaller operand.
 */
function compareOperands(left: string, right: string): number {
  if (integerPattern.test(left) && integerPattern.test(right)) {
    const difference = BigInt(left.replace(/^\+/, '')) - BigInt(right.replace(/^\+/, ''))
    return difference < 0n ? -1 : difference > 0n ? 1 : 0
  }
  const numbers = [left, right].map((text) =>
    text.trim() === text && text !== '' ? Number(text) : NaN,
  )
  const [a = NaN, b = NaN] = numbers
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

function splitList(list: string): Set<string> {
  return new Set(list.split(',').map((member) => member.trim()))
}

const containsAll: OperandTest = (left, right) => {
  const present = splitList(left)
  return [...splitList(right)].every((member) => present.has(member))
}

const containsAny: OperandTest = (left, right) => {
  const present = splitList(left)
  return [...splitList(right)].some((member) => present.has(member))
}

const versionMatcher =
  (kind: VersionKind): OperandTest =>
  (left, right) => {
    try {
      return parseVersionConstraint(right, kind).check(left)
    } catch {
      return false
    }
  }

const matchesRegex: OperandTest = (left, right) => {
  try {
    return compileGoRegex(right).test(left)
  } catch {
    return false
  }
}

const isEqual: OperandTest = (left, right) => left === right

/**
 * Tests of the operators that need a value on both sides, by operator
 * (behaviour/scheduler#validation).
 */
const operandTests: ReadonlyMap<string, OperandTest> = new Map([
  ['=', isEqual],
  ['==', isEqual],
  ['is', isEqual],
  ['<', (left, right) => compareOperands(left, right) < 0],
  ['<=', (left, right) => compareOperands(left, right) <= 0],
  ['>', (left, right) => compareOperands(left, right) > 0],
  ['>=', (left, right) => compareOperands(left, right) >= 0],
  ['regexp', matchesRegex],
  ['version', versionMatcher('version')],
  ['semver', versionMatcher('semver')],
  ['set_contains', containsAll],
  ['set_contains_all', containsAll],
  ['set_contains_any', containsAny],
])

/** Operators that refer to other allocations of the job. `Placer` checks these operators. */
const allocationOperands = new Set(['distinct_hosts', 'distinct_property'])

/**
 * Returns true if a node meets a constraint or affinity. Always returns true for the operators in
 * `allocationOperands`.
 */
export function meetsConstraint(
  node: Node,
  { LTarget, RTarget, Operand }: Pick<Constraint, 'LTarget' | 'RTarget' | 'Operand'>,
): boolean {
  if (allocationOperands.has(Operand)) return true
  const left = resolveTarget(LTarget, node)
  if (Operand === 'is_set') return left !== undefined
  if (Operand === 'is_not_set') return left === undefined
  const right = resolveTarget(RTarget, node)
  if (Operand === '!=' || Operand === 'not') return left !== right
  const test = operandTests.get(Operand)
  return left !== undefined && right !== undefined && (test?.(left, right) ?? false)
}
