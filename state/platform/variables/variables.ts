import { bool, instant, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { isBlank, type TextInput, updatedText } from '../names.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { Violations } from '../violations.ts'

/**
 * Attributes of a variable as the API returns them. The value of a sensitive variable is left out.
 */
export const variableAttributes = {
  key: text,
  sensitive: bool,
  /** Environment variable, variable of the configuration, or parameter of a policy set. */
  category: word('env', 'policy-set', { infra: 'terraform' }),
  hcl: bool,
  created_at: instant,
  /** Null if it was never set. */
  description: nullable(text),
  /** Changes with every update. */
  version_id: text,
}

const variableShape = struct({
  ...variableAttributes,
  /** Id of the form `var-…`. */
  id: text,
  /** Id of the owner: a module, whose tests have the variable, a workspace, a variable or policy set. */
  module: text,
  /** Value that tests and runs have. The API never returns a sensitive one. */
  value: text,
})

/** A variable of a workspace, of a variable set, or of the tests of a module. */
export interface Variable extends StoredOf<typeof variableShape> {}

/** Variables by `<owner's id>/<number>`, numbered in creation order. */
export const variables = platformTable('variables', variableShape, {
  secrets: { members: ['value'] },
  indexes: { byId: ({ id }) => id },
})

/** Input for a variable; null counts as a blank string. */
export interface VariableInput extends TextInput<'key' | 'value' | 'description' | 'category'> {
  readonly sensitive?: boolean
  readonly hcl?: boolean
}

const rows = ownedRows(variables, 'module')

/**
 * Variables of an owner with their real values, oldest first; one by its id; and the removal of
 * those of an owner.
 */
export const { of: variablesOf, withId: variableWithId, dropAll: removeVariablesOf } = rows

/** Returns a variable of an owner. Throws 404 if it does not exist or belongs to another owner. */
export function findVariable(world: World, owner: string, id: string): Variable {
  const variable = variableWithId(world, id)
  if (variable?.module !== owner) throw refuse('not-found')
  return variable
}

/**
 * Adds a variable to an owner (behaviour/platform#variables). Throws with an error object for each
 * broken rule.
 */
export function createVariable(world: World, owner: string, input: VariableInput): Variable {
  const draft: VariableDraft = {
    key: input.key ?? '',
    value: input.value ?? '',
    description: input.description ?? null,
    category: input.category ?? '',
    sensitive: input.sensitive ?? false,
    hcl: input.hcl ?? false,
  }
  const validated = validate(world, owner, draft)
  return world.write(() =>
    rows.put(world, {
      ...validated,
      id: newId(world, 'var'),
      module: owner,
      created_at: world.clock.now(),
      version_id: newVersionId(world),
    }),
  )
}

/**
 * Changes the given members of a variable and checks the rules on the result. An empty change
 * creates a new version as well.
 */
export function changeVariable(world: World, before: Variable, input: VariableInput): Variable {
  const draft: VariableDraft = {
    key: updatedText(input.key, before.key),
    value: updatedText(input.value, before.value),
    description: input.description === undefined ? before.description : input.description,
    category: updatedText(input.category, before.category),
    sensitive: input.sensitive ?? before.sensitive,
    hcl: input.hcl ?? before.hcl,
  }
  const validated = validate(world, before.module, draft, before)
  return world.write(() =>
    rows.put(world, { ...before, ...validated, version_id: newVersionId(world) }),
  )
}

export function removeVariable(world: World, variable: Variable): void {
  world.write(() => rows.drop(world, variable))
}

/** A variable before validation, with an unchecked category. */
type VariableDraft = Pick<Variable, 'key' | 'value' | 'description' | 'sensitive' | 'hcl'> & {
  readonly category: string
}

const longestKey = 128
const longestDescription = 512
const largestValue = 256 * 1024

/** Rules that differ between the variables of tests and all others. */
interface CategoryRules {
  readonly categories: readonly Variable['category'][]
  /** Whether a key may occur once in each category; otherwise once in all. */
  readonly byCategory: boolean
}

const testRules: CategoryRules = { categories: ['env'], byCategory: false }
const policyRules: CategoryRules = { categories: ['policy-set'], byCategory: false }
const runRules: CategoryRules = { categories: ['env', 'infra'], byCategory: true }

/** Returns the rules for the variables of an owner, whose id tells what it is. */
function rulesFor(owner: string): CategoryRules {
  if (owner.startsWith('polset-')) return policyRules
  return owner.startsWith('mod-') ? testRules : runRules
}

/**
 * Checks every rule of behaviour/platform#variables, and returns the members of the variable.
 * `before` is the variable that changes, if there is one.
 */
function validate(world: World, owner: string, draft: VariableDraft, before?: Variable) {
  const violations = new Violations()
  const { key, value, description, category: sentCategory, sensitive } = draft
  const { categories, byCategory } = rulesFor(owner)
  const category = categories.find((one) => one === sentCategory)

  if (isBlank(key)) violations.add('key', 'blank')
  else if (!isKey(key, byCategory ? category : 'env')) violations.add('key', 'invalid')
  if (characterCount(key) > longestKey) {
    violations.add('key', 'too-long', { limit: longestKey })
  }
  const isTaken = variablesOf(world, owner).some(
    (other) =>
      other.key === key &&
      other.id !== before?.id &&
      (!byCategory || other.category === (category ?? before?.category)),
  )
  if (isTaken) violations.add('key', 'taken')
  if (before?.sensitive && key !== before.key) {
    violations.add('key', 'not-changeable-if-sensitive')
  }

  if (Buffer.byteLength(value) > largestValue) violations.add('value', 'too-large')
  if (characterCount(description ?? '') > longestDescription) {
    violations.add('description', 'too-long', { limit: longestDescription })
  }
  if (isBlank(sentCategory)) violations.add('category', 'blank')
  if (category === undefined) violations.add('category', 'not-listed')
  if (before?.sensitive && !sensitive) violations.add('sensitive', 'sensitive-for-good')

  if (violations.any || category === undefined) throw violations.refusal()
  return { ...draft, category, hcl: draft.hcl && (category !== 'env' || !byCategory) }
}

/**
 * Returns whether a text can be the key of a variable: a name for the environment, any text without
 * white space for the configuration.
 */
function isKey(key: string, category: Variable['category'] | undefined): boolean {
  return category === 'infra' ? !/\s/.test(key) : /^[A-Za-z_][A-Za-z0-9_]*$/.test(key)
}

/** Returns the length in code points; `text.length` would count UTF-16 code units. */
function characterCount(text: string): number {
  return [...text].length
}

function newVersionId(world: World): string {
  return world.ids.hex(64)
}
