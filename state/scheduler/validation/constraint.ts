import { compileGoRegex, RegexError } from '../../go/regex.ts'
import { quoteGo } from '../../go/text.ts'
import type { Said } from '../../kernel/wording.ts'
import type { Affinity, Constraint, Spread } from '../job/scheduling-shapes.ts'
import { parseVersionConstraint, type VersionKind } from '../job/version-constraints.ts'
import { failing } from './errors.ts'
import { parseUintError } from './go-number.ts'
import { say } from './scheduling-texts.ts'

type Target = Readonly<{ Operand: string; RTarget: string }>
/** Constraint or affinity: some errors are worded differently here and there. */
type Kind = 'constraint' | 'affinity'
type OperandCheck = (target: Target, kind: Kind) => readonly Said[]

const comparison: OperandCheck = ({ Operand, RTarget }) =>
  failing(RTarget === '' && say('operand-target-missing', { operand: quoteGo(Operand) }))

const setMembers: OperandCheck = ({ RTarget }, kind) =>
  failing(RTarget === '' && say(`${kind}-set-target-missing`))

const presence: OperandCheck = ({ Operand, RTarget }) =>
  failing(RTarget !== '' && say('operand-target-needless', { operand: quoteGo(Operand) }))

const nothing: OperandCheck = () => []

/** Asks of the right side what each operand needs (behaviour/scheduler#validation, constraint). */
const affinityOperands: ReadonlyMap<string, OperandCheck> = new Map([
  ...['=', '==', 'is', '!=', 'not', '<', '<=', '>', '>='].map(
    (operand) => [operand, comparison] as const,
  ),
  ['set_contains', setMembers],
  ['set_contains_all', setMembers],
  ['set_contains_any', setMembers],
  ['regexp', checkRegex],
  ['version', (target, kind) => checkVersions(target, 'version', 'Version', kind)],
  ['semver', (target, kind) => checkVersions(target, 'semver', 'Semver', kind)],
])

const constraintOperands: ReadonlyMap<string, OperandCheck> = new Map([
  ...affinityOperands,
  ['distinct_hosts', nothing],
  ['distinct_property', checkAllowedCount],
  ['is_set', presence],
  ['is_not_set', presence],
])

/** Finds what is wrong with a constraint. */
export function constraintErrors(constraint: Constraint): readonly Said[] {
  const { LTarget, Operand } = constraint
  return [
    ...operandErrors(constraint, constraintOperands, 'constraint'),
    ...failing(Operand !== 'distinct_hosts' && LTarget === '' && say('attribute-missing')),
  ]
}

/** Tells operands that make no sense for one task of several. */
export function disallowedAtTask({ Operand }: Constraint): boolean {
  return Operand === 'distinct_hosts' || Operand === 'distinct_property'
}

/** Finds what is wrong with an affinity. */
export function affinityErrors(affinity: Affinity): readonly Said[] {
  const { LTarget, Weight } = affinity
  return [
    ...operandErrors(affinity, affinityOperands, 'affinity'),
    ...failing(
      LTarget === '' && say('affinity-attribute-missing'),
      Weight === 0 && say('affinity-weight-zero'),
      Math.abs(Weight) > 100 && say('affinity-weight-out-of-range'),
    ),
  ]
}

/** Finds what is wrong with a spread. */
export function spreadErrors({ Attribute, Weight, SpreadTarget }: Spread): readonly Said[] {
  const targets = SpreadTarget ?? []
  const sum = targets.reduce((total, { Percent }) => total + Percent, 0)
  return [
    ...failing(
      Attribute === '' && say('spread-attribute-missing'),
      (Weight <= 0 || Weight > 100) && say('spread-weight-out-of-range'),
    ),
    ...targets.flatMap(({ Value, Percent }, at) => {
      const value = quoteGo(Value)
      return failing(
        targets.findIndex((other) => other.Value === Value) < at &&
          say('spread-target-again', { value }),
        (Percent > 100 || Percent < 0) && say('spread-percentage-out-of-range', { value }),
      )
    }),
    ...failing(sum > 100 && say('spread-percentages-too-high', { sum })),
  ]
}

function operandErrors(
  target: Target,
  operands: ReadonlyMap<string, OperandCheck>,
  kind: Kind,
): readonly Said[] {
  const { Operand } = target
  const check = operands.get(Operand)
  return [
    ...failing(Operand === '' && say(`${kind}-operand-missing`)),
    ...(check?.(target, kind) ?? [say(`${kind}-operand-unknown`, { operand: quoteGo(Operand) })]),
  ]
}

function checkRegex({ RTarget }: Target): readonly Said[] {
  try {
    compileGoRegex(RTarget)
    return []
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    return [say('target-regex-invalid', { why: error.message })]
  }
}

function checkVersions(
  { RTarget }: Target,
  versions: VersionKind,
  name: string,
  kind: Kind,
): readonly Said[] {
  try {
    parseVersionConstraint(RTarget, versions)
    return []
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return [say(`${kind}-version-invalid`, { kind: name, why: error.message })]
  }
}

function checkAllowedCount({ RTarget }: Target): readonly Said[] {
  if (RTarget === '') return []
  const why = parseUintError(RTarget, 10, 64)
  if (why !== undefined) return [say('target-count-invalid', { target: quoteGo(RTarget), why })]
  return failing(/^0+$/.test(RTarget) && say('target-count-zero'))
}
