import { compileGoRegex, RegexError } from '../../go/regex.ts'
import { quoteGo } from '../../go/text.ts'
import type { Affinity, Constraint, Spread } from '../job/scheduling-shapes.ts'
import { parseVersionConstraint, type VersionKind } from '../job/version-constraints.ts'
import { failing } from './errors.ts'
import { parseUintError } from './go-number.ts'

/** Constraint or affinity: their errors are worded differently here and there. */
type Wording = Readonly<{
  missingOperand: string
  unknownOperand: (operand: string) => string
  missingSet: string
  versions: string
}>

const constraintWords: Wording = {
  missingOperand: 'Missing constraint operand',
  unknownOperand: (operand) => `Unknown constraint type ${quoteGo(operand)}`,
  missingSet: 'Set contains constraint requires an RTarget',
  versions: 'constraint is invalid',
}

const affinityWords: Wording = {
  missingOperand: 'Missing affinity operand',
  unknownOperand: (operand) => `Unknown affinity operator ${quoteGo(operand)}`,
  missingSet: 'Set contains operators require an RTarget',
  versions: 'affinity is invalid',
}

type Target = Readonly<{ Operand: string; RTarget: string }>
type OperandCheck = (target: Target, words: Wording) => readonly string[]

const comparison: OperandCheck = ({ Operand, RTarget }) =>
  failing([RTarget === '', `Operator ${quoteGo(Operand)} requires an RTarget`])

const setMembers: OperandCheck = ({ RTarget }, { missingSet }) =>
  failing([RTarget === '', missingSet])

const presence: OperandCheck = ({ Operand, RTarget }) =>
  failing([RTarget !== '', `Operator ${quoteGo(Operand)} does not support an RTarget`])

const nothing: OperandCheck = () => []

/** What each operand asks of the right side (3b-scheduler-decisions.md section 5, constraint). */
const affinityOperands: ReadonlyMap<string, OperandCheck> = new Map([
  ...['=', '==', 'is', '!=', 'not', '<', '<=', '>', '>='].map(
    (operand) => [operand, comparison] as const,
  ),
  ['set_contains', setMembers],
  ['set_contains_all', setMembers],
  ['set_contains_any', setMembers],
  ['regexp', checkRegex],
  ['version', (target, words) => checkVersions(target, 'version', `Version ${words.versions}`)],
  ['semver', (target, words) => checkVersions(target, 'semver', `Semver ${words.versions}`)],
])

const constraintOperands: ReadonlyMap<string, OperandCheck> = new Map([
  ...affinityOperands,
  ['distinct_hosts', nothing],
  ['distinct_property', checkAllowedCount],
  ['is_set', presence],
  ['is_not_set', presence],
])

/** What is wrong with a constraint. */
export function constraintErrors(constraint: Constraint): readonly string[] {
  const { LTarget, Operand } = constraint
  return [
    ...operandErrors(constraint, constraintOperands, constraintWords),
    ...(Operand === 'distinct_hosts' ? [] : attributeErrors(LTarget)),
  ]
}

/** Operands that make no sense for one task of several. */
export function disallowedAtTask({ Operand }: Constraint): boolean {
  return Operand === 'distinct_hosts' || Operand === 'distinct_property'
}

/** What is wrong with an affinity. */
export function affinityErrors(affinity: Affinity): readonly string[] {
  const { LTarget, Weight } = affinity
  return [
    ...operandErrors(affinity, affinityOperands, affinityWords),
    ...failing(
      [LTarget === '', 'No LTarget provided but is required'],
      [Weight === 0, 'Affinity weight cannot be zero'],
      [Math.abs(Weight) > 100, 'Affinity weight must be within the range [-100,100]'],
    ),
  ]
}

/** What is wrong with a spread. */
export function spreadErrors({ Attribute, Weight, SpreadTarget }: Spread): readonly string[] {
  const targets = SpreadTarget ?? []
  const sum = targets.reduce((total, { Percent }) => total + Percent, 0)
  return [
    ...failing(
      [Attribute === '', 'Missing spread attribute'],
      [Weight <= 0 || Weight > 100, 'Spread block must have a positive weight from 0 to 100'],
    ),
    ...targets.flatMap(({ Value, Percent }, at) =>
      failing(
        [
          targets.findIndex((other) => other.Value === Value) < at,
          `Spread target value ${quoteGo(Value)} already defined`,
        ],
        [
          Percent > 100 || Percent < 0,
          `Spread target percentage for value ${quoteGo(Value)} must be between 0 and 100`,
        ],
      ),
    ),
    ...failing([
      sum > 100,
      `Sum of spread target percentages must not be greater than 100%; got ${sum}%`,
    ]),
  ]
}

function operandErrors(
  target: Target,
  operands: ReadonlyMap<string, OperandCheck>,
  words: Wording,
): readonly string[] {
  const check = operands.get(target.Operand)
  return [
    ...failing([target.Operand === '', words.missingOperand]),
    ...(check === undefined ? [words.unknownOperand(target.Operand)] : check(target, words)),
  ]
}

function checkRegex({ RTarget }: Target): readonly string[] {
  try {
    compileGoRegex(RTarget)
    return []
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    return [`Regular expression failed to compile: ${error.message}`]
  }
}

function checkVersions({ RTarget }: Target, kind: VersionKind, words: string): readonly string[] {
  try {
    parseVersionConstraint(RTarget, kind)
    return []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [`${words}: ${error.message}`]
  }
}

function checkAllowedCount({ RTarget }: Target): readonly string[] {
  if (RTarget === '') return []
  const why = parseUintError(RTarget, 10, 64)
  if (why !== undefined) return [`Failed to convert RTarget ${quoteGo(RTarget)} to uint64: ${why}`]
  return failing([
    /^0+$/.test(RTarget),
    'Distinct Property must have an allowed count of 1 or greater: 0 < 1',
  ])
}

const knownAttributes = [
  'node.unique.id',
  'node.datacenter',
  'node.unique.name',
  'node.class',
  'node.pool',
]

const knownPrefixes = ['attr.', 'meta.', 'device.']

/** The left side is required; what begins with a dollar sign has to name something of a node. */
function attributeErrors(target: string): readonly string[] {
  if (target === '') return ['no attribute provided but is required by operator']
  if (!target.startsWith('$')) return []
  if (target[1] !== '{') return [`attribute ${quoteGo(target)} is missing an opening brace`]
  if (!target.endsWith('}')) return [`attribute ${quoteGo(target)} is missing a closing brace`]
  const name = target.slice(2, -1)
  const isKnown =
    knownAttributes.includes(name) || knownPrefixes.some((prefix) => name.startsWith(prefix))
  return failing([!isKnown, `unsupported attribute ${quoteGo(target)}`])
}
