import { compileGoRegex, RegexError } from '../../go/regex.ts'
import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { Affinity, Constraint, Spread } from '../job/scheduling-shapes.ts'
import { parseVersionConstraint, type VersionKind } from '../job/version-constraints.ts'
import { failedChecks } from './errors.ts'
import { parseUintError } from './go-number.ts'
import { message } from './scheduling-messages.ts'

type ConditionBlock = Readonly<{ Operand: string; RTarget: string }>
/** Kind of the block with the condition. The wording of some errors depends on the kind. */
type ConditionKind = 'constraint' | 'affinity'
type OperandCheck = (target: ConditionBlock, kind: ConditionKind) => readonly Message[]

const requireTarget: OperandCheck = ({ Operand, RTarget }) =>
  failedChecks(RTarget === '' && message('operand-target-missing', { operand: quoteGo(Operand) }))

const requireSetTarget: OperandCheck = ({ RTarget }, kind) =>
  failedChecks(RTarget === '' && message(`${kind}-set-target-missing`))

const rejectTarget: OperandCheck = ({ Operand, RTarget }) =>
  failedChecks(RTarget !== '' && message('operand-target-needless', { operand: quoteGo(Operand) }))

const noCheck: OperandCheck = () => []

/**
 * Checks of the right side of affinities, by operand (behaviour/scheduler#validation).
 * `constraintOperands` adds the operands that only constraints have.
 */
const affinityOperands: ReadonlyMap<string, OperandCheck> = new Map([
  ...['=', '==', 'is', '!=', 'not', '<', '<=', '>', '>='].map(
    (operand) => [operand, requireTarget] as const,
  ),
  ['set_contains', requireSetTarget],
  ['set_contains_all', requireSetTarget],
  ['set_contains_any', requireSetTarget],
  ['regexp', checkRegex],
  ['version', (target, kind) => checkVersions(target, 'version', 'Version', kind)],
  ['semver', (target, kind) => checkVersions(target, 'semver', 'Semver', kind)],
])

const constraintOperands: ReadonlyMap<string, OperandCheck> = new Map([
  ...affinityOperands,
  ['distinct_hosts', noCheck],
  ['distinct_property', checkAllowedCount],
  ['is_set', rejectTarget],
  ['is_not_set', rejectTarget],
])

export function constraintErrors(constraint: Constraint): readonly Message[] {
  const { LTarget, Operand } = constraint
  return [
    ...operandErrors(constraint, constraintOperands, 'constraint'),
    ...failedChecks(Operand !== 'distinct_hosts' && LTarget === '' && message('attribute-missing')),
  ]
}

/**
 * Returns true for operands about several allocations, which constraints of tasks must not have.
 */
export function isJobLevelOperand({ Operand }: Constraint): boolean {
  return Operand === 'distinct_hosts' || Operand === 'distinct_property'
}

export function affinityErrors(affinity: Affinity): readonly Message[] {
  const { LTarget, Weight } = affinity
  return [
    ...operandErrors(affinity, affinityOperands, 'affinity'),
    ...failedChecks(
      LTarget === '' && message('affinity-attribute-missing'),
      Weight === 0 && message('affinity-weight-zero'),
      Math.abs(Weight) > 100 && message('affinity-weight-out-of-range'),
    ),
  ]
}

export function spreadErrors({ Attribute, Weight, SpreadTarget }: Spread): readonly Message[] {
  const targets = SpreadTarget ?? []
  const sum = targets.reduce((total, { Percent }) => total + Percent, 0)
  return [
    ...failedChecks(
      Attribute === '' && message('spread-attribute-missing'),
      (Weight <= 0 || Weight > 100) && message('spread-weight-out-of-range'),
    ),
    ...targets.flatMap(({ Value, Percent }, at) => {
      const value = quoteGo(Value)
      return failedChecks(
        targets.findIndex((other) => other.Value === Value) < at &&
          message('spread-target-again', { value }),
        (Percent > 100 || Percent < 0) && message('spread-percentage-out-of-range', { value }),
      )
    }),
    ...failedChecks(sum > 100 && message('spread-percentages-too-high', { sum })),
  ]
}

function operandErrors(
  target: ConditionBlock,
  operands: ReadonlyMap<string, OperandCheck>,
  kind: ConditionKind,
): readonly Message[] {
  const { Operand } = target
  const check = operands.get(Operand)
  return [
    ...failedChecks(Operand === '' && message(`${kind}-operand-missing`)),
    ...(check?.(target, kind) ?? [
      message(`${kind}-operand-unknown`, { operand: quoteGo(Operand) }),
    ]),
  ]
}

function checkRegex({ RTarget }: ConditionBlock): readonly Message[] {
  try {
    compileGoRegex(RTarget)
    return []
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    return [message('target-regex-invalid', { why: error.message })]
  }
}

function checkVersions(
  { RTarget }: ConditionBlock,
  syntax: VersionKind,
  name: string,
  kind: ConditionKind,
): readonly Message[] {
  try {
    parseVersionConstraint(RTarget, syntax)
    return []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [message(`${kind}-version-invalid`, { kind: name, why: error.message })]
  }
}

function checkAllowedCount({ RTarget }: ConditionBlock): readonly Message[] {
  if (RTarget === '') return []
  const why = parseUintError(RTarget, 10, 64)
  if (why !== undefined) return [message('target-count-invalid', { target: quoteGo(RTarget), why })]
  return failedChecks(/^0+$/.test(RTarget) && message('target-count-zero'))
}
