import { bool, constant, instant, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextKey } from '../creation-order.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { isBlank, updatedText } from '../names.ts'
import { Violations } from '../violations.ts'

/**
 * Renders what a variable tells of itself, by the attributes' names; of the value not if it is
 * sensitive.
 */
export const variableAttributes = {
  key: text,
  sensitive: bool,
  category: constant('env'),
  hcl: bool,
  created_at: instant,
  /** Null when never set. */
  description: nullable(text),
  /** New with every change. */
  version_id: text,
}

const variableShape = struct({
  ...variableAttributes,
  /** `var-…` */
  id: text,
  /** The module's id. */
  module: text,
  /** As it is used, sensitive or not; callers never see a sensitive one. */
  value: text,
})

/** An environment variable that the tests of a module run with. */
export interface Variable extends StoredOf<typeof variableShape> {}

/** By `<module's id>/<number>`, the numbers in order of creation. */
export const variables = defineTable({
  service: 'platform',
  name: 'variables',
  shape: variableShape,
  indexes: { byId: ({ id }) => id },
})

/** A caller's wishes for a variable; null is a blank text. */
interface VariableInput {
  readonly key?: string | null
  readonly value?: string | null
  readonly description?: string | null
  readonly category?: string | null
  readonly sensitive?: boolean
  readonly hcl?: boolean
}

/** The variables of a module with their real values, oldest first: what its tests run with. */
export function variablesOf(world: World, moduleId: string): readonly Variable[] {
  return Array.from(world.table(variables).rows(`${moduleId}/`))
}

/** A variable of a module; 404 when there is none or it is another module's. */
export function findVariable(world: World, moduleId: string, id: string): Variable {
  const variable = world.table(variables).index('byId').get(id)
  if (variable?.module !== moduleId) throw refuse('not-found')
  return variable
}

/**
 * Adds a variable to a module (behaviour/platform#variables). Refuses with an object for each
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
 * Changes what is named of a variable; the rules are those of the result. A change of nothing is a
 * new version too.
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

/** Deletes a variable. */
export function removeVariable(world: World, variable: Variable): void {
  world.write(() => world.table(variables).delete(keyOf(world, variable)))
}

/** Deletes the variables of a module that goes; part of a transaction. */
export function removeVariablesOf(world: World, moduleId: string): void {
  world.table(variables).deleteAll(`${moduleId}/`)
}

/** A variable as it would be, its category not yet looked at. */
type VariableDraft = Pick<Variable, 'key' | 'value' | 'description' | 'sensitive' | 'hcl'> & {
  readonly category: string
}

const longestKey = 128
const longestDescription = 512
const largestValue = 256 * 1024

/** Every rule of behaviour/platform#variables. `before` is the variable that changes, if there is one. */
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

/** Length in characters, where JavaScript counts halves of some. */
function characterCount(text: string): number {
  return [...text].length
}

function put(world: World, key: string, variable: Variable): Variable {
  world.table(variables).put(key, variable)
  return variable
}

function keyOf(world: World, { id }: Variable): string {
  const key = world.table(variables).index('byId').keyOf(id)
  if (key === undefined) throw refuse('not-found')
  return key
}

function newVersionId(world: World): string {
  return world.ids.hex(64)
}
