import { bool, constant, instant, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextKey } from '../creation-order.ts'
import { newId } from '../ids.ts'
import { refuse, requireFound } from '../messages.ts'
import { isBlank, type TextInput, updatedText } from '../names.ts'
import { Violations } from '../violations.ts'

/**
 * Attributes of a variable as the API returns them. The value of a sensitive variable is left out.
 */
export const variableAttributes = {
  key: text,
  sensitive: bool,
  category: constant('env'),
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
  /** Id of the module. */
  module: text,
  /** Value that tests run with. The API never returns a sensitive one. */
  value: text,
})

/** An environment variable for the tests of a module. */
export interface Variable extends StoredOf<typeof variableShape> {}

/** Variables by `<module id>/<number>`, numbered in creation order. */
export const variables = defineTable({
  service: 'platform',
  name: 'variables',
  secrets: { members: ['value'] },
  shape: variableShape,
  indexes: { byId: ({ id }) => id },
})

/** Input for a variable; null counts as a blank string. */
interface VariableInput extends TextInput<'key' | 'value' | 'description' | 'category'> {
  readonly sensitive?: boolean
  readonly hcl?: boolean
}

/**
 * Returns the variables that a module's tests run with, oldest first and with their real values.
 */
export function variablesOf(world: World, moduleId: string): readonly Variable[] {
  return Array.from(world.table(variables).rows(`${moduleId}/`))
}

/** Returns a variable of a module. Throws 404 if it does not exist or belongs to another module. */
export function findVariable(world: World, moduleId: string, id: string): Variable {
  const variable = world.table(variables).index('byId').get(id)
  if (variable?.module !== moduleId) throw refuse('not-found')
  return variable
}

/**
 * Adds a variable to a module (behaviour/platform#variables). Throws with an error object for each
 * broken rule.
 */
export function createVariable(world: World, moduleId: string, input: VariableInput): Variable {
  const draft: VariableDraft = {
    key: input.key ?? '',
    value: input.value ?? '',
    description: input.description ?? null,
    category: input.category ?? '',
    sensitive: input.sensitive ?? false,
    hcl: input.hcl ?? false,
  }
  validate(world, moduleId, draft)
  return world.write(() =>
    put(world, nextKey(world.table(variables), `${moduleId}/`), {
      ...draft,
      category: 'env',
      id: newId(world, 'var'),
      module: moduleId,
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
  validate(world, before.module, draft, before)
  return world.write(() =>
    put(world, keyOf(world, before), {
      ...before,
      ...draft,
      category: 'env',
      version_id: newVersionId(world),
    }),
  )
}

export function removeVariable(world: World, variable: Variable): void {
  world.write(() => world.table(variables).delete(keyOf(world, variable)))
}

/** Deletes the variables of a module that is being deleted. Must run inside a transaction. */
export function removeVariablesOf(world: World, moduleId: string): void {
  world.table(variables).deleteAll(`${moduleId}/`)
}

/** A variable before validation, with an unchecked category. */
type VariableDraft = Pick<Variable, 'key' | 'value' | 'description' | 'sensitive' | 'hcl'> & {
  readonly category: string
}

const longestKey = 128
const longestDescription = 512
const largestValue = 256 * 1024

/**
 * Checks every rule of behaviour/platform#variables. `before` is the variable that changes, if
 * there is one.
 */
function validate(world: World, moduleId: string, draft: VariableDraft, before?: Variable): void {
  const violations = new Violations()
  const { key, value, description, category, sensitive } = draft

  if (isBlank(key)) violations.add('key', 'blank')
  else if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) violations.add('key', 'invalid')
  if (characterCount(key) > longestKey) {
    violations.add('key', 'too-long', { limit: longestKey })
  }
  const isTaken = variablesOf(world, moduleId).some(
    (other) => other.key === key && other.id !== before?.id,
  )
  if (isTaken) violations.add('key', 'taken')
  if (before?.sensitive && key !== before.key) {
    violations.add('key', 'not-changeable-if-sensitive')
  }

  if (Buffer.byteLength(value) > largestValue) violations.add('value', 'too-large')
  if (characterCount(description ?? '') > longestDescription) {
    violations.add('description', 'too-long', { limit: longestDescription })
  }
  if (isBlank(category)) violations.add('category', 'blank')
  if (category !== 'env') violations.add('category', 'not-listed')
  if (before?.sensitive && !sensitive) violations.add('sensitive', 'sensitive-for-good')

  violations.check()
}

/** Returns the length in code points; `text.length` would count UTF-16 code units. */
function characterCount(text: string): number {
  return [...text].length
}

function put(world: World, key: string, variable: Variable): Variable {
  world.table(variables).put(key, variable)
  return variable
}

function keyOf(world: World, { id }: Variable): string {
  const key = requireFound(world.table(variables).index('byId').keyOf(id))
  return key
}

function newVersionId(world: World): string {
  return world.ids.hex(64)
}
