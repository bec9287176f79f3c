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
 * Attributes of a variable, except the value. The API does not return the value of a sensitive
 * variable.
 */
export const variableAttributes = {
  key: text,
  sensitive: bool,
  /** Environment variable, input variable of the configuration, or parameter of a policy set. */
  category: word('env', 'policy-set', { infra: 'terraform' }),
  hcl: bool,
  created_at: instant,
  /** Null if the variable has no description. */
  description: nullable(text),
  /** Random text, which changes with each update. */
  version_id: text,
}

const variableShape = struct({
  ...variableAttributes,
  /** Id of the form `var-…`. */
  id: text,
  /** Id of the owner: a module (variable of its tests), workspace, variable set or policy set. */
  module: text,
  /** Actual value. The API does not return the value of a sensitive variable. */
  value: text,
})

/** A variable of a workspace, a variable set, a policy set, or a module's tests. */
export interface Variable extends StoredOf<typeof variableShape> {}

/** Variables by `<owner id>/<number>`, numbered in creation order. */
export const variables = platformTable('variables', variableShape, {
  secrets: { members: ['value'] },
  indexes: { byId: ({ id }) => id },
})

/** Members of a request that creates or changes a variable. Null is treated as a blank string. */
export interface VariableInput extends TextInput<'key' | 'value' | 'description' | 'category'> {
  readonly sensitive?: boolean
  readonly hcl?: boolean
}

const rows = ownedRows(variables, 'module')

/**
 * Functions of `ownedRows` for the variables of an owner. Lists are in creation order, and rows
 * contain sensitive values.
 */
export const { of: variablesOf, withId: variableWithId, dropAll: removeVariablesOf } = rows

/**
 * Returns a variable of an owner. Throws 404 if the variable does not exist or has another owner.
 */
export function findVariable(world: World, owner: string, id: string): Variable {
  const variable = variableWithId(world, id)
  if (variable?.module !== owner) throw refuse('not-found')
  return variable
}

/** Adds a variable to an owner. Throws 422 with all broken rules (behaviour/platform#variables). */
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
 * Changes the given members of a variable and stores the result. An empty change also creates a new
 * `version_id`. Throws 422 with all broken rules.
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

/** A variable before validation. The category can be any string. */
type VariableDraft = Pick<Variable, 'key' | 'value' | 'description' | 'sensitive' | 'hcl'> & {
  readonly category: string
}

const maxKeyLength = 128
const maxDescriptionLength = 512
const maxValueBytes = 256 * 1024

/** Rules for categories and keys of variables, which depend on the kind of owner. */
interface CategoryRules {
  readonly categories: readonly Variable['category'][]
  /** Whether keys must be unique in each category, rather than among all variables of the owner. */
  readonly isUniquePerCategory: boolean
}

const testRules: CategoryRules = { categories: ['env'], isUniquePerCategory: false }
const policyRules: CategoryRules = { categories: ['policy-set'], isUniquePerCategory: false }
const runRules: CategoryRules = { categories: ['env', 'infra'], isUniquePerCategory: true }

/** Returns the rules for an owner. The prefix of its id determines the kind of owner. */
function rulesFor(owner: string): CategoryRules {
  if (owner.startsWith('polset-')) return policyRules
  return owner.startsWith('mod-') ? testRules : runRules
}

/**
 * Returns the validated members of a variable. Throws 422 with all broken rules of
 * behaviour/platform#variables. `before` is the existing variable, if any.
 */
function validate(world: World, owner: string, draft: VariableDraft, before?: Variable) {
  const violations = new Violations()
  const { key, value, description, category: sentCategory, sensitive } = draft
  const { categories, isUniquePerCategory } = rulesFor(owner)
  const category = categories.find((one) => one === sentCategory)

  if (isBlank(key)) violations.add('key', 'blank')
  else if (!isValidKey(key, isUniquePerCategory ? category : 'env'))
    violations.add('key', 'invalid')
  if (characterCount(key) > maxKeyLength) {
    violations.add('key', 'too-long', { limit: maxKeyLength })
  }
  const isTaken = variablesOf(world, owner).some(
    (other) =>
      other.key === key &&
      other.id !== before?.id &&
      (!isUniquePerCategory || other.category === (category ?? before?.category)),
  )
  if (isTaken) violations.add('key', 'taken')
  if (before?.sensitive && key !== before.key) {
    violations.add('key', 'not-changeable-if-sensitive')
  }

  if (Buffer.byteLength(value) > maxValueBytes) violations.add('value', 'too-large')
  if (characterCount(description ?? '') > maxDescriptionLength) {
    violations.add('description', 'too-long', { limit: maxDescriptionLength })
  }
  if (isBlank(sentCategory)) violations.add('category', 'blank')
  if (category === undefined) violations.add('category', 'not-listed')
  if (before?.sensitive && !sensitive) violations.add('sensitive', 'sensitive-for-good')

  if (violations.hasAny || category === undefined) throw violations.refusal()
  return { ...draft, category, hcl: draft.hcl && (category !== 'env' || !isUniquePerCategory) }
}

/**
 * Returns whether a key is valid. Keys of input variables must not contain whitespace; keys of
 * environment variables and policy set parameters must be identifiers.
 */
function isValidKey(key: string, category: Variable['category'] | undefined): boolean {
  return category === 'infra' ? !/\s/.test(key) : /^[A-Za-z_][A-Za-z0-9_]*$/.test(key)
}

/**
 * Returns the number of code points in a text. In contrast, `text.length` is the number of UTF-16
 * code units.
 */
function characterCount(text: string): number {
  return [...text].length
}

function newVersionId(world: World): string {
  return world.ids.hex(64)
}
